"""Trials of several models side by side."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..figures import GREY
from ..looks import Look, looks


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
    found = looks(order)
    if colors is not None:
        edge, spread = {"ms": 4, "alpha": 0.6, "mew": 0}, 0.15
        found = {label: Look(colors.get(label, GREY), "o") for label in order}
    for at, label in enumerate(order):
        values = rows.loc[names == label, metric]
        apart = at + np.linspace(-spread, spread, len(values))  # so that equal values are seen
        look = {"color": found[label].color, "marker": found[label].marker, "ls": ""}
        axis.plot(values, apart, **look, **edge)
        if mean:
            axis.plot(values.mean(), at, "|", color="black", ms=12, mew=1.5)
    axis.set_yticks(range(len(order)), order)
    axis.set_ylim(len(order) - 0.5, -0.5)
    return rows[["model", "size", "trial", metric]].reset_index(drop=True)
