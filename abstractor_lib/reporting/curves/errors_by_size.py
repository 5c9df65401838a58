"""Errors that fall with a size."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ...findings.statistics import FEW, Interval, mean_interval
from ..figures import GREY, legend, panels
from ..keywords import Keywords
from ..looks import Look, looks
from .axes import not_run
from .series import Series, palette

LEAST_ERROR = 1e-5  # smaller ones are rounding, or as good as nothing


def errors(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    *,
    floor: Mapping[str, str] | None = None,
    floor_label: str = "lower bound",
    xlabel: str,
    ylabel: str,
    columns: int = 4,
    size: tuple[float, float] = (0.8, 0.85),
    least: float = LEAST_ERROR,
    dodge: float = 1.0,
) -> tuple[Figure, pd.DataFrame]:
    """Errors that fall with a size, one panel a table, both axes logarithmic and shared.

    Means with 95 % intervals where there are several trials. Errors below ``least`` are off the
    panel.

    Args:
        series: their ``variant`` is not looked at.
        floor: label -> the column that holds a lower bound of the error, drawn dotted: grey, or in
            a darker shade of its series' colour, above all else, where there are several.
        floor_label: what the legend calls these lines.
        columns: of panels.
        size: width and height of a panel, as `panels` takes them.
        least: where panels end at the bottom, if there are smaller errors.
        dodge: factor by which neighbouring series are moved apart, for those that coincide. The
            points that are returned stay where they are.

    Returns:
        The figure and its points.
    """
    figure, axes = panels(list(tables), columns=columns, width=size[0], height=size[1])
    floor, styles = floor or {}, looks(line.label for line in series)
    colors = palette(series)
    dark = {label: tuple(0.55 * part for part in to_rgb(color)) for label, color in colors.items()}
    floors = dict.fromkeys(floor, GREY) if len(floor) == 1 else dark
    over: Keywords = {} if len(floor) == 1 else {"zorder": 3}
    drawn = [pd.DataFrame()]
    for at, (axis, (title, table)) in enumerate(zip(axes, tables.items(), strict=True)):
        axis.set_xlabel(xlabel)
        axis.set_title(title, fontsize=8)
        if at % columns == 0:
            axis.set_ylabel(ylabel)
        if table is None:
            not_run(axis)
            continue
        axis.set(xscale="log", yscale="log")
        for place, line in enumerate(series):
            shift = dodge ** (place - (len(series) - 1) / 2)
            rows = table[table["model"] == line.model]
            if len(rows):
                look = styles[line.label]._replace(color=colors[line.label])
                drawn.append(_line(axis, rows, line, look, least, shift).assign(panel=title))
            if len(rows) and line.label in floor:
                column = floor[line.label]
                low = rows.groupby("size")[column].mean().rename("estimate").rename_axis("x")
                axis.plot(low.index * shift, low, ":", color=floors[line.label], lw=1.2, **over)
                drawn.append(
                    low.reset_index().assign(series=line.label, metric=column, panel=title)
                )
        sizes = sorted(table["size"].unique())
        axis.set_xticks(sizes, [str(size) for size in sizes])
        axis.minorticks_off()
    points = pd.concat(drawn)
    if len(points):
        low, high = points["estimate"].min(), points["estimate"].max()
        axes[0].set_ylim(max(low / 1.5, least), 1.5 * high)
    legend(figure, axes, {floor_label: {"ls": ":"}} if floor else None)
    return figure, points


def _line(
    axis: Axes, rows: pd.DataFrame, series: Series, look: Look, least: float, shift: float
) -> pd.DataFrame:
    """Draw the mean of one series against ``size``, with its interval; the points of it."""
    groups = {size: some[series.metric] for size, some in rows.groupby("size")}
    intervals = [
        mean_interval(some) if len(some) > 1 else Interval(some.iloc[0], math.nan, math.nan, 1)
        for some in groups.values()
    ]
    points = pd.DataFrame(intervals, index=pd.Index(groups, name="x")).reset_index()
    style: Keywords = {
        "color": look.color,
        "marker": look.marker,
        "ms": 5,
        "mec": "white",
        "mew": 0.5,
    }
    axis.plot(points["x"] * shift, points["estimate"], series.line, label=series.label, **style)
    sure = points[points["n"] >= FEW].astype(float)
    low = sure["low"].clip(lower=least)
    axis.fill_between(sure["x"] * shift, low, sure["high"], color=look.color, alpha=0.2, lw=0)
    return points.assign(series=series.label, metric=series.metric)
