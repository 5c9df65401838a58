"""The rules by which an interval becomes a verdict: margin, convergence, tolerance, trials.

They read the rows of the trials behind a number; no measure knows of them. Each rule is stated for
readers in ``docs/statistics.md``.
"""

import math

import pandas as pd

from .statistics import FEW, Interval, Region, verdict

CONVERGED = 0.9  # share of the trials behind a point that a verdict under `sound` needs
MARGIN = 0.01  # of differences: a hundredth of the answers, or the variance of the curves' noise
LOOSE = 0.05  # a tolerance that comes from draws and is greater decides nothing


def by_interval(interval: Interval, region: Region, margin: float = 0.0) -> str:
    """What an interval alone says: that it lies inside a region, by a margin, or beside it.

    Example:
        >>> above = Region(0.0, math.inf, strict=True)
        >>> [by_interval(Interval(m, m - 0.1, m + 0.1, 9), above, 0.01) for m in (0.2, 0.1, -0.2)]
        ['holds', 'undecided', 'fails']
    """
    inner = region._replace(low=region.low + margin, high=region.high - margin)
    outer = region._replace(low=region.low - margin, high=region.high + margin)
    if verdict(interval, inner) == "holds":
        return "holds"
    return "fails" if verdict(interval, outer) == "fails" else "undecided"


def few(interval: Interval) -> bool:
    """Whether a number rests on too few trials to decide."""
    return interval.n < FEW


def too_loose(said: str, tolerance: float | None) -> bool:
    """Whether a point would hold by a tolerance so wide that hardly anything could fail it."""
    return said == "holds" and (tolerance or 0) > LOOSE


def settled(rows: pd.DataFrame | None) -> float:
    """The share of trials that converged, at the training size with the least; NaN where nothing
    was validated, or there are no trials.

    Example:
        >>> settled(pd.DataFrame({"size": [1, 1, 2, 2], "converged": [1, 0, 1, 1]}))
        0.5
    """
    if rows is None or "converged" not in rows:
        return math.nan
    by_size = rows["converged"].groupby(rows["size"]) if "size" in rows else None
    return float(rows["converged"].mean() if by_size is None else by_size.mean().min())


def settled_at(rows: pd.DataFrame, metric: str, level: float) -> pd.DataFrame:
    """The rows, where only a level counts: a trial that has reached it has converged.

    Example:
        >>> rows = pd.DataFrame({"size": [1, 1, 2, 2], "accuracy": [0.1, 0.2, 0.9, 0.2]})
        >>> settled(settled_at(rows.assign(converged=[1, 1, 0, 0]), "accuracy", 0.5))
        0.5
    """
    if "converged" not in rows:
        return rows
    return rows.assign(converged=rows[metric].ge(level) | rows["converged"].eq(1))


def unsettled(
    said: str,
    interval: Interval,
    region: Region,
    rising: pd.DataFrame | None,
    falling: pd.DataFrame | None,
) -> float | None:
    """The share of trials that converged, of a model whose further training could have changed what
    the interval says; None if enough did, or it could not.

    Args:
        said: what the interval says.
        rising: the trials whose further training can only raise the number, such as those of the
            model that leads.
        falling: those whose further training can only lower it.
    """
    could_rise, could_fall = (
        {
            "holds": (region.high < math.inf, region.low > -math.inf),
            "fails": (interval.high < region.high, interval.low > region.low),
        }
    ).get(said, (True, True))
    shares = [settled(rising)] * could_rise + [settled(falling)] * could_fall
    least = least_settled(shares)
    return least if least < CONVERGED else None


def least_settled(shares: list[float]) -> float:
    """The least of some shares of `settled`; NaN, where nothing was validated, does not count.

    Example:
        >>> least_settled([math.nan, 0.8]), least_settled([math.nan])
        (0.8, nan)
    """
    return min((share for share in shares if not math.isnan(share)), default=math.nan)
