"""What makes a record checkable: its numbers as written, and how its run repeats."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

DIGITS = 9  # significant; enough to tell any two float32 apart
CERTAIN_LOSSES = 1  # of a training run's first: that before any update
Fingerprint = Mapping[str, list[float]]


@dataclass(frozen=True)
class Repeats:
    """How a run of an experiment comes out again.

    Attributes:
        same_class: on the machine class that wrote the record, a run is ``bitwise`` equal, or
            agrees in ``distribution`` only (runs with processes of their own).
        tolerance: by which the fingerprint may differ on any other machine, as a share of the
            scale of each of its quantities, which is the largest magnitude among its numbers.
        close: by which metrics of a whole run may differ on another machine class, as a share of
            their scale; None if they follow the path of an optimiser, and agree in distribution
            only.
        rounding: by which they may differ whatever their scale, as what should be zero does.
        metrics: name -> by how much a metric may differ there in place of that, absolutely;
            infinite for one that agrees in distribution only.
    """

    same_class: Literal["bitwise", "distribution"] = "bitwise"
    tolerance: float = 1e-4
    close: float | None = None
    rounding: float = 0.0
    metrics: Mapping[str, float] = field(default_factory=dict)

    @property
    def promises(self) -> bool:
        """Whether any metric comes out on another machine class."""
        return self.close is not None or any(map(math.isfinite, self.metrics.values()))

    def allowed(self, name: str, values: list[float | None]) -> float:
        """By how much a metric with these values may differ on another machine class.

        Example:
            >>> some = Repeats(close=0.25, metrics={"steps": math.inf})
            >>> some.allowed("error", [10.0, None]), some.allowed("steps", [3])
            (2.5, inf)
        """
        if name in self.metrics:
            return self.metrics[name]
        return math.inf if self.close is None else self.rounding + self.close * scale(values)


def scale(values: list[float | None]) -> float:
    """The largest magnitude among numbers."""
    return max((abs(value) for value in values if value is not None), default=0.0)


def fingerprint(record: Mapping) -> Fingerprint:
    """The first numbers of a record's run, by quantity: what its experiment chose, or else the
    first loss. Later ones part between processors, the second already: Adam makes a whole step of
    a gradient that is nothing but rounding."""
    return record.get("fingerprint") or {"first loss": record["first_losses"][:CERTAIN_LOSSES]}


def distance(expected: Fingerprint, computed: Fingerprint) -> float:
    """The largest difference of two fingerprints, each quantity's as a share of its scale; infinite
    if they have other quantities or another number of values.

    Example:
        >>> distance({"residual": [100.0, 1e-13]}, {"residual": [100.0, 3e-13]}) < 1e-14
        True
        >>> distance({"loss": [0.5]}, {"loss": [0.5, 0.4]})
        inf
    """
    if set(expected) != set(computed):
        return math.inf
    return max((_difference(expected[name], computed[name]) for name in expected), default=0.0)


def _difference(expected: list[float], computed: list[float]) -> float:
    if len(expected) != len(computed):
        return math.inf
    if any((a is None) != (b is None) for a, b in zip(expected, computed, strict=True)):
        return math.inf
    pairs = [(a, b) for a, b in zip(expected, computed, strict=True) if a is not None]
    size = max((abs(a) for a, _ in pairs), default=0.0)
    largest = max((abs(a - b) for a, b in pairs), default=0.0)
    if largest == 0:
        return 0.0
    return largest / size if size else math.inf


def rounded(value):
    """Numbers to 9 significant digits, in lists and dictionaries too; NaN becomes None.

    Example:
        >>> rounded({"loss": [0.1 + 0.2, float("nan"), 3]})
        {'loss': [0.3, None, 3]}
    """
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value
