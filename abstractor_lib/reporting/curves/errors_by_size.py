"""Errors that fall with a size."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure

from ...findings.statistics import FEW, Interval, mean_interval
from ..figures import legend, panels
from .axes import not_run
from .series import Series, palette

LEAST_ERROR = 1e-5  # smaller ones are rounding, or as good as nothing


def errors(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    *,
    floor: Mapping[str, str] | None = None,
    xlabel: str,
    ylabel: str,
) -> tuple[Figure, pd.DataFrame]:
    """Errors that fall with a size, one panel a table, both axes logarithmic.

    Means with 95 % intervals where there are several trials; errors below 1e-5 are off the panel.

    Args:
        series: their ``variant`` is not looked at.
        floor: label -> the column that holds a lower bound of the error, drawn dotted.

    Returns:
        The figure and its points.
    """
    figure, axes = panels(list(tables), columns=4, width=0.8, height=0.85, sharey=False)
    colors = palette(series)
    drawn = [pd.DataFrame()]
    for at, (axis, (title, table)) in enumerate(zip(axes, tables.items(), strict=True)):
        axis.set_xlabel(xlabel)
        axis.set_title(title, fontsize=8)
        if table is None:
            not_run(axis)
            continue
        for one in series:
            rows = table[table["model"] == one.model]
            groups = {size: some[one.metric] for size, some in rows.groupby("size")}
            if not groups:
                continue
            found = [
                mean_interval(some) if len(some) > 1 else Interval(some.iloc[0], None, None, 1)
                for some in groups.values()
            ]
            points = pd.DataFrame(found, index=pd.Index(groups, name="x")).reset_index()
            color = colors[one.label]
            axis.plot(points["x"], points["estimate"], one.line, color=color, label=one.label)
            sure = points[points["n"] >= FEW].astype(float)
            low = sure["low"].clip(lower=LEAST_ERROR)
            axis.fill_between(sure["x"], low, sure["high"], color=color, alpha=0.2, lw=0)
            drawn.append(points.assign(series=one.label, metric=one.metric, panel=title))
            if one.label in (floor or {}):
                column = floor[one.label]
                least = rows.groupby("size")[column].mean()
                axis.plot(least.index, least, ":", color=color, lw=1)
                least = least.rename("estimate").rename_axis("x").reset_index()
                drawn.append(least.assign(series=one.label, metric=column, panel=title))
        sizes = sorted(table["size"].unique())
        axis.set(xscale="log", yscale="log")
        axis.set_xticks(sizes, [str(size) for size in sizes])
        axis.minorticks_off()
        axis.set_ylim(bottom=max(axis.get_ylim()[0], LEAST_ERROR))
        if at % 4 == 0:
            axis.set_ylabel(ylabel)
    legend(figure, axes, {"lower bound": {"ls": ":"}} if floor else None)
    return figure, pd.concat(drawn)
