"""What claims on length generalisation measure.

The unit is a seed: a trained model with its own objects and sequences. Arms of one seed see the
same ones. The number of updates is part of each statement, so convergence is not asked for.
"""

import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.permutation import shift_interval
from ...findings.registry import measure
from ...findings.statistics import mean_interval

ACCURACY = "full_sequence_accuracy"
SHARE = (0.0, 1.0)


def by_seed(frames: Frames, protocol: str, model: str, metric: str, length: int) -> pd.Series:
    """A metric of an arm at a length, by seed.

    Raises:
        NotRun: without runs of it, with one seed alone, or at a length that was not tested.
    """
    column = f"{metric}_{length}"
    rows = select(frames, protocol, model=model)
    if column not in rows or len(rows) < 2:
        raise NotRun(f"no {metric} of {model} at length {length}, or one seed alone")
    return rows.set_index("trial")[column].sort_index()


@measure
def level(
    frames: Frames, protocol: str, *, models: list[str], length: int, metric: str = ACCURACY
) -> Measured:
    """The mean of a metric over seeds, a point for each arm; intervals hold at once."""
    points = []
    for model in models:
        values = by_seed(frames, protocol, model, metric, length)
        interval = mean_interval(values, len(models), SHARE)
        points.append(Point(f"{model}, length {length}, {interval.n} seeds", interval))
    return Measured(points)


@measure
def kept(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    length: int,
    share: float,
    trained: int = 10,
    metric: str = ACCURACY,
) -> Measured:
    """By how much a metric at a length exceeds a share of that at the longest length in training:
    the mean over seeds. Above zero, that share or more is kept; nothing is divided by a number that
    may be zero."""
    there = by_seed(frames, protocol, model, metric, length)
    here = by_seed(frames, protocol, model, metric, trained)
    interval = mean_interval(there - share * here, within=(-share, 1.0))
    words = f"{model}, length {length} less {share} times length {trained}, {interval.n} seeds"
    return Measured([Point(words, interval)])


@measure
def lead(
    frames: Frames, protocol: str, *, models: list[str], length: int, metric: str = ACCURACY
) -> Measured:
    """By how much the first of two arms leads the second at a length: the difference of the means
    over seeds, with its interval by permutation."""
    first, second = (by_seed(frames, protocol, one, metric, length) for one in models)
    interval = shift_interval(first.tolist(), second.tolist(), within=(-1.0, 1.0))
    words = f"{models[0]} over {models[1]}, length {length}, {len(first)} against {len(second)}"
    return Measured([Point(f"{words} seeds", interval)])
