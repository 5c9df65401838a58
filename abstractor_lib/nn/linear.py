"""Linear maps onto several heads and back.

Shapes: ``b`` any batch dimensions, ``m`` objects, ``d`` features, ``h`` heads, ``k`` width of a
head.
"""

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from .arguments import Device, DType, check_sizes, check_word, shown

FanRule = Literal["head", "einsum"]


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
        device, dtype: of the parameters.

    Returns:
        ``forward(x)``: ``(b, m, d) -> (b, h, m, k)``; ``with_bias=False`` leaves the biases out.

    Example:
        >>> import torch
        >>> HeadLinear(8, heads=2, width=3)(torch.zeros(5, 4, 8)).shape
        torch.Size([5, 2, 4, 3])
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        width: int,
        *,
        bias: bool = True,
        fans: FanRule = "head",
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(dim=dim, heads=heads, width=width)
        check_word("fans", fans, ("head", "einsum"))
        super().__init__(dim, heads * width, bias=bias, device=device, dtype=dtype)
        self.heads, self.width = heads, width
        self.fans = (dim, width) if fans == "head" else (dim * heads, dim * width)

    def forward(self, x: Tensor, *, with_bias: bool = True) -> Tensor:
        y = F.linear(x, self.weight, self.bias if with_bias else None)  # (b, m, h * k)
        return y.unflatten(-1, (self.heads, self.width)).transpose(-3, -2)  # (b, h, m, k)

    def extra_repr(self) -> str:
        return f"{shown(self, 'in_features', 'heads', 'width')}, bias={self.bias is not None}"


class HeadsToOutput(nn.Linear):
    """The output map of multi-head attention, from all heads to one vector.

    Args:
        heads, width: what comes in, ``(b, h, m, k)``.
        dim: output features ``d``.
        bias: add a bias.
        device, dtype: of the parameters.

    Its Keras kernel has shape (h, k, d), hence fans (h k, h d).

    Returns:
        ``forward(x)``: ``(b, h, m, k) -> (b, m, d)``.

    Example:
        >>> import torch
        >>> HeadsToOutput(2, 3, 8)(torch.zeros(5, 2, 4, 3)).shape
        torch.Size([5, 4, 8])
    """

    def __init__(
        self,
        heads: int,
        width: int,
        dim: int,
        *,
        bias: bool = True,
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(heads=heads, width=width, dim=dim)
        super().__init__(heads * width, dim, bias=bias, device=device, dtype=dtype)
        self.heads, self.width = heads, width
        self.fans = (heads * width, heads * dim)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.transpose(-3, -2).flatten(-2))

    def extra_repr(self) -> str:
        return f"{shown(self, 'heads', 'width', 'out_features')}, bias={self.bias is not None}"
