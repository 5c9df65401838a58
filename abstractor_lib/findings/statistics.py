"""Intervals and verdicts.

95 % throughout: Student-t for means and paired differences; `counts` has what is exact for all or
nothing, `sizes` the brackets of training sizes. Over the points of a series intervals are
simultaneous (Bonferroni): pass ``comparisons``.
"""

import math

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from .interval import Interval, Region, number, verdict

__all__ = [
    "CONFIDENCE",
    "FEW",
    "Interval",
    "Region",
    "difference_interval",
    "mean_interval",
    "number",
    "t_quantile",
    "verdict",
]

CONFIDENCE = 0.95
FEW = 5  # below this many values points are shown instead of an interval


def t_quantile(n: int, comparisons: int = 1) -> float:
    """Two-sided Student-t quantile for ``n`` values and simultaneous intervals.

    Raises:
        ValueError: for fewer than one comparison.
    """
    if comparisons < 1:
        raise ValueError(f"comparisons is {comparisons}; expected a number of at least 1")
    return float(stats.t.ppf(1 - (1 - CONFIDENCE) / (2 * comparisons), n - 1))


def mean_interval(
    values: ArrayLike,
    comparisons: int = 1,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Student-t interval of a mean; NaN values are left out.

    Args:
        within: what the mean can be; the interval does not leave it.

    Raises:
        ValueError: if fewer than two values are left, or for limits in the other order.

    Example:
        >>> [round(x, 3) for x in mean_interval([1.0, 2.0, 3.0])]
        [2.0, -0.484, 4.484, 3]
    """
    given = np.asarray(values, dtype=float)
    given = given[~np.isnan(given)]
    if len(given) < 2:
        raise ValueError(f"values holds {len(given)} numbers; expected at least 2")
    mean = float(given.mean())
    if within[0] > within[1]:
        raise ValueError(f"within is {within}; expected the lower limit first")
    half = t_quantile(len(given), comparisons) * float(given.std(ddof=1)) / math.sqrt(len(given))
    return Interval(mean, max(mean - half, within[0]), min(mean + half, within[1]), len(given))


def difference_interval(
    first: ArrayLike,
    second: ArrayLike,
    comparisons: int = 1,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Student-t interval of the mean paired difference ``first - second``.

    Args:
        first, second: as many values each, in the order of the pairs; two Series are paired by
            their index, and what only one of them has is left out.
        within: what the mean difference can be.

    Raises:
        ValueError: if one holds more values than the other, or there are fewer than two pairs.

    Example:
        >>> round(difference_interval([1.0, 2.0, 4.0], [0.0, 1.0, 2.0]).estimate, 3)
        1.333
    """
    if isinstance(first, pd.Series) and isinstance(second, pd.Series):
        return mean_interval(first - second, comparisons, within)
    one, other = np.asarray(first, float), np.asarray(second, float)
    if one.shape != other.shape:
        raise ValueError(
            f"first holds {one.size} numbers and second {other.size}; expected equally many"
        )
    return mean_interval(one - other, comparisons, within)
