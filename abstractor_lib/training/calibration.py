"""How well stated uncertainties fit what happens: coverage of intervals, and the CRPS.

The continuous ranked probability score of a predictive distribution with distribution function F
and an outcome y is the integral of (F(x) - 1[x >= y])^2 over x. It is in the units of the outcome,
and less is better. A prediction without uncertainty has the absolute error as its CRPS. In
expectation no prediction beats the true distribution. Source of the closed forms: Gneiting and
Raftery, JASA 2007, section 4.2.
"""

import math

import numpy as np
from scipy import stats


def normal_interval(mean: np.ndarray, sd: np.ndarray, level: float) -> tuple[np.ndarray, ...]:
    """Ends of the central interval that a normal distribution gives with probability ``level``.

    Raises:
        ValueError: if ``level`` does not lie between 0 and 1, or a standard deviation is negative.

    Example:
        >>> low, high = normal_interval(np.zeros(1), np.ones(1), 0.95)
        >>> low.round(2).tolist(), high.round(2).tolist()
        ([-1.96], [1.96])
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; expected a number between 0 and 1")
    half = float(stats.norm.ppf((1 + level) / 2)) * _spread(sd)
    return mean - half, mean + half


def covered(outcome: np.ndarray, mean: np.ndarray, sd: np.ndarray, level: float) -> np.ndarray:
    """Whether each outcome lies in the central normal interval of its prediction, ends included.

    The mean over independent outcomes is the *coverage*. It should be ``level``.

    Args:
        outcome, mean, sd: shapes that broadcast together.
        level: probability that the interval is meant to have.

    Example:
        >>> covered(np.array([0.5, 3.0]), np.zeros(2), np.ones(2), 0.95).tolist()
        [True, False]
    """
    low, high = normal_interval(mean, sd, level)
    return (low <= outcome) & (outcome <= high)


def crps_normal(outcome: np.ndarray, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """CRPS of normal predictions, in the units of the outcome; the absolute error where sd is 0.

    Args:
        outcome, mean, sd: shapes that broadcast together; returned in the common shape.

    Raises:
        ValueError: if a standard deviation is negative or NaN.

    Example:
        >>> crps_normal(np.zeros(1), np.zeros(1), np.ones(1)).round(4).tolist()  # (sqrt2-1)/sqrtpi
        [0.2337]
    """
    sd = _spread(sd)
    error = np.asarray(outcome - mean, float)
    sure = sd == 0
    z = error / np.where(sure, 1.0, sd)
    # sd [ z (2 Phi(z) - 1) + 2 phi(z) - 1 / sqrt(pi) ]
    score = z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / math.sqrt(math.pi)
    return np.where(sure, np.abs(error), sd * score)


def _spread(sd: np.ndarray) -> np.ndarray:
    """Standard deviations, checked.

    Raises:
        ValueError: if one is negative or NaN.
    """
    sd = np.asarray(sd, float)
    if not (sd >= 0).all():
        raise ValueError(f"sd holds {sd[~(sd >= 0)][0]}; expected no negative number and no NaN")
    return sd
