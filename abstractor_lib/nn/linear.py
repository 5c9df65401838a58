"""Linear maps onto several heads, and the size checks all modules share.

Shapes: ``b`` any batch dimensions, ``m`` objects, ``d`` features, ``h`` heads, ``k`` width of a
head.
"""

from typing import Literal

from torch import Tensor, nn

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
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
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
        ``forward(x)``: ``(b, m, d) -> (b, h, m, k)``.

    Example:
        >>> import torch
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

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).unflatten(-1, (self.heads, self.width)).transpose(-3, -2)


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
        >>> import torch
        >>> HeadsToOutput(2, 3, 8)(torch.zeros(5, 2, 4, 3)).shape
        torch.Size([5, 4, 8])
    """

    def __init__(self, heads: int, width: int, dim: int, *, bias: bool = True):
        check_sizes(heads=heads, width=width, dim=dim)
        super().__init__(heads * width, dim, bias=bias)
        self.fans = (heads * width, heads * dim)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.transpose(-3, -2).flatten(-2))
