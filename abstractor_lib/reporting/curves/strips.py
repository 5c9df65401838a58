"""Trials of several models side by side."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..figures import GREY
from ..looks import looks


def strip(
    axis: Axes,
    table: pd.DataFrame,
    labels: Mapping[str, str],
    metric: str,
    colors: Mapping[str, tuple] | None = None,
) -> pd.DataFrame:
    """Trials of several models side by side, a dot each, and their means as dashes.

    Args:
        labels: what each model is called, in the order in which they stand.
        colors: of labels that have a colour in other figures; the others are grey. Without it
            each has its own.

    Returns:
        The plotted points, a row for each trial.
    """
    rows = table[table["model"].isin(labels)]
    names = rows["model"].map(labels)
    order = [label for label in labels.values() if (names == label).any()]
    if colors is None:
        colors = {label: look.color for label, look in looks(order).items()}
    for at, label in enumerate(order):
        color = colors.get(label, GREY)
        values = rows.loc[names == label, metric]
        apart = at + np.linspace(-0.15, 0.15, len(values))  # so that equal values are seen
        dot = {"ms": 5, "alpha": 0.8, "mew": 0.5, "mec": "0.3"}
        axis.plot(values, apart, "o", color=color, **dot)
        axis.plot(values.mean(), at, "|", color="black", ms=12, mew=1.5)
    axis.set_yticks(range(len(order)), order)
    axis.set_ylim(len(order) - 0.5, -0.5)
    return rows[["model", "size", "trial", metric]].reset_index(drop=True)
