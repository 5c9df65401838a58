"""What claims measure about training sizes: how many examples, and what a step in them brings."""

import math

import pandas as pd

from .measures import Frames, Measured, NotRun, Point, units
from .published import published
from .statistics import difference_interval, reached, size_ratio_interval


def size_ratio(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    level: float,
    metric: str = "test_accuracy",
    paper: list[str] | None = None,
) -> Measured:
    """How many times the examples of the first of two models the second needs to reach ``level``.

    Trials are compared in pairs, at the sizes that both have; see
    `statistics.size_ratio_interval`, also for models that do not reach it. Where the trials share
    a draw it is that draw's ratio. ``paper`` names the published figure and the two series whose
    ratio is shown beside it.
    """
    found = units(frames, protocol, models, metric, one_draw=True)
    fewer, more = (one.values for one in found)
    sizes = [n for n in fewer.columns if n in more.columns]
    interval = size_ratio_interval(level, sizes, fewer[sizes].to_numpy(), more[sizes].to_numpy())
    fitted = [reached(level, sizes, one[sizes].mean()) for one in (fewer, more)]
    shown = ", ".join(
        f"{name} {_where(size, sizes)}" for name, size in zip(models, fitted, strict=True)
    )
    reported = None
    if paper:
        curves = [published(paper[0], name) for name in paper[1:]]
        reported = published_ratio(level, *curves)
    point = Point(f"{level:.0%}: {shown}; {interval.n} trials", interval, reported)
    return Measured([point], float(pd.concat([one.converged(sizes) for one in found]).mean()))


def _where(size: float, sizes: list[int]) -> str:
    """Where a level was reached, in words."""
    if math.isinf(size):
        return f"not by {sizes[-1]}"
    return f"{'by' if size == sizes[0] else 'at'} {size:.0f}"


def published_ratio(level: float, fewer: pd.DataFrame, more: pd.DataFrame) -> float:
    """`size_ratio` of two published curves, from their means."""
    return reached(level, more["x"], more["mean"]) / reached(level, fewer["x"], fewer["mean"])


def step(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    sizes: list[int],
    metric: str = "test_accuracy",
    variant: str = "curve",
) -> Measured:
    """What is gained, in pairs of trials, from the first of two training sizes to the second."""
    (found,) = units(frames, protocol, [model], metric, variant, one_draw=True)
    first, second = sizes
    if not {first, second} <= set(found.values.columns):
        raise NotRun(f"no runs of {model} at both {first} and {second}")
    interval = difference_interval(found.values[second], found.values[first])
    label = f"n = {first} to {second}, {interval.n} trials"
    return Measured([Point(label, interval)], float(found.converged(sizes).mean()))
