"""Linear maps onto several heads, and the size checks all modules share.

Shapes: ``b`` any batch dimensions, ``m`` objects, ``d`` features, ``h`` heads, ``k`` width of a
head.
"""

from numbers import Integral
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

FanRule = Literal["head", "einsum"]


def check_sizes(**sizes: int) -> None:
    """Raise ValueError naming the first argument that is not a positive integer.

    Example:
        >>> check_sizes(heads=2, key_dim=0)
        Traceback (most recent call last):
            ...
        ValueError: key_dim is 0; expected an integer of at least 1
    """
    for name, size in sizes.items():
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
            raise ValueError(f"{name} is {size!r}; expected an integer of at least 1")


def check_dropout(dropout: float) -> None:
    """Raise ValueError unless ``dropout`` is a probability below one.

    Example:
        >>> check_dropout(1.5)
        Traceback (most recent call last):
            ...
        ValueError: dropout is 1.5; expected a number in [0, 1)
    """
    if not 0.0 <= dropout < 1.0:
        raise ValueError(f"dropout is {dropout!r}; expected a number in [0, 1)")


def check_features(name: str, given: Tensor, dim: int, weight: Tensor | None = None) -> None:
    """Raise ValueError unless ``given`` is ``(..., objects, dim)`` and of the weights' dtype.

    Autocast chooses dtypes itself, so under it they are not compared.

    Example:
        >>> check_features("objects", torch.zeros(2, 5), 4)
        Traceback (most recent call last):
            ...
        ValueError: objects has shape (2, 5); expected (..., objects, 4)
    """
    if given.dim() < 2 or given.shape[-1] != dim:
        raise ValueError(f"{name} has shape {tuple(given.shape)}; expected (..., objects, {dim})")
    if weight is None or given.dtype == weight.dtype:
        return
    if not given.is_floating_point() or not torch.is_autocast_enabled(given.device.type):
        raise ValueError(f"{name} has dtype {given.dtype}; expected {weight.dtype}, as the weights")


class HeadLinear(nn.Linear):
    """One linear map per head, computed as a single matrix product.

    Args:
        dim: input features ``d``.
        heads: number of maps ``h``.
        width: output features ``k`` of each.
        bias: add a bias to each.
        fans: which fan-in and fan-out `initialise` takes under the Keras scheme: ``head`` for
            ``h`` separate dense layers (fans d, k), ``einsum`` for Keras' attention kernels of
            shape (d, h, k), whose fans are (d h, d k).

    Returns:
        ``forward(x)``: ``(b, m, d) -> (b, h, m, k)``; ``with_bias=False`` leaves the biases out.

    Example:
        >>> HeadLinear(8, heads=2, width=3)(torch.zeros(5, 4, 8)).shape
        torch.Size([5, 2, 4, 3])
    """

    def __init__(
        self, dim: int, heads: int, width: int, *, bias: bool = True, fans: FanRule = "head"
    ):
        check_sizes(dim=dim, heads=heads, width=width)
        super().__init__(dim, heads * width, bias=bias)
        self.heads, self.width = heads, width
        self.fans = (dim, width) if fans == "head" else (dim * heads, dim * width)

    def forward(self, x: Tensor, *, with_bias: bool = True) -> Tensor:
        y = F.linear(x, self.weight, self.bias if with_bias else None)  # (b, m, h * k)
        return y.unflatten(-1, (self.heads, self.width)).transpose(-3, -2)  # (b, h, m, k)


class HeadsToOutput(nn.Linear):
    """The output map of multi-head attention, from all heads to one vector.

    Args:
        heads, width: what comes in, ``(b, h, m, k)``.
        dim: output features ``d``.
        bias: add a bias.

    Its Keras kernel has shape (h, k, d), hence fans (h k, h d).

    Returns:
        ``forward(x)``: ``(b, h, m, k) -> (b, m, d)``.

    Example:
        >>> HeadsToOutput(2, 3, 8)(torch.zeros(5, 2, 4, 3)).shape
        torch.Size([5, 4, 8])
    """

    def __init__(self, heads: int, width: int, dim: int, *, bias: bool = True):
        check_sizes(heads=heads, width=width, dim=dim)
        super().__init__(heads * width, dim, bias=bias)
        self.fans = (heads * width, heads * dim)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.transpose(-3, -2).flatten(-2))
