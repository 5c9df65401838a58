"""Order relations: is o_i before o_j? (v1 section 4.1, v3 section 4.1)

N random objects carry a strict order; a model sees some ordered pairs and is asked about others.
A pair it was not shown can follow from those it was: by antisymmetry (its reverse was shown) or by
transitivity (a chain leads from one object to the other).

Shapes: ``N`` objects, ``d`` features, ``P`` pairs. Pairs are index arrays ``(P, 2)``.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import shortest_path


class Split(NamedTuple):
    """Indices into the pairs."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def objects(generator: np.random.Generator, count: int = 32, dim: int = 8) -> np.ndarray:
    """Random objects o_1, ..., o_N, i.i.d. N(0, I_d); their index is their rank.

    Returns:
        ``(N, d)``, float32.

    Raises:
        ValueError: for fewer than two objects, or objects without features.

    Example:
        >>> objects(np.random.default_rng(0), 4, 3).shape
        (4, 3)
    """
    if count < 2 or dim < 1:
        raise ValueError(
            f"count is {count} and dim is {dim}; expected count of at least 2 and dim of at least 1"
        )
    return generator.standard_normal((count, dim)).astype(np.float32)


def pairs(count: int, diagonal: bool = False) -> np.ndarray:
    """All ordered pairs (i, j) of ``count`` objects, with or without i = j.

    Returns:
        ``(P, 2)``, P = count^2 or count (count - 1).

    Example:
        >>> len(pairs(32)), len(pairs(32, diagonal=True))
        (992, 1024)
    """
    left, right = np.divmod(np.arange(count * count), count)
    every = np.stack([left, right], axis=1)
    return every if diagonal else every[left != right]


def precedes(pairs: np.ndarray) -> np.ndarray:
    """Labels of the order relation: 1 if o_i comes before o_j, ``(P,)``.

    Example:
        >>> precedes(np.array([[0, 3], [3, 0], [2, 2]])).tolist()
        [1, 0, 0]
    """
    return (pairs[:, 0] < pairs[:, 1]).astype(np.int64)


def beats(generator: np.random.Generator, pairs: np.ndarray, count: int) -> np.ndarray:
    """Labels of a random tournament: antisymmetric like an order, but not transitive.

    Each two objects meet once and either wins with probability one half, so a pair can be inferred
    from its reverse and from nothing else. A control for `precedes`.

    Returns:
        ``(P,)``.

    Example:
        >>> both = beats(np.random.default_rng(0), np.array([[0, 1], [1, 0]]), 2)
        >>> int(both.sum())  # one of the two wins
        1
    """
    upper = np.triu(generator.random((count, count)) < 0.5, k=1)
    wins = upper | np.tril(~upper.T, k=-1)
    return wins[pairs[:, 0], pairs[:, 1]].astype(np.int64)


def split(generator: np.random.Generator, count: int, test: float, validation: float) -> Split:
    """Random split of ``count`` pairs: shares to test and to validate on, rounded up, the rest to
    train.

    Raises:
        ValueError: for a share below zero, or shares or a count that leave nothing to train.

    Example:
        >>> [len(part) for part in split(np.random.default_rng(0), 992, 0.35, 0.15)]
        [495, 149, 348]
    """
    if not (test >= 0 and validation >= 0 and test + validation < 1):
        raise ValueError(
            f"test is {test} and validation is {validation}; "
            "expected shares of at least 0 whose sum is below 1"
        )
    tested = int(np.ceil(round(test * count, 6)))
    rest = count - tested
    validated = int(np.ceil(round(rest * validation / (1 - test), 6)))
    if rest <= validated:
        raise ValueError(f"count is {count}; expected more pairs, so that one is left to train on")
    order = generator.permutation(count)
    return Split(order[tested + validated :], order[tested : tested + validated], order[:tested])


def closure(pairs: np.ndarray, labels: np.ndarray, count: int) -> np.ndarray:
    """Transitive closure of what the labelled pairs say, as a matrix: "o_i is before o_j".

    A pair labelled 1 says i before j; a pair of distinct objects labelled 0 says j before i.

    Returns:
        ``(count, count)``, bool.

    Example:
        >>> closure(np.array([[0, 1], [2, 1]]), np.array([1, 0]), 3)[0].tolist()
        [False, True, True]
    """
    distinct = pairs[:, 0] != pairs[:, 1]
    first, second = pairs[distinct].T
    swap = labels[distinct] == 0
    edges = np.zeros((count, count))
    edges[np.where(swap, second, first), np.where(swap, first, second)] = 1
    return np.isfinite(shortest_path(edges, unweighted=True)) & ~np.eye(count, dtype=bool)


class Inference(NamedTuple):
    """What the training pairs say about each other pair; the three exclude each other, ``(P,)``."""

    reversed: np.ndarray  # the reverse was shown
    transitive: np.ndarray  # not that, but a chain of shown pairs decides it
    other: np.ndarray  # nothing does


def inference(pairs: np.ndarray, shown: np.ndarray, labels: np.ndarray, count: int) -> Inference:
    """How each of ``pairs`` follows from the pairs ``shown`` with their ``labels``.

    Pairs of an object with itself are in none of the three.

    Example:
        >>> shown, labels = np.array([[0, 1], [1, 2]]), np.array([1, 1])
        >>> found = inference(np.array([[1, 0], [0, 2], [3, 0]]), shown, labels, 4)
        >>> [part.tolist() for part in found]
        [[True, False, False], [False, True, False], [False, False, True]]
    """
    i, j = pairs.T
    seen = np.zeros((count, count), dtype=bool)
    seen[shown[:, 0], shown[:, 1]] = True
    before = closure(shown, labels, count)
    distinct = i != j
    reverse = seen[j, i] & distinct
    transitive = (before[i, j] | before[j, i]) & ~reverse & distinct
    return Inference(reverse, transitive, distinct & ~reverse & ~transitive)
