"""Curves of several kinds, where it is not known of which kind a curve is.

Each kind is a Gaussian process with mean 0. The weight of a kind is its share among all curves
times the density of the observed values; the predictive distribution is the mixture by these
weights. With the paper's three classes it replaces uniform slopes, amplitudes and noise by normal
ones of the same variance, and nothing else. So it is about as good as least squares of the right
class; `bayes` is better on lines and sinusoids.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from . import gaussian
from .gaussian import NOISE, Predicted

SLOPES = 0.1 / np.sqrt(3)  # standard deviation of U[-0.1, 0.1]
AMPLITUDES = np.sqrt(1 + 0.04 / 3)  # root mean square of U[0.8, 1.2]
PERIODS = np.linspace(5.0, 12.0, 141)


class Kind(NamedTuple):
    """One kind of curve: its class, its share among all curves, its covariance."""

    name: str
    share: float
    covariance: np.ndarray


class Mixed(NamedTuple):
    """Predictive mean and standard deviation ``(n, T)``, and probability of each class ``(n,)``."""

    mean: np.ndarray
    sd: np.ndarray
    classes: dict[str, np.ndarray]


def curve_kinds(count: int, intercept: float = 0.0) -> list[Kind]:
    """Lines, RBF curves and sinusoids of a grid of periods, as in the paper, a third each.

    Args:
        count: N + T, how many points a curve has.
        intercept: standard deviation of the intercepts of lines.

    Source: curves, Experiment details.

    Example:
        >>> kinds = curve_kinds(30)
        >>> len(kinds), round(sum(one.share for one in kinds), 9)
        (143, 1.0)
    """
    waves = [
        Kind("sine", 1 / 3 / len(PERIODS), gaussian.sinusoid(count, period, AMPLITUDES))
        for period in PERIODS
    ]
    straight = Kind("line", 1 / 3, gaussian.line(count, SLOPES, intercept))
    return [straight, Kind("rbf", 1 / 3, gaussian.rbf(count)), *waves]


def predict(
    values: np.ndarray, kinds: Sequence[Kind], noise: float = NOISE, unknown_level: bool = False
) -> Mixed:
    """Predictive distribution of curves of unknown kind.

    Args:
        values: observed, ``(n, N)``.
        kinds: with covariances ``(N + T, N + T)``.
        noise, unknown_level: see `gaussian.predict`.

    Raises:
        ValueError: if there is no kind, or shares are not positive; see also `gaussian.predict`.

    Example:
        >>> straight = 0.08 * np.arange(1.0, 21)[None]
        >>> found = predict(straight, curve_kinds(30))
        >>> found.classes["line"].round(3).tolist(), found.mean[0, -1].round(1).item()
        ([1.0], 2.4)
    """
    if not kinds or min(one.share for one in kinds) <= 0:
        raise ValueError(f"kinds holds shares {[k.share for k in kinds]}; expected positive ones")
    values = np.asarray(values, float)
    found: list[Predicted] = []
    evidence = []
    for one in kinds:
        found.append(gaussian.predict(values, one.covariance, noise, unknown_level))
        density = gaussian.log_evidence(values, one.covariance, noise, unknown_level)
        evidence.append(np.log(one.share) + density)
    weight = softmax(np.stack(evidence), axis=0)  # (k, n)
    means = np.stack([one.mean for one in found])  # (k, n, T)
    mean = np.einsum("kn,knt->nt", weight, means)
    # variance of a mixture: mean of the variances and variance of the means
    variances = np.stack([one.sd**2 for one in found])[:, None] + np.square(means - mean)
    sd = np.sqrt(np.einsum("kn,knt->nt", weight, variances))
    names = list(dict.fromkeys(one.name for one in kinds))
    classes = {
        name: weight[[k for k, one in enumerate(kinds) if one.name == name]].sum(axis=0)
        for name in names
    }
    return Mixed(mean, sd, classes)
