"""From a point near the optimum of a quantile regression to the optimum itself.

An optimal answer meets p independent rows exactly, or more, if it is the only one. Which rows these
are shows near the optimum: their duals stay inside the bounds. Their equations give the answer to
rounding; on the other rows v is at a bound, and X'v = 0 leaves the rest to the rows that are met.

Shapes: ``n`` rows, ``p`` columns, ``R`` problems.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .column_space import ColumnSpace
from .interior_point import Loss, Path

MET = 1e-12  # of a row's own size, that a deviation may be


class Vertex(NamedTuple):
    """An answer, its dual, and whether it meets the rows that it was meant to."""

    coefficients: Tensor  # (R, p)
    dual: Tensor  # (R, n)
    meets: Tensor  # (R,)


def vertex(space: ColumnSpace, y: Tensor, loss: Loss, path: Path) -> Vertex:
    """The answer on the rows that are met at the end of a path, and the dual that they leave.

    Example:
        >>> x = torch.ones(3, 1, dtype=torch.float64)
        >>> y = torch.tensor([[1.0, 2.0, 10.0]], dtype=torch.float64)
        >>> a = torch.tensor([[1e-9, 0.4, 1.0 - 1e-9]], dtype=torch.float64)
        >>> slack = torch.tensor([[[1.0, 1e-9, 1e-9]], [[1e-9, 1e-9, 8.0]]], dtype=torch.float64)
        >>> path = Path(y - 2, torch.stack([a, 1 - a]), slack)
        >>> found = vertex(ColumnSpace(x), y, Loss(torch.full((1, 1), 0.5).double()), path)
        >>> found.coefficients.round(decimals=12).tolist(), found.meets.tolist()
        ([[2.0]], [True])
    """
    q = space.columns.columns
    met = _met(path, loss, q.shape[1])  # (R, n)
    factor = space.columns.factor(space.columns.products(met))

    def solve(inside: Tensor) -> Tensor:
        return torch.cholesky_solve(inside[..., None], factor)[..., 0]

    u = torch.zeros_like(y[:, :1] @ q[:1])
    for _ in range(3):  # normal equations lose digits, refinement gets them back
        left = met * (y - u @ space.x.T)
        u = u + space.from_inside(solve(left @ q))
    left = y - u @ space.x.T
    size = y.abs() + u.abs() @ space.x.abs().T
    meets = (met * left.abs() <= MET * size).all(dim=1)
    bound = torch.where(left > 0, loss.high(), loss.low())
    v = torch.where(met > 0, path.dual(loss), bound)
    for _ in range(2):
        v = v - met * (solve(v @ q) @ q.T)
    return Vertex(u, v, meets)


def _met(path: Path, loss: Loss, p: int) -> Tensor:
    """Ones for rows that are met, at least p of them, and zeros, ``(R, n)``."""
    lead = path.met()
    if loss.weights is not None:
        lead = torch.where(loss.weights > 0, lead, 0.0)
    least = lead.topk(p, dim=1).values[:, -1:].clamp_max(1.0)
    return (lead >= least).to(lead.dtype)
