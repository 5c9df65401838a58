"""What makes a record checkable: its numbers as written, its seal, and how its run repeats."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .spec import dumps

DIGITS = 9  # significant; enough to tell any two float32 apart
CERTAIN_LOSSES = 2  # of a training run's first: before, and after one update
Fingerprint = Mapping[str, list[float]]


@dataclass(frozen=True)
class Repeats:
    """How a run of an experiment comes out again.

    Attributes:
        same_class: on the machine class that wrote the record, a run is ``bitwise`` equal, or
            agrees in ``distribution`` only (runs with processes of their own).
        tolerance: by which the fingerprint may differ on any other machine, as a share of the
            scale of each of its quantities, which is the largest magnitude among its numbers.
        metrics: name -> by how much a metric of a whole run may differ on another machine class,
            absolutely, for those that do not depend on the path of an optimiser. All others agree
            in distribution only.
    """

    same_class: Literal["bitwise", "distribution"] = "bitwise"
    tolerance: float = 1e-4
    metrics: Mapping[str, float] = field(default_factory=dict)


def fingerprint(record: Mapping) -> Fingerprint:
    """The first numbers of a record's run, by quantity: what its experiment chose, or else the
    first two losses. Later ones part between processors: Adam makes a whole step of a gradient that
    is nothing but rounding."""
    return record.get("fingerprint") or {"first losses": record["first_losses"][:CERTAIN_LOSSES]}


def distance(expected: Fingerprint, found: Fingerprint) -> float:
    """The largest difference of two fingerprints, each quantity's as a share of its scale; infinite
    if they have other quantities or another number of values.

    Example:
        >>> distance({"residual": [100.0, 1e-13]}, {"residual": [100.0, 3e-13]}) < 1e-14
        True
        >>> distance({"loss": [0.5]}, {"loss": [0.5, 0.4]})
        inf
    """
    if set(expected) != set(found):
        return math.inf
    return max((_difference(expected[name], found[name]) for name in expected), default=0.0)


def _difference(expected: list[float], found: list[float]) -> float:
    if len(expected) != len(found):
        return math.inf
    if any((a is None) != (b is None) for a, b in zip(expected, found, strict=True)):
        return math.inf
    pairs = [(a, b) for a, b in zip(expected, found, strict=True) if a is not None]
    scale = max((abs(a) for a, _ in pairs), default=0.0)
    largest = max((abs(a - b) for a, b in pairs), default=0.0)
    if largest == 0:
        return 0.0
    return largest / scale if scale else math.inf


def seal(record: Mapping) -> str:
    """SHA-256 of everything else in a record but its artifacts, which are named by theirs.

    A record that was changed after it was written has another one. Whoever changes a record on
    purpose can change its seal too, and is found out when the run is computed again.

    Example:
        >>> seal({"run": "a"}) == seal({"run": "a", "seal": "of no account"})
        True
    """
    rest = {name: value for name, value in record.items() if name not in ("seal", "artifacts")}
    return hashlib.sha256(dumps(rest).encode()).hexdigest()


def sealed(record: Mapping) -> dict:
    """A record with its seal."""
    return {**record, "seal": seal(record)}


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
