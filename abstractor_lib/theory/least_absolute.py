"""Least absolute deviations, many problems with one design matrix at once.

min_u ||y_r - X u||_1 + lambda ||u||_1 for r = 1 .. R is quantile regression at the median.

The dual is max_v y'v with X'v = 0 and |v| <= 1; the penalty is p more rows, lambda I. Any such v
proves a lower bound, so that every answer comes with a certificate that its caller can check.

Shapes: ``d`` rows and ``p`` columns of X, ``n`` rows with those of the penalty, ``R`` problems.
"""

from scipy.sparse import csr_array
from torch import Tensor

from .quantile_programs import Solution, quantile_programs

__all__ = ["Solution", "least_absolute_deviations"]


def least_absolute_deviations(
    x: Tensor | csr_array,
    y: Tensor,
    penalty: float = 0.0,
    *,
    tolerance: float = 1e-9,
    iterations: int = 60,
    alone: bool = False,
) -> Solution:
    """Solve min_u ||y_r - X u||_1 + penalty ||u||_1 for every row y_r.

    Args:
        x: ``(d, p)``, double precision; a tensor, or any sparse matrix or array of scipy.
        y: ``(R, d)``, on the same device.
        penalty: lambda >= 0.
        tolerance: relative duality gap to reach.
        iterations: at most so many.
        alone: solve problems of a dense design one after another too; faster for one, or few.

    Returns:
        `Solution`; a problem that did not reach the tolerance says so by its ``relative_gap``.

    Warns:
        LinAlgWarning: without a penalty, if columns are dependent; some are then left out, as in
            `quantile_programs`.

    Raises:
        ValueError: for other shapes or types, values that are not finite, or no data.

    Source: v1 eq. 3.10 and 3.16.

    Example:
        >>> import torch
        >>> x = torch.ones(5, 1, dtype=torch.float64)
        >>> y = torch.tensor([[1.0, 2.0, 3.0, 4.0, 100.0]], dtype=torch.float64)
        >>> found = least_absolute_deviations(x, y)
        >>> found.coefficients.tolist(), found.objective.tolist()  # the median
        ([[3.0]], [101.0])
    """
    if not 0 <= penalty < float("inf"):
        raise ValueError(f"penalty is {penalty}; expected a finite number of at least 0")
    found = quantile_programs(
        x,
        y,
        0.5,
        penalty=penalty / 2,
        tolerance=tolerance,
        iterations=iterations,
        alone=alone,
    )
    # |e| is twice what e costs at the median
    return found._replace(dual=2 * found.dual, objective=2 * found.objective, gap=2 * found.gap)
