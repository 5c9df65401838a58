"""Sinusoidal positions (Vaswani et al. 2017), as the papers' networks lay them out.

Shapes: ``b`` batch, ``m`` positions, ``d`` features.
"""

import torch
from torch import Tensor, nn

from .arguments import check_features, check_sizes, shown

WHOLE = (torch.int64, torch.int32)  # dtypes of what torch can index with


def sinusoids(positions: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """Sines and cosines of ``position / 10000 ** (i / (dim / 2))``, i = 0 .. dim / 2 - 1.

    Args:
        positions: ``(m,)`` or ``(m, n)``, of any sign.
        dim: features, an even number: the first half sines, the second half cosines.
        dtype: of the result; None for torch's default. Angles are computed in it, and in float32
            at least: bfloat16 has no number between 256 and 258, so that neighbouring positions
            would be equal.

    Returns:
        ``(m, dim)``, or ``(m, n, dim)``.

    Raises:
        ValueError: if ``dim`` is odd.

    Example:
        >>> sinusoids(torch.tensor([0]), 4).tolist()
        [[0.0, 0.0, 1.0, 1.0]]
    """
    check_sizes(dim=dim)
    if dim % 2:
        raise ValueError(f"dim is {dim}; expected an even number")
    default = torch.get_default_dtype()
    dtype = default if dtype is None else dtype
    exact = torch.promote_types(torch.promote_types(dtype, default), torch.float32)
    half = torch.arange(dim // 2, device=positions.device, dtype=exact) / (dim // 2)
    angles = positions.to(exact)[..., None] / 10000.0**half  # (m, d / 2)
    return torch.cat([angles.sin(), angles.cos()], dim=-1).to(dtype)  # (m, d)


def check_positions(positions: Tensor, count: int, whole: bool = False) -> None:
    """Raise ValueError unless there is a position for each object, in a tensor of numbers;
    ``whole``, of those that can choose one vector of several.

    Example:
        >>> check_positions(torch.tensor([3, 5]), 3)
        Traceback (most recent call last):
            ...
        ValueError: positions has shape (2,); expected one for each of the 3 objects, (3,)
    """
    if not isinstance(positions, Tensor):
        raise ValueError(
            f"positions is a {type(positions).__name__}; expected a tensor of shape ({count},)"
        )
    if positions.shape != (count,):
        raise ValueError(
            f"positions has shape {tuple(positions.shape)}; expected one for each of the {count} "
            f"objects, ({count},)"
        )
    if positions.dtype == torch.bool or (whole and positions.dtype not in WHOLE):
        wanted = "torch.int64" if whole else "whole or real numbers"
        raise ValueError(f"positions has dtype {positions.dtype}; expected {wanted}")


def real(x: Tensor) -> torch.dtype:
    """The dtype of positions for x: its own, or torch's default where that holds no fractions.

    Example:
        >>> real(torch.zeros(1, dtype=torch.float64)), real(torch.tensor([3]))
        (torch.float64, torch.float32)
    """
    return x.dtype if x.is_floating_point() else torch.get_default_dtype()


class AddPositions(nn.Module):
    """x <- sqrt(d) x + sinusoids: positions for embedded objects, tokens or symbols.

    Args:
        dim: features ``d``, an even number.
        scale: multiply x by sqrt(d) first, which keeps small embeddings visible beside positions.

    Returns:
        ``forward(x, start=0)``: ``(b, m, d) -> (b, m, d)``; the first position is ``start``. Whole
        numbers become torch's default dtype. ``positions`` ``(m,)`` are taken in place of
        ``start`` and those that follow.

    Raises:
        ValueError: for another number of positions.

    Example:
        >>> AddPositions(4)(torch.ones(1, 1, 4)).tolist()
        [[[2.0, 2.0, 3.0, 3.0]]]
    """

    def __init__(self, dim: int, *, scale: bool = True):
        super().__init__()
        sinusoids(torch.zeros(1), dim)  # an odd dim is an error here, not at the first batch
        self.dim, self.scale = dim, dim**0.5 if scale else 1.0

    def forward(self, x: Tensor, start: int = 0, positions: Tensor | None = None) -> Tensor:
        check_features("x", x, self.dim)
        if positions is None:
            positions = torch.arange(start, start + x.shape[-2], device=x.device)
        check_positions(positions, x.shape[-2])
        return self.scale * x + sinusoids(positions, self.dim, real(x))  # (b, m, d)

    def extra_repr(self) -> str:
        return shown(self, "dim", "scale")
