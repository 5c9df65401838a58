"""Which columns of a design are independent, of a dense or a sparse one.

Shapes: ``n`` rows and ``p`` columns.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.sparse import csr_array, diags_array
from torch import Tensor

CONDITION = 1e13  # of a design with rows and columns of length one; double precision tells no more
BLOCK = 2**20  # numbers: of the rows of a sparse design that are dense at a time


class DependentColumns(ValueError):
    """Columns that are zero, nearly dependent, or more than rows.

    Attributes:
        independent: numbers of columns that are not, and that determine the others, in order.
    """

    def __init__(self, independent: NDArray[np.intp]):
        super().__init__(
            "x has columns that are zero or nearly dependent (condition above 1e13); expected full "
            "column rank"
        )
        self.independent = independent


def check_rank(x: Tensor | csr_array) -> None:
    """Raise `DependentColumns` unless columns are clearly independent.

    Args:
        x: ``(n, p)``.

    Raises:
        DependentColumns: whose ``independent`` leaves out columns that depend on later ones.

    Example:
        >>> try:
        ...     check_rank(torch.tensor([[1.0, 0, 2, 1], [1, 0, 2, 3]]))
        ... except DependentColumns as error:
        ...     print(error.independent)
        [2 3]
    """
    even = _even(x)
    if x.shape[1] > x.shape[0] or not _independent(even):
        raise DependentColumns(_independent_columns(even))


def _even(x: Tensor | csr_array) -> Tensor:
    """The design with rows of size one and columns of length one; of a sparse design the triangle
    of its QR, since what depends on what is the same there."""
    if isinstance(x, Tensor):
        tiny = torch.finfo(x.dtype).tiny
        even = x / x.abs().amax(dim=1, keepdim=True).clamp_min(tiny)
    else:
        tiny = float(np.finfo(float).tiny)
        sizes = abs(x).max(axis=1).toarray().reshape(-1)
        even = torch.from_numpy(_triangle(diags_array(1 / sizes.clip(tiny)) @ x))
    return even / even.norm(dim=0).clamp_min(tiny)


def _triangle(x: csr_array) -> NDArray[np.float64]:
    """R of the QR of a sparse design, from blocks of its rows."""
    p = x.shape[1]
    size = max(BLOCK // p, p)
    triangle = np.zeros((0, p))
    for first in range(0, x.shape[0], size):
        block = np.concatenate([triangle, x[first : first + size].toarray()])
        (triangle,) = qr(block, mode="r", check_finite=False)
        triangle = triangle[:p]
    return triangle


def _independent(even: Tensor) -> bool:
    singular = torch.linalg.svdvals(even)
    return bool(singular[-1] * CONDITION >= singular[0] > 0)


def _independent_columns(even: Tensor) -> NDArray[np.intp]:
    """By the method of Gram and Schmidt, each column projected twice."""
    (triangle,) = qr(even.cpu().numpy(), mode="r")
    triangle = triangle[: even.shape[1]]
    least = 1 / CONDITION
    while True:
        basis, kept = np.zeros((len(triangle), 0)), []
        for k in reversed(range(even.shape[1])):
            rest = triangle[:, k]
            for _ in range(2):
                rest = rest - basis @ (basis.T @ rest)
            length = np.linalg.norm(rest)
            if length > least:
                basis = np.column_stack([basis, rest / length])
                kept.append(k)
        found = np.array(sorted(kept), dtype=np.intp)
        if not len(found) or _independent(even[:, found]):
            return found
        least *= 10
