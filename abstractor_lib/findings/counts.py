"""Counts of trials that succeed: exact intervals of a share and of a difference of shares.

For outcomes that are all or nothing. No interval leaves what shares can be, and none rests on a
normal approximation.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from .statistics import CONFIDENCE, Interval, mean_interval

STEPS = 40  # of a difference of shares, from -1 to 1, among which the first kept one is found
FINER = 10  # halvings of the step before it
NUISANCE = 200  # values of the unknown share that are tried
HALVINGS = 50  # until the most likely share is known to rounding
TIE = 1e-9  # statistics closer than this are equal


def rate_interval(successes: int, n: int, comparisons: int = 1) -> Interval:
    """Exact (Clopper-Pearson) interval of the share of ``n`` independent trials that succeed.

    Raises:
        ValueError: if there are no trials, or successes below 0 or more than the trials.

    Example:
        >>> [round(x, 3) for x in rate_interval(5, 5)]
        [1.0, 0.478, 1.0, 5]
    """
    _check_count("successes, n", successes, n)
    level = 1 - (1 - CONFIDENCE) / comparisons
    found = stats.binomtest(successes, n).proportion_ci(level, method="exact")
    return Interval(successes / n, float(found.low), float(found.high), n)


def share_interval(shares: ArrayLike, problems: ArrayLike, comparisons: int = 1) -> Interval:
    """Interval of the mean share of problems that are solved, over independent trials.

    The wider, on either side and within [0, 1], of Student-t over the trials and exact over all
    problems: trials that all agree say little about rare failures.

    Args:
        shares: share of its problems that each trial solves.
        problems: how many problems each trial has.

    Raises:
        ValueError: for a share that is none, or fewer than two trials.

    Example:
        >>> [round(x, 3) for x in share_interval([1.0, 1.0], [10, 10])]
        [1.0, 0.832, 1.0, 2]
    """
    solved, asked = np.asarray(shares, float), np.asarray(problems, int)
    if not ((solved >= 0) & (solved <= 1)).all():
        raise ValueError(f"shares holds {solved.tolist()}; expected numbers from 0 to 1")
    trials = mean_interval(solved, comparisons)
    pooled = rate_interval(round(float(solved @ asked)), int(asked.sum()), comparisons)
    low, high = min(trials.low, pooled.low), max(trials.high, pooled.high)
    return Interval(trials.estimate, max(low, 0.0), min(high, 1.0), trials.n)


def rate_difference_interval(first: tuple[int, int], second: tuple[int, int]) -> Interval:
    """Exact unconditional interval of the difference of two shares, ``first - second``.

    It holds the differences that are not rejected by either one-sided exact test of the score
    statistic, maximised over the unknown share (Chan & Zhang 1999). At a difference of zero that
    test is Barnard's.

    Args:
        first, second: successes and trials of two independent samples. Where trials are paired and
            agree more than chance would have it, the interval is wider than it need be.

    Raises:
        ValueError: if a sample has no trials, or its successes are below 0 or more than its trials.

    Example:
        >>> [round(x, 3) for x in rate_difference_interval((5, 5), (0, 5))]
        [1.0, 0.383, 1.0, 5]
        >>> [round(x, 3) for x in rate_difference_interval((2, 5), (0, 5))]
        [0.4, -0.187, 0.853, 5]
    """
    for name, (successes, trials) in (("first", first), ("second", second)):
        _check_count(name, successes, trials)
    tail = (1 - CONFIDENCE) / 2
    low = _least(lambda delta: _greater(first, second, delta) > tail)
    high = -_least(lambda delta: _greater(second, first, delta) > tail)
    estimate = first[0] / first[1] - second[0] / second[1]
    return Interval(estimate, low, high, min(first[1], second[1]))


def _check_count(name: str, successes: int, trials: int) -> None:
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(
            f"{name} is {(successes, trials)}; expected successes and trials, "
            "at least 1 trial and at most as many successes"
        )


def _least(kept: Callable[[float], bool]) -> float:
    """The least difference that is kept, to a twenty-thousandth; those below it are not."""
    differences = np.linspace(-1, 1, STEPS + 1)
    at = next(k for k, delta in enumerate(differences) if kept(delta))
    low, high = differences[max(at - 1, 0)], differences[at]
    for _ in range(FINER if at else 0):
        middle = (low + high) / 2
        low, high = (low, middle) if kept(middle) else (middle, high)
    return float(high)


@lru_cache(maxsize=4096)
def _greater(first: tuple[int, int], second: tuple[int, int], delta: float) -> float:
    """P value of the exact test that the difference of two shares is at most ``delta``."""
    (x, n), (y, m) = first, second
    every = np.mgrid[: n + 1, : m + 1].reshape(2, -1)  # all outcomes, (2, k)
    statistic = _score(*every, n, m, delta)
    extreme = statistic >= statistic[x * (m + 1) + y] - TIE
    share = np.linspace(max(0.0, -delta), min(1.0, 1.0 - delta), NUISANCE)[:, None]
    chances = stats.binom.pmf(range(n + 1), n, np.clip(share + delta, 0, 1))  # (shares, n + 1)
    others = stats.binom.pmf(range(m + 1), m, share)
    wanted = extreme.reshape(n + 1, m + 1).astype(float)
    return float(np.einsum("sx,xy,sy->s", chances, wanted, others, optimize=True).max())


def _score(x, y, n: int, m: int, delta: float) -> np.ndarray:
    """Score statistic of ``x`` of n against ``y`` of m successes, if the shares differ by delta.

    The second share is the one that is most likely then; the slope of the log likelihood falls.
    """
    low = np.full(x.shape, max(0.0, -delta))
    high = np.full(x.shape, min(1.0, 1.0 - delta))
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(HALVINGS):
            q = (low + high) / 2
            p = q + delta
            slope = _part(x, p) - _part(n - x, 1 - p) + _part(y, q) - _part(m - y, 1 - q)
            low, high = np.where(slope > 0, q, low), np.where(slope > 0, high, q)
        q = (low + high) / 2
        p = q + delta
        spread = np.sqrt(np.clip(p * (1 - p) / n + q * (1 - q) / m, 0, None))
        apart = x / n - y / m - delta
        return np.where(np.abs(apart) < TIE, 0.0, apart / spread)


def _part(count, share):
    """``count / share``, zero where there is nothing to count."""
    return np.where(count == 0, 0.0, count / share)
