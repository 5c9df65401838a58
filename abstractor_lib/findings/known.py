"""Points of what is computed and not estimated: a number that is its own interval."""

from collections.abc import Mapping

from .measures import Measured, Point
from .statistics import Interval

DIGITS = 9  # what survives another processor


def known(values: Mapping[str, float], count: int) -> Measured:
    """One point a number, rounded to what every processor agrees on.

    Args:
        values: label -> number.
        count: how many cases each number speaks of.

    Example:
        >>> known({"two vectors": 1 / 3}, 10).points[0].interval
        Interval(estimate=0.333333333, low=0.333333333, high=0.333333333, n=10)
    """
    points = []
    for label, value in values.items():
        number = round(float(value), DIGITS) + 0.0  # no minus zero
        points.append(Point(label, Interval(number, number, number, count), computed=True))
    return Measured(points)
