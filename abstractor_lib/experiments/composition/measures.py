"""What claims on chains measure. Examples and updates are part of each statement, so convergence is
not asked for. Models of one seed see the same examples."""

import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.permutation import shift_interval
from ...findings.registry import measure
from ...findings.statistics import Interval, difference_interval, mean_interval

ACCURACY = "test_accuracy"
WITHIN = (-1.0, 1.0)
NOTHING = 0.01  # of accuracy


@measure
def leads(frames: Frames, protocol: str, *, models: list[str], tasks: list[str]) -> Measured:
    """By how much the accuracy of the first of two models exceeds that of the second on each task:
    differences of the means over seeds, by permutation, all at once. That seeds share their
    examples is not used, so the intervals are wider than need be where seeds matter. Where the
    second model is below the best guess from the relation of the own pair, this is told."""
    return Measured(_leads(frames, protocol, models, tasks))


@measure
def largest_lead(frames: Frames, protocol: str, *, models: list[str], tasks: list[str]) -> Measured:
    """The largest of `leads`: the estimate is that of the task with the largest difference. Since
    the intervals of the tasks hold all at once, the largest difference lies between the largest of
    their lower ends and the largest of their upper ends."""
    return _largest(_leads(frames, protocol, models, tasks))


@measure
def largest_over_guess(frames: Frames, protocol: str, *, model: str, tasks: list[str]) -> Measured:
    """The largest over tasks of the accuracy of a model less that of the best answers from the
    relation of the own pair alone, on the same test examples, as `largest_lead`."""
    return _largest(_over_guess(frames, protocol, model, tasks))


@measure
def over_guess(frames: Frames, protocol: str, *, model: str, tasks: list[str]) -> Measured:
    """The accuracy of a model less that of the best answers from the relation of the own pair
    alone, on the same test examples, for each task: mean differences over seeds, all at once."""
    return Measured(_over_guess(frames, protocol, model, tasks))


@measure
def level(frames: Frames, protocol: str, *, model: str, task: str) -> Measured:
    """The accuracy of a model on a task, the mean over seeds."""
    interval = mean_interval(_values(frames, protocol, model, task), within=(0.0, 1.0))
    return Measured([Point(f"{model}, {task}, {interval.n} seeds", interval)])


def _leads(frames: Frames, protocol: str, models: list[str], tasks: list[str]) -> list[Point]:
    points = []
    for task in tasks:
        first, second = (_values(frames, protocol, name, task).tolist() for name in models)
        interval = shift_interval(first, second, len(tasks), WITHIN)
        label = f"{' over '.join(models)}, {task}, {interval.n} seeds"
        reached, guess = (
            _values(frames, protocol, models[1], task, one).mean()
            for one in (ACCURACY, "own_accuracy")
        )
        if reached < guess - NOTHING:
            label += f", of which {models[1]} learned little: {reached:.2f}, the best guess from "
            label += f"the own pair has {guess:.2f}"
        points.append(Point(label, interval))
    return points


def _over_guess(frames: Frames, protocol: str, model: str, tasks: list[str]) -> list[Point]:
    points = []
    for task in tasks:
        pair = (_values(frames, protocol, model, task, one) for one in (ACCURACY, "own_accuracy"))
        interval = difference_interval(*pair, len(tasks), WITHIN)
        points.append(Point(f"{model} over own pair, {task}, {interval.n} seeds", interval))
    return points


def _largest(points: list[Point]) -> Measured:
    """The largest of some numbers whose intervals hold all at once."""
    top = max(points, key=lambda point: point.interval.estimate)
    ends = (max(getattr(point.interval, end) for point in points) for end in ("low", "high"))
    fewest = min(point.interval.n for point in points)
    interval = Interval(top.interval.estimate, *ends, fewest)
    return Measured([Point(f"{top.label} (largest of {len(points)} tasks)", interval)])


def _values(
    frames: Frames, protocol: str, model: str, task: str, metric: str = ACCURACY
) -> pd.Series:
    """A metric by seed.

    Raises:
        NotRun: if there are fewer than two seeds.
    """
    found = select(frames, protocol, model=model, variant=task)
    if len(found) < 2:
        raise NotRun(f"one seed of {model} on {task} alone")
    return found.set_index("trial")[metric].sort_index()
