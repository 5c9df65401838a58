"""Networks built by hand for Theorem 3.1: the steps of its proof with numbers (v1 eq. 3.3 to 3.6).

Features sqrt(lambda_j) psi_j are replaced by the piecewise linear functions that agree with them at
evenly spaced knots. These are networks with one hidden layer of ReLU units, one unit for each knot
but the last.

Shapes: ``N`` points of an interval, ``n`` features, ``w`` hidden units.
"""

from typing import NamedTuple

import numpy as np

from .domains import Box, Domain
from .kernels import Eigenpairs, Relation
from .mercer import Features
from .series_bounds import curvature, rest


class ReluNetwork(NamedTuple):
    """A network with one hidden layer, start + sum_i changes_i relu(x - knots_i).

    Called with points ``(N, 1)`` it returns features ``(N, n)``.

    Attributes:
        knots: all but the last, ``(w,)``.
        changes: of the slope at each knot, ``(w, n)``.
        start: values at the first knot, ``(n,)``.
    """

    knots: np.ndarray
    changes: np.ndarray
    start: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self.start + np.maximum(x - self.knots, 0) @ self.changes  # (N, n)


def interpolating(features: Features, domain: Domain, width: int) -> ReluNetwork:
    """The network of ``width`` units that agrees with the features at its evenly spaced knots.

    Args:
        features: ``(N, 1) -> (N, n)``.
        domain: an interval.
        width: hidden units ``w``, for w + 1 knots; the last, the end of the interval, needs none.

    Raises:
        ValueError: for a domain of more than one coordinate, or no units.

    Source: v1 eq. 3.5, which asks for some network near the features.

    Example:
        >>> network = interpolating(lambda x: x**2, Box(0, 1), 2)
        >>> network(np.array([[0.0], [0.25], [0.5], [1.0]])).ravel().tolist()
        [0.0, 0.125, 0.25, 1.0]
    """
    domain = _interval(domain, width)
    knots = np.linspace(domain.low, domain.high, width + 1)
    values = features(knots[:, None])  # (w + 1, n)
    slopes = np.diff(values, axis=0) * width / (domain.high - domain.low)
    changes = np.diff(slopes, axis=0, prepend=np.zeros((1, values.shape[1])))
    return ReluNetwork(knots[:-1], changes, values[0])


def proved_bound(relation: Relation, pairs: Eigenpairs, width: int) -> tuple[float, float]:
    """What the largest error of the network built from a truncated series is at most.

    With r_n the series and I the interpolation at knots h apart, the network computes (I x I) r_n.
    The interpolant lies within h^2 / 8 sup |f''| of any twice differentiable f, and its maximum
    never exceeds that of |f|. So |r_n - (I x I) r_n| <= h^2 / 4 sup |d^2 r_n / dx^2|, for all x and
    y of the interval, which falls as width^-2.

    Args:
        relation: ``brownian``, ``laplacian``, ``gaussian`` or ``polynomial`` of the catalogue.
        pairs: its leading eigenpairs, in closed form; of ``gaussian`` and ``polynomial`` also by
            `mercer.nystrom`.
        width: hidden units ``w``.

    Returns:
        A bound of sup |r - r_n| (see `series_bounds.rest`), and one of what interpolation adds.

    Raises:
        ValueError: for another relation, eigenvalues of ``brownian`` or ``laplacian`` that are not
            those of the closed form, or no units.

    Source: v1 eq. 3.4 and 3.6, with numbers for their epsilon / 2.

    Example:
        >>> from .kernels import MERCER, brownian_eigenpairs
        >>> series, added = proved_bound(MERCER["brownian"], brownian_eigenpairs(4), 10)
        >>> round(added, 4)  # n h^2 / 2
        0.02
    """
    domain = _interval(relation.domain, width)
    h = (domain.high - domain.low) / width
    return rest(relation, pairs), h**2 / 4 * curvature(relation, pairs[0])


def _interval(domain: Domain, width: int) -> Box:
    if not isinstance(domain, Box) or domain.dim != 1:
        raise ValueError("domain is no interval; expected a Box of one coordinate")
    if width < 1:
        raise ValueError(f"width is {width}; expected at least 1")
    return domain
