"""What claims on the strict bottleneck measure. Numbers of examples and of updates are part of each
statement, so convergence is not asked for. Trials of one number share data and questions, so they
are compared in pairs."""

import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.registry import measure
from ...findings.statistics import difference_interval

WITHIN = (-1.0, 1.0)


@measure
def accuracy_lead(frames: Frames, protocol: str, *, arms: list[str], tasks: list[str]) -> Measured:
    """By how much the test accuracy of the first of two kinds of relations exceeds that of the
    second, at each training set size of the tasks: mean paired differences over trials."""
    pairs = {}
    for task in tasks:
        first, second = (_of(frames, protocol, task, arm) for arm in arms)
        for size in sorted(set(first["size"]) & set(second["size"])):
            both = [
                one[one["size"].eq(size)].set_index("trial")["test_accuracy"]
                for one in (first, second)
            ]
            pairs[f"{task}, n = {size}"] = both
    points = []
    for label, both in pairs.items():
        _enough(both, arms, label)
        interval = difference_interval(*both, len(pairs), WITHIN)
        points.append(Point(f"{arms[0]} over {arms[1]}, {label}, {interval.n} trials", interval))
    return Measured(points)


@measure
def probe_lead(
    frames: Frames,
    protocol: str,
    *,
    task: str,
    arms: list[str],
    metrics: list[str],
) -> Measured:
    """By how much one accuracy of probes exceeds another: mean paired differences over trials.

    A trial's value is the mean over the training set sizes that both have.

    Args:
        arms: the kinds of relations of the first and of the second.
        metrics: of the first and of the second; see `run`.
    """
    rows = [_of(frames, protocol, task, arm) for arm in arms]
    sizes = set(rows[0]["size"]) & set(rows[1]["size"])
    both = [
        some[some["size"].isin(sizes)].groupby("trial")[metric].mean()
        for some, metric in zip(rows, metrics, strict=True)
    ]
    _enough(both, arms, task)
    interval = difference_interval(*both, within=WITHIN)
    label = f"{arms[0]} {metrics[0]} over {arms[1]} {metrics[1]}, {task}, {interval.n} trials"
    return Measured([Point(label, interval)])


def _of(frames: Frames, protocol: str, task: str, arm: str) -> pd.DataFrame:
    """The trials of a kind of relations on a task."""
    rows = select(frames, protocol)
    rows = rows[rows["variant"].eq(task) & rows["model"].eq(arm)]
    if rows.empty:
        raise NotRun(f"no run of {arm} on {task}")
    return rows


def _enough(both: list[pd.Series], arms: list[str], label: str) -> None:
    if len(both[0].index.intersection(both[1].index)) < 2:
        raise NotRun(f"no two trials of {arms[0]} and {arms[1]} on {label}")
