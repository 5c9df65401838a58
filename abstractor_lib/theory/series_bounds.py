"""How far off a truncated series r_n is at most, and how curved, over the whole of [0, 1].

Each bound is in closed form, or a maximum over a grid to which is added what can lie between its
points. So it holds at every point, up to rounding.

Two facts are used of Mercer kernels. Both hold for exact eigenpairs and for those of the Nystrom
method. The rest r - r_n is positive semi-definite, so it is largest on the diagonal. And
r_n(x, y) = <P k_x, k_y> with an orthogonal projection P in the kernel's Hilbert space. So its
derivative a times by x and b times by y is at most sqrt(D_a D_b), where D_a is the largest value,
over x, of the kernel's derivative a times by each argument, at (x, x). The same holds for r - r_n.

The bounds of min(x, y) and exp(-2 |x - y|) also use the closed form of their eigenpairs. They hold
for exact eigenpairs alone, so other eigenvalues are refused.

Shapes: ``n`` eigenpairs.
"""

import math

import numpy as np

from .kernels import MERCER, Eigenpairs, Relation, laplacian_eigenpairs

GRID = 10_001  # points of [0, 1], both ends among them
RATE = 2.0  # c of exp(-c |x - y|), the Laplacian kernel of the catalogue
TERMS = 4  # of (1 + xy)^3, whose series ends there
SMOOTH = {  # D_0, D_1 and D_2
    "gaussian": (1.0, 25.0, 1875.0),  # 1, 1/s^2 and 3/s^4 with s = 0.2
    "polynomial": (8.0, 24.0, 48.0),  # all at (1, 1)
}
KNOWN = (*SMOOTH, "laplacian", "brownian")


def rest(relation: Relation, pairs: Eigenpairs) -> float:
    """At least sup |r - r_n|, the error of a truncated series.

    - min(x, y): 1 - 2 sum_j lambda_j, exact, at x = 1.
    - exp(-2 |x - y|): psi_j^2 is at most 2 / (1 + lambda_j), and 1 - lambda_j times that at x = 1.
      The rest at x = 1 over 1 - lambda_(n + 1).
    - (1 + xy)^3 with four terms: zero.
    - Otherwise f(x) = r(x, x) - r_n(x, x) on a grid with steps h, and h^2 / 8 sup |f''|, where
      |f''| is at most 2 (D_1 + sqrt(D_0 D_2)).

    Args:
        relation: ``brownian``, ``laplacian``, ``gaussian`` or ``polynomial`` of the catalogue.
        pairs: its leading eigenpairs, in closed form; of ``gaussian`` and ``polynomial`` also by
            `mercer.nystrom`.

    Raises:
        ValueError: for another relation, or eigenvalues of ``brownian`` or ``laplacian`` that are
            not those of the closed form.

    Source: v1 eq. 3.4.

    Example:
        >>> from .kernels import brownian_eigenpairs
        >>> round(rest(MERCER["brownian"], brownian_eigenpairs(1)), 6)  # 1 - 8 / pi^2
        0.189431
    """
    _check("pairs", relation, pairs[0])
    values, functions = pairs
    count = len(values)
    if relation.name == "brownian":
        return float(1 - 2 * values.sum())
    if relation.name == "laplacian":
        further = laplacian_eigenpairs(count + 1)[0][-1]
        return float((1 - (2 * values * (1 - values) / (1 + values)).sum()) / (1 - further))
    if relation.name == "polynomial" and count >= TERMS:
        return 0.0
    x = np.linspace(0, 1, GRID)[:, None]
    on_grid = _diagonal(relation, x) - functions(x) ** 2 @ values
    zeroth, first, second = SMOOTH[relation.name]
    between = 2 * (first + math.sqrt(zeroth * second)) / (8 * (GRID - 1) ** 2)
    return float(max(on_grid.max(), 0) + between)


def curvature(relation: Relation, values: np.ndarray) -> float:
    """At least sup |d^2 r_n / dx^2|, the largest second derivative of a truncated series.

    - min(x, y): 2 n, exact, at (1, 1).
    - exp(-2 |x - y|): -d^2 r_n / dx^2 = sum_j lambda_j w_j^2 psi_j psi_j is largest on the diagonal
      as well. As lambda_j = 4 / (w_j^2 + 4), it is at most 8 sum_j (1 - lambda_j) / (1 + lambda_j).
    - (1 + xy)^3 with four terms: 12, exact, at (1, 1).
    - Otherwise sqrt(D_0 D_2).

    Args:
        relation: as `rest` takes it.
        values: its leading eigenvalues, ``(n,)``, as `rest` takes them.

    Raises:
        ValueError: as `rest`.

    Example:
        >>> brownian, polynomial = MERCER["brownian"], MERCER["polynomial"]
        >>> curvature(brownian, brownian.eigenpairs(16)[0]), curvature(polynomial, np.ones(4))
        (32.0, 12.0)
    """
    _check("values", relation, values)
    if relation.name == "brownian":
        return 2.0 * len(values)
    if relation.name == "laplacian":
        return float(2 * RATE**2 * ((1 - values) / (1 + values)).sum())
    if relation.name == "polynomial" and len(values) >= TERMS:
        return 12.0
    zeroth, _, second = SMOOTH[relation.name]
    return math.sqrt(zeroth * second)


def _diagonal(relation: Relation, x: np.ndarray) -> np.ndarray:
    """r(x, x), ``(N, 1) -> (N,)``."""
    return (1 + x[:, 0] ** 2) ** 3 if relation.name == "polynomial" else np.ones(len(x))


def _check(name: str, relation: Relation, values: np.ndarray) -> None:
    if relation.name not in KNOWN or MERCER[relation.name] is not relation:
        raise ValueError(f"relation is {relation.name}; allowed, of the catalogue: {KNOWN}")
    if relation.name in SMOOTH or relation.eigenpairs is None:
        return
    exact, _ = relation.eigenpairs(len(values))
    if not np.allclose(values, exact, rtol=1e-9, atol=0):
        raise ValueError(
            f"{name} holds other eigenvalues than the closed form of {relation.name}; expected "
            f"those of relation.eigenpairs({len(values)})"
        )
