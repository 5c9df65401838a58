"""Intervals, regions and what one says of the other; importing this takes no other package."""

import math
import operator
from typing import NamedTuple


def number(value: float) -> str:
    """A number as tables show it: three decimals, or its magnitude where these would be zeros.

    Example:
        >>> number(0.9365), number(0.0), number(-2.3e-14)
        ('0.936', '0.000', '-2e-14')
    """
    value = steady(value)
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.0e}"


def steady(value: float) -> float:
    """A number without the last digits of its sum, which differ between processors.

    A mean of shares often ends in the very middle between two shorter numbers, and these digits
    would choose between them.

    Example:
        >>> f"{0.6955025 - 2e-16:.6g}", f"{steady(0.6955025 - 2e-16):.6g}"
        ('0.695502', '0.695503')
    """
    return float(f"{value:.12g}")


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
        >>> f"{-Interval(-0.5, -0.75, 0.25, 5)}"
        '0.50 [-0.25, 0.75]'
    """

    estimate: float
    low: float
    high: float
    n: int

    @property
    def exact(self) -> bool:
        """Whether it has no width: a number that is computed, or on which all trials agree."""
        return self.low == self.estimate == self.high

    def __neg__(self) -> "Interval":
        """Of the negative: the second less the first in place of the first less the second."""
        return Interval(0.0 - self.estimate, 0.0 - self.high, 0.0 - self.low, self.n)

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
        if self.low == -math.inf:
            return f"less than {high}"
        return f"more than {low}" if self.high == math.inf else f"between {low} and {high}"


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
