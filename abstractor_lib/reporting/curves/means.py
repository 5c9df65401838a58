"""Means over trials, with what they are uncertain by, and the paper's beside them."""

from collections.abc import Mapping, Sequence
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes

from ...findings.measures import by_trial, limits
from ...findings.statistics import FEW, mean_interval
from ..figures import GREY
from ..keywords import Keywords
from ..looks import looks
from .axes import logarithmic, not_run
from .series import Series, palette

FURTHER = "draws, one SD"  # the variant of points that show the spread over draws
POOLED = "over draws"  # the variant of points that are means over draws


def by_draw(table: pd.DataFrame, series: Series) -> pd.DataFrame | None:
    """The mean over the trials of each draw of the data, draws down and sizes across; None where
    there are no further draws of the series."""
    rows = table[(table["model"] == series.model) & table["variant"].isin(["curve", "draw"])]
    if series.variant != "curve" or not (rows["variant"] == "draw").any():
        return None
    return rows.groupby(["draw", "size"])[series.metric].mean().unstack("size")


def curve(
    axis: Axes,
    table: pd.DataFrame,
    series: Series,
    color,
    marker: str = "o",
    over_draws: bool = False,
    band: bool = True,
) -> pd.DataFrame:
    """Draw the mean over trials against ``size``, with its 95 % interval as a band.

    Where there are fewer than five values they are shown themselves. A trial without a value (no
    such pair, say) is left out. Without ``band`` the mean is a line and nothing else.

    Args:
        over_draws: where there are further draws of the data, take mean and interval over the
            draws; the points' ``variant`` says so.

    Returns:
        The plotted points: ``series, model, metric, variant, x, mean, low, high, n``.
    """
    wide = by_draw(table, series) if over_draws else None
    variant = series.variant if wide is None else POOLED
    wide = by_trial(series.rows(table), series.metric) if wide is None else wide
    values = {size: wide[size].dropna() for size in wide.columns}
    intervals = {
        size: mean_interval(some, within=limits(series.metric))
        for size, some in values.items()
        if len(some) >= 2
    }
    points = pd.DataFrame(intervals.values(), columns=["mean", "low", "high", "n"])
    points.insert(0, "x", list(intervals))
    points.insert(0, "variant", variant)
    for column in ("metric", "model", "label"):
        points.insert(0, column.replace("label", "series"), getattr(series, column))
    style: Keywords = {
        "color": color,
        "lw": 1.5,
        "label": series.label,
        "marker": marker,
        "ms": 4,
        "mew": 0,
    }
    if intervals and band:
        axis.plot(points["x"], points["mean"], series.line, **style)
    elif intervals:
        axis.plot([], [], series.line, **style)  # for the legend: the line and the dots' marker
        axis.plot(points["x"], points["mean"], series.line, color=color, lw=1.5)
    if not band:
        return points.drop(columns=["low", "high"])
    if intervals:
        sure = points[points["n"] >= FEW]
        axis.fill_between(sure["x"], sure["low"], sure["high"], color=color, alpha=0.2, lw=0)
    for size, few in values.items():
        if len(few) < FEW:
            axis.plot([size] * len(few), few, ".", color=color, ms=3, alpha=0.6)
    return points


def dots(
    axis: Axes,
    rows: pd.DataFrame,
    series: Series,
    color,
    marker: str,
    shift: float,
    joined: bool = False,
) -> pd.DataFrame:
    """Every trial as a dot, hollow for further draws and for lines that are not solid.

    Args:
        joined: a trial has a value at each size: draw it as one thin line instead.
        shift: factor on a logarithmic axis and difference on any other, so that the dots of
            several series stand side by side.

    Returns:
        Points as those of `curve`, each with its ``draw`` and ``trial`` and what it measured as
        its mean.
    """
    for _, run in rows.groupby(["variant", "trial"]) if joined else ():
        axis.plot(run["size"], run[series.metric], series.line, color=color, lw=0.6, alpha=0.45)
    for variant, group in () if joined else rows.groupby("variant"):
        hollow = series.line != "-" or variant != series.variant
        dot: Keywords = {"ms": 4, "mfc": "none" if hollow else color, "mew": 0.7 if hollow else 0.4}
        dot |= {"marker": marker, "ls": "", "alpha": 0.8}
        dot |= {"mec": color if hollow else "white"}
        at = group["size"] * shift if axis.get_xscale() == "log" else group["size"] + shift
        axis.plot(at, group[series.metric], **dot)
    names = {"size": "x", series.metric: "mean"}
    columns = ["model", "variant", "size", series.metric, "draw", "trial"]
    points = rows[columns].rename(columns=names)
    return points.assign(series=series.label, metric=series.metric, n=1)


def draws(axis: Axes, table: pd.DataFrame, series: Series, color) -> pd.DataFrame:
    """Where further draws of the data were made: mean and SD of the draws' means, as bars.

    Returns:
        Points as those of `curve`, with ``low`` and ``high`` one SD away and n draws.
    """
    means = by_draw(table, series)
    if means is None:
        raise ValueError(f"table has no further draws of {series.model}")
    summary = means.agg(["mean", "std", "count"]).T.query("count > 1").reset_index()
    mean, spread = summary["mean"], summary["std"]
    axis.errorbar(summary["size"], mean, spread, fmt="o", ms=3, lw=1, capsize=2, color=color)
    return pd.DataFrame(
        {
            "series": series.label,
            "model": series.model,
            "metric": series.metric,
            "variant": FURTHER,
            "x": summary["size"],
            "mean": mean,
            "low": mean - spread,
            "high": mean + spread,
            "n": summary["count"],
        }
    )


def paper_curve(axis: Axes, points: pd.DataFrame, color, alpha: float = 0.08) -> None:
    """What the paper reports: means, dashed, with its own band of two standard errors either way;
    ``alpha`` its opacity; single runs as crosses."""
    if (points["n"] == 1).all():
        axis.plot(points["x"], points["mean"], "x", color=color, ms=6)
        return
    axis.plot(points["x"], points["mean"], "--", color=color, lw=1)
    low, high = points["mean"] - 2 * points["sem"], points["mean"] + 2 * points["sem"]
    axis.fill_between(points["x"], low, high, color=color, alpha=alpha, lw=0)


def draw(
    axis: Axes,
    table: pd.DataFrame | None,
    series: Sequence[Series],
    paper: Mapping[str, pd.DataFrame] | None = None,
    chance: float | None = 0.5,
    xlabel: str = "training pairs",
    further_draws: bool = True,
    trials: bool | Literal["joined"] = False,
    over_draws: bool = False,
    band: bool = True,
    dodge: float | None = None,
    log: bool = False,
) -> pd.DataFrame:
    """Draw several series and the paper's points (by label) into one panel.

    Args:
        table: trials; None leaves the panel empty but for "not run".
        chance: level of a dotted line.
        further_draws: show the spread over draws where the table has further draws: their mean
            and SD, or with ``trials`` and without ``band`` each draw as a hollow dot.
        trials: show each trial as a dot, hollow for lines that are not solid; where trials differ
            much a mean says little. ``joined``: as a thin line, where a trial has all sizes.
        over_draws: where the table has further draws of a series, draw the mean over draws and its
            interval instead of the first draw's trials; ``further_draws`` is not looked at then.
        band: show 95 % intervals of the means. Not for outcomes that are all or nothing: there
            they leave what is possible.
        dodge: how far the dots of neighbouring series stand apart: a factor on a logarithmic axis,
            a difference on any other.
        log: a logarithmic horizontal axis.

    Returns:
        The plotted points; none, and a panel that says "not run", if there is no table.
    """
    axis.set_xlabel(xlabel)
    if table is None:
        not_run(axis)
        return pd.DataFrame()
    if log:
        logarithmic(axis, xlabel, empty=False)
    if chance is not None:
        axis.axhline(chance, color=GREY, lw=0.8, ls=":")
    colors, styles = palette(series), looks(line.label for line in series)
    points = []
    for at, line in enumerate(series):
        if line.rows(table).empty:
            continue
        color, marker = colors[line.label], styles[line.label].marker
        dot = "" if trials == "joined" else marker
        points.append(curve(axis, table, line, color, dot, over_draws, band))
        further = further_draws and not over_draws and by_draw(table, line) is not None
        if trials:
            shown = [line.variant, "draw"] if further and not band else [line.variant]
            rows = table[(table["model"] == line.model) & table["variant"].isin(shown)]
            steps = at - (len(series) - 1) / 2
            shift = (dodge or 1) ** steps if log else (dodge or 0) * steps
            single = dots(axis, rows, line, color, marker, shift, trials == "joined")
            points += [] if band else [single]
        if further and band:
            points.append(draws(axis, table, line, color))
    for label, reported in (paper or {}).items():
        paper_curve(axis, reported, colors[label])
    points = [some for some in points if len(some)]
    return pd.concat(points) if points else pd.DataFrame()
