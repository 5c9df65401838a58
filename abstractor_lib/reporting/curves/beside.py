"""Intervals side by side, held against a value each."""

from collections.abc import Mapping

from matplotlib.axes import Axes

from ...findings.statistics import Interval
from ..looks import Look, looks


def beside(
    axis: Axes,
    estimates: Mapping[str, Mapping[str, Interval]],
    values: Mapping[str, float],
    look: Mapping[str, Look] | None = None,
) -> None:
    """Draw intervals side by side, a row for each name of ``values``, its value as a black line.

    Args:
        estimates: label of a series -> name -> interval.
        values: name -> what its intervals are held against.
        look: label -> colour and marker; by default those of `looks`.
    """
    rows = {name: at for at, name in enumerate(reversed(list(values)))}
    look = look or looks(estimates)
    for at, (label, intervals) in enumerate(estimates.items()):
        for name, interval in intervals.items():
            height = rows[name] + 0.2 * ((len(estimates) - 1) / 2 - at)
            spread = [[interval.estimate - interval.low], [interval.high - interval.estimate]]
            axis.errorbar(
                interval.estimate,
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
