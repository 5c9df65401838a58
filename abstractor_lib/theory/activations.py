"""Nonlinear measurements phi(A u), and what of them is linear in u (v1 section 3.5, at its end).

Shapes: A is ``(d, m)``, u ``(m,)``.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda z: z,
    "sign": lambda z: np.where(z >= 0, 1.0, -1.0),
    "sigmoid": expit,
    "relu": lambda z: np.maximum(z, 0.0),
}
QUADRATURE = 20_000  # points of an integral over [-9, 9]


class LinearPart(NamedTuple):
    """phi(g) = mean + mu g + rest for g normal; sigma is the standard deviation of the rest."""

    mean: float
    mu: float
    sigma: float

    @property
    def cost(self) -> float:
        """Noise over signal, (sigma / mu)^2: the squared error of a program that ignores phi is
        proportional to it."""
        return (self.sigma / self.mu) ** 2


def linear_part(activation: str, gain: float = 1.0) -> LinearPart:
    """What a program that ignores phi sees of phi(gain g), g standard normal.

    mu = E phi(g) g and sigma^2 = E (phi(g) - E phi - mu g)^2; the mean is that of phi, which a
    program with an intercept takes away.

    Raises:
        ValueError: for an unknown activation.

    Source: Plan & Vershynin 2016, The generalized lasso with non-linear observations.

    Example:
        >>> part = linear_part("relu")
        >>> round(part.mu, 3), round(part.cost, 3)
        (0.5, 0.363)
    """
    phi = _phi(activation)
    step = 18.0 / QUADRATURE
    g = (np.arange(QUADRATURE) + 0.5) * step - 9.0  # midpoints, none of them at 0
    weights = np.exp(-(g**2) / 2) / np.sqrt(2 * np.pi) * step
    seen = phi(gain * g)
    mean, mu = float(weights @ seen), float(weights @ (seen * g))
    return LinearPart(mean, mu, float(np.sqrt(weights @ (seen - mean - mu * g) ** 2)))


def measure(activation: str, a: np.ndarray, u: np.ndarray, gain: float = 1.0) -> np.ndarray:
    """phi(gain A u) without noise, ``(d,)``.

    Raises:
        ValueError: for an unknown activation, or shapes that do not fit.

    Source: v1 section 3.5, last sentence.

    Example:
        >>> measure("relu", np.array([[1.0, 0.0], [-1.0, 1.0]]), np.array([2.0, 1.0])).tolist()
        [2.0, 0.0]
    """
    if a.ndim != 2 or u.shape != (a.shape[1],):
        raise ValueError(f"a is {a.shape} and u {u.shape}; expected (d, m) and (m,)")
    return _phi(activation)(gain * (a @ u))


def _phi(activation: str) -> Callable[[np.ndarray], np.ndarray]:
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation is {activation!r}; allowed: {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[activation]
