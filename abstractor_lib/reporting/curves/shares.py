"""Which combinations of two amounts suffice: how many trials succeed at each."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

from ...findings.groups import groups
from ...findings.tally import Tally, tally
from ..figures import GREY, legend, panels
from ..keywords import Keywords
from ..looks import COLORS
from .axes import logarithmic
from .series import Series

OUTCOMES = {"no trial": "white", "some trials (how many)": COLORS["orange"], "all trials": "black"}
STROKES = (":", "-.")
# where numbers stand beside their dots, in turn, so that neighbours do not meet
BESIDE: tuple[Keywords, ...] = tuple(
    {"xytext": (0, y), "textcoords": "offset points", "size": 6, "ha": "center", "va": va}
    for y, va in ((5, "bottom"), (-5, "top"))
)


def shares(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    y: str,
    level: float,
    *,
    xlabel: str,
    ylabel: str,
    budgets: Mapping[str, Callable[[np.ndarray], np.ndarray]] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """How many trials succeed: one panel a series, the training size across, the median of the
    column ``y`` up, both axes logarithmic. A dot is a group of trials; its colour says whether
    none, some or all reach the level, and a number beside it how many where some do.

    Args:
        tables: trials by what they have in common, a dot for each and each size.
        level: a trial succeeds if its metric is at least that.
        budgets: lines to draw, by label: sizes -> ``y``.

    Returns:
        The figure and its points, one for each dot: how many of ``n`` trials reach the level.
    """
    figure, axes = panels([line.label for line in series], height=1.1)
    shown = {title: table for title, table in tables.items() if table is not None}
    points = []
    for axis, line in zip(axes, series, strict=True):
        beside = cycle(BESIDE)
        for title, table in shown.items():
            for (size,), rows in groups(line.rows(table), ["size"]):
                counted, height = tally(rows[line.metric], level), rows[y].median()
                style: Keywords = {"ls": "", "ms": 6, "mec": "0.3", "mew": 0.8, "zorder": 3}
                axis.plot(size, height, "o", mfc=OUTCOMES[_outcome(counted)], **style)
                if _outcome(counted) == "some trials (how many)":
                    axis.annotate(f"{counted.reached}/{counted.n}", (size, height), **next(beside))
                points.append((line.label, title, size, height, counted.reached, counted.n))
        logarithmic(axis, xlabel, empty=not shown)
        if shown:
            axis.set_yscale("log")
            axis.yaxis.set_major_formatter(ScalarFormatter())
            axis.yaxis.set_minor_formatter(NullFormatter())
    sizes = np.unique([point[2] for point in points])
    for stroke, budget in zip(STROKES, (budgets or {}).values(), strict=False):
        for axis in axes if len(sizes) else ():
            axis.plot(sizes, budget(sizes), stroke, color=GREY, lw=1, zorder=1)
    axes[0].set_ylabel(ylabel)
    marks: dict[str, Keywords] = {
        name: {"ls": "", "marker": "o", "mfc": color, "mec": "0.3"}
        for name, color in OUTCOMES.items()
    }
    marks |= {name: {"ls": ls} for name, ls in zip(budgets or {}, STROKES, strict=False)}
    legend(figure, axes, marks, columns=len(marks))
    columns = ["series", "table", "size", y, "reached", "n"]
    return figure, pd.DataFrame(points, columns=columns)


def _outcome(counted: Tally) -> str:
    none, some, every = OUTCOMES
    return every if counted.all else some if counted.reached else none
