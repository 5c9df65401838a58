"""What claims on architectures measure. Training sizes and the most updates are part of each
statement, so convergence is not asked for; labels say how many runs converged.

A seed is the unit: models of one seed see the same objects, colours and sequences, so they are
compared in pairs. A run may sort all sequences or none, which is no normal distribution, so
intervals are those by changing signs. Five seeds never decide, ten may. Where one seed in several
fails altogether, they cover less than they say (`docs/statistics.md`).
"""

import pandas as pd

from ...findings.counts import rate_interval
from ...findings.interval import Interval
from ...findings.measures import Frames, Measured, NotRun, Point, differences, select, several
from ...findings.permutation import paired_interval
from ...findings.registry import measure
from .settings import SHORT

FULL = "full_sequence_accuracy"

LOOKS = 2  # claims are judged with the first seeds, and again with all


@measure
def lead(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    task: str,
    size: int,
    metric: str = FULL,
) -> Measured:
    """By how much a metric of the first of two models exceeds that of the second on a task: the
    mean difference over seeds."""
    both = [_rows(frames, protocol, name, task, size, metric) for name in models]
    first, second = (rows[metric] for rows in both)
    interval = _apart(first - second, metric)
    words = (
        f"{SHORT[models[0]]} over {SHORT[models[1]]}, {task}, n = {size:,}, {interval.n} seeds, "
    )
    words += " and ".join(_converged(rows) for rows in both) + " converged"
    return Measured([Point(words, interval)])


@measure
def of_tasks(
    frames: Frames, protocol: str, *, model: str, tasks: list[str], size: int, metric: str = FULL
) -> Measured:
    """By how much a metric of a model on the first of two tasks exceeds that on the second: the
    mean difference over seeds."""
    first, second = (_rows(frames, protocol, model, task, size, metric) for task in tasks)
    interval = _apart(first[metric] - second[metric], metric)
    words = f"{SHORT[model]}, {tasks[0]} over {tasks[1]}, n = {size:,}, {interval.n} seeds, "
    words += " and ".join(_converged(rows) for rows in (first, second)) + " converged"
    return Measured([Point(words, interval)])


@measure
def reached(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    task: str,
    size: int,
    above: float,
    metric: str = FULL,
) -> Measured:
    """The share of seeds in which a metric of a model on a task is above a level. (A mean would not
    do: ten seeds that are all right say little of one that is not.)"""
    rows = _rows(frames, protocol, model, task, size, metric)
    count = int((rows[metric] > above).sum())
    interval = rate_interval(count, len(rows), LOOKS)
    words = (
        f"{SHORT[model]}, {task}, n = {size:,}, {count} of {len(rows)} seeds, "
        f"{_converged(rows)} converged"
    )
    return Measured([Point(words, interval)])


@measure
def beyond(
    frames: Frames, protocol: str, *, model: str, task: str, size: int, metrics: list[str]
) -> Measured:
    """By how much the first of two metrics of the same runs exceeds the second, such as that of a
    script on the same test sequences: the mean difference over seeds."""
    first, second = (_rows(frames, protocol, model, task, size, one)[one] for one in metrics)
    interval = _apart(first - second, metrics[0])
    words = (
        f"{SHORT[model]}: {metrics[0]} less {metrics[1]}, {task}, n = {size:,}, {interval.n} seeds"
    )
    return Measured([Point(words, interval)])


def _apart(found: pd.Series, metric: str) -> Interval:
    """The interval of the centre of differences of a metric, a value a seed."""
    return paired_interval(several(found).tolist(), LOOKS, differences(metric))


def _rows(
    frames: Frames, protocol: str, model: str, task: str, size: int, metric: str
) -> pd.DataFrame:
    """The runs that have a metric, by seed.

    Raises:
        NotRun: if there are fewer than two seeds.
    """
    found = select(frames, protocol, model=model, variant=task, size=size)
    if metric not in found or found[metric].notna().sum() < 2:
        raise NotRun(f"no {metric} of {model} on {task} at {size}, or one seed alone")
    return found.dropna(subset=metric).set_index("trial").sort_index()


def _converged(rows: pd.DataFrame) -> str:
    """How many runs converged, in words."""
    return f"{int(rows['converged'].sum())} of {len(rows)}"
