"""What claims on mathematics problems measure beside `findings.measures`.

Two seeds a task are few. So differences are averaged over tasks. The interval comes from the spread
between seeds, within each task and model. It speaks of other trainings on these tasks, and not of
other tasks. A task in which no model has learned anything says nothing about which model learns
better. So averages leave it out; see `learned`.
"""

import math
from itertools import pairwise

import pandas as pd
from scipy import stats

from ...findings.measures import Frames, Measured, NotRun, Point, differences, select
from ...findings.registry import measure
from ...findings.rules import MARGIN
from ...findings.statistics import CONFIDENCE, Interval
from ...records.frame import unfold
from .settings import AFTER_EPOCH, BLIND, TASKS

METRIC = "teacher_forcing_accuracy"


def by_task(frames: Frames, protocol: str, model: str, metric: str = METRIC) -> pd.DataFrame:
    """Values of a metric, trials down and the five tasks across.

    Raises:
        NotRun: if the model has no runs on one of the five tasks, or they have no such metric.
    """
    rows = select(frames, protocol, model=model)
    rows = rows[rows["variant"].isin(TASKS.values())]
    lacking = [task for task in TASKS.values() if task not in set(rows["variant"])]
    if lacking:
        raise NotRun(f"no run of {model} on {', '.join(lacking)} under {protocol}")
    if metric not in rows or rows[metric].isna().all():
        raise NotRun(f"no {metric} of {model} under {protocol}")
    return rows.pivot(index="trial", columns="variant", values=metric)


def learned(frames: Frames, protocol: str) -> list[str]:
    """The tasks in which some model has learned something: its teacher-forced accuracy, mean over
    seeds, is more than `MARGIN` above that of a Transformer whose questions are blank.

    Raises:
        NotRun: if there is none, or a task has no runs with blank questions.
    """
    floor = by_task(frames, protocol, BLIND).mean()
    rows = select(frames, protocol)
    rows = rows[rows["model"].ne(BLIND)]
    best = rows.groupby(["variant", "model"])[METRIC].mean().groupby("variant").max()
    found = [task for task in TASKS.values() if best.get(task, 0.0) > floor[task] + MARGIN]
    if not found:
        raise NotRun(f"no model has learned any of the five tasks under {protocol}")
    return found


@measure
def over_tasks(
    frames: Frames, protocol: str, *, models: list[str], metric: str = METRIC
) -> Measured:
    """Difference between neighbours of ``models``, better to worse: mean over the tasks in which
    something was learned, with an interval from the spread between seeds. So it speaks of these
    tasks alone."""
    values = [by_task(frames, protocol, model, metric) for model in models]
    tasks, points = learned(frames, protocol), []
    values = [one[tasks] for one in values]
    for (name, better), (other, worse) in pairwise(zip(models, values, strict=True)):
        found = between(better, worse, len(models) - 1, differences(metric))
        points.append(Point(_label(f"{name} over {other}", better, worse), found))
    return Measured(points)


def without_each_task(frames: Frames, protocol: str, *, models: list[str]) -> dict[str, Interval]:
    """As `over_tasks`, of two models, with each of its tasks left out in turn: the task -> the
    difference. It shows whether one task decides."""
    tasks = learned(frames, protocol)
    better, worse = (by_task(frames, protocol, model)[tasks] for model in models)
    return {
        task: between(better.drop(columns=task), worse.drop(columns=task), 1, differences(METRIC))
        for task in better
    }


@measure
def in_each_task(
    frames: Frames, protocol: str, *, models: list[str], metric: str = METRIC
) -> Measured:
    """Difference between two models in each task, with an interval from the spread between seeds; a
    point a task."""
    better, worse = (by_task(frames, protocol, model, metric) for model in models)
    points = []
    for task in better:
        found = between(better[[task]], worse[[task]], len(better.columns), differences(metric))
        points.append(Point(f"{task}, {found.n} seeds", found))
    return Measured(points)


@measure
def after_epochs(
    frames: Frames, protocol: str, *, pairs: list[list[str]], epochs: list[int], variant: str
) -> Measured:
    """Difference between the two models of each pair in one task after each of some whole epochs,
    with an interval from the spread between seeds; a point a pair and epoch.

    Args:
        pairs: better and worse.
        epochs: after which accuracy was looked at.
        variant: the task, with its epochs.
    """
    points = []
    for better, worse in pairs:
        both = [select(frames, protocol, model=name, variant=variant) for name in (better, worse)]
        both = [unfold(rows, AFTER_EPOCH) for rows in both]
        for epoch in epochs:
            first, second = (rows.loc[rows["epoch"] == epoch, ["value"]] for rows in both)
            found = between(first, second, len(pairs) * len(epochs), differences(METRIC))
            label = f"{better} over {worse}, after epoch {epoch}, {found.n} seeds"
            points.append(Point(label, found))
    return Measured(points)


@measure
def contexts(frames: Frames, protocol: str, *, model: str, metric: str = METRIC) -> Measured:
    """How much accuracy a trained model has more than without each of its two contexts, mean over
    the tasks in which something was learned; a point a context. The two values of a trained model
    are a pair."""
    tasks = learned(frames, protocol)
    whole = by_task(frames, protocol, model, metric)[tasks]
    points = []
    for name in ("encoder", "abstractor"):
        lost = whole - by_task(frames, protocol, model, f"without_{name}_accuracy")[tasks]
        found = between(lost, None, 2, differences(metric))
        points.append(Point(_label(f"without the {name}", lost), found))
    return Measured(points)


def between(
    first: pd.DataFrame,
    second: pd.DataFrame | None,
    comparisons: int = 1,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Mean over tasks of the difference of two means over seeds: Student t, whose degrees of
    freedom are Welch and Satterthwaite's. No two tasks or models need to vary alike. Its count is
    that of trained models, of the kind with fewer.

    Args:
        first, second: a seed down, a task across; None for zeros that are known.
        comparisons: how many intervals are to hold together.
        within: what the difference can be.

    Raises:
        NotRun: if they share no task, or a task has fewer than two seeds.

    Example:
        >>> one = pd.DataFrame({"add": [0.5, 0.7], "expand": [0.8, 0.8]})
        >>> f"{between(one, one - 0.2)}"
        '0.20 [-0.10, 0.50]'
    """
    tables = [first] if second is None else [first, second]
    tasks = [task for task in first if all(task in table for table in tables)]
    counts = pd.concat([table[tasks].count() for table in tables])
    if not tasks or counts.min() < 2:
        raise NotRun(f"{len(tasks)} tasks in common, with at least {counts.min()} seeds")
    signs = (1, -1)
    means = [sign * table[tasks].mean() for sign, table in zip(signs, tables, strict=False)]
    mean = float(sum(means).mean())
    shares = pd.concat([table[tasks].var() for table in tables]) / counts / len(tasks) ** 2
    variance, half = float(shares.sum()), 0.0
    if variance:
        freedom = variance**2 / float((shares**2 / (counts - 1)).sum())
        level = 1 - (1 - CONFIDENCE) / (2 * comparisons)
        half = float(stats.t.ppf(level, freedom)) * math.sqrt(variance)
    low, high = max(mean - half, within[0]), min(mean + half, within[1])
    return Interval(mean, low, high, min(int(table[tasks].count().sum()) for table in tables))


@measure
def parameters(frames: Frames, protocol: str, *, model: str, over: str) -> Measured:
    """Parameters of a model divided by those of another; the same in all runs."""
    rows = [select(frames, protocol, model=name) for name in (model, over)]
    counts = [int(some["parameters"].iloc[0]) for some in rows]
    ratio = counts[0] / counts[1]
    label = f"{counts[0]:,} by {counts[1]:,} parameters, the same in all runs"
    return Measured([Point(label, Interval(ratio, ratio, ratio, sum(map(len, rows))))])


def _label(what: str, *tables: pd.DataFrame) -> str:
    """What is compared, over how many tasks, seeds and trained models."""
    seeds = min(int(table.count().min()) for table in tables)
    models = min(int(table.count().sum()) for table in tables)
    tasks = len(tables[0].columns)
    return f"{what}, {tasks} tasks, {seeds} seeds in each: {models} models of a kind"
