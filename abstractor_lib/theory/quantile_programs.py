"""Quantile regression, many problems with one design matrix at once, each with a certificate.

    min_u sum_i c_i rho(y_i - x_i' u) + sum_j l_j |u_j|,   rho(e) = max(t e, (t - 1) e)

for r = 1 .. R: other observations y, weights c and quantiles t, the same X. A penalty is one more
row, 2 l_j times the j-th unit vector, at t = 1/2.

Dense designs are worked on together, sparse ones (scipy.sparse) one problem after another and never
made dense, except where that could not prove an answer or where columns are many for the rows.

Any v with X'v = 0 and c (t - 1) <= v <= c t proves that no answer costs less than y'v. So every
answer comes with a proof that its caller can check.

Shapes: ``d`` rows and ``p`` columns of X, ``n`` rows with those of penalties, ``R`` problems.
"""

import warnings

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from scipy.sparse import csr_array, diags_array, issparse, vstack
from torch import Tensor

from .alone import apart
from .interior_point import Loss
from .rank import DependentColumns
from .solution import Solution, power
from .together import together

__all__ = ["Solution", "quantile_programs"]

DENSE = 2**24  # numbers of a sparse design that may be made dense, if nothing else gives a proof


def quantile_programs(
    x: Tensor | csr_array,
    y: Tensor,
    quantiles: float | Tensor = 0.5,
    *,
    weights: Tensor | None = None,
    penalty: float | Tensor = 0.0,
    tolerance: float = 1e-9,
    iterations: int = 60,
    alone: bool = False,
) -> Solution:
    """Solve min_u sum_i c_ri rho(y_ri - x_i'u) + sum_j l_j |u_j| for every row y_r.

    If columns without a penalty are dependent (an indicator of every category beside a constant,
    more columns than rows), many answers are optimal. The one given leaves out columns that depend
    on later ones: they have the coefficient 0. It is not the one of least norm.

    Args:
        x: ``(d, p)``, double precision; a tensor, or any sparse matrix or array of scipy.
        y: ``(R, d)``, on the same device.
        quantiles: t, between 0 and 1; one, or one a problem, ``(R,)``.
        weights: c >= 0, ``(R, d)`` or for all problems ``(d,)``, or none: all are 1.
        penalty: l >= 0; one, or one a column, ``(p,)``.
        tolerance: relative duality gap to reach.
        iterations: at most so many.
        alone: solve problems of a dense design one after another too. That is faster for one of
            them, or for few. Answers are the same but for rounding.

    Returns:
        `Solution`; a problem that did not reach the tolerance says so by its ``relative_gap``.

    Warns:
        LinAlgWarning: where columns were left out; it names them.

    Raises:
        ValueError: for other shapes or types, values that are not finite, no data, weights above
            zero on so few rows of a problem that columns become dependent, or coefficients that
            double precision cannot hold.

    Example:
        >>> x = torch.ones(5, 1, dtype=torch.float64)
        >>> y = torch.tensor([[1.0, 2.0, 3.0, 4.0, 100.0]], dtype=torch.float64)
        >>> found = quantile_programs(x, y, 0.7)
        >>> round(found.coefficients.item(), 12), found.exact.item()
        (4.0, True)
    """
    if issparse(x):
        x = csr_array(x, copy=True)  # in which entries may be summed that stand twice
        x.sum_duplicates()
    share, penalty = _check(x, y, quantiles, weights, penalty, tolerance)
    if weights is not None and weights.dim() == 1:  # the same for all problems: other rows
        found = quantile_programs(
            _weighted(x, weights),
            weights * y,
            quantiles,
            penalty=penalty,
            tolerance=tolerance,
            iterations=iterations,
            alone=alone,
        )
        found.dual[:, : y.shape[1]].mul_(weights)
        return found
    # coefficients in units of which no sum overflows; powers of two, so that nothing is rounded
    rows, units = _in_units(x, penalty)
    more, d = rows.shape[0] - x.shape[0], x.shape[0]
    if more:
        share = torch.cat([share.expand(-1, d), share.new_full((len(share), more), 0.5)], 1)
        y = torch.cat([y, y.new_zeros(len(y), more)], dim=1)
        if weights is not None:
            weights = torch.cat([weights, weights.new_ones(len(weights), more)], dim=1)
    loss, settings = Loss(share, weights), (tolerance, iterations, alone)
    with torch.inference_mode():  # of one small problem, a fifth of the time is spent on gradients
        try:
            found = _solve(rows, y, loss, units, *settings)
        except DependentColumns as dependent:
            kept = dependent.independent
            _warn_of_dependent(rows.shape[1], kept)
            u = y.new_zeros(len(y), rows.shape[1])
            if len(kept):
                found = _solve(rows[:, kept], y, loss, units[kept], *settings)
                u[:, kept] = found.coefficients
            else:
                found = _of_nothing(y, loss)
            found = found._replace(coefficients=u)
    found = Solution(*(part.clone() for part in found))
    if not found.coefficients.isfinite().all():
        raise ValueError("y is so much larger than x that coefficients exceed double precision")
    return found


def _solve(
    rows: Tensor | csr_array,
    y: Tensor,
    loss: Loss,
    units: Tensor,
    tolerance: float,
    iterations: int,
    alone: bool,
) -> Solution:
    """Problems with independent columns, in units of which no sum overflows."""
    n, p = rows.shape
    sparse = not isinstance(rows, Tensor)
    if n - p < p or not (sparse or alone):  # the complement of the column space is the smaller one
        return together(_dense(rows), y, loss, units, tolerance, iterations)
    found = apart(rows, y, loss, units, tolerance, iterations)
    missed = torch.nonzero(~(found.relative_gap <= tolerance))[:, 0]
    if len(missed) and (not sparse or n * p <= DENSE):
        some = loss.pick(missed)
        found.keep(missed, together(_dense(rows), y[missed], some, units, tolerance, iterations))
    return found


def _dense(rows: Tensor | csr_array) -> Tensor:
    return rows if isinstance(rows, Tensor) else torch.from_numpy(rows.toarray())


def _in_units(x: Tensor | csr_array, penalty: Tensor) -> tuple[Tensor | csr_array, Tensor]:
    """The design in units of which no sum overflows, with rows of penalties; and the units."""
    if isinstance(x, Tensor):
        units = power(torch.maximum(x.abs().amax(dim=0), 2 * penalty))
        return torch.cat([x / units, torch.diag(2 * penalty / units)[penalty > 0]]), units
    sizes = torch.from_numpy(abs(x).max(axis=0).toarray().reshape(-1))
    units = power(torch.maximum(sizes, 2 * penalty))
    more = csr_array(diags_array((2 * penalty / units).numpy()))[(penalty > 0).numpy()]
    return csr_array(vstack([x @ diags_array(1 / units.numpy()), more])), units


def _weighted(x: Tensor | csr_array, weights: Tensor) -> Tensor | csr_array:
    if isinstance(x, Tensor):
        return weights[:, None] * x
    return csr_array(diags_array(weights.numpy()) @ x)


def _of_nothing(y: Tensor, loss: Loss) -> Solution:
    """Of problems whose design is zero."""
    dual = torch.where(y == 0, 0.0, torch.where(y > 0, loss.high(), loss.low()))
    cost, none = loss.of(y).sum(dim=1), y.new_zeros(len(y))
    count = torch.zeros(len(y), dtype=torch.long, device=y.device)
    return Solution(y[:, :0], dual, cost, none, none, count, torch.ones_like(count).bool())


def _warn_of_dependent(columns: int, kept: NDArray[np.intp]) -> None:
    left = np.setdiff1d(np.arange(columns), kept)
    named = ", ".join(str(k) for k in left[:5]) + (", ..." if len(left) > 5 else "")
    warnings.warn(
        f"x has {columns} columns, of which {len(kept)} are independent. So many answers are "
        f"optimal; in this one these columns (counted from 0) have the coefficient 0: {named}.",
        LinAlgWarning,
        stacklevel=3,
    )


def _check(
    x: Tensor | csr_array, y: Tensor, quantiles, weights: Tensor | None, penalty, tolerance: float
) -> tuple[Tensor, Tensor]:
    """Quantiles, ``(1 or R, 1)``, and penalties, ``(p,)``."""
    for name, given, axes in (("x", x, "(d, p)"), ("y", y, "(R, d)")):
        if name == "y" or not isinstance(given, csr_array):
            _check_tensor(name, given)
        if len(given.shape) != 2 or 0 in given.shape:
            raise ValueError(
                f"{name} has shape {tuple(given.shape)}; expected {axes}, none of them zero"
            )
        expected = torch.float64 if isinstance(given, Tensor) else np.dtype(np.float64)
        if given.dtype != expected:
            raise ValueError(f"{name} has dtype {given.dtype}; expected {expected}")
        values = given if isinstance(given, Tensor) else torch.from_numpy(given.data)
        if not values.isfinite().all():
            raise ValueError(f"{name} holds values that are not finite")
    if not isinstance(x, Tensor) and y.device.type != "cpu":
        raise ValueError(f"y is on {y.device}; expected the CPU, where a sparse x is")
    d, p = x.shape
    if y.shape[1] != d:
        raise ValueError(f"y has shape {tuple(y.shape)}; expected (R, {d}), as x has rows")
    share = torch.as_tensor(quantiles, dtype=y.dtype, device=y.device).reshape(-1, 1)
    if len(share) not in (1, len(y)) or not ((share > 0) & (share < 1)).all():
        raise ValueError(
            f"quantiles is {quantiles}; expected numbers between 0 and 1, one or {len(y)} of them"
        )
    costs = torch.as_tensor(penalty, dtype=y.dtype, device=y.device).reshape(-1)
    if len(costs) not in (1, p) or not ((costs >= 0) & costs.isfinite()).all():
        raise ValueError(f"penalty is {penalty}; expected finite numbers of at least 0")
    if weights is not None:
        right = weights.shape in ((d,), y.shape) and weights.dtype == y.dtype
        if not right or not ((weights >= 0) & weights.isfinite()).all():
            raise ValueError(
                f"weights has shape {tuple(weights.shape)} and dtype {weights.dtype}; expected "
                f"finite numbers of at least 0, ({d},) or {tuple(y.shape)}, torch.float64"
            )
        if (weights.amax(dim=-1) == 0).any():
            raise ValueError("weights are all zero; expected one above zero in every problem")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}; expected a number between 0 and 1")
    return share, costs.expand(p)


def _check_tensor(name: str, given) -> None:
    or_sparse = " or a sparse matrix or array of scipy" if name == "x" else ""
    if not isinstance(given, Tensor):
        raise ValueError(f"{name} is of type {type(given).__name__}; expected a tensor{or_sparse}")
    if given.layout != torch.strided:
        raise ValueError(f"{name} is a sparse tensor; expected a dense one{or_sparse}")
