"""Relations of three objects, asked of each object: is it part of one?

Shapes: ``b`` examples, ``n`` objects, ``d`` dimensions.
"""

import numpy as np


def match3(
    random: np.random.Generator, count: int, objects: int = 8, modulus: int = 32
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and which of them have two others with which they sum to zero.

    Numbers are uniform on 0, ..., ``modulus - 1``. Of two objects alone nothing can be told. No
    single layer of softmax attention of moderate size computes this for many objects (Sanford et
    al. 2023, Match3; there an object may count twice); attention to pairs does.

    Args:
        random: where they come from.
        count: examples ``b``.
        objects: of an example, at least 3.
        modulus: sums are taken modulo this.

    Returns:
        Numbers and labels, 0 or 1, both ``(b, n)``, int64.

    Raises:
        ValueError: for fewer than three objects, or a modulus below 2.

    Example:
        >>> numbers, labels = match3(np.random.default_rng(3), 1, objects=4, modulus=5)
        >>> numbers.tolist(), labels.tolist()
        ([[4, 0, 0, 1]], [[1, 1, 1, 1]])
    """
    _check(objects)
    if modulus < 2:
        raise ValueError(f"modulus is {modulus}; expected at least 2")
    numbers = random.integers(modulus, size=(count, objects))
    first, second = np.triu_indices(objects, k=1)  # pairs of others, the object itself left out
    pairs = numbers[:, first] + numbers[:, second]  # (b, n (n - 1) / 2)
    own = np.arange(objects)[:, None]
    others = (first != own) & (second != own)  # (n, n (n - 1) / 2)
    zero = (numbers[:, :, None] + pairs[:, None, :]) % modulus == 0
    return numbers, (zero & others).any(axis=-1).astype(np.int64)


def coplanar(
    random: np.random.Generator, count: int, objects: int = 8, dim: int = 6
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors of which three lie in a plane with the origin, and which these are.

    All but the third of the three are uniform on the sphere and independent; the third is uniform
    on the circle that the first two span. So two of the three are often closer than chance has it,
    and `closest`, which looks at two objects alone, is better than chance; `coplanar_decoys` is
    free of this.

    Args:
        random: where they come from.
        count: examples ``b``.
        objects: of an example, at least 3, in random order.
        dim: of a vector, at least 3.

    Returns:
        Vectors ``(b, n, d)``, float64, and labels ``(b, n)``, 0 or 1, int64; three are 1.

    Raises:
        ValueError: for fewer than three objects or dimensions.

    Example:
        >>> vectors, labels = coplanar(np.random.default_rng(0), 1)
        >>> three = vectors[labels == 1]
        >>> three.shape, bool(np.linalg.svd(three)[1][2] < 1e-12)
        ((3, 6), True)
    """
    _check(objects, dim)
    vectors = random.standard_normal((count, objects, dim))
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    first, second = vectors[:, 0], vectors[:, 1]
    across = second - (first * second).sum(axis=-1, keepdims=True) * first
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    angle = random.uniform(0, 2 * np.pi, size=(count, 1))
    vectors[:, 2] = np.cos(angle) * first + np.sin(angle) * across
    return _mixed(random, vectors)


def coplanar_decoys(
    random: np.random.Generator, count: int, triples: int = 3, dim: int = 6
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors in triples, and the one triple that lies in a plane with the origin.

    The absolute cosines of a triple are sin(u / 2), sin(v / 2), sin(w / 2) with u + v + w = pi,
    uniform, whether it lies in a plane or not; signs, directions and the order of objects are
    random. So two vectors tell nothing of their labels: `closest` is at chance level. Three do: in
    a plane the product of their cosines is negative, and the determinant of their Gram matrix is 0;
    in a decoy the product is positive, and the determinant is four times the product.

    Args:
        random: where they come from.
        count: examples ``b``.
        triples: of an example, one of them in a plane; ``n`` is three times as many.
        dim: of a vector, at least 3.

    Returns:
        Vectors ``(b, n, d)``, float64, and labels ``(b, n)``, 0 or 1, int64; three are 1.

    Raises:
        ValueError: for less than one triple, or fewer than three dimensions.

    Example:
        >>> vectors, labels = coplanar_decoys(np.random.default_rng(0), 1)
        >>> three = vectors[labels == 1]
        >>> three.shape, bool(np.linalg.svd(three)[1][2] < 1e-7)
        ((3, 6), True)
    """
    if triples < 1:
        raise ValueError(f"triples is {triples}; expected at least 1")
    _check(3 * triples, dim)
    cuts = np.sort(random.uniform(0, np.pi, (count, triples, 2)), axis=-1)
    x, y = np.sin(cuts[..., 0] / 2), np.sin((cuts[..., 1] - cuts[..., 0]) / 2)
    z = np.sin((np.pi - cuts[..., 1]) / 2)  # cosines of three angles that sum to pi
    z[:, 0] *= -1  # the first triple lies in a plane
    depth = np.sqrt(1 - x**2)
    level = (z - x * y) / depth  # rows of a Cholesky factor of the Gram matrix, 1 on its diagonal
    zero, one = np.zeros_like(x), np.ones_like(x)
    height = np.sqrt(np.maximum(1 - y**2 - level**2, 0))
    height[:, 0] = 0.0
    rows = [(one, zero, zero), (x, depth, zero), (y, level, height)]
    factor = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)  # (b, t, 3, 3)
    frames = np.linalg.qr(random.standard_normal((count, triples, dim, 3)))[0]
    vectors = (factor @ frames.swapaxes(-2, -1)).reshape(count, 3 * triples, dim)
    vectors *= random.choice([-1.0, 1.0], size=(count, 3 * triples, 1))
    return _mixed(random, vectors)


def distinct(numbers: np.ndarray) -> np.ndarray:
    """What can be said of `match3` without sums: how many different numbers an example holds, the
    same for all of its objects, ``(..., n) -> (..., n)``.

    Example:
        >>> distinct(np.array([[4, 0, 0, 1]]))
        array([[3., 3., 3., 3.]])
    """
    ordered = np.sort(numbers, axis=-1)
    counts = 1.0 + (np.diff(ordered, axis=-1) != 0).sum(axis=-1)
    return np.broadcast_to(counts[..., None], numbers.shape).copy()


def closest(vectors: np.ndarray) -> np.ndarray:
    """How close each vector comes to another one, or to its opposite: the largest absolute cosine,
    a script's answer to `coplanar` that looks at two objects alone.

    Example:
        >>> closest(np.eye(3)[None])[0].tolist()
        [0.0, 0.0, 0.0]
    """
    cosines = np.abs(vectors @ vectors.swapaxes(-2, -1))  # (b, n, n)
    return (cosines * (1 - np.eye(vectors.shape[-2]))).max(axis=-1)


def _mixed(random: np.random.Generator, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vectors in random order, and labels; the first three are those in a plane."""
    labels = np.zeros(vectors.shape[:2], dtype=np.int64)
    labels[:, :3] = 1
    order = random.permuted(np.tile(np.arange(labels.shape[1]), (len(labels), 1)), axis=1)
    return np.take_along_axis(vectors, order[..., None], 1), np.take_along_axis(labels, order, 1)


def _check(objects: int, dim: int = 3) -> None:
    if objects < 3:
        raise ValueError(f"objects is {objects}; expected at least 3")
    if dim < 3:
        raise ValueError(f"dim is {dim}; expected at least 3")
