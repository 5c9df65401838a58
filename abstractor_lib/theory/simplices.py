"""The geometry of the unsigned scalar triple product: areas, volumes, and what it is at random.

Shapes: ``...`` any batch dimensions, ``n`` dimension of the space.
"""

from math import factorial

import numpy as np


def triple_product(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """|| (a.b) c - (a.c) b + (b.c) a ||, as eq. 7 writes it: by way of the vector.

    Args:
        a, b, c: ``(..., n)``.

    Returns:
        ``(...)``.

    Source: Logic and the 2-Simplicial Transformer, Definition 2.2.

    Example:
        >>> triple_product(*np.array([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]])).round(4).item()
        120.4865
    """

    def dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return (left * right).sum(axis=-1, keepdims=True)

    return np.linalg.norm(dot(a, b) * c - dot(a, c) * b + dot(b, c) * a, axis=-1)


def simplex_volume(*vertices: np.ndarray) -> np.ndarray:
    """Volume of the simplex with vertices 0, v1, ..., vk in a space of any dimension: an area for
    two vectors, a volume for three. By its edges alone (Cayley-Menger determinant).

    Args:
        vertices: ``(..., n)`` each.

    Returns:
        ``(...)``.

    Example:
        >>> simplex_volume(*np.eye(2)).round(6).item(), simplex_volume(*np.eye(3)).round(6).item()
        (0.5, 0.166667)
    """
    points = np.stack(np.broadcast_arrays(np.zeros_like(vertices[0]), *vertices), axis=-2)
    k = len(vertices)
    edges = ((points[..., :, None, :] - points[..., None, :, :]) ** 2).sum(axis=-1)
    bordered = np.ones((*edges.shape[:-2], k + 2, k + 2))
    bordered[..., 0, 0], bordered[..., 1:, 1:] = 0, edges
    # (-1)^(k + 1) 2^k (k!)^2 V^2 = det(bordered)
    square = (-1) ** (k + 1) * np.linalg.det(bordered) / (2**k * factorial(k) ** 2)
    return np.sqrt(np.maximum(square, 0.0))


def mean_square(n: int) -> float:
    """Mean of <a,b,c>^2 over independent random unit vectors: 3 / n - 2 / n^2.

    By eq. 8: the mean of (a.b)^2 is 1 / n, and so is that of each square; that of
    (a.b) (a.c) (b.c) is 1 / n^2.

    Example:
        >>> mean_square(1), mean_square(2), mean_square(48).__round__(4)
        (1.0, 1.0, 0.0616)
    """
    return 3 / n - 2 / n**2


def random_triples(
    random: np.random.Generator, count: int, n: int, kind: str = "gaussian"
) -> np.ndarray:
    """Triples of vectors, ``(3, count, n)``.

    Args:
        kind: ``gaussian``, independent; ``dependent``, the third a combination of the others;
            ``nearly_dependent``, that and a hundred-millionth of a Gaussian vector;
            ``orthogonal``, pairwise, of Gaussian lengths.

    Raises:
        ValueError: for another kind, or a dimension below 3 where vectors are to be orthogonal.

    Example:
        >>> a, b, c = random_triples(np.random.default_rng(0), 5, 4, "orthogonal")
        >>> bool(np.abs((a * b).sum(axis=-1)).max() < 1e-12)
        True
    """
    a, b, c = random.standard_normal((3, count, n))
    if kind == "gaussian":
        return np.stack([a, b, c])
    if kind in ("dependent", "nearly_dependent"):
        s, t = random.standard_normal((2, count, 1))
        return np.stack([a, b, s * a + t * b + (1e-8 * c if kind == "nearly_dependent" else 0)])
    if kind != "orthogonal":
        allowed = "gaussian, dependent, nearly_dependent, orthogonal"
        raise ValueError(f"kind is {kind!r}; allowed: {allowed}")
    if n < 3:
        raise ValueError(f"n is {n}; expected at least 3 for three orthogonal vectors")
    frame, _ = np.linalg.qr(np.stack([a, b, c], axis=-1))  # (count, n, 3)
    lengths = np.linalg.norm(random.standard_normal((3, count, n)), axis=-1, keepdims=True)
    return lengths * np.moveaxis(frame, -1, 0)
