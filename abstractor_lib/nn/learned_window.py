"""The learned attention window: a gate that falls with distance (Segert & Cohen 2023)."""

import math
from numbers import Real

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .arguments import Device, DType, shown


def window_length(a: Tensor, b: Tensor, level: float = 0.5) -> Tensor:
    """The effective length of a window: the distance beyond which F_{a,b} is less than ``level``.

    Args:
        a, b: of one shape.
        level: above 0 and at most 1.

    Raises:
        ValueError: for another level.

    Example:
        >>> [round(window_length(torch.tensor(a), torch.tensor(2.0)).item(), 2) for a in (1.0, 9.0)]
        [3.1, 18.0]
    """
    if not isinstance(level, Real) or not 0 < level <= 1:
        raise ValueError(f"level is {level!r}; expected a number above 0 and at most 1")
    if level == 1:
        return 0.0 * (a * b)  # F(0) = 1
    return b * (a - torch.logit(level * a.sigmoid()))


class LearnedWindow(nn.Module):
    """F_{a,b}(x) = (1 - sigma(x / b - a)) / (1 - sigma(-a)), a, b > 0 learned; F(0) = 1.

    Segert & Cohen 2023, Incorporating Adaptive Attention Window. The parameters are log a and
    log b: both stay positive, and a step of the optimiser changes them by a share of themselves.

    Args:
        a, b: to start from. The paper does not say. By default F falls to one half at distance 11,
            half of the 20 points that its models see.
        device, dtype: of the parameters.

    Returns:
        ``forward(distance)``: F, of the same shape as distances of at least 0.

    Raises:
        ValueError: if a or b is not a number above zero and below infinity.

    Example:
        >>> window = LearnedWindow(a=2.0, b=5.0)
        >>> [round(value, 2) for value in window(torch.tensor([0.0, 5.0, 20.0])).tolist()]
        [1.0, 0.83, 0.14]
        >>> round(window.length().item(), 1)
        11.2
    """

    def __init__(
        self, a: float = 2.0, b: float = 5.0, *, device: Device = None, dtype: DType = None
    ):
        super().__init__()
        for name, value in (("a", a), ("b", b)):
            if not isinstance(value, Real) or not 0 < value < math.inf:
                raise ValueError(
                    f"{name} is {value!r}; expected a number above 0 and below infinity"
                )
        self.start = (float(a), float(b))
        self.log_a = nn.Parameter(torch.empty((), device=device, dtype=dtype))
        self.log_b = nn.Parameter(torch.empty((), device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Go back to the start."""
        with torch.no_grad():
            for parameter, value in zip((self.log_a, self.log_b), self.start, strict=True):
                parameter.fill_(math.log(value))

    def log(self, distance: Tensor) -> Tensor:
        """log F, finite at any distance."""
        a, b = self.log_a.exp(), self.log_b.exp()
        # 1 - sigma(u) = sigma(-u), hence F(x) = sigma(a - x / b) / sigma(a)
        return F.logsigmoid(a - distance / b) - F.logsigmoid(a)

    def forward(self, distance: Tensor) -> Tensor:
        return self.log(distance).exp()

    def length(self) -> Tensor:
        """The effective length, where F falls below one half, ``()``."""
        return window_length(self.log_a.exp(), self.log_b.exp())

    def extra_repr(self) -> str:
        return shown(self, "start")
