"""Gaussian processes under uniform noise: the mean of the posterior, by Gibbs sampling.

The noise of a value lies between -h and h, h = sqrt(3) times its standard deviation. So the curve
lies within h of every observed value, and the posterior is the Gaussian process on this box: a
truncated normal distribution. Its mean has no closed form. It is averaged over draws, each from
the one before it, coordinate by coordinate. (So it repeats on one class of machine; on another,
rounding leads to other draws of the same distribution.) Coordinates are those of the principal
components of the observed part, z with f = U sqrt(D) z. Given f, values that follow are normal with
a mean that is linear in z.
"""

import numpy as np
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri

from .gaussian import NOISE, Predicted

WIDE = 30.0  # standard deviation of an unknown level
SMALLEST = 1e-10  # of the largest variance: components below that are left out
SWEEPS, FIRST = 1000, 100  # through all coordinates; how many come before those that count
LARGEST = 10.0  # size of a coordinate at the start, in standard deviations


def predict(
    values: np.ndarray,
    covariance: np.ndarray,
    noise: float = NOISE,
    unknown_level: bool = False,
    sweeps: int = SWEEPS,
) -> Predicted:
    """Predictive mean and standard deviation of the values that follow.

    Args:
        values: observed, with uniform noise, ``(n, N)``.
        covariance: of the curve without noise at x = 1, ..., N + T, ``(N + T, N + T)``.
        noise: standard deviation of the uniform noise.
        unknown_level: a constant of unknown size is added to the curve.
        sweeps: how many draws count; the standard error falls with their root.

    Returns:
        Mean and standard deviation, ``(n, T)``, noise of the new value included.

    Raises:
        ValueError: naming the first curve that the process cannot come within the noise of.

    Example:
        >>> from .gaussian import rbf
        >>> found = predict(np.zeros((1, 20)), rbf(30), sweeps=300)
        >>> found.mean.shape, bool(found.sd[0, -1] > 3 * found.sd[0, 0])
        ((1, 10), True)
    """
    values = np.asarray(values, float)
    count, observed = values.shape
    if not count:
        return Predicted(*np.empty((2, 0, len(covariance) - observed)))
    half = np.sqrt(3) * noise
    middle = values.mean(axis=1, keepdims=True) * unknown_level
    if unknown_level:  # so that predictions follow exactly when a constant is added
        values, covariance = values - middle, covariance + WIDE**2
    variance, basis = np.linalg.eigh(covariance[:observed, :observed])
    basis = basis * np.where(basis[0] < 0, -1, 1)  # no sign is left to rounding
    kept = variance > SMALLEST * variance.max()
    scaled = basis[:, kept] * np.sqrt(variance[kept])  # (N, k), f = scaled z
    across = covariance[observed:, :observed] @ basis[:, kept] / np.sqrt(variance[kept])  # (T, k)
    rest = np.diag(covariance)[observed:] - np.square(across).sum(axis=1)
    random = np.random.default_rng(0)
    z = _start(values, scaled, half)  # (k, n)
    remain = values.T - scaled @ z  # (N, n)
    columns = list(zip(scaled.T[:, :, None], 1 / scaled.T[:, :, None], strict=True))
    total, squares = np.zeros((2, len(across), count))
    for sweep in range(-FIRST, sweeps):
        for k, (column, inverse) in enumerate(columns):
            # z_k may move by d while |remain - d column| <= h
            ratio, reach = remain * inverse, half * abs(inverse)
            low, high = (ratio - reach).max(axis=0), (ratio + reach).min(axis=0)
            new = _normal(random, z[k] + low, z[k] + high)
            remain -= column * (new - z[k])
            z[k] = new
        if sweep >= 0:
            mean = across @ z
            total += mean
            squares += np.square(mean)
    mean = total.T / sweeps
    between = np.maximum(squares.T / sweeps - np.square(mean), 0)
    return Predicted(mean + middle, np.sqrt(between + rest + noise**2))


def _normal(random: np.random.Generator, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Standard normal numbers between ``low`` and ``high``, by the inverse of the distribution on
    the side of the smaller tail."""
    flip = low + high > 0
    first, last = np.where(flip, -high, low), np.where(flip, -low, high)
    start, end = ndtr(first), ndtr(last)
    share = random.random(len(low))
    drawn = ndtri(start + (end - start) * np.where(flip, 1 - share, share))
    drawn = np.clip(np.where(np.isfinite(drawn), drawn, first), first, np.maximum(first, last))
    return np.where(flip, -drawn, drawn)


def _start(values: np.ndarray, scaled: np.ndarray, half: float) -> np.ndarray:
    """For each curve the z whose curve has the most room on all sides, ``(k, n)``: by linear
    programming.

    Raises:
        ValueError: naming the first curve that is nowhere near enough.
    """
    points, size = scaled.shape
    ones = np.ones((points, 1))
    sides = np.block([[scaled, ones], [-scaled, ones]])  # f + m <= y + h and m - f <= h - y
    most = [*np.zeros(size), -1.0]  # of the room m
    bounds = [(-LARGEST, LARGEST)] * size + [(None, half)]
    found = np.empty((size, len(values)))
    for index, one in enumerate(values):
        answer = linprog(most, sides, np.concatenate([one + half, half - one]), bounds=bounds)
        if answer.x is None or answer.x[-1] < 0:
            raise ValueError(
                f"values[{index}] is within the noise of no curve of the process; expected values "
                "with uniform noise of this standard deviation"
            )
        found[:, index] = answer.x[:-1]
    return found
