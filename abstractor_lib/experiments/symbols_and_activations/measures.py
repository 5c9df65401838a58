"""What claims on the factorial measure. Training sizes and updates are part of each statement, so
convergence is not asked for."""

from collections.abc import Sequence

from ...findings.factorial import Factorial
from ...findings.interval import Interval
from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.registry import measure
from ...findings.rules import FEW
from .design import FACTORS

METRIC = "test_accuracy"


def factorial(frames: Frames, protocol: str, task: str, size: int | None = None) -> Factorial:
    """The runs of a task, the mean over its training sizes or at one; seeds are blocks.

    Raises:
        NotRun: if there are fewer than five seeds, or a training size has fewer runs than another.
    """
    where = {"variant": task} if size is None else {"variant": task, "size": size}
    table = select(frames, protocol, **where)
    if table["trial"].nunique() < FEW:
        raise NotRun(f"{table['trial'].nunique()} seeds of {task}; expected at least {FEW}")
    if table.groupby("size").size().nunique() > 1:
        raise NotRun(f"runs of {task} lack a training size")
    return Factorial(table, FACTORS, METRIC, "trial")


def apart(found: Factorial, factor: str, comparisons: int = 1) -> Interval:
    """How far the best level of a factor lies above the worst, a difference of shares."""
    interval = found.spread(factor, comparisons)
    return interval._replace(low=max(interval.low, 0.0), high=min(interval.high, 1.0))


@measure
def spread(frames: Frames, protocol: str, *, tasks: list[str], factor: str) -> Measured:
    """By how much the best level of a factor exceeds the worst in test accuracy, marginal means
    over the other factors, in each of some tasks. The interval holds for all pairs of levels at
    once."""
    points = []
    for task in tasks:
        interval = apart(factorial(frames, protocol, task), factor, len(tasks))
        points.append(Point(f"{factor}, {task}, {interval.n} seeds", interval))
    return Measured(points)


@measure
def lead(
    frames: Frames, protocol: str, *, tasks: list[str], factor: str, pairs: list[list]
) -> Measured:
    """By how much the first of two levels of a factor exceeds the second in test accuracy, marginal
    means over the other factors, for each of some pairs in each of some tasks."""
    points, count = [], len(tasks) * len(pairs)
    for task in tasks:
        found = factorial(frames, protocol, task)
        for first, second in pairs:
            interval = found.difference(factor, first, second, count)
            words = f"{factor} {first} over {second}, {task}, {interval.n} seeds"
            points.append(Point(words, interval))
    return Measured(points)


@measure
def largest(frames: Frames, protocol: str, *, tasks: list[str], factor: str) -> Measured:
    """By how much the spread of a factor's marginal means exceeds the larger of those of the other
    two, in each of some tasks. The ends are those of simultaneous intervals of all three spreads,
    so the interval is wider than need be."""
    points = []
    for task in tasks:
        found = factorial(frames, protocol, task)
        comparisons = len(tasks) * len(FACTORS)
        spreads = {name: apart(found, name, comparisons) for name in FACTORS}
        own, others = spreads.pop(factor), list(spreads.values())
        points.append(Point(f"{factor}, {task}, {own.n} seeds", _above(own, others)))
    return Measured(points)


def _above(own: Interval, others: Sequence[Interval]) -> Interval:
    """One quantity less the largest of others, from simultaneous intervals.

    Example:
        >>> [round(one, 6) for one in _above(Interval(0.5, 0.4, 0.6, 6),
        ...     [Interval(0.1, 0.0, 0.3, 6), Interval(0.2, 0.1, 0.25, 6)])]
        [0.3, 0.1, 0.5, 6]
    """
    estimate, low, high = (max(one[end] for one in others) for end in range(3))
    return Interval(own.estimate - estimate, own.low - high, own.high - low, own.n)


@measure
def interplay(
    frames: Frames, protocol: str, *, task: str, symbols: list[str], activations: list[str]
) -> Measured:
    """By how much more the first of two activations exceeds the other in test accuracy with the
    first of two kinds of symbols than with the other, the mean over depths."""
    interval = factorial(frames, protocol, task).double_difference(symbols, activations)
    one, other = symbols
    words = f"{activations[0]} over {activations[1]}, {one} less {other}, {task}"
    return Measured([Point(f"{words}, {interval.n} seeds", interval)])
