"""Estimates as markers, their intervals as error bars."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from ...findings.statistics import Interval
from ..keywords import Keywords
from ..looks import Look, looks


def interval_table(intervals: Mapping[tuple, Interval], names: Sequence[str]) -> pd.DataFrame:
    """Intervals by key as a table: columns ``estimate, low, high, n``, an index level a name.

    Example:
        >>> found = {("a", 1): Interval(0.5, 0.4, 0.6, 9), ("a", 2): Interval(0.7, 0.6, 0.8, 9)}
        >>> interval_table(found, ["model", "size"]).loc["a"].estimate.tolist()
        [0.5, 0.7]
    """
    index = pd.MultiIndex.from_tuples(intervals, names=list(names))
    return pd.DataFrame(intervals.values(), index=index, columns=list(Interval._fields))


def bars(
    axis: Axes,
    points: pd.DataFrame,
    label: str,
    look: Look | None = None,
    *,
    at: Sequence[float] | None = None,
    shift: float = 0.0,
    sideways: bool = False,
    **style,
) -> None:
    """Draw markers with error bars.

    Args:
        points: a row each, with columns ``estimate, low, high``.
        label: of the legend; a registered one has the look it has in all figures.
        look: in place of the label's.
        at: where the rows stand; their index, if None.
        shift: how far all are moved, so that markers of several series are seen.
        sideways: intervals lie along the horizontal axis, rows along the vertical one.
        style: of the line and its markers.
    """
    look = look or looks([label])[label]
    options: Keywords = {"ls": "-", "marker": look.marker, "color": look.color, "ms": 5, "lw": 1.2}
    options |= {"elinewidth": 1, "label": label} | style
    estimate = points["estimate"]
    apart = estimate - points["low"], points["high"] - estimate
    places = [place + shift for place in (points.index if at is None else at)]
    if sideways:
        axis.errorbar(estimate, places, xerr=apart, **options)
    else:
        axis.errorbar(places, estimate, apart, **options)
