"""What claims on mathematics problems measure beside `findings.measures`.

Two seeds a task are few. So differences are averaged over tasks. The interval comes from the spread
between seeds, within each task and model. It speaks of other trainings on these tasks, and not of
other tasks.
"""

import math
from itertools import pairwise

import pandas as pd
from scipy import stats

from ...findings.measures import Frames, Measured, NotRun, Point, differences, select
from ...findings.statistics import CONFIDENCE, Interval
from .settings import TASKS

METRIC = "teacher_forcing_accuracy"


def by_task(frames: Frames, protocol: str, model: str, metric: str) -> pd.DataFrame:
    """Values of a metric, trials down and tasks across.

    Raises:
        NotRun: if the model has no runs on one of the five tasks, or they have no such metric.
    """
    rows = select(frames, protocol, model=model)
    lacking = [task for task in TASKS.values() if task not in set(rows["variant"])]
    if lacking:
        raise NotRun(f"no run of {model} on {', '.join(lacking)} under {protocol}")
    if metric not in rows or rows[metric].isna().all():
        raise NotRun(f"no {metric} of {model} under {protocol}")
    return rows.pivot(index="trial", columns="variant", values=metric)


def over_tasks(
    frames: Frames, protocol: str, *, models: list[str], metric: str = METRIC
) -> Measured:
    """Difference between neighbours of ``models``, better to worse: mean over the five tasks, with
    an interval from the spread between seeds. So it speaks of these tasks alone."""
    values = [by_task(frames, protocol, model, metric) for model in models]
    points = []
    for (name, better), (other, worse) in pairwise(zip(models, values, strict=True)):
        found = between(better, worse, len(models) - 1, differences(metric))
        points.append(Point(_label(f"{name} over {other}", better, worse), found))
    return Measured(points)


def without_each_task(frames: Frames, protocol: str, *, models: list[str]) -> dict[str, Interval]:
    """As `over_tasks`, of two models, with each task left out in turn: the task -> the difference.
    It shows whether one task decides."""
    better, worse = (by_task(frames, protocol, model, METRIC) for model in models)
    return {
        task: between(better.drop(columns=task), worse.drop(columns=task), 1, differences(METRIC))
        for task in better
    }


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


def contexts(frames: Frames, protocol: str, *, model: str, metric: str = METRIC) -> Measured:
    """How much accuracy a trained model has more than without each of its two contexts, mean over
    the tasks; a point a context. The two values of a trained model are a pair."""
    whole = by_task(frames, protocol, model, metric)
    points = []
    for name in ("encoder", "abstractor"):
        lost = whole - by_task(frames, protocol, model, f"without_{name}_accuracy")
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


def parameters(frames: Frames, protocol: str, *, model: str, over: str) -> Measured:
    """Parameters of a model divided by those of another; the same in all runs."""
    rows = [select(frames, protocol, model=name) for name in (model, over)]
    counts = [int(some["parameters"].iloc[0]) for some in rows]
    ratio = counts[0] / counts[1]
    label = f"{counts[0]:,} by {counts[1]:,} parameters, the same in all runs"
    return Measured([Point(label, Interval(ratio, ratio, ratio, sum(map(len, rows))))])


def _label(what: str, *tables: pd.DataFrame) -> str:
    """What is compared, over how many tasks and seeds."""
    seeds = min(int(table.count().min()) for table in tables)
    return f"{what}, {len(tables[0].columns)} tasks, {seeds} seeds in each"
