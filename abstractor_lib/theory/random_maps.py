"""Inner products of corrupted objects: their mean and variance in closed form (v1 section 4.4).

The text says that <Phi x, Phi y> is close to <x, y> in high dimension (it cites Zhou, Lafferty and
Wasserman 2009). For entries Phi_ij ~ N(0, sigma^2) the mean is d sigma^2 <x, y>, so this can hold
up to a scale only, and the spread falls with the square root of the dimension.

Shapes: ``d`` features; any batch dimensions before them.
"""

from typing import NamedTuple

import numpy as np

KINDS = ("additive", "linear", "near_identity", "elementwise")  # as in `tasks.corruption`


class Moments(NamedTuple):
    """Mean and variance of an inner product over draws of the corruption."""

    mean: np.ndarray
    variance: np.ndarray


def inner_product_moments(kind: str, x: np.ndarray, y: np.ndarray, level: float) -> Moments:
    """Moments of the inner product of two different objects after a corruption.

    Args:
        kind: a corruption of `tasks.corruption.corrupt`.
        x, y: two objects, ``(..., d)``.
        level: sigma.

    Returns:
        Mean and variance, ``(...)`` each.

    Raises:
        ValueError: for an unknown kind.

    Source: v1 section 4.4 names the first moment of ``linear``; the variances are ours, from fourth
    moments of normal variables.

    Example:
        >>> x, y = np.array([1.0, 0.0]), np.array([1.0, 1.0])
        >>> inner_product_moments("linear", x, y, level=1.0)._asdict()
        {'mean': np.float64(2.0), 'variance': np.float64(6.0)}
    """
    d = x.shape[-1]
    product = (x * y).sum(axis=-1)  # <x, y>
    sizes = (x**2).sum(axis=-1) * (y**2).sum(axis=-1)  # |x|^2 |y|^2
    if kind == "linear":
        # E<Phi x, Phi y> = d sigma^2 <x, y>
        # Var<Phi x, Phi y> = d sigma^4 (|x|^2 |y|^2 + <x, y>^2)
        return Moments(d * level**2 * product, d * level**4 * (sizes + product**2))
    if kind == "near_identity":
        # E = (1 + d sigma^2) <x, y>;  Var = (2 sigma^2 + d sigma^4) (|x|^2 |y|^2 + <x, y>^2)
        spread = 2 * level**2 + d * level**4
        return Moments((1 + d * level**2) * product, spread * (sizes + product**2))
    if kind == "additive":
        # E = <x, y>;  Var = sigma^2 (|x|^2 + |y|^2) + d sigma^4
        both = (x**2).sum(axis=-1) + (y**2).sum(axis=-1)
        return Moments(product, level**2 * both + d * level**4)
    if kind == "elementwise":
        # E = <x, y>;  Var = (2 sigma^2 + sigma^4) sum_i x_i^2 y_i^2
        return Moments(product, (2 * level**2 + level**4) * (x**2 * y**2).sum(axis=-1))
    raise ValueError(f"kind is {kind!r}; allowed: {', '.join(KINDS)}")


def relative_spread(dim, cosine=0.0):
    """Standard deviation of <Phi x, Phi y> as a share of d sigma^2 |x| |y|, whatever sigma is.

    Args:
        dim: features ``d``.
        cosine: of the angle between x and y.

    Example:
        >>> float(relative_spread(12)), float(relative_spread(1200))  # doctest: +ELLIPSIS
        (0.288..., 0.028...)
    """
    return np.sqrt((1 + np.square(cosine)) / dim)
