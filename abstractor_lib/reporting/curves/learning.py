"""Learning curves: one panel a protocol, against the training set size."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..figures import legend, panels
from .means import FURTHER, POOLED, draw, paper_curve
from .series import Series, palette

PRINTED = "the paper"
PAPER = {"the paper, 2 SEM": {"ls": "--"}}


def learning_curves(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    paper: Mapping[str, pd.DataFrame] | None = None,
    ylabel: str = "test accuracy",
    height: float = 1,
    apart: bool = False,
    **options,
) -> tuple[Figure, pd.DataFrame]:
    """The same series in one panel a table; see `draw` for what they show and the ``options``.

    Args:
        height: of a panel, as a multiple of the usual one.
        apart: the paper's curves have a panel of their own, the first, and stand in no other.

    Returns:
        The figure, its panels titled with their number of trials (or draws), and its points.
    """
    titles = [PRINTED, *tables] if apart else list(tables)
    columns, width = (4, 0.8) if apart else (3, 1)
    figure, every = panels(titles, columns, width=width, height=height)
    axes = every[1:] if apart else every
    if apart:
        printed(every[0], series, paper or {}, options["xlabel"])
    beside = None if apart else paper
    drawn = [
        draw(axis, table, series, beside, **options).assign(panel=title)
        for axis, (title, table) in zip(axes, tables.items(), strict=True)
    ]
    for axis, points in zip(axes, drawn, strict=True):
        if len(points):
            means = points if "trial" not in points else points[points["trial"].isna()]
            trials = means.loc[means["variant"] != FURTHER, "n"].astype(int)
            counts = " to ".join(str(n) for n in sorted({trials.min(), trials.max()}))
            units = "draws" if (points["variant"] == POOLED).all() else "trials"
            axis.set_title(f"{axis.get_title()} ({counts} {units})")
    every[0].set_ylabel(ylabel)
    legend(figure, axes, PAPER if paper else None)
    return figure, pd.concat(drawn)


def printed(
    axis: Axes, series: Sequence[Series], paper: Mapping[str, pd.DataFrame], xlabel: str
) -> None:
    """The paper's curves in a panel of their own, titled with their number of trials."""
    colors = palette(series)
    for label, points in paper.items():
        paper_curve(axis, points, colors[label], alpha=0.2)
    counts = {int(n) for points in paper.values() for n in points["n"]}
    if counts:
        ends = " to ".join(str(n) for n in sorted({min(counts), max(counts)}))
        axis.set_title(f"{PRINTED} ({ends} trials)")
    axis.set_xlabel(xlabel)
