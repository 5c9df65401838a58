"""What claims on the Abstractor and its relatives measure.

A seed is the unit: all models of one seed have the same objects withheld and the same sequences, so
they are compared in pairs. In place of convergence it is asked whether a trial learned its task: a
plateau at chance level converges too, and says nothing of whether a rule carries over. With few
objects for training, sequences to validate on are among those to train on, and can be known by
heart. So with more than 50 objects withheld that trial is asked, too, that has the same model, task
and seed, and 50 withheld; its validation sequences are new, but for same or different, which has
few.
"""

import numpy as np
import pandas as pd

from ...findings.counts import rate_interval
from ...findings.measures import Frames, Measured, NotRun, Point, select, several
from ...findings.permutation import paired_interval
from ...findings.registry import measure
from ...findings.statistics import Interval

LEARNED = 0.95  # accuracy on sequences of training objects
GATE = 50  # objects withheld where that tells of a rule, not of a memory
METRIC, KNOWN = "test_accuracy", "known_accuracy"


@measure
def lead(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    tasks: list[str],
    withheld: int,
    each: bool = False,
) -> Measured:
    """By how much the first of two models is more accurate on test sequences than the second: the
    mean over tasks of a seed, or with ``each`` a point for each task, and over seeds."""
    first, second = (_rows(frames, protocol, name, tasks, withheld) for name in models)
    parts = [[task] for task in tasks] if each else [tasks]
    points = []
    for part in parts:
        ahead, behind = (rows[rows["variant"].isin(part)] for rows in (first, second))
        apart = (_by_seed(ahead, part) - _by_seed(behind, part)).dropna()
        interval = _paired(apart, len(parts))
        name = part[0] if len(part) == 1 else f"mean of {len(part)} tasks"
        label = f"{models[0]} over {models[1]}, {name}, {interval.n} seeds, {_learned(ahead)} and "
        label += f"{_learned(behind)} learned"
        points.append(Point(label, interval, rising=_settled(ahead), falling=_settled(behind)))
    return Measured(points)


@measure
def reached(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    tasks: list[str],
    withheld: int,
    above: float,
    metric: str = METRIC,
) -> Measured:
    """The share of seeds in which a metric is above a level, a point for each model and task. (A
    mean would not do: ten seeds that are all right say little of one that is at chance level.)"""
    points = []
    for name in models:
        rows = _rows(frames, protocol, name, tasks, withheld)
        for task in tasks:
            some = rows[rows["variant"] == task]
            values = some.set_index("trial")[metric]
            count, n = int((several(values) > above).sum()), len(values)
            interval = rate_interval(count, n, len(models) * len(tasks))
            label = f"{name}, {task}, {count} of {n} seeds, {_learned(some)} learned"
            rising = None if metric == KNOWN else _settled(some)
            points.append(Point(label, interval, rising=rising))
    return Measured(points)


@measure
def drop(
    frames: Frames, protocol: str, *, models: list[str], tasks: list[str], withheld: list[int]
) -> Measured:
    """How much test accuracy each model loses from the first number of objects withheld to the
    second: the mean over tasks of a seed, and over seeds."""
    points = []
    for name in models:
        few, many = (_rows(frames, protocol, name, tasks, count) for count in withheld)
        lost = (_by_seed(few, tasks) - _by_seed(many, tasks)).dropna()
        interval = _paired(lost, len(models))
        label = f"{name}, mean of {len(tasks)} tasks, {interval.n} seeds, {_learned(few)} learned"
        points.append(Point(label, interval, rising=_settled(many), falling=_settled(many)))
    return Measured(points)


def gated(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the accuracy on training objects that tells whether a task was learned: with
    more objects withheld than `GATE`, the lower one of its own and that of the same model, task
    and seed there, NaN if it is not there.

    Example:
        >>> runs = {"model": "mlp", "variant": "a", "trial": 0, "size": [50, 95]}
        >>> table = pd.DataFrame({**runs, "known_accuracy": [0.4, 1.0]})
        >>> gated(table)["known_accuracy"].tolist()
        [0.4, 0.4]
        >>> table = pd.DataFrame({**runs, "known_accuracy": [1.0, 0.4]})
        >>> gated(table)["known_accuracy"].tolist()
        [1.0, 0.4]
    """
    cell = ["model", "variant", "trial"]
    there = table[table["size"] == GATE].set_index(cell)[KNOWN]
    asked = pd.MultiIndex.from_frame(table[cell])
    of_rule = pd.Series(there.reindex(asked).to_numpy(), index=table.index)
    lower = np.minimum(table[KNOWN], of_rule)  # NaN if one of them is
    return table.assign(**{KNOWN: table[KNOWN].where(table["size"] <= GATE, lower)})


def _rows(
    frames: Frames, protocol: str, model: str, tasks: list[str], withheld: int
) -> pd.DataFrame:
    """Trials of a model on some tasks."""
    rows = gated(select(frames, protocol, model=model))
    rows = rows[rows["size"].eq(withheld) & rows["variant"].isin(tasks)]
    missing = [task for task in tasks if task not in set(rows["variant"])]
    if missing:
        raise NotRun(f"no run of {model} on {', '.join(missing)} with {withheld} withheld")
    return rows


def _by_seed(rows: pd.DataFrame, tasks: list[str]) -> pd.Series:
    """The mean accuracy over tasks of each seed that has all of them."""
    wide = rows.pivot(index="trial", columns="variant", values=METRIC)
    return wide[tasks].dropna().mean(axis=1)


def _paired(differences: pd.Series, comparisons: int) -> Interval:
    """By changing signs: outcomes may be all or nothing, which is no normal distribution."""
    return paired_interval(several(differences).tolist(), comparisons, (-1.0, 1.0))


def _settled(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows; a trial counts as converged if it has learned its task."""
    return rows.assign(converged=rows["known_accuracy"].ge(LEARNED).astype(int))


def _learned(rows: pd.DataFrame) -> str:
    """How many trials have learned their task, in words."""
    return f"{int(rows['known_accuracy'].ge(LEARNED).sum())} of {len(rows)}"
