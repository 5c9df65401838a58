"""How many training examples a model needs, and what a step in them brings.

A grid of training sizes only says between which two of them a level is reached: a bracket.
Brackets are open at their lower and closed at their upper end.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import optimize, stats

from . import rules
from .measures import (
    Frames,
    Measured,
    NotRun,
    Point,
    differences,
    shared_draw,
    units,
)
from .published import published
from .registry import measure
from .statistics import CONFIDENCE, Interval, difference_interval


def bracket(level: float, values: pd.Series) -> tuple[float, float]:
    """The training sizes between which one trial reaches a level.

    Sizes at which the trial has no value do not count. Below the lower end it reached the level at
    no size; from the upper end on it did so at all. The lower end is 0 where the smallest size is
    enough, the upper end infinite where the largest is not.

    Args:
        values: of the metric, by training size, the smallest first.

    Example:
        >>> bracket(0.5, pd.Series([0.0, 0.2, 0.9, 1.0], [300, 500, 1000, 2000]))
        (500, 1000)
        >>> bracket(0.5, pd.Series([0.0, 0.7, 0.3, 1.0], [300, 500, 1000, 2000]))
        (300, 2000)
    """
    values = values.dropna()
    enough, sizes = values.to_numpy() >= level, list(values.index)
    first = int(np.argmax(enough)) if enough.any() else len(sizes)
    after = len(sizes) - int(np.argmax(~enough[::-1])) if (~enough).any() else 0
    low = sizes[first - 1] if first else 0
    return low, sizes[after] if after < len(sizes) else math.inf


def brackets(level: float, values: pd.DataFrame) -> pd.DataFrame:
    """`bracket` of each trial: ``low`` and ``high``, trials down. ``values`` is trials by sizes."""
    found = {trial: bracket(level, row) for trial, row in values.sort_index(axis=1).iterrows()}
    return pd.DataFrame.from_dict(found, orient="index", columns=["low", "high"])


def median_bracket(brackets: pd.DataFrame) -> tuple[float, float]:
    """The bracket in which the size lies that half of these trials need.

    Example:
        >>> median_bracket(pd.DataFrame({"low": [1, 2, 2], "high": [2, 3, 3]}))
        (2.0, 3.0)
    """
    middle = (len(brackets) - 1) // 2  # of an even number, the lower and the upper middle one
    low, high = sorted(brackets["low"]), sorted(brackets["high"], reverse=True)
    return float(low[middle]), float(high[middle])


def median_interval(low: Sequence[float], high: Sequence[float], comparisons: int = 1) -> Interval:
    """Interval of a median, of values that are known to lie in brackets.

    By order statistics (the sign test): nothing is assumed about how the values are distributed.
    Fewer than six values say nothing about a median with 95 % confidence.

    Args:
        low, high: ends of the brackets.
        comparisons: how many intervals are to hold at once (Bonferroni).

    Example:
        >>> median_interval([2, 2, 3, 2, 2, 2], [3, 4, 4, 3, 3, 3])[1:]
        (2.0, 4.0, 6)
        >>> median_interval([2] * 5, [3] * 5)[1:]
        (0.0, inf, 5)
    """
    n = len(low)
    level = (1 - CONFIDENCE) / comparisons
    rank = int(stats.binom.ppf(level / 2, n, 0.5))  # of the ends, from either side
    if rank == 0:
        return Interval(math.nan, 0.0, math.inf, n)
    ends = float(sorted(low)[rank - 1]), float(sorted(high, reverse=True)[rank - 1])
    return Interval(math.nan, *ends, n)


@measure
def size_ratio(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    level: float,
    metric: str = "test_accuracy",
    trials: int | None = None,
    paper: list[str] | None = None,
) -> Measured:
    """How many times the examples of the first of two models the second needs to reach ``level``:
    the median over trials, as a bracket.

    Trials of one number share their objects and training examples, so the ratio is taken within
    each trial: from the lower end of the one bracket over the upper end of the other to the
    reverse. Where the trials share a draw it is that draw's ratio.

    A run that has reached the level counts as converged, whether or not it still improves.

    Args:
        trials: count the first so many only, where others were not run at all sizes.
        paper: the published figure and the two series whose ratio is shown beside it.
    """
    found = units(frames, protocol, models, metric, one_draw=True)
    fewer, more = (brackets(level, one.values) for one in found)
    both = fewer.index.intersection(more.index).sort_values()[:trials]
    fewer, more = fewer.loc[both], more.loc[both]
    with np.errstate(divide="ignore"):
        low = more["low"] / fewer["high"]
        high = more["high"] / fewer["low"]
        # At the lower end of a bracket the level is missed, so neither end of the ratio is reached.
        low = low.where(low == 0, np.nextafter(low, np.inf))
        high = high.where(high == np.inf, np.nextafter(high, 0))
    interval = median_interval(low, high)
    shown = ", ".join(
        f"{name} {in_words(*median_bracket(one))}"
        for name, one in zip(models, (fewer, more), strict=True)
    )
    reported = None
    if paper:
        curves = [published(paper[0], name) for name in paper[1:]]
        reported = published_ratio(level, *curves)
    label = f"level {level:g}: {shown}; {interval.n} trials{shared_draw(found[0].rows)}"
    # With more updates the first model may need fewer examples, which raises the ratio.
    rising, falling = (rules.settled_at(one.rows, metric, level) for one in found)
    return Measured([Point(label, interval, reported, rising=rising, falling=falling)])


def in_words(low: float, high: float) -> str:
    """A bracket of training sizes.

    Example:
        >>> in_words(1000, 1500), in_words(0, 300), in_words(3000, math.inf)
        ('1,000 to 1,500', 'at most 300', 'more than 3,000')
    """
    if high == math.inf:
        return f"more than {low:,.0f}"
    return f"{low:,.0f} to {high:,.0f}" if low else f"at most {high:,.0f}"


def reached(level: float, curve: pd.DataFrame) -> float:
    """Training size at which a published mean curve first reaches ``level``.

    Log-linear interpolation on the isotonic fit of its points ``x`` and ``mean``. It is the first
    ``x`` if the curve begins at ``level`` or above, and infinite if the curve never reaches it.

    Example:
        >>> curve = pd.DataFrame({"x": [100, 1000, 10000], "mean": [0.0, 0.5, 1.0]})
        >>> round(reached(0.75, curve))
        3162
    """
    fitted = optimize.isotonic_regression(curve["mean"].to_numpy(float)).x
    if fitted[-1] < level:
        return math.inf
    x, at = curve["x"].to_numpy(float), int(np.searchsorted(fitted, level))
    if at == 0 or fitted[at] == level:
        return float(x[at])
    around = slice(at - 1, at + 1)
    return float(np.exp(np.interp(level, fitted[around], np.log(x[around]))))


def published_ratio(level: float, fewer: pd.DataFrame, more: pd.DataFrame) -> float:
    """How many times the examples of one published curve the other needs, from their means."""
    return reached(level, more) / reached(level, fewer)


@measure
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
    (trials,) = units(frames, protocol, [model], metric, variant, one_draw=True)
    first, second = sizes
    if not {first, second} <= set(trials.values.columns):
        raise NotRun(f"no runs of {model} at both {first} and {second}")
    interval = difference_interval(
        trials.values[second], trials.values[first], within=differences(metric)
    )
    label = f"n = {first} to {second}, {interval.n} trials{shared_draw(trials.rows)}"
    rising, falling = trials.at(second), trials.at(first)
    return Measured([Point(label, interval, rising=rising, falling=falling)])
