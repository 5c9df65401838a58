"""Runs one by one, against a column on a logarithmic axis."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from ..figures import legend, panels
from ..keywords import Keywords
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
        if table is None:
            continue
        for line in series:
            rows = line.rows(table)
            for number, (_, run) in enumerate(rows.groupby("run", sort=False)):
                style: Keywords = {"color": colors[line.label], "alpha": 0.6, "lw": 1}
                label = line.label if number == 0 else None
                axis.plot(run[x], run[line.metric], line.line, label=label, **style)
            columns = ["model", "size", "draw", "trial", x, line.metric]
            drawn.append(rows[columns].assign(series=line.label, panel=title))
    axes[0].set_ylabel(ylabel)
    legend(figure, axes)
    return figure, pd.concat(drawn)
