"""What claims measure: points with intervals, from tables of trials.

Each measure takes the trial tables of the complete protocols, by name, the protocol it is asked
about, and the claim's own arguments. The tables have columns ``model``, ``size``, ``variant``,
``draw``, ``trial`` and the metrics.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from .published import published
from .statistics import FEW, Interval, difference_interval, mean_interval, t_quantile

Frames = Mapping[str, pd.DataFrame]


class Point(NamedTuple):
    """One point of a measured series.

    ``published`` and ``tolerance`` override the claim's own where they differ between points.
    """

    label: str
    interval: Interval
    published: float | None = None
    tolerance: float | None = None


class Measured(NamedTuple):
    """Points, and the share of the runs compared that converged."""

    points: list[Point]
    converged: float


class NotRun(LookupError):
    """The records a measure needs are not there."""


def select(frames: Frames, protocol: str, **where) -> pd.DataFrame:
    """Rows of a protocol's table with the given column values.

    Raises:
        NotRun: if the protocol's grid is incomplete or has no such rows.
    """
    if protocol not in frames:
        raise NotRun(f"the {protocol} grid is incomplete")
    table = frames[protocol]
    for name, value in where.items():
        table = table[table[name] == value]
    if table.empty:
        raise NotRun(f"no run of {where} under {protocol}")
    return table


def by_trial(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Trials down, sizes across."""
    return table.pivot(index="trial", columns="size", values=metric)


def _converged(*tables: pd.DataFrame) -> float:
    return float(pd.concat(tables)["converged"].mean())


def _sizes(table: pd.DataFrame, least: int = 0, size: int | None = None) -> list[int]:
    every = sorted(set(table["size"]))
    chosen = [n for n in every if n >= least] or every[-1:]
    return [size] if size in every else chosen


def largest(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    metric: str = "test_accuracy",
    variant: str = "curve",
) -> Measured:
    """The mean of a metric at the largest training size."""
    table = select(frames, protocol, model=model, variant=variant)
    size = max(table["size"])
    table = table[table["size"] == size]
    return Measured([Point(f"n = {size}", mean_interval(table[metric]))], _converged(table))


def series(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    metric: str = "test_accuracy",
    variant: str = "curve",
    least: int = 0,
    size: int | None = None,
) -> Measured:
    """The mean of a metric at each training size from ``least``, or at ``size`` alone."""
    table = select(frames, protocol, model=model, variant=variant)
    wide = by_trial(table, metric)
    sizes = [n for n in _sizes(table, least, size) if wide[n].notna().sum() >= 2]
    if not sizes:
        raise NotRun(f"{metric} of {model} has too few values under {protocol}")
    points = [Point(f"n = {n}", mean_interval(wide[n], len(sizes))) for n in sizes]
    return Measured(points, _converged(table[table["size"].isin(sizes)]))


def ordering(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    metric: str = "test_accuracy",
    variant: str = "curve",
    least: int = 0,
    size: int | None = None,
) -> Measured:
    """Paired differences between neighbours of ``models``, listed from better to worse.

    Trials of one number share objects, split and training pairs, so they are compared in pairs.
    """
    tables = [select(frames, protocol, model=name, variant=variant) for name in models]
    wides = [by_trial(table, metric) for table in tables]
    sizes = _sizes(tables[0], least, size)
    count = len(sizes) * (len(models) - 1)
    points = [
        Point(
            f"{models[k]} over {models[k + 1]}, n = {n}",
            difference_interval(wides[k][n], wides[k + 1][n], count),
        )
        for k in range(len(models) - 1)
        for n in sizes
    ]
    used = [table[table["size"].isin(sizes)] for table in tables]
    return Measured(points, _converged(*used))


def metric_gap(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    metrics: list[str],
    variant: str = "curve",
    size: int | None = None,
) -> Measured:
    """Paired difference between two metrics of the same trials."""
    table = select(frames, protocol, model=model, variant=variant)
    first, second = (by_trial(table, name) for name in metrics)
    sizes = _sizes(table, size=size)
    points = [
        Point(f"n = {n}", difference_interval(first[n], second[n], len(sizes))) for n in sizes
    ]
    return Measured(points, _converged(table[table["size"].isin(sizes)]))


def curve_against_published(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    figure: str,
    series: str,
    metric: str = "test_accuracy",
) -> Measured:
    """A learning curve at the sizes for which further draws were made, against the paper's.

    The published trials share one draw of objects and split, so their mean carries that draw's
    luck. The spread of the means over our draws is the tolerance: the half-width within which the
    mean of one more draw falls with 95 % confidence, simultaneously over the points. Under
    ``published`` what is compared is the mean over draws, elsewhere the mean over trials, each
    with a draw of its own.
    """
    paper = published(figure, series).set_index("x")["mean"]
    shared = select(frames, "published", model=model)
    shared = shared[shared["variant"].isin(["curve", "draw"])]
    sizes = sorted(set(shared.loc[shared["variant"] == "draw", "size"]) & set(paper.index))
    if not sizes:
        raise NotRun(f"no further draws at the published sizes of {series}")
    main = select(frames, protocol, model=model, variant="curve")
    points = []
    for n in sizes:
        draws = shared[shared["size"] == n].groupby("draw")[metric].mean()
        tolerance = t_quantile(len(draws), len(sizes)) * float(draws.std(ddof=1))
        values = draws if protocol == "published" else main.loc[main["size"] == n, metric]
        interval = mean_interval(values, len(sizes))
        points.append(Point(f"n = {n}", interval, float(paper[n]), tolerance))
    return Measured(points, _converged(main[main["size"].isin(sizes)]))


def enough(measured: Measured) -> bool:
    """Whether each point rests on at least five values."""
    return all(point.interval.n >= FEW for point in measured.points)
