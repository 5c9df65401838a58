"""What claims on mathematics problems measure beside `findings.measures`.

Two seeds a task are few. What is claimed of mathematics problems in general is measured over tasks:
the mean over a task's seeds is one value, and there are as many values as tasks.
"""

import math
from itertools import pairwise

import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, differences, select
from ...findings.statistics import Interval, difference_interval

METRIC = "teacher_forcing_accuracy"


def by_task(frames: Frames, protocol: str, model: str, metric: str) -> pd.DataFrame:
    """Values of a metric, trials down and tasks across.

    Raises:
        NotRun: if the model has no runs, or they have no such metric.
    """
    rows = select(frames, protocol, model=model)
    if metric not in rows or rows[metric].isna().all():
        raise NotRun(f"no {metric} of {model} under {protocol}")
    return rows.pivot(index="trial", columns="variant", values=metric)


def over_tasks(
    frames: Frames, protocol: str, *, models: list[str], metric: str = METRIC
) -> Measured:
    """Mean difference between neighbours of ``models``, better to worse, over the tasks that both
    have; a value a task."""
    means = [by_task(frames, protocol, model, metric).mean() for model in models]
    points = []
    for (name, better), (other, worse) in pairwise(zip(models, means, strict=True)):
        points.append(_point(f"{name} over {other}", better, worse, metric, len(models) - 1))
    return Measured(points, math.nan)


def in_each_task(
    frames: Frames, protocol: str, *, models: list[str], metric: str = METRIC
) -> Measured:
    """Mean difference between two models in each task, over the seeds; a point a task."""
    better, worse = (by_task(frames, protocol, model, metric) for model in models)
    tasks = [task for task in better if task in worse]
    points = []
    for task in tasks:
        found = difference_interval(better[task], worse[task], len(tasks), differences(metric))
        points.append(Point(f"{task}, {found.n} seeds", found))
    return Measured(points, math.nan)


def contexts(frames: Frames, protocol: str, *, model: str, metric: str = METRIC) -> Measured:
    """How much accuracy a trained model has more than without each of its two contexts, over the
    tasks; a point a context."""
    whole = by_task(frames, protocol, model, metric).mean()
    points = []
    for name in ("encoder", "abstractor"):
        rest = by_task(frames, protocol, model, f"without_{name}_accuracy").mean()
        points.append(_point(f"without the {name}", whole, rest, metric, 2))
    return Measured(points, math.nan)


def parameters(frames: Frames, protocol: str, *, model: str, over: str) -> Measured:
    """Parameters of a model divided by those of another; the same in all runs."""
    rows = [select(frames, protocol, model=name) for name in (model, over)]
    counts = [int(some["parameters"].iloc[0]) for some in rows]
    ratio = counts[0] / counts[1]
    count = sum(map(len, rows))
    label = f"{counts[0]:,} by {counts[1]:,}, {count} runs"
    return Measured([Point(label, Interval(ratio, ratio, ratio, count))], math.nan)


def _point(label: str, better: pd.Series, worse: pd.Series, metric: str, count: int) -> Point:
    """A mean difference over the tasks that both have."""
    shared = better.index.intersection(worse.index)
    if len(shared) < 2:
        raise NotRun(f"{label}: they share {len(shared)} tasks")
    found = difference_interval(better[shared], worse[shared], count, differences(metric))
    return Point(f"{label}, {found.n} tasks", found)
