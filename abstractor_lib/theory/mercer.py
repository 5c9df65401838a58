"""Eigenpairs by quadrature, truncation errors, and the least error that a rank allows.

Shapes: ``N`` and ``M`` points, ``d`` coordinates, ``n`` eigenpairs.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from .domains import Quadrature
from .kernels import Eigenpairs, Relation, check_count

Features = Callable[[np.ndarray], np.ndarray]


def nystrom(relation: Relation, count: int, rule: Quadrature) -> Eigenpairs:
    """Eigenpairs of a symmetric relation from a quadrature rule (Nystrom 1930).

    The integral equation becomes the eigenproblem of W^1/2 K W^1/2; an eigenvector u extends to
    the function psi(x) = sum_i r(x, t_i) sqrt(w_i) u_i / lambda.

    Args:
        relation: symmetric.
        count: ``n``, at most the number of nodes; eigenvalues below rounding are cut to zero.
        rule: nodes and weights.

    Returns:
        Eigenvalues ``(n,)``, the largest first, and eigenfunctions ``(N, d) -> (N, n)``.

    Raises:
        ValueError: for more eigenpairs than nodes or none, or a relation that is not symmetric.

    Example:
        >>> from .kernels import INTERVAL, MERCER
        >>> values, _ = nystrom(MERCER["brownian"], 2, INTERVAL.quadrature(400))
        >>> values.round(4).tolist()  # 4 / pi^2 and a ninth of it
        [0.4053, 0.045]
    """
    if not 1 <= count <= len(rule.weights):
        raise ValueError(f"count is {count}; allowed: 1 to {len(rule.weights)}, the nodes")
    roots = np.sqrt(rule.weights)
    matrix = roots[:, None] * relation(rule.nodes, rule.nodes) * roots
    _check_symmetric("relation", matrix)
    size = len(roots)
    values, vectors = linalg.eigh(matrix, subset_by_index=[size - count, size - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    known = values > 1e-13 * abs(values[0])
    weights = roots[:, None] * vectors / np.where(known, values, 1.0) * known  # (N, n)

    def functions(x: np.ndarray) -> np.ndarray:
        return relation(x, rule.nodes) @ weights

    return np.where(known, values, 0.0), functions


def truncation(relation: Relation, pairs: Eigenpairs, points: np.ndarray) -> float:
    """Sup-norm error of the truncated series on a grid, sup |r - sum_j lambda_j psi_j psi_j|.

    Source: v1 eq. 3.3.

    Example:
        >>> from .kernels import INTERVAL, MERCER, brownian_eigenpairs
        >>> found = truncation(MERCER["brownian"], brownian_eigenpairs(1), INTERVAL.grid(101))
        >>> round(found, 6), round(1 - 8 / np.pi**2, 6)  # the worst point is (1, 1)
        (0.189431, 0.189431)
    """
    values, functions = pairs
    features = functions(points) * np.sqrt(values)  # (N, n)
    return float(np.abs(relation(points, points) - features @ features.T).max())


def in_span(relation: Relation, basis: Features, rank: int, rule: Quadrature) -> Features:
    """The best ``rank`` features in the span of given ones: a linear map A, fitted in closed form.

    The relation, projected on the span on both sides, is positive semi-definite with it; its
    leading eigenvectors are the features.

    Args:
        relation: a Mercer kernel.
        basis: ``(N, d) -> (N, width)``.

    Returns:
        ``(N, d) -> (N, rank)``, zero beyond the width of the basis; their inner products are
        closest to the relation in L2.
    """
    roots = np.sqrt(rule.weights)[:, None]
    left, singular, right = linalg.svd(roots * basis(rule.nodes), full_matrices=False)
    kept = singular > 1e-10 * singular[0]
    left, unmix = left[:, kept], right[kept].T / singular[kept]  # orthonormal, and the way to it
    projected = left.T @ (roots * relation(rule.nodes, rule.nodes) * roots.T) @ left
    values, vectors = linalg.eigh(projected)
    order = np.argsort(values)[::-1][:rank]
    linear = unmix @ vectors[:, order] * np.sqrt(np.maximum(values[order], 0))  # (width, rank)
    return lambda x: np.pad(basis(x) @ linear, ((0, 0), (0, rank - linear.shape[1])))


def random_waves(generator: np.random.Generator, dim: int, width: int, scale: float) -> Features:
    """Random Fourier features cos(<v, x> + b), v ~ N(0, scale^2) (Rahimi & Recht 2007)."""
    directions = generator.normal(0, scale, (dim, width))
    shifts = generator.uniform(0, 2 * np.pi, width)
    return lambda x: np.cos(x @ directions + shifts)


def radial_basis(centres: np.ndarray) -> Features:
    """Gaussian bumps at the centres ``(width, d)``, twice as wide as their mean spacing."""
    gaps = cdist(centres, centres) + np.diag(np.full(len(centres), np.inf))
    spread = 2 * (gaps.min(axis=1).mean() if len(centres) > 1 else 1.0)
    return lambda x: np.exp(-(cdist(x, centres) ** 2) / (2 * spread**2))


class Spectrum(NamedTuple):
    """What a relation's best approximations are made of, from a quadrature rule.

    Attributes:
        eigenvalues: of the symmetric part, largest first.
        singular: singular values of the relation, largest first.
        antisymmetric: L2 norm of the antisymmetric part.
    """

    eigenvalues: np.ndarray
    singular: np.ndarray
    antisymmetric: float


def spectrum(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], rule: Quadrature
) -> Spectrum:
    """The spectrum of a relation, symmetric or not, as an integral operator."""
    roots = np.sqrt(rule.weights)
    matrix = roots[:, None] * function(rule.nodes, rule.nodes) * roots
    symmetric, rest = (matrix + matrix.T) / 2, (matrix - matrix.T) / 2
    return Spectrum(
        linalg.eigvalsh(symmetric)[::-1], linalg.svdvals(matrix), float(np.linalg.norm(rest))
    )


def floor_shared(spectrum: Spectrum, rank: int) -> float:
    """Least L2 error of <phi(x), phi(y)> with ``rank`` features, and so least sup-norm error.

    The square error splits into the antisymmetric part, the negative eigenvalues and the positive
    ones beyond the rank (Eckart & Young; projection on the positive semi-definite cone). The
    measure being a probability, the sup norm is never below the L2 norm.

    Example:
        >>> floor_shared(Spectrum(np.array([3.0, 1.0, -2.0]), np.array([]), 2.0), rank=1)
        3.0
    """
    check_count("rank", rank, least=0)
    lost = spectrum.eigenvalues.copy()
    kept = lost[:rank]
    kept[kept > 0] = 0.0
    return float(np.hypot(spectrum.antisymmetric, np.linalg.norm(lost)))


def floor_separate(spectrum: Spectrum, rank: int) -> float:
    """Least L2 error of <phi(x), psi(y)> with ``rank`` features: the singular values beyond it.

    Example:
        >>> floor_separate(Spectrum(np.array([]), np.array([5.0, 4.0, 3.0]), 0.0), rank=1)
        5.0
    """
    check_count("rank", rank, least=0)
    return float(np.linalg.norm(spectrum.singular[rank:]))


class Geometry(NamedTuple):
    """The distances and angles that an inner product relation induces.

    Attributes:
        distances: d(x, y)^2 = r(x, x) + r(y, y) - 2 r(x, y), ``(N, N)``.
        cosines: of the angles, r(x, y) / sqrt(r(x, x) r(y, y)), ``(N, N)``; NaN where an object has
            no length.
        triangle: the most by which a distance exceeds a way round, as a share of the largest
            distance; zero for a (pseudo-)metric.
        smallest_eigenvalue: of the relation matrix, as a share of the largest in size; not negative
            for a positive semi-definite relation.
    """

    distances: np.ndarray
    cosines: np.ndarray
    triangle: float
    smallest_eigenvalue: float


def geometry(matrix: np.ndarray) -> Geometry:
    """Distances from a symmetric relation matrix ``(N, N)``, and whether they are a geometry.

    Raises:
        ValueError: for a matrix that is not square or not symmetric.

    Source: v3 section 2.1.

    Example:
        >>> found = geometry(np.array([[4.0, 0.0], [0.0, 9.0]]))
        >>> found.distances[0, 1].round(6).item(), found.smallest_eigenvalue  # sqrt(13), 4/9
        (3.605551, 0.4444444444444444)
    """
    _check_symmetric("matrix", matrix)
    squares = np.diag(matrix)[:, None] + np.diag(matrix) - matrix - matrix.T
    distances = np.sqrt(np.maximum(squares, 0))
    through = np.min(distances[:, :, None] + distances[None], axis=1)  # best way round, (N, N)
    values = linalg.eigvalsh(matrix)
    lengths = np.sqrt(np.where(np.diag(matrix) > 0, np.diag(matrix), np.nan))
    largest = max(distances.max(), np.finfo(float).tiny)
    return Geometry(
        distances,
        matrix / (lengths[:, None] * lengths),
        float((distances - through).max() / largest),
        float(values[0] / max(np.abs(values).max(), np.finfo(float).tiny)),
    )


def _check_symmetric(name: str, matrix: np.ndarray) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} has shape {matrix.shape}; expected (points, points)")
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12 * np.abs(matrix).max()):
        raise ValueError(f"{name} is not symmetric; expected r(x, y) = r(y, x)")
