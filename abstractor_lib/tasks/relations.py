"""Functions of relations: what an object's own relations say, and what it takes others' for.

A relation tensor of one dimension is ``R[i, j]``, the relation of object i to object j. A target
of the first order is a function of the row R_i; of the second order, of relations between rows. One
target is computed in three steps, by relations between relations between rows.

Shapes: ``n`` examples, ``m`` objects.
"""

from collections.abc import Callable
from itertools import product

import numpy as np

SELF = 2  # an object's relation to itself, so that a row tells whose it is


def binary(generator: np.random.Generator, count: int, objects: int) -> np.ndarray:
    """Relations that hold or not, each with probability one half, ``(n, m, m)`` of 0 and 1.

    Every object is related to itself in a way of its own, ``R[i, i] = 2``.

    Example:
        >>> found = binary(np.random.default_rng(0), 1, 3)[0]
        >>> np.diag(found).tolist()
        [2, 2, 2]
    """
    found = generator.integers(0, 2, (count, objects, objects))
    found[:, np.arange(objects), np.arange(objects)] = SELF
    return found


def graded(generator: np.random.Generator, count: int, objects: int) -> np.ndarray:
    """Relations of any strength, uniform in [-1, 1], ``(n, m, m)``.

    Example:
        >>> graded(np.random.default_rng(0), 2, 3).shape
        (2, 3, 3)
    """
    return generator.uniform(-1, 1, (count, objects, objects))


def parity(relations: np.ndarray) -> np.ndarray:
    """Whether each object is related to an odd number of others, ``(n, m, m) -> (n, m)``.

    Example:
        >>> parity(np.array([[[2, 1, 1], [1, 2, 0], [0, 0, 2]]])).tolist()
        [[0, 1, 0]]
    """
    return (relations == 1).sum(axis=-1) % 2


def degree(relations: np.ndarray) -> np.ndarray:
    """To how many others each object is related; its rank, where the relation is an order.

    Example:
        >>> degree(np.array([[[2, 1, 1], [1, 2, 0], [0, 0, 2]]])).tolist()
        [[2, 1, 0]]
    """
    return (relations == 1).sum(axis=-1)


def strongest(relations: np.ndarray) -> np.ndarray:
    """To which object each is most strongly related: arg max_j R_ij.

    Example:
        >>> strongest(np.array([[[0.1, 0.9], [0.3, -0.5]]])).tolist()
        [[1, 0]]
    """
    return relations.argmax(axis=-1)


def median(relations: np.ndarray) -> np.ndarray:
    """Which relation of each object is the median one (the lower of two).

    Example:
        >>> median(np.array([[[0.1, 0.9, 0.5], [0.3, -0.5, 0.8], [0.0, 0.1, 0.2]]])).tolist()
        [[2, 0, 1]]
    """
    return relations.argsort(axis=-1)[..., (relations.shape[-1] - 1) // 2]


def popular(relations: np.ndarray) -> np.ndarray:
    """To how many objects each is related that are themselves related to more than half of the
    others: sum_j R_ij f(R_j), as v1 eq. 3.8 computes it.

    Example:
        >>> popular(np.array([[[2, 1, 1], [1, 2, 0], [1, 0, 2]]])).tolist()  # the first alone is
        [[0, 1, 1]]
    """
    many = degree(relations) > (relations.shape[-1] - 1) / 2
    return ((relations == 1) & many[:, None, :]).sum(axis=-1)


def equal_degree(relations: np.ndarray) -> np.ndarray:
    """Whether another object is related to as many others as this one.

    Example:
        >>> equal_degree(np.array([[[2, 1, 1], [1, 2, 0], [1, 0, 2]]])).tolist()
        [[0, 1, 1]]
    """
    degrees = degree(relations)
    return ((degrees[:, :, None] == degrees[:, None, :]).sum(axis=-1) > 1).astype(int)


def same_row(relations: np.ndarray) -> np.ndarray:
    """Whether another object has the same relations to all third objects.

    Example:
        >>> same_row(np.array([[[2, 0, 1], [1, 2, 1], [0, 1, 2]]])).tolist()  # the first two have
        [[1, 1, 0]]
    """
    left, right = relations[:, :, None, :], relations[:, None, :, :]
    differ = (left != right) & (left != SELF) & (right != SELF)
    return ((~differ.any(axis=-1)).sum(axis=-1) > 1).astype(int)


def transitive(relations: np.ndarray) -> np.ndarray:
    """Whether i -> j and j -> k give i -> k, for all distinct j, k other than i.

    Example:
        >>> transitive(np.array([[[2, 1, 0], [0, 2, 1], [0, 0, 2]]])).tolist()  # 0 -> 1 -> 2
        [[0, 1, 1]]
    """
    holds = relations == 1
    to, on, short = holds[:, :, :, None], holds[:, None], holds[:, :, None, :]  # (n, i, j, k)
    same = np.eye(relations.shape[-1], dtype=bool)[None, :, None, :]  # k = i
    return (~(to & on & ~short & ~same).any(axis=(2, 3))).astype(int)


def common_degree(relations: np.ndarray) -> np.ndarray:
    """Whether no number of related objects is more common than this one's own.

    A function computed in three steps. R2[i, j] says whether i and j have equal degrees; the row
    R2_i says how many objects have the degree of i; R3[i, j] says whether those of j are more. With
    other relations two steps do: see `theory.message_passing.in_two_steps`.

    Example:
        >>> common_degree(np.array([[[2, 1, 1], [1, 2, 0], [1, 0, 2]]])).tolist()
        [[0, 1, 1]]
    """
    degrees = degree(relations)
    alike = (degrees[:, :, None] == degrees[:, None, :]).sum(axis=-1)  # (n, m)
    return (alike == alike.max(axis=-1, keepdims=True)).astype(int)


FIRST_ORDER: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "parity": parity,
    "degree": degree,
    "strongest": strongest,
    "median": median,
}
SECOND_ORDER: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "equal_degree": equal_degree,
    "same_row": same_row,
    "transitive": transitive,
}
THREE_STEPS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"common_degree": common_degree}
TARGETS = {**FIRST_ORDER, "popular": popular, **SECOND_ORDER, **THREE_STEPS}
GRADED = ("strongest", "median")  # functions of graded relations


def outputs(target: str, objects: int) -> int:
    """How many answers a target has.

    Raises:
        ValueError: for an unknown target.

    Example:
        >>> outputs("parity", 5), outputs("degree", 5)
        (2, 5)
    """
    if target not in TARGETS:
        raise ValueError(f"target is {target!r}; allowed: {', '.join(TARGETS)}")
    yes_or_no = target == "parity" or target in {**SECOND_ORDER, **THREE_STEPS}
    return 2 if yes_or_no else objects


def best_from_row(target: str, objects: int) -> float:
    """Accuracy of the best answer that knows an object's own row alone.

    By going through every relation of up to five objects: each row is answered by what it most
    often has.

    Raises:
        ValueError: for an unknown target, one of graded relations, or another number of objects.

    Example:
        >>> best_from_row("degree", 3), best_from_row("equal_degree", 3)
        (1.0, 0.65625)
    """
    allowed = [name for name in TARGETS if name not in GRADED]
    if target not in allowed:
        raise ValueError(f"target is {target!r}; allowed: {', '.join(allowed)}")
    if not 2 <= objects <= 5:
        raise ValueError(f"objects is {objects}; allowed: 2 to 5")
    others = objects - 1
    rows = np.array(list(product((0, 1), repeat=others)))
    right = 0
    for own in rows:  # by symmetry object 0
        rest = np.array(list(product(range(len(rows)), repeat=others)))  # rows of the others
        relations = np.full((len(rest), objects, objects), SELF)
        relations[:, 0, 1:] = own
        for i in range(1, objects):
            relations[:, i, np.arange(objects) != i] = rows[rest[:, i - 1]]
        answers = TARGETS[target](relations)[:, 0]
        right += np.bincount(answers).max()
    return float(right / (len(rows) * len(rest)))
