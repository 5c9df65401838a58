"""Intervals and verdicts.

95 % throughout: Student-t for means and paired differences; `counts` has what is exact for all or
nothing, `sizes` the brackets of training sizes. Over the points of a series intervals are
simultaneous (Bonferroni): pass ``comparisons``.
"""

import math
import operator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

CONFIDENCE = 0.95
FEW = 5  # below this many values points are shown instead of an interval


def number(value: float) -> str:
    """A number as tables show it: three decimals, or its magnitude where these would be zeros.

    Example:
        >>> number(0.9365), number(0.0), number(-2.3e-14)
        ('0.936', '0.000', '-2e-14')
    """
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.0e}"


class Interval(NamedTuple):
    """An estimate with its interval and the number of values behind it.

    The estimate is NaN where there is a bracket and nothing is known of what lies between its ends.
    What is computed and not estimated is its own interval.

    Example:
        >>> f"{Interval(0.5, 0.4, 0.6, 10)}, {Interval(math.nan, 1000, 1500, 5):.0f}"
        '0.50 [0.40, 0.60], between 1000 and 1500'
        >>> f"{Interval(1.99, 1.99, 1.99, 7)}"
        '1.99'
        >>> f"{Interval(0.5, -math.inf, math.inf, 1)}"
        '0.50 (no interval)'
    """

    estimate: float
    low: float
    high: float
    n: int

    @property
    def exact(self) -> bool:
        """Whether it has no width: a number that is computed, or on which all trials agree."""
        return self.low == self.estimate == self.high

    def __format__(self, spec: str) -> str:
        """As prose says it, numbers by default with two decimals."""
        if self.exact:
            return format(self.estimate, spec or ".2f")
        if not math.isnan(self.estimate):
            each = [format(value, spec or ".2f") for value in self[:3]]
            if math.isinf(self.low) and math.isinf(self.high):
                return f"{each[0]} (no interval)"
            return "{} [{}, {}]".format(*each)
        if (self.low, self.high) == (0, math.inf):
            return "no bound"
        low, high = (
            format(value, spec or (".0f" if float(round(value, 6)).is_integer() else ".2f"))
            for value in (self.low, self.high)
        )
        return f"more than {low}" if self.high == math.inf else f"between {low} and {high}"


def t_quantile(n: int, comparisons: int = 1) -> float:
    """Two-sided Student-t quantile for ``n`` values and simultaneous intervals."""
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
        ValueError: if fewer than two values are left.

    Example:
        >>> [round(x, 3) for x in mean_interval([1.0, 2.0, 3.0])]
        [2.0, -0.484, 4.484, 3]
    """
    given = np.asarray(values, dtype=float)
    given = given[~np.isnan(given)]
    if len(given) < 2:
        raise ValueError(f"values holds {len(given)} numbers; expected at least 2")
    mean = float(given.mean())
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


class Region(NamedTuple):
    """The values for which a claim is true: between ``low`` and ``high``, ends included unless
    ``strict``."""

    low: float
    high: float
    strict: bool = False


def verdict(interval: Interval, region: Region) -> str:
    """``holds`` if the interval lies in the region, ``fails`` if they are disjoint, else
    ``undecided``.

    Example:
        >>> verdict(Interval(0.9, 0.8, 1.0, 10), Region(0.5, math.inf))
        'holds'
        >>> verdict(Interval(0.0, 0.0, 0.0, 10), Region(0.0, math.inf, strict=True))  # a tie
        'fails'
        >>> verdict(Interval(3.0, 2.5, math.inf, 5), Region(2.0, math.inf, strict=True))
        'holds'
    """
    within, beyond = (operator.lt, operator.le) if region.strict else (operator.le, operator.lt)
    above = region.low == -math.inf or within(region.low, interval.low)
    below = region.high == math.inf or within(interval.high, region.high)
    if above and below:
        return "holds"
    if beyond(interval.high, region.low) or beyond(region.high, interval.low):
        return "fails"
    return "undecided"
