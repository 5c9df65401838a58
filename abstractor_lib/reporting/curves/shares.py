"""Which combinations of two amounts suffice: the share of trials that succeed at each."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

from ...findings.groups import groups
from ...findings.tally import tally
from ..figures import legend, panels
from ..keywords import Keywords
from .axes import logarithmic
from .series import Series

MARKERS = "osD^v"
SHADES = mpl.colormaps["Greys"]


def shares(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    y: str,
    level: float,
    *,
    xlabel: str,
    ylabel: str,
    dodge: float = 1.0,
) -> tuple[Figure, pd.DataFrame]:
    """The share of trials that succeed, as a shade from white to black: one panel a series, the
    training size across, the median of the column ``y`` up, both axes logarithmic.

    Args:
        tables: trials by what they have in common, a marker for each.
        level: a trial succeeds if its metric is at least that.
        dodge: factor by which the markers of neighbouring tables stand apart.

    Returns:
        The figure and its points, one for each marker: how many of ``n`` trials reach the level.
    """
    figure, axes = panels([line.label for line in series], height=1.1)
    shown = {title: table for title, table in tables.items() if table is not None}
    points = []
    for axis, line in zip(axes, series, strict=True):
        for at, (title, table) in enumerate(shown.items()):
            shift = dodge ** (at - (len(shown) - 1) / 2)
            for (size,), rows in groups(line.rows(table), ["size"]):
                counted = tally(rows[line.metric], level)
                share = counted.reached / counted.n
                height = rows[y].median()
                style: Keywords = {
                    "marker": MARKERS[at % len(MARKERS)],
                    "ms": 7,
                    "mec": "0.5",
                    "mew": 1,
                }
                axis.plot(size * shift, height, color=SHADES(share), ls="", zorder=3, **style)
                points.append((line.label, title, size, height, counted.reached, counted.n))
        logarithmic(axis, xlabel, empty=not shown)
        if shown:
            axis.set_yscale("log")
            axis.yaxis.set_major_formatter(ScalarFormatter())
            axis.yaxis.set_minor_formatter(NullFormatter())
    axes[0].set_ylabel(ylabel)
    marks = {
        title: {"ls": "", "marker": MARKERS[at % len(MARKERS)], "mfc": "none"}
        for at, title in enumerate(shown)
    }
    legend(figure, axes, marks)
    scale = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 1), SHADES)
    figure.colorbar(
        scale, ax=axes, shrink=0.8, pad=0.02, label=f"share of trials at {level:g} or more"
    )
    columns = ["series", "table", "size", y, "reached", "n"]
    return figure, pd.DataFrame(points, columns=columns)
