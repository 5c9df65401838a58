"""Appendix C of the simplicial paper for k vectors: each statement as a residual, and two equations
as they are printed.

Vectors are unit vectors, so that a residual is a share of the product of the norms. Shapes: ``k``
vectors, ``count`` sets of them, ``n`` dimensions.
"""

from itertools import combinations, permutations
from math import factorial

import numpy as np
import pandas as pd

from ...theory import clifford
from ...theory.simplices import simplex_volume

FACTORS, DIM, COUNT = (2, 4, 5), 6, 100
STATEMENTS = {
    "magnitude": "eq. 21",
    "top": "eq. 22, with the signs that it lacks",
    "volume": "eq. 25",
    "greatest": "Lemma C.10 (i)",
    "orthogonal": "Lemma C.10 (ii)",
    "dependent": "Lemma C.10 (iii), if",
    "order": "Lemma C.10 (iv)",
    "lengths": "Lemma C.10 (v)",
}


def residuals(k: int) -> dict[str, float]:
    """The largest residual of each of `STATEMENTS` on random unit vectors.

    Example:
        >>> max(residuals(4).values()) < 1e-9
        True
    """
    random = np.random.default_rng(k)
    free = _unit(random.standard_normal((k, COUNT, DIM)))
    frame, _ = np.linalg.qr(random.standard_normal((COUNT, DIM, k)))
    weights = random.standard_normal((k - 1, COUNT, 1))
    dependent = np.concatenate([free[:-1], _unit((weights * free[:-1]).sum(axis=0))[None]])
    lengths = random.standard_normal((k, COUNT, 1))
    product, found = clifford.product(*free), clifford.unsigned_product(*free)
    gaps = {
        "magnitude": product.magnitude() - 1,
        "top": product.grade(k).magnitude() ** 2 - minors(free, signed=True),
        "volume": found**2 - 1 + (factorial(k) * simplex_volume(*free)) ** 2,
        "greatest": np.maximum(found - 1, 0),
        "orthogonal": clifford.unsigned_product(*np.moveaxis(frame, -1, 0)),
        "dependent": clifford.unsigned_product(*dependent) - 1,
        "order": clifford.unsigned_product(*free[::-1]) - found,
        "lengths": clifford.unsigned_product(*(lengths * free))
        - np.abs(lengths).prod(axis=0)[:, 0] * found,
    }
    return {name: float(np.abs(gap).max()) for name, gap in gaps.items()}


def minors(vectors: np.ndarray, signed: bool) -> np.ndarray:
    """The right side of eq. 22, ``(count,)``: over all k columns, the sum over permutations of
    products of coordinates, squared; with the sign of each permutation, or as printed without.

    Example:
        >>> plane = np.array([[[1.0, 2.0]], [[3.0, 1.0]]])  # two vectors, (2, 1, 2)
        >>> minors(plane, signed=True).round(9).item(), minors(plane, signed=False).item()
        (25.0, 49.0)
    """
    k, count, n = vectors.shape
    rows = np.linalg.det if signed else _permanent
    matrices, total = np.moveaxis(vectors, 0, 1), np.zeros(count)  # (count, k, n)
    for columns in combinations(range(n), k):
        total += rows(matrices[..., list(columns)]) ** 2
    return total


def _permanent(matrices: np.ndarray) -> np.ndarray:
    """Of ``(count, k, k)`` matrices: their determinants, with plus signs alone."""
    k = matrices.shape[-1]
    terms = [matrices[:, np.arange(k), one].prod(axis=-1) for one in permutations(range(k))]
    return np.stack(terms).sum(axis=0)


def by_angles(vectors: np.ndarray, printed: bool) -> np.ndarray:
    """The right side of eq. 27 for three unit vectors of space, ``(3, count, 3)``: with the sine of
    the angle between b and c, of which the text before it speaks, or as printed of a and b.

    Example:
        >>> a, b, c = np.array([[[1.0, 0, 0]], [[1.0, 0, 0]], [[0, 1.0, 0]]])
        >>> by_angles(np.stack([b, c, a]), False).item()  # dependent vectors: the greatest value
        1.0
    """
    a, b, c = vectors
    cross = np.cross(b, c)
    normal = cross / np.linalg.norm(cross, axis=-1, keepdims=True)
    pair = (a, b) if printed else (b, c)
    sine = 1 - (pair[0] * pair[1]).sum(axis=-1) ** 2
    return np.sqrt(np.maximum(1 - sine * (a * normal).sum(axis=-1) ** 2, 0))


def table() -> pd.DataFrame:
    """The largest residual of each statement, a column for each number of vectors."""
    found = pd.DataFrame({f"{k} vectors": residuals(k) for k in FACTORS})
    written = found.map(lambda value: "< 1e-9" if value < 1e-9 else f"{value:.0e}")
    return written.rename(index=STATEMENTS).rename_axis("largest residual").reset_index()


def misprints() -> pd.DataFrame:
    """How far both sides of eq. 22 and eq. 27 lie apart for three vectors, at most: as printed, and
    with what the text around them says."""
    vectors = _unit(np.random.default_rng(3).standard_normal((3, COUNT, 3)))
    triple, top = clifford.unsigned_product(*vectors), clifford.product(*vectors).grade(3)
    apart = {
        "eq. 22": [top.magnitude() ** 2 - minors(vectors, signed) for signed in (False, True)],
        "eq. 27": [triple - by_angles(vectors, printed) for printed in (True, False)],
    }
    rows = [
        (name, *(round(float(np.abs(one).max()), 2) for one in two)) for name, two in apart.items()
    ]
    return pd.DataFrame(rows, columns=["equation", "as printed", "as the text around it says"])


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
