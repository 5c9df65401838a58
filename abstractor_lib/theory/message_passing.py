"""What symbolic message-passing can compute: exact constructions and their conditioning.

Symbols are the rows of S, ``(m, d)``, and states those of A = R S: a_i = sum_j R_ij s_j. (v1 writes
S with columns, a_i = S R_i.)

Shapes: ``n`` examples, ``m`` objects, ``d`` features of a symbol.
"""

import numpy as np
from scipy import linalg

SELF = 2  # an object's relation to itself in binary relation tensors


def amplification(symbols: np.ndarray) -> float:
    """By how much noise on the states grows on the way back to the relations: the root mean square
    of the error is ||S^+||_F / sqrt(m) times the noise's standard deviation.

    Infinite where the symbols are dependent.

    Example:
        >>> round(amplification(np.diag([1.0, 0.5])), 6)  # sqrt((1 + 4) / 2)
        1.581139
    """
    singular = linalg.svdvals(symbols)
    if len(singular) < len(symbols) or singular[-1] <= 1e-12 * singular[0]:
        return float("inf")
    return float(np.sqrt((1 / singular**2).sum() / len(symbols)))


def expected_amplification(objects: int, dim: int) -> float:
    """Root of the mean square of `amplification` for symbols of i.i.d. N(0, 1/d) entries:
    sqrt(d / (d - m - 1)), from the mean of an inverse Wishart matrix; infinite up to d = m + 1.

    Example:
        >>> round(expected_amplification(10, 22) ** 2, 9)
        2.0
    """
    return float(np.sqrt(dim / (dim - objects - 1))) if dim > objects + 1 else float("inf")


def second_order(relations: np.ndarray, target: str) -> np.ndarray:
    """A chain of two Abstractors with encoders chosen by hand, ``(n, m, m) -> (n, m)``.

    The first hands on the rows R_i (S = I). The second computes inner products of functions of two
    rows, R2_k[i, j] = <phi_k(R_i), psi_k(R_j)>, and then reads each object's own row of R2.

    Args:
        relations: of 0 and 1, with 2 on the diagonal, so that a row tells whose it is.
        target: ``equal_degree``, ``same_row`` or ``transitive`` (see `tasks.relations`).

    Raises:
        ValueError: for another target.

    Source: v1 Lemma 3.2 and its proof sketch.

    Example:
        >>> second_order(np.array([[[2, 1, 0], [0, 2, 1], [0, 0, 2]]]), "transitive").tolist()
        [[0, 1, 1]]
    """
    yes, no, own = (relations == value for value in (1, 0, SELF))  # (n, m, m)

    def inner(phi: np.ndarray, psi: np.ndarray) -> np.ndarray:
        return phi.astype(int) @ psi.astype(int).transpose(0, 2, 1)  # R2[i, j], (n, m, m)

    if target == "equal_degree":
        degrees = np.eye(relations.shape[-1], dtype=int)[yes.sum(axis=-1)]  # one-hot, (n, m, m)
        return (inner(degrees, degrees).sum(axis=-1) > 1).astype(int)
    if target == "same_row":
        differ = inner(yes, no) + inner(no, yes)
        return ((differ == 0).sum(axis=-1) > 1).astype(int)
    if target == "transitive":
        related = inner(yes, own)  # R_ij again: the row of j tells that it is j's
        missing = inner(no, yes)  # how many k: not i -> k, but j -> k
        return (((related == 1) & (missing > 0)).sum(axis=-1) == 0).astype(int)
    raise ValueError(f"target is {target!r}; allowed: equal_degree, same_row, transitive")


def in_two_steps(relations: np.ndarray) -> np.ndarray:
    """A chain of two Abstractors with encoders chosen by hand for ``common_degree`` (see
    `tasks.relations`), ``(n, m, m) -> (n, m)``.

    The first Abstractor hands on the rows R_i (S = I). The second has two relation dimensions,
    R2[i, j] = (deg_j, deg_i): the first with a constant query, <1, deg(R_j)>, the second with a
    constant key, <deg(R_i), 1>. With S = I object i receives its row of R2, which holds all degrees
    and its own. The feed-forward network then counts.

    With a constant query and a constant key for each entry of a row, the row of R2 holds all of R
    and the content of the own row. So a chain of two computes any function of a given relation
    tensor whose rows tell whose they are, as a mark on the diagonal does, if the relation has
    enough dimensions, and no such function needs three.

    Source: v1 Lemma 3.2 with k = 2: a second-order function is a function of the row R2_i.

    Example:
        >>> in_two_steps(np.array([[[2, 1, 0], [0, 2, 1], [0, 0, 2]]])).tolist()
        [[1, 1, 0]]
    """
    degrees = (relations == 1).sum(axis=-1)  # deg(R_i), (n, m)
    one = np.ones_like(degrees)
    by_query = one[:, :, None] * degrees[:, None, :]  # R2[i, j] = deg_j, (n, m, m)
    by_key = degrees[:, :, None] * one[:, None, :]  # R2[i, j] = deg_i, (n, m, m)
    sizes = np.arange(relations.shape[-1])
    counts = (by_query[..., None] == sizes).sum(axis=-2)  # objects of each degree, (n, m, sizes)
    own = np.take_along_axis(counts, by_key[..., :1], axis=-1)[..., 0]  # c_i, (n, m)
    return (own == counts.max(axis=-1)).astype(int)


def in_three_steps(relations: np.ndarray) -> np.ndarray:
    """A chain of three Abstractors with encoders chosen by hand for ``common_degree`` (see
    `tasks.relations`), ``(n, m, m) -> (n, m)``.

    The first Abstractor hands on the rows R_i (S = I). The second computes R2[i, j], whether i and
    j have equal degrees, and hands on c_i = sum_j R2[i, j] (all symbols are 1). The third computes
    R3[i, j] = <phi(c_i), psi(c_j)>, whether c_j > c_i, and reads each object's row of R3.

    Source: v1 Lemma 3.2 with k = 3.

    Example:
        >>> in_three_steps(np.array([[[2, 1, 0], [0, 2, 1], [0, 0, 2]]])).tolist()
        [[1, 1, 0]]
    """
    sizes = np.arange(relations.shape[-1] + 1)
    degrees = np.eye(relations.shape[-1], dtype=int)[(relations == 1).sum(axis=-1)]  # phi(R_i)
    second = degrees @ degrees.transpose(0, 2, 1)  # R2, (n, m, m)
    alike = second.sum(axis=-1)  # c_i, (n, m)
    # <one-hot of c_i, (c_j > 0, c_j > 1, ...)> is 1 if c_j > c_i, else 0
    here = (alike[..., None] == sizes).astype(int)
    above = (alike[..., None] > sizes).astype(int)
    third = here @ above.transpose(0, 2, 1)  # R3, (n, m, m)
    return (third.sum(axis=-1) == 0).astype(int)
