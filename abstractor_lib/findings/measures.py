"""What claims measure: points with intervals, from tables of trials.

Each measure takes the trial tables of the complete protocols, by name, the protocol it is asked
about, and the claim's own arguments. The tables have columns ``model``, ``size``, ``variant``,
``draw``, ``trial`` and the metrics.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from . import rules
from .counts import share_interval
from .published import published
from .registry import measure
from .statistics import Interval, difference_interval, mean_interval

Frames = Mapping[str, pd.DataFrame]


class Point(NamedTuple):
    """One point of a measured series.

    ``published`` and ``tolerance`` override the claim's own where they differ between points;
    ``outer`` is a wider tolerance, which a point that fails misses too.
    ``rising`` and ``falling`` are the trials behind the point whose further training could raise or
    lower it, by which `rules` tells whether it is settled.
    ``computed`` marks a number that is no estimate, so that no trials stand behind it.
    """

    label: str
    interval: Interval
    published: float | None = None
    tolerance: float | None = None
    rising: pd.DataFrame | None = None
    falling: pd.DataFrame | None = None
    outer: float | None = None
    computed: bool = False


class Measured(NamedTuple):
    """The points of a series."""

    points: list[Point]


class NotRun(LookupError):
    """The records a measure needs are not there."""


def _told(where: Mapping) -> str:
    """Column values in words: models and variants by their names alone."""
    named = {"model": "{}", "variant": "{}", "size": "n = {}"}
    return ", ".join(named.get(k, f"{k} = {{}}").format(value) for k, value in where.items())


def select(frames: Frames, protocol: str, **where) -> pd.DataFrame:
    """Rows of a protocol's table with the given column values.

    Raises:
        NotRun: if the protocol's grid is incomplete or has no such rows.
    """
    if protocol not in frames:
        raise NotRun(f"the {protocol} grid is incomplete")
    table = _picked(frames[protocol], where)
    if table.empty:
        raise NotRun(f"no run of {_told(where)} under {protocol}")
    return table


def several(values: pd.Series) -> pd.Series:
    """Those that are there, one a seed.

    Raises:
        NotRun: if there are fewer than two.
    """
    if len(found := values.dropna()) < 2:
        raise NotRun("fewer than two seeds")
    return found


def _picked(table: pd.DataFrame, where: Mapping[str, object]) -> pd.DataFrame:
    """Rows that have, in each column of ``where``, its value or one of its list of values."""
    kept = np.ones(len(table), bool)
    for name, wanted in where.items():
        kept &= table[name].isin(wanted if isinstance(wanted, list) else [wanted])
    return table[kept]


def by_trial(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Trials down, sizes across."""
    return table.pivot(index="trial", columns="size", values=metric)


SHARES = ("accuracy", "recovered")  # metrics whose names end so lie between 0 and 1


def limits(metric: str) -> tuple[float, float]:
    """What the mean of a metric can be.

    Example:
        >>> limits("test_accuracy"), limits("sup_error")
        ((0.0, 1.0), (-inf, inf))
    """
    return (0.0, 1.0) if metric.endswith(SHARES) else (-math.inf, math.inf)


def differences(metric: str) -> tuple[float, float]:
    """What the mean difference of two values of a metric can be."""
    low, high = limits(metric)
    return low - high, high - low


@dataclass(frozen=True)
class Units:
    """What an interval is taken over: ``draw`` or ``trial``, units down, sizes across."""

    values: pd.DataFrame
    kind: str
    rows: pd.DataFrame

    def count(self, size: int) -> str:
        """How many units have a value at a size, in words."""
        shared = shared_draw(self.rows) if self.kind == "trial" else ""
        return f"{self.values[size].notna().sum()} {self.kind}s{shared}"

    def at(self, *sizes: int) -> pd.DataFrame:
        """The trials at some sizes."""
        return self.rows[self.rows["size"].isin(sizes)]


def shared_draw(rows: pd.DataFrame | None) -> str:
    """What a label adds where all trials share one draw of the data: their spread says nothing
    about other draws.

    Example:
        >>> shared_draw(pd.DataFrame({"draw": [0, 0]})), shared_draw(pd.DataFrame({"draw": [None]}))
        (' of one draw', '')
    """
    if rows is None or "draw" not in rows or rows.empty:
        return ""
    draws = rows["draw"]
    return " of one draw" if draws.notna().all() and draws.nunique() == 1 else ""


def units(
    frames: Frames,
    protocol: str,
    models: list[str],
    metric: str,
    variant: str = "curve",
    one_draw: bool = False,
) -> list[Units]:
    """The independent units behind each model's series.

    They are trials, except where the trials of a run share one draw of the data and further draws
    were made of every model compared: there the means of the draws, at the sizes they were made
    at. Trials of one draw share its luck; only the draws speak for others. With ``one_draw`` they
    are the trials all the same, and what is measured holds for that draw.
    """
    tables = [select(frames, protocol, model=name) for name in models]
    further = all((table["variant"] == "draw").any() for table in tables)
    if further and not one_draw and variant == "curve":
        compared = []
        for table in tables:
            sizes = set(table.loc[table["variant"] == "draw", "size"])
            rows = table[table["variant"].isin(["curve", "draw"]) & table["size"].isin(sizes)]
            values = rows.groupby(["draw", "size"])[metric].mean().unstack("size")
            compared.append(Units(values, "draw", rows))
        return compared
    tables = [select(frames, protocol, model=name, variant=variant) for name in models]
    return [Units(by_trial(table, metric), "trial", table) for table in tables]


def _sizes(values: pd.DataFrame, least: int, size: int | None) -> list[int]:
    """The sizes to report: all with two values from ``least`` on, or ``size`` alone."""
    enough = [n for n in values.columns if values[n].notna().sum() >= 2]
    chosen = [n for n in enough if (n >= least if size is None else n == size)]
    if not chosen:
        raise NotRun(f"no training size {f'from {least} on' if size is None else size}")
    return chosen


def _compared(
    units: list[Units], models: list[str], least: int, sizes: list[int] | None = None
) -> list[int]:
    """The sizes from ``least`` on that the units of all models have, of ``sizes`` if given."""
    shared = set.intersection(*(set(_sizes(one.values, least, None)) for one in units))
    chosen = sorted(shared if sizes is None else shared & set(sizes))
    if not chosen:
        raise NotRun(f"no training size that all of {', '.join(models)} have")
    return chosen


@measure
def largest(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    metric: str = "test_accuracy",
    variant: str = "curve",
) -> Measured:
    """The mean of a metric at the largest training size."""
    (trials,) = units(frames, protocol, [model], metric, variant)
    size = max(trials.values.columns)
    return series(frames, protocol, model=model, metric=metric, variant=variant, size=size)


@measure
def series(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    metric: str = "test_accuracy",
    variant: str = "curve",
    least: int = 0,
    size: int | None = None,
    one_draw: bool = False,
    paper: list[str] | None = None,
) -> Measured:
    """The mean of a metric at each training size from ``least``, or at ``size`` alone.

    ``one_draw`` is that of `units`. ``paper`` names the published figure and series whose numbers
    are shown beside the points.
    """
    (trials,) = units(frames, protocol, [model], metric, variant, one_draw)
    sizes = _sizes(trials.values, least, size)
    reported = published(*paper).set_index("x")["mean"].to_dict() if paper else {}
    points = [
        Point(
            f"n = {n}, {trials.count(n)}",
            mean_interval(trials.values[n], len(sizes), limits(metric)),
            reported.get(n),
            rising=trials.at(n),
        )
        for n in sizes
    ]
    return Measured(points)


@measure
def ordering(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    metric: str = "test_accuracy",
    variant: str = "curve",
    least: int = 0,
    sizes: list[int] | None = None,
    one_draw: bool = False,
) -> Measured:
    """Paired differences between neighbours of ``models``, listed from better to worse, at
    ``sizes`` or at all that every model has from ``least`` on.

    Trials of one number share objects, split and training examples, as draws of one number do, so
    they are compared in pairs. ``one_draw`` is that of `units`.
    """
    trials = units(frames, protocol, models, metric, variant, one_draw)
    sizes = _compared(trials, models, least, sizes)
    count = len(sizes) * (len(models) - 1)
    points = [
        Point(
            f"{models[k]} over {models[k + 1]}, n = {n}, {better.count(n)}",
            difference_interval(better.values[n], worse.values[n], count, differences(metric)),
            rising=better.at(n),
            falling=worse.at(n),
        )
        for k, (better, worse) in enumerate(pairwise(trials))
        for n in sizes
    ]
    return Measured(points)


@measure
def mean_lead(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    metric: str = "test_accuracy",
    variant: str = "curve",
    least: int = 0,
    one_draw: bool = False,
) -> Measured:
    """By how much the first of two models leads the second, as the mean over all training sizes
    that both have from ``least`` on: paired differences of the units that have every size.

    Where a paper says of two curves that one is above the other, without saying that it is so at
    every size.
    """
    better, worse = found = units(frames, protocol, models, metric, variant, one_draw)
    sizes = _compared(found, models, least)
    whole = (better.values[sizes] - worse.values[sizes]).dropna()
    interval = mean_interval(whole.mean(axis=1), within=differences(metric))
    label = f"{models[0]} over {models[1]}, mean of {len(sizes)} sizes, {len(whole)} {better.kind}s"
    rising, falling = better.at(*sizes), worse.at(*sizes)
    return Measured([Point(label, interval, rising=rising, falling=falling)])


@measure
def each(
    frames: Frames,
    protocol: str,
    *,
    metric: str,
    by: str,
    where: Mapping[str, object],
    problems: str | None = None,
) -> Measured:
    """The mean of a metric for each value of the column ``by``, over the rows that ``where`` picks.

    Where several rows of a trial are picked their mean is the trial's value: a trial counts once.
    ``where`` maps columns to a value or a list of values. Where the metric is a share of problems,
    ``problems`` names the column that counts them; see `share_of`.
    """
    table = _picked(select(frames, protocol), where)
    groups = {value: rows.dropna(subset=metric) for value, rows in table.groupby(by, sort=False)}
    if not groups or min(rows["trial"].nunique() for rows in groups.values()) < 2:
        raise NotRun(f"no runs of {_told(where)} under {protocol}, or one trial alone")
    points = []
    for value, rows in groups.items():
        if problems is None:
            means = rows.groupby("trial")[metric].mean()
            interval = mean_interval(means, len(groups), limits(metric))
        else:
            interval = share_of(rows, metric, problems, len(groups))
        label = f"{value}, {interval.n} trials{shared_draw(rows)}"
        points.append(Point(label, interval, rising=rows))
    return Measured(points)


@measure
def worst(
    frames: Frames,
    protocol: str,
    *,
    metric: str,
    end: str,
    where: Mapping[str, object],
    unit: str = "trial",
    noun: str | None = None,
) -> Measured:
    """The worst value of a metric over all rows that ``where`` picks, for what has to be true of
    every one of them. It is no estimate, so it is its own interval; its count is that of trials.

    Args:
        end: ``greatest`` or ``least``, whichever speaks most against the claim.
        where: columns, each with a value or a list of values.
        unit: the column whose values are counted, where nothing is random and there are no trials.
        noun: what these are called, in the plural, where that is not the column's name.

    Raises:
        ValueError: for another end.
        NotRun: if no row is picked.
    """
    if end not in ("greatest", "least"):
        raise ValueError(f"end is {end!r}; allowed: greatest, least")
    table = _picked(select(frames, protocol), where)
    table = table.dropna(subset=metric)
    if table.empty:
        raise NotRun(f"no runs of {_told(where)} under {protocol}")
    value = float(table[metric].max() if end == "greatest" else table[metric].min())
    count = table[unit].nunique()
    label = f"{end} of {len(table)} values, {count} {noun or f'{unit}s'}"
    return Measured([Point(label, Interval(value, value, value, count))])


def share_of(rows: pd.DataFrame, metric: str, problems: str, comparisons: int = 1) -> Interval:
    """`share_interval` of a metric that is a share of the problems that the column ``problems``
    counts. Several rows of a trial are its problems together.
    """
    trials = rows.assign(solved=rows[metric] * rows[problems]).groupby("trial")
    counts = trials[problems].sum()
    return share_interval(trials["solved"].sum() / counts, counts, comparisons)


def enough(measured: Measured) -> bool:
    """Whether each point rests on at least five values, or on none because it is computed."""
    return all(point.computed or not rules.few(point.interval) for point in measured.points)
