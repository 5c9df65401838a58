"""What solvers of quantile regressions return: answers and what proves them.

Shapes: ``p`` columns of a design, ``n`` rows with those of penalties, ``R`` problems.
"""

from typing import NamedTuple

import torch
from torch import Tensor

FLOOR = 1e-6  # share of the sizes that cancel in deviations: sixteen digits leave no less to share
ROUNDING = 1e-14  # of these sizes: what their sums may be wrong by
SAFETY, LATE = 0.1, 1e-5  # of the tolerance: where to stop, and where if no vertex was found
FEW_ROWS = "weights above zero are on too few rows of a problem to determine all coefficients"


class Solution(NamedTuple):
    """Answers and what proves them.

    Attributes:
        coefficients: u, ``(R, p)``.
        dual: v, ``(R, n)``, within its bounds, and X'v = 0 to rounding. One entry for each row of
            X, then one for each penalty that is not zero.
        objective: what the answer costs, ``(R,)``.
        gap: objective - y'v, ``(R,)``: how far from optimal the answer is at most.
        relative_gap: the gap as a share of the objective. Deviations y_i - x_i'u are differences of
            numbers of about |y_i| + |x_i|'|u|, of which double precision holds sixteen digits. So
            where the objective is less than a millionth of their (weighted) sum, the gap is a share
            of this millionth. (An answer that meets every row has no objective to be a share of.)
        iterations: ``(R,)``.
        exact: whether the answer was proved optimal to rounding: it meets at least p rows, the dual
            that these rows leave is within its bounds, and the gap is at most 1e-14 of the sum
            above. If the rows are independent, it is a vertex of the program. ``(R,)``
    """

    coefficients: Tensor
    dual: Tensor
    objective: Tensor
    gap: Tensor
    relative_gap: Tensor
    iterations: Tensor
    exact: Tensor

    def keep(self, here: Tensor, other: "Solution") -> None:
        """Of the problems named, the other answers where their relative gaps are less."""
        better = other.relative_gap < self.relative_gap[here]
        for mine, part in zip(self, other, strict=True):
            mine[here[better]] = part[better]


def power(values: Tensor) -> Tensor:
    """Powers of two of about this size, 1 for 0.

    Example:
        >>> power(torch.tensor([0.0, 1.0, 5.0])).tolist()
        [1.0, 1.0, 4.0]
    """
    return torch.exp2(torch.where(values == 0, 1.0, values).log2().floor())
