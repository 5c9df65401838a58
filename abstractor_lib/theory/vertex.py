"""From a point near the optimum of a quantile regression to the optimum itself.

If the optimum is unique, it meets at least p independent rows exactly. Which rows these are shows
near the optimum: their duals stay inside the bounds. Their equations give the answer to
rounding; on the other rows v is at a bound, and X'v = 0 leaves the rest to the rows that are met.

Shapes: ``n`` rows, ``p`` columns, ``R`` problems.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .column_space import ColumnSpace
from .interior_point import Loss, Path

MET = 1e-12  # of what may cancel in a row, that a deviation may be


class Vertex(NamedTuple):
    """An answer, its dual, and whether it meets the rows that it was meant to."""

    coefficients: Tensor  # (R, p)
    dual: Tensor  # (R, n)
    meets: Tensor  # (R,)


def vertex(space: ColumnSpace, y: Tensor, loss: Loss, path: Path, *, fewest: bool) -> Vertex:
    """The answer that meets certain rows, chosen at the end of a path; and its dual: at a bound on
    the rows that the answer does not meet, and on the others what X'v = 0 asks.

    Args:
        space, y, loss: of the problems.
        path: where they are.
        fewest: the answer is that on the p rows that are met most surely, otherwise on all that
            are rather met than not (p may be dependent).

    Example:
        >>> x = torch.ones(3, 1, dtype=torch.float64)
        >>> y = torch.tensor([[1.0, 2.0, 10.0]], dtype=torch.float64)
        >>> a = torch.tensor([[1e-9, 0.4, 1.0 - 1e-9]], dtype=torch.float64)
        >>> slack = torch.tensor([[[1.0, 1e-9, 1e-9]], [[1e-9, 1e-9, 8.0]]], dtype=torch.float64)
        >>> path = Path(y - 2, torch.stack([a, 1 - a]), slack)
        >>> half = Loss(torch.full((1, 1), 0.5, dtype=torch.float64))
        >>> found = vertex(ColumnSpace(x), y, half, path, fewest=True)
        >>> found.coefficients.round(decimals=12).tolist(), found.meets.tolist()
        ([[2.0]], [True])
    """
    q = space.columns.columns
    lead = path.met()
    if loss.weights is not None:
        lead = torch.where(loss.weights > 0, lead, 0.0)
    least = lead.topk(q.shape[1], dim=1).values[:, -1:]
    chosen = lead >= (least if fewest else least.clamp_max(1.0))
    on = _Rows(space, chosen)
    u = on.fit(y)
    left = y - u @ space.x.T
    largest = u.abs().amax(dim=1, keepdim=True)
    met = left.abs() <= MET * (y.abs() + largest * space.x.abs().sum(dim=1))
    meets = (met | ~chosen).all(dim=1)
    if (met != chosen).any():
        on = _Rows(space, met)
    bound = torch.where(left > 0, loss.high(), loss.low())
    return Vertex(u, on.balance(torch.where(met, path.dual(loss), bound)), meets)


class _Rows:
    """Equations of some rows of the design, ``(R, n)``, each divided by its length."""

    def __init__(self, space: ColumnSpace, chosen: Tensor):
        self.space = space
        self.q = space.columns.columns
        self.weights = chosen / self.q.square().sum(dim=1).clamp_min(1e-300)
        self.factor = space.columns.factor(space.columns.products(self.weights))

    def solve(self, inside: Tensor) -> Tensor:
        return torch.cholesky_solve(inside[..., None], self.factor)[..., 0]

    def fit(self, y: Tensor) -> Tensor:
        """u with x_i'u = y_i. Normal equations lose digits, and refinement gets them back."""
        u = torch.zeros_like(y[:, :1] @ self.q[:1])
        for _ in range(3):
            left = self.weights * (y - u @ self.space.x.T)
            u = u + self.space.from_inside(self.solve(left @ self.q))
        return u

    def balance(self, v: Tensor) -> Tensor:
        """v changed on these rows, and as little as it takes, to X'v = 0."""
        for _ in range(2):
            v = v - self.weights * (self.solve(v @ self.q) @ self.q.T)
        return v
