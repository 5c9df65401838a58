"""Whether a published curve could be one more draw of the data: every draw of ours beside it."""

from collections.abc import Mapping, Sequence

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from ...findings.measures import Measured
from ..figures import GREY, legend, panels
from ..keywords import Keywords
from ..looks import looks
from .axes import not_run
from .means import by_draw
from .series import Series, palette


def each_draw(
    table: pd.DataFrame | None,
    series: Sequence[Series],
    paper: Mapping[str, pd.DataFrame],
    measured: Mapping[str, Measured],
) -> tuple[Figure, pd.DataFrame]:
    """The mean of each draw as a thin line, one panel a series, with the paper's curve.

    Args:
        table: trials of a protocol with further draws; None leaves the panels empty.
        paper: label -> the published points; the sizes that are shown are theirs and the table's.
        measured: label -> what `curve_against_published` finds at these sizes: our mean over draws
            with its interval, and the tolerance around the paper's mean.

    Returns:
        The figure and its points: of each series and size the mean over draws, its interval, the
        least and the greatest draw, the paper's mean and the tolerance.
    """
    figure, axes = panels([line.label for line in series], width=0.85, height=0.75)
    colors, styles, drawn = palette(series), looks(line.label for line in series), [pd.DataFrame()]
    for axis, line in zip(axes, series, strict=True):
        axis.set_xlabel("training pairs")
        wide = None if table is None else by_draw(table, line)
        if wide is None:
            not_run(axis)
            continue
        color = colors[line.label]
        wide = wide[sorted(set(wide.columns) & set(paper[line.label]["x"]))]
        axis.plot(wide.columns, wide.T, color=sns.light_palette(color, 5)[2], lw=0.6)
        ours = pd.DataFrame([point.interval for point in measured[line.label].points])
        ours = ours.assign(
            x=wide.columns,
            least=wide.min().to_numpy(),
            most=wide.max().to_numpy(),
            paper=[point.published for point in measured[line.label].points],
            tolerance=[point.tolerance for point in measured[line.label].points],
        )
        x, low, high = ours["x"], ours["estimate"] - ours["low"], ours["high"] - ours["estimate"]
        look: Keywords = {
            "color": color,
            "marker": styles[line.label].marker,
            "ms": 5,
            "mec": "white",
        }
        axis.errorbar(x, ours["estimate"], [low, high], lw=1.6, elinewidth=1.2, **look)
        axis.plot(x, ours["paper"], "--", color="black", lw=1.2)
        low, high = ours["paper"] - ours["tolerance"], ours["paper"] + ours["tolerance"]
        axis.fill_between(x, low.clip(0, 1), high.clip(0, 1), color=GREY, alpha=0.2, lw=0)
        drawn.append(ours.assign(series=line.label, model=line.model, metric=line.metric))
    for axis in axes[::3]:
        axis.set_ylabel("test accuracy")
    lines = {
        "ours, one draw": {"lw": 0.6},
        "ours, mean over draws": {"lw": 1.6, "marker": "o", "mec": "white"},
        "published curve": {"ls": "--", "color": "black", "lw": 1.2},
        "published curve and tolerance": {"lw": 8, "alpha": 0.3},
    }
    legend(figure, axes, lines)
    return figure, pd.concat(drawn)
