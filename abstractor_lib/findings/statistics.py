"""Intervals and verdicts.

95 % throughout: Student-t for means and paired differences, Wilson for success rates, a seeded
bootstrap for derived quantities only. Over the points of a series intervals are simultaneous
(Bonferroni): pass ``comparisons``.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import optimize, stats

CONFIDENCE = 0.95
FEW = 5  # below this many values points are shown instead of an interval


def number(value: float) -> str:
    """A number as tables show it: three decimals, or its magnitude where these would be zeros.

    Example:
        >>> number(0.9365), number(0.0), number(-2.3e-14)
        ('0.936', '0.000', '-2e-14')
    """
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.0e}"


class Interval(NamedTuple):
    """An estimate with its interval and the number of values behind it.

    The estimate is NaN where there is a bracket and nothing is known of what lies between its ends.

    Example:
        >>> f"{Interval(0.5, 0.4, 0.6, 10)}, {Interval(math.nan, 1000, 1500, 5):.0f}"
        '0.50 [0.40, 0.60], between 1000 and 1500'
    """

    estimate: float
    low: float
    high: float
    n: int

    def __format__(self, spec: str) -> str:
        """As prose says it, numbers by default with two decimals."""
        low, high = (format(value, spec or ".2f") for value in (self.low, self.high))
        if not math.isnan(self.estimate):
            return f"{format(self.estimate, spec or '.2f')} [{low}, {high}]"
        return f"more than {low}" if self.high == math.inf else f"between {low} and {high}"


def t_quantile(n: int, comparisons: int = 1) -> float:
    """Two-sided Student-t quantile for ``n`` values and simultaneous intervals."""
    return float(stats.t.ppf(1 - (1 - CONFIDENCE) / (2 * comparisons), n - 1))


def mean_interval(values: Sequence[float], comparisons: int = 1) -> Interval:
    """Student-t interval of a mean; NaN values are left out.

    Raises:
        ValueError: if fewer than two values are left.

    Example:
        >>> [round(x, 3) for x in mean_interval([1.0, 2.0, 3.0])]
        [2.0, -0.484, 4.484, 3]
    """
    given = np.asarray(values, dtype=float)
    given = given[~np.isnan(given)]
    if len(given) < 2:
        raise ValueError(f"values holds {len(given)} numbers; expected at least 2")
    mean = float(given.mean())
    half = t_quantile(len(given), comparisons) * float(given.std(ddof=1)) / math.sqrt(len(given))
    return Interval(mean, mean - half, mean + half, len(given))


def difference_interval(
    first: Sequence[float], second: Sequence[float], comparisons: int = 1
) -> Interval:
    """Student-t interval of the mean paired difference ``first - second``.

    Args:
        first, second: as many values each, in the order of the pairs; two Series are paired by
            their index, and what only one of them has is left out.

    Example:
        >>> round(difference_interval([1.0, 2.0, 4.0], [0.0, 1.0, 2.0]).estimate, 3)
        1.333
    """
    if not (isinstance(first, pd.Series) and isinstance(second, pd.Series)):
        first, second = np.asarray(first, float), np.asarray(second, float)
    return mean_interval(first - second, comparisons)


def rate_interval(successes: int, n: int, comparisons: int = 1) -> Interval:
    """Wilson interval of a success rate.

    Example:
        >>> [round(x, 3) for x in rate_interval(8, 10)]
        [0.8, 0.49, 0.943, 10]
    """
    level = 1 - (1 - CONFIDENCE) / comparisons
    found = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    return Interval(successes / n, float(found.low), float(found.high), n)


def share_interval(
    shares: Sequence[float], problems: Sequence[int], comparisons: int = 1
) -> Interval:
    """Interval of the mean share of problems that are solved, over independent trials.

    The wider, on either side and within [0, 1], of Student-t over the trials and Wilson over all
    problems: trials that all agree say little about rare failures.

    Args:
        shares: share of its problems that each trial solves.
        problems: how many problems each trial has.

    Example:
        >>> [round(x, 3) for x in share_interval([1.0, 1.0], [10, 10])]
        [1.0, 0.839, 1.0, 2]
    """
    shares, problems = np.asarray(shares, float), np.asarray(problems, int)
    trials = mean_interval(shares, comparisons)
    pooled = rate_interval(round(float(shares @ problems)), int(problems.sum()), comparisons)
    low, high = min(trials.low, pooled.low), max(trials.high, pooled.high)
    return Interval(trials.estimate, max(low, 0.0), min(high, 1.0), trials.n)


def bootstrap_interval(
    trials: np.ndarray,
    statistic: Callable[[np.ndarray], float],
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap over the trials of a derived quantity.

    Args:
        trials: first axis, the trials; resampled with replacement.
        statistic: of a resampled array.
    """
    generator = np.random.default_rng(seed)
    n = len(trials)
    draws = [statistic(trials[generator.integers(n, size=n)]) for _ in range(resamples)]
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(draws, [tail, 100 - tail], method="inverted_cdf")
    return Interval(float(statistic(trials)), float(low), float(high), n)


def reached(level: float, sizes: Sequence[float], mean: Sequence[float]) -> float:
    """Training size at which a mean curve reaches ``level``, ``inf`` if it does not, and the
    smallest size if it starts above it.

    Log-linear interpolation on the isotonic fit of the curve.

    Example:
        >>> round(reached(0.75, [100, 1000, 10000], [0.0, 0.5, 1.0]))
        3162
    """
    logs = np.log(np.asarray(sizes, float))
    fitted = optimize.isotonic_regression(np.asarray(mean, float)).x
    if fitted[-1] < level:
        return math.inf
    last = int(np.argmax(fitted >= level))
    if last == 0:
        return float(sizes[0])
    share = (level - fitted[last - 1]) / (fitted[last] - fitted[last - 1])
    return float(np.exp(logs[last - 1] + share * (logs[last] - logs[last - 1])))


def size_to_reach(level: float, sizes: Sequence[float], accuracy: np.ndarray) -> Interval:
    """Training size at which mean accuracy reaches ``level``, with a bootstrap over trials.

    ``inf`` where the level is not reached within the grid.

    Args:
        level: accuracy to reach.
        sizes: training sizes ``(s,)``, increasing.
        accuracy: ``(trials, s)``.

    Example:
        >>> curve = np.tile([0.0, 0.5, 1.0], (4, 1))
        >>> round(size_to_reach(0.75, [100, 1000, 10000], curve).estimate)
        3162
    """
    return bootstrap_interval(accuracy, lambda trials: reached(level, sizes, trials.mean(axis=0)))


def size_ratio_interval(
    level: float, sizes: Sequence[float], fewer: np.ndarray, more: np.ndarray
) -> Interval:
    """How many times the examples of ``fewer`` the model ``more`` needs to reach ``level``.

    A model that does not reach it within the grid may do so anywhere beyond, and one that starts
    above it anywhere below: the interval takes the least and the greatest ratio that this leaves,
    the estimate the largest or the smallest size.

    Args:
        fewer, more: accuracy of the two models, ``(trials, s)`` each; trials are resampled in
            pairs.

    Example:
        >>> steep, slow = np.tile([0.0, 1.0, 1.0], (4, 1)), np.tile([0.0, 0.0, 1.0], (4, 1))
        >>> round(size_ratio_interval(0.5, [100, 1000, 10000], steep, slow).estimate)
        10
        >>> size_ratio_interval(0.5, [100, 1000, 10000], steep, 0 * slow).high
        inf
    """
    pairs = np.stack([fewer, more], axis=1)

    def bounds(mean: np.ndarray) -> tuple[float, float]:
        size = reached(level, sizes, mean)
        if size == math.inf:
            return sizes[-1], math.inf
        return (0.0 if size == sizes[0] else size), size

    def least(trials: np.ndarray) -> float:
        first, second = (bounds(mean) for mean in trials.mean(axis=0))
        return second[0] / first[1]

    def most(trials: np.ndarray) -> float:
        first, second = (bounds(mean) for mean in trials.mean(axis=0))
        return second[1] / first[0] if first[0] else math.inf

    first, second = (min(reached(level, sizes, mean), sizes[-1]) for mean in pairs.mean(axis=0))
    low, high = bootstrap_interval(pairs, least).low, bootstrap_interval(pairs, most).high
    return Interval(second / first, low, high, len(pairs))


class Region(NamedTuple):
    """The values for which a claim is true: between ``low`` and ``high``, ends included unless
    ``strict``."""

    low: float
    high: float
    strict: bool = False


def verdict(interval: Interval, region: Region) -> str:
    """``holds`` if the interval lies in the region, ``fails`` if they are disjoint, else
    ``undecided``.

    Example:
        >>> verdict(Interval(0.9, 0.8, 1.0, 10), Region(0.5, math.inf))
        'holds'
        >>> verdict(Interval(0.0, 0.0, 0.0, 10), Region(0.0, math.inf, strict=True))  # a tie
        'fails'
        >>> verdict(Interval(3.0, 2.5, math.inf, 5), Region(2.0, math.inf, strict=True))
        'holds'
    """
    within, beyond = (operator.lt, operator.le) if region.strict else (operator.le, operator.lt)
    above = region.low == -math.inf or within(region.low, interval.low)
    below = region.high == math.inf or within(interval.high, region.high)
    if above and below:
        return "holds"
    if beyond(interval.high, region.low) or beyond(region.high, interval.low):
        return "fails"
    return "undecided"
