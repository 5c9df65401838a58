"""Gaussian processes: the predictive distribution in closed form.

Every prediction here is a linear function of the observed values. Its mean is the best linear
prediction whatever the shape of the noise; its standard deviation never depends on the values.
With ``unknown_level`` a constant of unknown size is added to the curve: the best linear prediction
among those that follow when a constant is added to all values (universal kriging). A model that
sees differences of values alone can do no better by any linear prediction. Under normal noise no
prediction at all is better; `truncated` has the best one under uniform noise.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg

NOISE = 0.1  # standard deviation


class Predicted(NamedTuple):
    """Predictive mean ``(n, T)`` and standard deviation ``(T,)`` or ``(n, T)``, noise included."""

    mean: np.ndarray
    sd: np.ndarray


def rbf(count: int, scale: float = 3.0) -> np.ndarray:
    """Covariance of an RBF curve at x = 1, ..., count: C_ij = exp(-(i - j)^2 / (2 scale^2)).

    Source: curves, Experiment details.

    Raises:
        ValueError: if ``scale`` is not positive.

    Example:
        >>> rbf(3, scale=1.0).round(3)[0].tolist()
        [1.0, 0.607, 0.135]
    """
    return from_distance(
        count, lambda apart: np.exp(-np.square(apart / _positive("scale", scale)) / 2)
    )


def sinusoid(count: int, period: float, amplitude: float = 1.0) -> np.ndarray:
    """Covariance of a sinusoid with a uniformly random phase and a root mean square amplitude.

    Example:
        >>> sinusoid(3, period=4.0).round(3)[0].tolist()
        [0.5, 0.0, -0.5]
    """
    speed = 2 * np.pi / _positive("period", period)
    return from_distance(count, lambda apart: amplitude**2 / 2 * np.cos(speed * apart))


def line(count: int, slope: float, intercept: float = 0.0) -> np.ndarray:
    """Covariance of a line whose slope and intercept have mean 0 and these standard deviations.

    Example:
        >>> line(3, slope=0.5).tolist()[2]
        [0.75, 1.5, 2.25]
    """
    x = np.arange(1.0, count + 1)
    return slope**2 * np.outer(x, x) + intercept**2


def from_distance(count: int, covariance: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Covariance at x = 1, ..., count of a process for which it depends on the distance alone."""
    x = np.arange(float(count))
    return covariance(x[:, None] - x)


def predict(
    values: np.ndarray, covariance: np.ndarray, noise: float = NOISE, unknown_level: bool = False
) -> Predicted:
    """Predictive distribution of the values that follow, of a process with mean 0.

    Args:
        values: observed, with noise, ``(n, N)``.
        covariance: of the curve without noise at x = 1, ..., N + T, ``(N + T, N + T)``.
        noise: standard deviation of the noise.
        unknown_level: a constant of unknown size is added to the curve.

    Returns:
        Mean ``(n, T)`` and standard deviation ``(T,)``, which holds for every curve.

    Raises:
        ValueError: if the shapes do not fit, or ``noise`` is not positive.

    Source: curves, Uncertainty Estimation Results; Rasmussen and Williams, Gaussian Processes for
    Machine Learning, equations 2.23 and 2.24, and for the unknown level 2.41 and 2.42.

    Example:
        >>> found = predict(np.zeros((1, 20)), rbf(30))
        >>> found.mean.shape, round(found.sd.mean().item(), 3)
        ((1, 10), 0.802)
    """
    values = np.asarray(values, float)
    weights, sd = posterior(values.shape[-1], covariance, noise, unknown_level)
    return Predicted(values @ weights, sd)


def posterior(
    observed: int, covariance: np.ndarray, noise: float = NOISE, unknown_level: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """What `predict` makes of any values: weights ``(N, T)`` and standard deviations ``(T,)``.

    Args:
        observed: N, how many values are observed.
    """
    factor = _factor(observed, covariance, noise)
    across = covariance[:observed, observed:]  # (N, T)
    weights = linalg.cho_solve(factor, across)  # A^-1 B
    # var = C - B^T A^-1 B + noise^2
    variance = np.diag(covariance)[observed:] - (across * weights).sum(axis=0) + noise**2
    if unknown_level:
        share = linalg.cho_solve(factor, np.ones(observed))  # A^-1 1
        missing = 1 - weights.sum(axis=0)  # of weights that should add up to 1
        weights = weights + np.outer(share, missing) / share.sum()
        variance = variance + missing**2 / share.sum()
    return weights, np.sqrt(variance)


def log_evidence(
    values: np.ndarray, covariance: np.ndarray, noise: float = NOISE, unknown_level: bool = False
) -> np.ndarray:
    """Log density of the observed values under the process, up to a constant that all processes
    share.

    Args:
        values, covariance, noise, unknown_level: as those of `predict`.

    Returns:
        ``(n,)``. With ``unknown_level`` the restricted likelihood, that of all differences.

    Example:
        >>> flat, steep = np.zeros((1, 5)), 0.5 * np.arange(5.0)[None]
        >>> wide, narrow = line(5, 0.5), line(5, 0.01)
        >>> [bool((log_evidence(v, wide) > log_evidence(v, narrow))[0]) for v in (flat, steep)]
        [False, True]
    """
    values = np.asarray(values, float)
    factor = _factor(values.shape[-1], covariance, noise)
    scaled = linalg.cho_solve(factor, values.T)  # A^-1 y, (N, n)
    fit = (values.T * scaled).sum(axis=0)
    volume = 2 * np.log(np.diag(factor[0])).sum()
    if unknown_level:
        level = linalg.cho_solve(factor, np.ones(values.shape[-1])).sum()  # 1^T A^-1 1
        fit = fit - scaled.sum(axis=0) ** 2 / level
        volume = volume + np.log(level)
    return -(fit + volume) / 2


def next_sd(
    observed: int, covariance: np.ndarray, noise: float = NOISE, unknown_level: bool = False
) -> np.ndarray:
    """Standard deviation of each next value alone, if all values before it are observed, ``(T,)``.

    A model that takes its predictions as observations, and is as sure as it should be of one step,
    says this. It is less than that of `predict` from the second step on.

    Example:
        >>> _, sd = posterior(20, rbf(30))
        >>> next_sd(20, rbf(30))[:3].round(2).tolist(), sd[:3].round(2).tolist()
        ([0.24, 0.24, 0.24], [0.24, 0.43, 0.64])
    """
    counts = range(observed, len(covariance))
    return np.array(
        [posterior(n, covariance[: n + 1, : n + 1], noise, unknown_level)[1][0] for n in counts]
    )


def _factor(observed: int, covariance: np.ndarray, noise: float) -> tuple:
    """Cholesky factor of the covariance of observed values, A = K + noise^2 I."""
    square = covariance.ndim == 2 and covariance.shape[0] == covariance.shape[1]
    if not (square and len(covariance) >= observed > 0):
        raise ValueError(
            f"covariance has shape {covariance.shape}; expected a square of at least the "
            f"{observed} observed values"
        )
    variance = _positive("noise", noise) ** 2
    return linalg.cho_factor(covariance[:observed, :observed] + variance * np.eye(observed))


def _positive(name: str, value: float) -> float:
    if not value > 0:
        raise ValueError(f"{name} is {value}; expected a positive number")
    return value
