"""Runs and trials one by one, against a column on a logarithmic axis."""

from collections.abc import Mapping, Sequence

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from ..figures import legend, panels
from .axes import logarithmic
from .series import Series, palette


def runs_against(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    x: str,
    *,
    xlabel: str,
    ylabel: str,
) -> tuple[Figure, pd.DataFrame]:
    """How runs went: a line for each, one panel a table, against a column on a logarithmic axis.

    Args:
        tables: several rows a run, in the order of ``x``.

    Returns:
        The figure and its points, a row for each of the tables'.
    """
    figure, axes = panels(list(tables))
    drawn = [pd.DataFrame()]
    colors = palette(series)
    for axis, (title, table) in zip(axes, tables.items(), strict=True):
        logarithmic(axis, xlabel, empty=table is None)
        for one in series if table is not None else ():
            rows = one.rows(table)
            for number, (_, run) in enumerate(rows.groupby("run", sort=False)):
                style = {"color": colors[one.label], "alpha": 0.6, "lw": 1}
                label = one.label if number == 0 else None
                axis.plot(run[x], run[one.metric], one.line, label=label, **style)
            columns = ["model", "size", "draw", "trial", x, one.metric]
            drawn.append(rows[columns].assign(series=one.label, panel=title))
    axes[0].set_ylabel(ylabel)
    legend(figure, axes)
    return figure, pd.concat(drawn)


def trials_by_size(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    x: str,
    *,
    xlabel: str,
    ylabel: str,
) -> tuple[Figure, pd.DataFrame]:
    """Every trial as a dot, one panel a series, against a column on a logarithmic axis: training
    sizes from pale to dark, a marker for each table.

    Returns:
        The figure and its points, a row for each trial.
    """
    figure, axes = panels([one.label for one in series])
    found = {title: table for title, table in tables.items() if table is not None}
    rows = [one.rows(table) for table in found.values() for one in series]
    sizes = sorted(set().union(*(some["size"] for some in rows)))
    shades = dict(zip(sizes, sns.color_palette("viridis_r", len(sizes)), strict=True))
    drawn = [pd.DataFrame()]
    for axis, one in zip(axes, series, strict=True):
        logarithmic(axis, xlabel, empty=not found)
        for (title, table), marker in zip(found.items(), "o^s", strict=False):
            for size, rows in one.rows(table).groupby("size"):
                style = {"marker": marker, "ms": 4, "mew": 0, "alpha": 0.7, "ls": ""}
                axis.plot(rows[x], rows[one.metric], color=shades[size], **style)
                columns = ["model", "size", "draw", "trial", x, one.metric]
                drawn.append(rows[columns].assign(series=one.label, protocol=title))
    axes[0].set_ylabel(ylabel)
    marks = {title: {"ls": "", "marker": mark} for title, mark in zip(found, "o^s", strict=False)}
    dot = {"ls": "", "marker": "o", "mew": 0}
    shown = {f"n = {size}": {**dot, "color": shade} for size, shade in shades.items()}
    legend(figure, axes, marks | shown)
    return figure, pd.concat(drawn)
