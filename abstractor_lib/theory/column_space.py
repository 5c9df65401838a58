"""The column space of a design and its complement, in orthonormal bases.

Interior point steps solve with B' diag(q_r) B for many weights q_r and one basis B. All of these
are one matrix product: of the weights, (R, n), with the table of outer products of the rows of B.
How nearly dependent the columns of the design are does not matter: those of B are orthonormal.

Shapes: ``n`` rows and ``p`` columns of a design, ``k`` columns of a basis, ``R`` problems.
"""

from copy import copy

import numpy as np
import torch
from scipy.linalg import get_lapack_funcs, qr
from torch import Tensor

from .rank import check_rank

FEW = 8  # problems for which reading the table takes longer than computing without it
RIDGES = (1e-15, 1e-13, 1e-11, 1e-9)


class Basis:
    """Orthonormal columns B, ``(n, k)``, and the normal matrices B' diag(q_r) B."""

    def __init__(self, columns: Tensor):
        self.columns = columns
        self._single = self._products = None

    def single(self) -> "Basis":
        """The same in single precision."""
        if self._single is None:
            self._single = Basis(self.columns.float())
        return self._single

    def inside(self, rows: Tensor) -> Tensor:
        """What of the rows given lies in the span, ``(R, n) -> (R, n)``."""
        return (rows @ self.columns) @ self.columns.T

    def products(self, weights: Tensor) -> Tensor:
        """B' diag(q_r) B: of many problems the upper triangles, row after row, ``(R, n) ->
        (R, k (k + 1) / 2)``, of few ``(R, k, k)``."""
        if len(weights) >= FEW:
            return weights @ self._table()
        return torch.stack([(self.columns.T * q) @ self.columns for q in weights])

    def factor(self, products: Tensor) -> Tensor:
        """Cholesky factors of these, ``(R, k, k)``.

        Near the end rounding may leave a matrix indefinite. It gets a little more of its diagonal.
        """
        factors, failed = cholesky(self._unpack(products))
        for ridge in RIDGES:
            if not len(failed):
                break
            again = self._unpack(products[failed])
            again.diagonal(dim1=1, dim2=2).mul_(1 + ridge)
            factors[failed], left = cholesky(again)
            failed = failed[left]
        factors[failed] = torch.nan  # no step comes of these
        return factors

    def pivots(self, products: Tensor) -> Tensor:
        """Smallest pivot of each, ``(R,)``; zero if it is not positive definite."""
        factors, failed = cholesky(self._unpack(products))
        smallest = factors.diagonal(dim1=1, dim2=2).square().amin(dim=1)
        smallest[failed] = 0
        return smallest

    def _unpack(self, products: Tensor) -> Tensor:
        if products.dim() == 3:
            return products.clone()
        k, start = self.columns.shape[1], 0
        full = products.new_empty(len(products), k, k)  # the lower triangles are not read
        for i in range(k):
            full[:, i, i:] = products[:, start : start + k - i]
            start += k - i
        return full

    def _table(self) -> Tensor:
        """Products of two entries of a row, for each row, ``(n, k (k + 1) / 2)``."""
        if self._products is None:
            b = self.columns
            parts = [b[:, i : i + 1] * b[:, i:] for i in range(b.shape[1])]
            self._products = torch.cat(parts, dim=1)
        return self._products


class ColumnSpace:
    """What all problems with one design have in common.

    Attributes:
        x: the design, ``(n, p)``.
        columns: an orthonormal basis of its column space.
        basis: of the column space or of its complement, whichever is smaller.
        complement: whether ``basis`` is of the complement.

    Raises:
        DependentColumns: for columns that are zero, nearly dependent, or more than rows.

    Source: Cox & Higham 1998: if columns are pivoted and rows sorted by size, Householder's QR is
    backward stable in each row, however the rows are scaled.

    Example:
        >>> x = torch.tensor([[3.0], [4.0]], dtype=torch.float64)
        >>> space = ColumnSpace(x)
        >>> space.coefficients(torch.tensor([[6.0, 8.0]], dtype=torch.float64)).round().tolist()
        [[2.0]]
    """

    def __init__(self, x: Tensor, *, complement: bool = True):
        check_rank(x)
        n, p = x.shape
        self.x = x
        self.complement = complement and n - p < p
        given = x.cpu().numpy()
        rows = np.argsort(-np.abs(given).max(axis=1), kind="stable")
        mode = "full" if self.complement else "economic"
        q, r, self.pivots = qr(given[rows], mode=mode, pivoting=True)
        whole = np.empty_like(q, order="C")
        whole[rows] = q
        whole = torch.from_numpy(whole).to(x.device)
        self.triangle = torch.from_numpy(np.ascontiguousarray(r[:p])).to(x.device)
        self.columns = Basis(whole[:, :p].contiguous())
        self.basis = Basis(whole[:, p:].contiguous()) if self.complement else self.columns

    def single(self) -> "ColumnSpace":
        """The same with the basis in single precision, to follow a path with."""
        rough = copy(self)
        rough.basis = self.basis.single()
        return rough

    def project(self, rows: Tensor) -> Tensor:
        """Onto the column space, ``(R, n) -> (R, n)``."""
        inside = self.basis.inside(rows)
        return rows - inside if self.complement else inside

    def coefficients(self, fitted: Tensor) -> Tensor:
        """u with X u nearest to the rows given, ``(R, n) -> (R, p)``."""
        u = self.from_inside(fitted @ self.columns.columns)
        return u + self.from_inside((fitted - u @ self.x.T) @ self.columns.columns)

    def nearest(self, rows: Tensor, weights: Tensor | None = None) -> Tensor:
        """What to take from rows so that they are orthogonal to the columns: the least change, in
        units of the weights if there are any, ``(R, n) -> (R, n)``."""
        if weights is None:
            return self.project(rows)
        q = self.columns.columns
        factor = self.columns.factor(self.columns.products(weights))
        return weights * (torch.cholesky_solve((rows @ q)[..., None], factor)[..., 0] @ q.T)

    def from_inside(self, inside: Tensor) -> Tensor:
        """Coefficients of the columns from those of their orthonormal basis, ``(R, p)``."""
        found = torch.linalg.solve_triangular(self.triangle, inside.T, upper=True).T
        u = torch.empty_like(found)
        u[:, self.pivots] = found
        return u


def cholesky(full: Tensor) -> tuple[Tensor, Tensor]:
    """Lower factors of matrices whose upper triangles are given, and the numbers of those that are
    not positive definite: ``(R, k, k) -> (R, k, k), (f,)``. What is given is overwritten."""
    if full.device.type != "cpu":
        factors, failed = torch.linalg.cholesky_ex(full.mT)
        return factors, torch.nonzero(failed)[:, 0]
    columns = full.numpy().transpose(0, 2, 1)  # as LAPACK stores: a call a matrix, in place
    factor = get_lapack_funcs("potrf", dtype=columns.dtype)
    failed = [factor(one, lower=1, overwrite_a=1, clean=0)[1] != 0 for one in columns]
    return full.mT, torch.nonzero(torch.tensor(failed))[:, 0]
