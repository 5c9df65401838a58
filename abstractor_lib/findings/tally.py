"""How trials came out, for sentences and tables: how many reach a level, and their range.

Near the training size at which a model begins to learn, a trial either solves its task or does
not; a mean of such trials describes none of them.
"""

from typing import NamedTuple

import pandas as pd

from .measures import Frames


class Tally(NamedTuple):
    """How the trials of one model at one training size came out.

    As text ``{}`` is how many reach the level, ``{:n}`` how many there are, ``{:range}`` the least
    and the greatest value, ``{:median}`` and ``{:greatest}`` that one; "(not run)" where there is
    no trial.

    Example:
        >>> found = tally([0.0, 0.75, 1.0], level=0.5)
        >>> f"{found} trials, {found:range}, median {found:median}"
        '2 of 3 trials, 0.00 to 1.00, median 0.75'
        >>> f"{Tally()}"
        '(not run)'
    """

    reached: int = 0
    n: int = 0
    least: float = 0.0
    median: float = 0.0
    greatest: float = 0.0

    @property
    def all(self) -> bool:
        """Whether every trial reaches the level."""
        return 0 < self.n == self.reached

    @property
    def none(self) -> bool:
        """Whether no trial reaches the level."""
        return self.reached == 0 < self.n

    def __format__(self, spec: str) -> str:
        if self.n == 0:
            return "(not run)"
        if spec == "range":
            return f"{self.least:.2f} to {self.greatest:.2f}"
        if spec in ("median", "greatest"):
            return f"{getattr(self, spec):.2f}"
        return str(self.n) if spec == "n" else f"{self.reached} of {self.n}"

    def __str__(self) -> str:
        return format(self)


def tally(values, level: float) -> Tally:
    """How many of some values are at least ``level``; NaN values are left out."""
    known = pd.Series(values, dtype=float).dropna()
    if known.empty:
        return Tally()
    reached = int((known >= level).sum())
    return Tally(reached, len(known), known.min(), known.median(), known.max())


class Tallies(dict):
    """Tallies by ``(protocol, model, size)``; what was not run has an empty one."""

    def __missing__(self, key: tuple) -> Tally:
        return Tally()


def tallies(frames: Frames, level: float, metric: str) -> Tallies:
    """The tally of every model at every training size of every protocol, on its learning curve.

    Args:
        frames: protocol -> table of trials; one without the metric counts as not run.

    Example:
        >>> rows = {"model": "m", "size": 10, "variant": "curve", "accuracy": [0.2, 0.9]}
        >>> found = tallies({"sound": pd.DataFrame(rows)}, 0.5, "accuracy")
        >>> f"{found['sound', 'm', 10]}, {found['sound', 'm', 20]}"
        '1 of 2, (not run)'
    """
    counted = Tallies()
    for protocol, table in frames.items():
        if metric not in table:
            continue
        rows = table[table["variant"] == "curve"]
        for (model, size), group in rows.groupby(["model", "size"]):
            counted[protocol, model, size] = tally(group[metric], level)
    return counted
