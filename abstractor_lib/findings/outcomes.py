"""Trials that succeed or do not, counted for sentences and tables.

Near the training size at which a model begins to learn, a trial either solves its task or does
not; a mean of such trials describes none of them.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from .measures import Frames


class Outcomes(NamedTuple):
    """How the trials of one model at one training size came out.

    As text ``{}`` is how many reach the level, ``{:range}`` the least and greatest value,
    ``{:median}`` the median; "(not run)" where there is no trial.

    Example:
        >>> found = outcomes([0.0, 0.75, 1.0], level=0.5)
        >>> f"{found} trials, {found:range}, median {found:median}"
        '2 of 3 trials, 0.00 to 1.00, median 0.75'
        >>> f"{Outcomes()}"
        '(not run)'
    """

    successes: int = 0
    n: int = 0
    least: float = 0.0
    median: float = 0.0
    greatest: float = 0.0

    @property
    def all(self) -> bool:
        """Whether every trial reaches the level."""
        return 0 < self.n == self.successes

    @property
    def none(self) -> bool:
        """Whether no trial reaches the level."""
        return self.successes == 0 < self.n

    def __format__(self, spec: str) -> str:
        if self.n == 0:
            return "(not run)"
        if spec == "range":
            return f"{self.least:.2f} to {self.greatest:.2f}"
        if spec == "median":
            return f"{self.median:.2f}"
        return f"{self.successes} of {self.n}"

    def __str__(self) -> str:
        return format(self)


def outcomes(values, level: float) -> Outcomes:
    """The outcomes of some trials: a trial succeeds if its value is at least ``level``."""
    given = pd.Series(values, dtype=float).dropna()
    if given.empty:
        return Outcomes()
    successes = int((given >= level).sum())
    return Outcomes(successes, len(given), given.min(), given.median(), given.max())


class Counted(dict):
    """Outcomes by ``(protocol, model, size)``; what was not run has none."""

    def __missing__(self, key: tuple) -> Outcomes:
        return Outcomes()


def counted(
    frames: Frames, level: float, metric: str, variant: str = "curve"
) -> Mapping[tuple[str, str, int], Outcomes]:
    """Outcomes of every model at every training size of every protocol.

    Args:
        frames: protocol -> table of trials.
        level: a trial succeeds if its ``metric`` is at least that.
        variant: ``curve``, or ``draw`` for further draws of the data.

    Example:
        >>> rows = {"model": "m", "size": 10, "variant": "curve", "accuracy": [0.2, 0.9]}
        >>> found = counted({"sound": pd.DataFrame(rows)}, 0.5, "accuracy")
        >>> f"{found['sound', 'm', 10]}, {found['sound', 'm', 20]}"
        '1 of 2, (not run)'
    """
    found = Counted()
    for protocol, table in frames.items():
        rows = table[table["variant"] == variant]
        for (model, size), some in rows.groupby(["model", "size"]):
            found[protocol, model, size] = outcomes(some[metric], level)
    return found
