"""Sorting objects: where does each object of a sequence belong? (v1 section 4.2, v3 section 4.2)

Objects are products of two attributes, each attribute a random vector with a rank; objects are
ordered by the first attribute, then by the second. A sequence of distinct objects is to be
answered by its argsort: the positions of its objects in ascending order.

Shapes: ``N`` objects, ``d`` features, ``n`` sequences, ``m`` objects of a sequence.
"""

from typing import NamedTuple

import numpy as np


class Objects(NamedTuple):
    """Objects in their order: vectors ``(N, d)`` and the ranks of their attributes ``(N, 2)``."""

    vectors: np.ndarray
    attributes: np.ndarray


class Split(NamedTuple):
    """Sequences of object numbers, ``(n, m)`` each; no sequence is in two parts."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def objects(
    generator: np.random.Generator,
    counts: tuple[int, int] = (4, 12),
    dims: tuple[int, int] = (4, 8),
) -> Objects:
    """All products of two attributes, i.i.d. N(0, 1) vectors, in order: first attribute first.

    Args:
        counts: how many values each attribute has.
        dims: features of each attribute.

    Raises:
        ValueError: for counts or dims below one.

    Example:
        >>> found = objects(np.random.default_rng(0))
        >>> found.vectors.shape, found.attributes[[0, 1, 12]].tolist()
        ((48, 12), [[0, 0], [0, 1], [1, 0]])
    """
    if min(*counts, *dims) < 1:
        raise ValueError(f"counts is {counts} and dims is {dims}; expected numbers of at least 1")
    first, second = (
        generator.standard_normal((count, dim)).astype(np.float32)
        for count, dim in zip(counts, dims, strict=True)
    )
    a, b = np.divmod(np.arange(counts[0] * counts[1]), counts[1])
    return Objects(np.concatenate([first[a], second[b]], axis=1), np.stack([a, b], axis=1))


def sequences(generator: np.random.Generator, count: int, length: int, objects: int) -> np.ndarray:
    """Distinct sequences of distinct objects, uniform; ``(count, length)`` object numbers.

    Raises:
        ValueError: for sequences longer than there are objects, or more than there are sequences.

    Example:
        >>> sequences(np.random.default_rng(0), 2, 3, 48).shape
        (2, 3)
    """
    if not 2 <= length <= objects:
        raise ValueError(f"length is {length}; allowed: 2 to {objects}, the number of objects")
    if count > np.prod(np.arange(objects, objects - length, -1, dtype=float)):
        raise ValueError(f"count is {count}; there are not as many sequences of {length} objects")
    found = np.empty((0, length), dtype=np.int64)
    while len(found) < count:
        keys = generator.random((count - len(found), objects))
        more = keys.argsort(axis=1)[:, :length]
        found = np.concatenate([found, more])
        _, first = np.unique(found, axis=0, return_index=True)
        found = found[np.sort(first)]
    return found


def argsort(sequences: np.ndarray) -> np.ndarray:
    """Positions of the objects in ascending order, ``(n, m) -> (n, m)``; objects are numbered in
    their order.

    Example:
        >>> argsort(np.array([[30, 2, 17]])).tolist()
        [[1, 2, 0]]
    """
    return sequences.argsort(axis=1)


def split(
    generator: np.random.Generator, counts: tuple[int, int, int], length: int, objects: int
) -> Split:
    """Train, validation and test sequences, ``counts`` of each, none in two parts.

    Raises:
        ValueError: for counts that are not three or are below zero, and as `sequences` does.

    Example:
        >>> [len(part) for part in split(np.random.default_rng(0), (5, 3, 2), 10, 48)]
        [5, 3, 2]
    """
    if len(counts) != 3 or min(counts) < 0:
        raise ValueError(f"counts is {counts}; expected three numbers of at least 0")
    found = sequences(generator, sum(counts), length, objects)
    ends = np.cumsum(counts)
    return Split(found[: ends[0]], found[ends[0] : ends[1]], found[ends[1] :])


def relations(sequences: np.ndarray) -> np.ndarray:
    """The order relation within each sequence, R[i, j] = 1 if object i comes before object j.

    All that argsort needs to know: a sufficient statistic.

    Returns:
        ``(n, m, m)``, float32.

    Example:
        >>> relations(np.array([[30, 2, 17]]))[0].tolist()
        [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    return (sequences[:, :, None] < sequences[:, None, :]).astype(np.float32)
