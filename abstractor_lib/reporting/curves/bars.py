"""Estimates with error bars, from a table of intervals."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from ...findings.statistics import Interval
from ..looks import Look, looks


def bars(
    axis: Axes,
    points: pd.DataFrame,
    x: str,
    label: str,
    look: Look,
    *,
    line: str = "-",
    filled: bool = True,
    size: float = 5,
    shift: float = 0.0,
) -> None:
    """Draw the column ``estimate`` against the column ``x``, with bars from ``low`` to ``high``.

    Args:
        look: colour and marker.
        line: style of the line between the points, empty for none.
        filled: whether markers are filled, with a white edge, or hollow.
        size: of the markers, in points.
        shift: added to ``x``, so that bars do not hide each other.
    """
    below, above = points["estimate"] - points["low"], points["high"] - points["estimate"]
    axis.errorbar(
        points[x] + shift,
        points["estimate"],
        [below.clip(lower=0), above.clip(lower=0)],
        fmt=look.marker,
        ls=line,
        color=look.color,
        mfc=look.color if filled else "white",
        mec="white" if filled else look.color,
        ms=size,
        mew=0.6 if filled else 1.0,
        lw=1.2,
        elinewidth=1.0,
        label=label,
    )


def beside(
    axis: Axes,
    found: Mapping[str, Mapping[str, Interval]],
    values: Mapping[str, float],
    look: Mapping[str, Look] | None = None,
) -> None:
    """Draw intervals side by side, a row for each name of ``values``, its value as a black line.

    Args:
        found: label of a series -> name -> interval.
        values: name -> what its intervals are held against.
        look: label -> colour and marker; by default those of `looks`.
    """
    rows = {name: at for at, name in enumerate(reversed(values))}
    look = look or looks(found)
    for at, (label, intervals) in enumerate(found.items()):
        for name, one in intervals.items():
            height = rows[name] + 0.2 * ((len(found) - 1) / 2 - at)
            spread = [[one.estimate - one.low], [one.high - one.estimate]]
            axis.errorbar(
                one.estimate,
                height,
                xerr=spread,
                fmt=look[label].marker,
                color=look[label].color,
                mec="white",
                ms=6,
                label=label,
            )
    for name, value in values.items():
        axis.plot([value, value], [rows[name] - 0.35, rows[name] + 0.35], color="black", lw=1.5)
    axis.set_yticks(list(rows.values()), list(rows))
    axis.tick_params(left=False)
