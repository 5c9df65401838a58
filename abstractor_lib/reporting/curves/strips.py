"""Trials of several models side by side."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..figures import GREY, panels
from ..keywords import Keywords
from ..looks import Look, looks
from .axes import not_run


def strip(
    axis: Axes,
    table: pd.DataFrame,
    labels: Mapping[str, str],
    metric: str,
    colors: Mapping[str, tuple] | None = None,
    mean: bool = True,
) -> pd.DataFrame:
    """Trials of several models side by side, a dot each, and their means as dashes.

    Args:
        labels: what each model is called, in the order in which they stand.
        colors: of labels that have a colour in other figures; the others are grey. Without it
            each has its own colour and marker; see `looks`.
        mean: draw the dashes. Not for outcomes that are all or nothing.

    Returns:
        The plotted points, a row for each trial.
    """
    rows = table[table["model"].isin(labels)]
    names = rows["model"].map(labels)
    order = [label for label in labels.values() if (names == label).any()]
    edge, spread = {"ms": 5, "alpha": 0.85, "mew": 0.5, "mec": "white"}, 0.25
    styles = looks(order)
    if colors is not None:
        edge, spread = {"ms": 4, "alpha": 0.6, "mew": 0}, 0.15
        styles = {label: Look(colors.get(label, GREY), "o") for label in order}
    for at, label in enumerate(order):
        values = rows.loc[names == label, metric]
        ends = spread * (len(values) > 1)  # one value alone stands in the middle
        apart = at + np.linspace(-ends, ends, len(values))  # so that equal values are seen
        look: Keywords = {"color": styles[label].color, "marker": styles[label].marker, "ls": ""}
        axis.plot(values, apart, **look, **edge)
        if mean:
            axis.plot(values.mean(), at, "|", color="black", ms=12, mew=1.5)
    axis.set_yticks(range(len(order)), order)
    axis.set_ylim(len(order) - 0.5, -0.5)
    return rows[["model", "size", "trial", metric]].reset_index(drop=True)


def strips(
    tables: Mapping[str, pd.DataFrame | None],
    labels: Mapping[str, str],
    *,
    columns: int = 2,
    height: float = 1,
) -> tuple[Figure, pd.DataFrame]:
    """The test accuracy of the same models' trials in one panel a table, with the chance level of
    one half; see `strip`. Panels have the same horizontal axis.

    Args:
        tables: by the panel's title; None leaves it empty but for "not run".
        columns: panels side by side.
        height: of a panel, as a multiple of the usual one.

    Returns:
        The figure and its points, with the title of their ``panel``.
    """
    figure, axes = panels(list(tables), columns, width=1.15, height=height)
    drawn = []
    for axis, (title, table) in zip(axes, tables.items(), strict=True):
        axis.set_xlabel("test accuracy")
        axis.axvline(0.5, color=GREY, lw=0.8, ls=":")
        if table is None:
            not_run(axis)
            continue
        drawn.append(strip(axis, table, labels, "test_accuracy").assign(panel=title))
    ends = np.array([axis.get_xlim() for axis in axes])
    for axis in axes:
        axis.set_xlim(ends[:, 0].min(), ends[:, 1].max())
    return figure, pd.concat(drawn) if drawn else pd.DataFrame()
