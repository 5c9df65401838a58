"""What claims on SET from relations measure, beside the common measures."""

from math import inf, sqrt

import pandas as pd

from ...findings.measures import Frames, Measured, ordering, select
from ...findings.registry import measure
from ...findings.statistics import Interval, t_quantile


def with_further(table: pd.DataFrame) -> pd.DataFrame:
    """A table in which trials that were added count as those that there were before."""
    return table.assign(variant=table["variant"].replace("further", "curve"))


@measure
def bound(frames: Frames, protocol: str, *, models: list[str]) -> Measured:
    """`ordering` at every training size, over all trials: also over those that were added to decide
    whether the one model bounds the other."""
    every = {protocol: with_further(select(frames, protocol))}
    return ordering(every, protocol, models=models)


def needed(interval: Interval, limit: float, comparisons: int = 1) -> float:
    """How many trials tell on which side of a limit a mean lies, if their mean and standard
    deviation are those behind a Student-t interval; infinite if a thousand do not.

    Example:
        >>> needed(Interval(0.5, 0.4, 0.6, 10), 0.45)
        33
    """
    half, apart = (interval.high - interval.low) / 2, abs(interval.estimate - limit)
    least = half / apart * sqrt(interval.n) / t_quantile(interval.n, comparisons) if apart else inf
    numbers = range(2, 1001)
    return next((n for n in numbers if sqrt(n) / t_quantile(n, comparisons) > least), inf)
