"""What claims on architectures measure. Training sizes and the most updates are part of each
statement, so convergence is not asked for."""

import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, differences, limits, select
from ...findings.permutation import shift_interval
from ...findings.registry import measure
from ...findings.statistics import mean_interval

FULL = "full_sequence_accuracy"


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
    difference of the means over seeds, by permutation. Both models see the same data of a seed;
    this is not used, so the interval is wider than need be where seeds matter."""
    first, second = (_values(frames, protocol, name, task, size, metric) for name in models)
    interval = shift_interval(first.tolist(), second.tolist(), within=differences(metric))
    words = f"{models[0]} over {models[1]}, {task}, n = {size:,}, {interval.n} seeds"
    return Measured([Point(words, interval)])


@measure
def level(
    frames: Frames, protocol: str, *, model: str, task: str, size: int, metric: str = FULL
) -> Measured:
    """A metric of a model on a task, the mean over seeds."""
    interval = mean_interval(
        _values(frames, protocol, model, task, size, metric), within=limits(metric)
    )
    return Measured([Point(f"{model}, {task}, n = {size:,}, {interval.n} seeds", interval)])


@measure
def beyond(
    frames: Frames, protocol: str, *, model: str, task: str, size: int, metrics: list[str]
) -> Measured:
    """By how much the first of two metrics of the same runs exceeds the second, such as that of a
    script on the same test sequences: the mean difference over seeds."""
    first, second = (_values(frames, protocol, model, task, size, one) for one in metrics)
    interval = mean_interval(first - second, within=differences(metrics[0]))
    words = f"{model}: {metrics[0]} less {metrics[1]}, {task}, n = {size:,}, {interval.n} seeds"
    return Measured([Point(words, interval)])


def _values(
    frames: Frames, protocol: str, model: str, task: str, size: int, metric: str
) -> pd.Series:
    """A metric by seed.

    Raises:
        NotRun: if there are fewer than two seeds.
    """
    found = select(frames, protocol, model=model, variant=task, size=size)
    if metric not in found or found[metric].notna().sum() < 2:
        raise NotRun(f"no {metric} of {model} on {task} at {size}, or one seed alone")
    return found.dropna(subset=metric).set_index("trial")[metric].sort_index()
