"""Relations between relations: how does the relation of a pair stand to those of other pairs?

An example is a sequence of objects, read as pairs. Questions are asked of each pair.

The relation of a pair is one cosine between its two objects, or several, each of another part of
the objects. Who knows the relation of one pair alone can guess better than chance; the ``guess``
of each task is the best that can be done so.

Shapes: ``b`` examples, ``k`` pairs, ``m = 2 k`` objects, ``a`` cosines of a pair, ``d`` features of
each part of an object, ``q`` questions about a pair.
"""

from math import comb

import numpy as np

NO_ANSWER = -100  # the class that torch's losses leave out


def levels(random: np.random.Generator, count: int, pairs: int, steps: int) -> np.ndarray:
    """Relations on a scale: cosines out of ``steps`` equally spaced ones from -1 to 1, no two of an
    example the same.

    Args:
        random: where they come from.
        count: examples ``b``.
        pairs: of an example, at least 2.
        steps: at least as many.

    Returns:
        Cosines, ``(b, k, 1)``.

    Raises:
        ValueError: for fewer pairs or steps.

    Example:
        >>> levels(np.random.default_rng(0), 1, pairs=4, steps=5)[0, :, 0].tolist()
        [0.0, 1.0, 0.5, -1.0]
    """
    _at_least(2, pairs=pairs)
    _at_least(pairs, steps=steps)
    ordered = np.tile(np.arange(steps), (count, 1))
    return (2 * random.permuted(ordered, axis=1)[:, :pairs, None] / (steps - 1)) - 1


def shared(
    random: np.random.Generator, count: int, pairs: int, attributes: int, probability: float
) -> np.ndarray:
    """Relations of kinds: each attribute is shared (cosine 1) with a probability, independently, or
    else not (cosine 0).

    Args:
        random: where they come from.
        count: examples ``b``.
        pairs: of an example, at least 2.
        attributes: ``a``, at least 1.
        probability: between 0 and 1.

    Returns:
        Cosines, ``(b, k, a)``.

    Raises:
        ValueError: for fewer pairs or attributes, or a probability that is none.

    Example:
        >>> shared(np.random.default_rng(0), 1, pairs=2, attributes=2, probability=0.5).tolist()
        [[[0.0, 1.0], [1.0, 1.0]]]
    """
    _at_least(2, pairs=pairs)
    _at_least(1, attributes=attributes)
    if not 0 < probability < 1:
        raise ValueError(f"probability is {probability}; expected a number between 0 and 1")
    return (random.random((count, pairs, attributes)) < probability).astype(float)


def uniform(
    random: np.random.Generator, count: int, pairs: int, attributes: int, least: float
) -> np.ndarray:
    """Relations without kinds: cosines uniform from ``least`` to 1, independent.

    Args:
        random: where they come from.
        count: examples ``b``.
        pairs: of an example, at least 2.
        attributes: ``a``, at least 1.
        least: at least -1, below 1.

    Returns:
        Cosines, ``(b, k, a)``.

    Raises:
        ValueError: for fewer pairs or attributes, or a cosine that is none.

    Example:
        >>> uniform(np.random.default_rng(0), 3, pairs=4, attributes=2, least=-0.5).shape
        (3, 4, 2)
    """
    _at_least(2, pairs=pairs)
    _at_least(1, attributes=attributes)
    if not -1 <= least < 1:
        raise ValueError(f"least is {least}; expected a cosine below 1")
    return random.uniform(least, 1, (count, pairs, attributes))


def objects(random: np.random.Generator, cosines: np.ndarray, dim: int) -> np.ndarray:
    """Objects in pairs that have these cosines, each with its pair and its side as features.

    Each part of an object is a vector of length sqrt(d), by itself uniform on the sphere whatever
    the cosines are: a single object tells nothing, and no object occurs in two pairs. The pair
    and the side are one-hot, so that a relation between objects can tell who belongs to whom.

    Args:
        random: where they come from.
        cosines: between the two objects of each pair, ``(b, k, a)``.
        dim: features ``d`` of a part, at least 2.

    Returns:
        Objects, ``(b, 2 k, a d + k + 2)``: the parts, the pair, the side.

    Raises:
        ValueError: for a smaller ``dim``, or a cosine beyond -1 and 1.

    Example:
        >>> found = objects(np.random.default_rng(0), np.array([[[-1.0], [0.5]]]), dim=4)
        >>> found.shape
        (1, 4, 8)
        >>> parts = found[0, :, :4]
        >>> [round(float(parts[i] @ parts[i + 1]) / 4, 6) for i in (0, 2)]
        [-1.0, 0.5]
    """
    _at_least(2, dim=dim)
    if cosines.size and np.abs(cosines).max() > 1:
        raise ValueError(f"cosines holds {np.abs(cosines).max()} or its opposite; allowed: -1 to 1")
    count, pairs, _ = cosines.shape
    first, other = random.standard_normal((2, *cosines.shape, dim))  # (b, k, a, d)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    other -= (other * first).sum(axis=-1, keepdims=True) * first
    other /= np.linalg.norm(other, axis=-1, keepdims=True)
    cosine = cosines[..., None]
    second = cosine * first + np.sqrt(1 - cosine**2) * other
    parts = dim**0.5 * np.stack([first, second], axis=2).reshape(count, 2 * pairs, -1)
    pair = np.repeat(np.eye(pairs), 2, axis=0)
    side = np.tile(np.eye(2), (pairs, 1))
    named = np.broadcast_to(np.concatenate([pair, side], axis=1), (count, 2 * pairs, pairs + 2))
    return np.concatenate([parts, named], axis=-1)


def relations(found: np.ndarray, attributes: int, dim: int) -> np.ndarray:
    """The cosines of the pairs, read off `objects`, ``(b, 2 k, ...) -> (b, k, a)``.

    Example:
        >>> cosines = np.array([[[-1.0, 0.0], [0.5, 0.25]]])
        >>> some = objects(np.random.default_rng(0), cosines, dim=4)
        >>> bool(np.allclose(relations(some, attributes=2, dim=4), cosines))
        True
    """
    parts = found[..., : attributes * dim].reshape(len(found), -1, 2, attributes, dim)
    return (parts[:, :, 0] * parts[:, :, 1]).sum(axis=-1) / dim


def rises(cosines: np.ndarray) -> np.ndarray:
    """Has a pair a greater relation than the pair before it? ``(b, k, 1)``; the first pair has
    `NO_ANSWER`.

    Example:
        >>> rises(np.array([[[0.1], [0.5], [-0.2]]]))[0, :, 0].tolist()
        [-100, 1, 0]
    """
    found = np.full(cosines.shape, NO_ANSWER)
    found[:, 1:] = cosines[:, 1:] > cosines[:, :-1]
    return found


def rank(cosines: np.ndarray) -> np.ndarray:
    """How many pairs have a smaller relation? The argsort of relations, inverted, ``(b, k, 1)``.

    Example:
        >>> rank(np.array([[[0.1], [0.5], [-0.2]]]))[0, :, 0].tolist()
        [1, 2, 0]
    """
    return (cosines > cosines.swapaxes(1, 2)).sum(axis=2, keepdims=True)


def same(cosines: np.ndarray) -> np.ndarray:
    """Which other pairs have the same relation? A yes or no of each, ``(b, k, k)``; of a pair
    itself `NO_ANSWER`.

    Cosines count as the same within 1e-6, which rounding needs.

    Example:
        >>> same(np.array([[[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]]))[0].tolist()
        [[-100, 1, 0], [1, -100, 0], [0, 0, -100]]
    """
    apart = np.abs(cosines[:, :, None] - cosines[:, None]).max(axis=-1)
    return _of_others(apart < 1e-6)


def alike(cosines: np.ndarray, threshold: float) -> np.ndarray:
    """Which other pairs have a similar relation: an inner product of the two vectors of cosines
    above a threshold? A yes or no of each, ``(b, k, k)``; of a pair itself `NO_ANSWER`.

    Example:
        >>> alike(np.array([[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]]), threshold=0.4)[0].tolist()
        [[-100, 1, 0], [1, -100, 1], [0, 1, -100]]
    """
    return _of_others(cosines @ cosines.swapaxes(1, 2) > threshold)


def guess_rises(cosines: np.ndarray) -> np.ndarray:
    """The best answer to `rises` from a pair's own relation alone, one of `levels`: those above the
    middle are more likely to be greater.

    Example:
        >>> guess_rises(np.array([[[0.1], [0.5], [-0.2]]]))[0, :, 0].tolist()
        [1, 1, 0]
    """
    return (cosines > 0).astype(int)


def guess_rank(cosines: np.ndarray, steps: int) -> np.ndarray:
    """The best answer to `rank` from a pair's own relation alone, one of `levels`: the likeliest
    number of others below it, which is hypergeometric.

    Example:
        >>> guess_rank(np.array([[[-1.0], [0.0], [0.5], [1.0]]]), steps=5)[0, :, 0].tolist()
        [0, 1, 2, 3]
    """
    others = cosines.shape[1] - 1
    likeliest = [
        int(
            np.argmax([comb(low, n) * comb(steps - 1 - low, others - n) for n in range(others + 1)])
        )
        for low in range(steps)
    ]
    return np.array(likeliest)[np.rint((cosines + 1) / 2 * (steps - 1)).astype(int)]


def same_number(cosines: np.ndarray) -> np.ndarray:
    """Which other pairs share as many attributes? What `same` is to who knows how many attributes
    each pair shares, but not which, ``(b, k, k)``.

    Example:
        >>> same_number(np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]))[0].tolist()
        [[-100, 1, 0], [1, -100, 0], [0, 0, -100]]
    """
    return same(cosines.sum(axis=-1, keepdims=True))


def guess_same(cosines: np.ndarray, probability: float) -> np.ndarray:
    """The best answer to `same` from a pair's own relation alone, one of `shared`: yes if it is
    that of another pair with a probability above one half.

    Example:
        >>> guess_same(np.array([[[1.0], [0.0]]]), probability=0.8)[0].tolist()
        [[1, 1], [0, 0]]
    """
    chance = np.where(cosines > 0.5, probability, 1 - probability).prod(axis=-1)  # (b, k)
    return np.repeat((chance > 0.5).astype(int)[..., None], cosines.shape[1], axis=2)


def guess_alike(cosines: np.ndarray, threshold: float, least: float) -> np.ndarray:
    """The best answer to `alike` from a pair's own relation alone, one of `uniform`. The inner
    product with another one is symmetric about that with the mean, which is its median.

    Example:
        >>> guess_alike(np.array([[[1.0], [0.0]]]), threshold=0.4, least=0.0)[0].tolist()
        [[1, 1], [0, 0]]
    """
    middle = (1 + least) / 2 * cosines.sum(axis=-1)  # (b, k)
    return np.repeat((middle > threshold).astype(int)[..., None], cosines.shape[1], axis=2)


def _of_others(holds: np.ndarray) -> np.ndarray:
    """A relation between pairs as answers about other pairs."""
    found = holds.astype(int)
    pairs = np.arange(holds.shape[1])
    found[:, pairs, pairs] = NO_ANSWER
    return found


def _at_least(least: int, **sizes: int) -> None:
    for name, size in sizes.items():
        if size < least:
            raise ValueError(f"{name} is {size}; expected at least {least}")
