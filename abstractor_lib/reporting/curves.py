"""Learning curves: ours with intervals and trials, the paper's beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from ..findings.measures import by_trial
from ..findings.statistics import FEW, Interval, mean_interval
from .figures import GREY, legend, panels

FURTHER = "draws, one SD"  # the variant of points that show the spread over draws
PAPER = {"the paper, 2 SEM": {"ls": "--"}}


@dataclass(frozen=True)
class Series:
    """One line of a figure: a metric of a model's runs. Lines of one label share their colour."""

    label: str
    model: str
    metric: str = "test_accuracy"
    variant: str = "curve"
    line: str = "-"

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of a table of trials that belong to the series."""
        return table[(table["model"] == self.model) & (table["variant"] == self.variant)]


def curve(axis: Axes, table: pd.DataFrame, series: Series, color) -> pd.DataFrame:
    """Draw the mean over trials against ``size``, with its 95 % interval as a band.

    Where there are fewer than five values they are shown themselves. A trial without a value (no
    such pair, say) is left out.

    Returns:
        The plotted points: ``series, model, metric, variant, x, mean, low, high, n``.
    """
    wide = by_trial(series.rows(table), series.metric)
    values = {size: wide[size].dropna() for size in wide.columns}
    found = {size: mean_interval(some) for size, some in values.items() if len(some) >= 2}
    points = pd.DataFrame(found.values(), columns=["mean", "low", "high", "n"])
    points.insert(0, "x", list(found))
    for column in ("variant", "metric", "model", "label"):
        points.insert(0, column.replace("label", "series"), getattr(series, column))
    if found:
        axis.plot(points["x"], points["mean"], series.line, color=color, label=series.label, lw=1.5)
        sure = points[points["n"] >= FEW]
        axis.fill_between(sure["x"], sure["low"], sure["high"], color=color, alpha=0.2, lw=0)
    for size, few in values.items():
        if len(few) < FEW:
            axis.plot([size] * len(few), few, ".", color=color, ms=3, alpha=0.6)
    return points


def draws(axis: Axes, table: pd.DataFrame, series: Series, color) -> pd.DataFrame:
    """Where further draws of the data were made: mean and SD of the draws' means, as bars.

    Returns:
        Points as those of `curve`, with ``low`` and ``high`` one SD away and n draws.
    """
    rows = table[(table["model"] == series.model) & table["variant"].isin(["curve", "draw"])]
    means = rows.groupby(["size", "draw"])[series.metric].mean().groupby("size")
    found = means.agg(["mean", "std", "count"]).query("count > 1").reset_index()
    mean, spread = found["mean"], found["std"]
    axis.errorbar(found["size"], mean, spread, fmt="o", ms=3, lw=1, capsize=2, color=color)
    return pd.DataFrame(
        {
            "series": series.label,
            "model": series.model,
            "metric": series.metric,
            "variant": FURTHER,
            "x": found["size"],
            "mean": mean,
            "low": mean - spread,
            "high": mean + spread,
            "n": found["count"],
        }
    )


def paper_curve(axis: Axes, points: pd.DataFrame, color) -> None:
    """What the paper reports: means, dashed, with its own band of two standard errors either way;
    single runs as crosses."""
    if (points["n"] == 1).all():
        axis.plot(points["x"], points["mean"], "x", color=color, ms=6)
        return
    axis.plot(points["x"], points["mean"], "--", color=color, lw=1)
    low, high = points["mean"] - 2 * points["sem"], points["mean"] + 2 * points["sem"]
    axis.fill_between(points["x"], low, high, color=color, alpha=0.08, lw=0)


def draw(
    axis: Axes,
    table: pd.DataFrame | None,
    series: Sequence[Series],
    paper: Mapping[str, pd.DataFrame] | None = None,
    chance: float | None = 0.5,
    xlabel: str = "training pairs",
    further_draws: bool = True,
    trials: bool = False,
) -> pd.DataFrame:
    """Draw several series and the paper's points (by label) into one panel.

    Args:
        table: trials; None leaves the panel empty but for "not run".
        chance: level of a dotted line.
        further_draws: show the spread over draws where the table has further draws.
        trials: show each trial as a dot, hollow for lines that are not solid; where trials differ
            much a mean says little.

    Returns:
        The plotted points; none, and a panel that says "not run", if there is no table.
    """
    axis.set_xlabel(xlabel)
    if table is None:
        _not_run(axis)
        return pd.DataFrame()
    if chance is not None:
        axis.axhline(chance, color=GREY, lw=0.8, ls=":")
    colors = palette(series)
    points = []
    for one in series:
        if one.rows(table).empty:
            continue
        points.append(curve(axis, table, one, colors[one.label]))
        if trials:
            rows = one.rows(table)
            dot = {"ms": 3, "mfc": None if one.line == "-" else "none", "mew": 0.6}
            axis.plot(
                rows["size"], rows[one.metric], "o", color=colors[one.label], alpha=0.5, **dot
            )
        if further_draws and one.variant == "curve" and (table["variant"] == "draw").any():
            points.append(draws(axis, table, one, colors[one.label]))
    for label, reported in (paper or {}).items():
        paper_curve(axis, reported, colors[label])
    points = [some for some in points if len(some)]
    return pd.concat(points) if points else pd.DataFrame()


def palette(series: Sequence[Series]) -> dict[str, tuple]:
    """A colour for each label."""
    labels = list(dict.fromkeys(one.label for one in series))
    return dict(zip(labels, sns.color_palette("colorblind"), strict=False))


def _not_run(axis: Axes) -> None:
    axis.text(0.5, 0.5, "not run", ha="center", color=GREY, transform=axis.transAxes)
    axis.tick_params(bottom=False, labelbottom=False)


def learning_curves(
    tables: Mapping[str, pd.DataFrame | None],
    series: Sequence[Series],
    paper: Mapping[str, pd.DataFrame] | None = None,
    ylabel: str = "test accuracy",
    **options,
) -> tuple[Figure, pd.DataFrame]:
    """The same series in one panel a table; see `draw` for what they show and the ``options``.

    Returns:
        The figure, its panels titled with their number of trials, and its points.
    """
    figure, axes = panels(list(tables))
    drawn = [
        draw(axis, table, series, paper, **options).assign(panel=title)
        for axis, (title, table) in zip(axes, tables.items(), strict=True)
    ]
    for axis, points in zip(axes, drawn, strict=True):
        if len(points):
            trials = points.loc[points["variant"] != FURTHER, "n"].max()
            axis.set_title(f"{axis.get_title()} (n = {trials})")
    axes[0].set_ylabel(ylabel)
    legend(figure, axes, PAPER if paper else None)
    return figure, pd.concat(drawn)


def updates_axis(
    axis: Axes, table: pd.DataFrame | None, series: Sequence[Series], sizes: Sequence[int]
) -> None:
    """A second horizontal axis: the most updates that the runs of a series took.

    Where series differ it shows the least and the greatest of them.

    Args:
        series: those drawn; other runs of the table do not count.
        sizes: those to label, of the ones that every series has.
    """
    if table is None:
        return
    found = [one.rows(table).groupby("size")["updates"].max() for one in series]
    most = pd.concat(found, axis=1).dropna().astype(int)
    most = most[most.index.isin(sizes)]
    labels = [
        f"{low}" if low == high else f"{low}\u2013{high}"
        for low, high in zip(most.min(axis=1), most.max(axis=1), strict=True)
    ]
    top = axis.secondary_xaxis("top")
    top.set_xticks(most.index, labels)
    top.set_xlabel("updates, at most", fontsize=8)
    top.tick_params(labelsize=7)


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
        _logarithmic(axis, xlabel, empty=table is None)
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
        _logarithmic(axis, xlabel, empty=not found)
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


def _logarithmic(axis: Axes, xlabel: str, empty: bool) -> None:
    """A logarithmic horizontal axis with plain numbers, or "not run" if the panel stays empty."""
    axis.set_xlabel(xlabel)
    if empty:
        _not_run(axis)
        return
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(ScalarFormatter())
    axis.xaxis.set_minor_formatter(NullFormatter())


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
        colors = dict(zip(order, sns.color_palette("colorblind"), strict=False))
    for at, label in enumerate(order):
        color = colors.get(label, GREY)
        values = rows.loc[names == label, metric]
        apart = at + np.linspace(-0.15, 0.15, len(values))  # so that equal values are seen
        axis.plot(values, apart, "o", ms=4, alpha=0.6, mew=0, color=color)
        axis.plot(values.mean(), at, "|", color="black", ms=12, mew=1.5)
    axis.set_yticks(range(len(order)), order)
    axis.set_ylim(len(order) - 0.5, -0.5)
    return rows[["model", "size", "trial", metric]].reset_index(drop=True)


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
            _not_run(axis)
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
