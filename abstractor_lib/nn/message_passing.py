"""Symbolic message-passing: symbols mixed by relations (v1 eq. 2.1, 2.2, Algorithm 1).

Shapes: ``b`` batch, ``m`` objects, ``r`` relation dimensions, ``d`` features of a symbol.
"""

from typing import Literal

import torch
from torch import Tensor, nn

from .linear import HeadLinear, check_sizes


def symbolic_message_passing(relations: Tensor, symbols: Tensor) -> Tensor:
    """Linear message-passing, s_i <- sum_j R[i, j] s_j, once for each relation dimension.

    Args:
        relations: ``(b, r, m, m)``.
        symbols: ``(m, d)``, shared by the relation dimensions, ``(r, m, d)``, or ``(b, r, m, d)``
            (``(b, 1, m, d)`` for states that differ by example but not by dimension).

    Returns:
        ``(b, r, m, d)``.

    Source: v1 eq. 2.2; for r > 1 the paper concatenates the dimensions.

    Example:
        >>> swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).view(1, 1, 2, 2)
        >>> symbolic_message_passing(swap, torch.tensor([[1.0], [2.0]]))[0, 0].tolist()
        [[2.0], [1.0]]
    """
    # s_i <- sum_j R[i, j] s_j   (v1 eq. 2.2)
    return relations @ symbols  # (b, r, m, d)


class SymbolicMessagePassing(nn.Module):
    """Message-passing followed by one linear map of the concatenated result.

    ``concatenate``: a_i = [W_k sum_j R[i, j, k] s_j]_k + b, with W_k from d_s to d_s / r: one
    block for each relation dimension (v3's Abstractor).
    ``mix``: a_i = W [sum_j R[i, j, k] s_j]_k + b, with W from r d_s to the output (v1).

    Both are linear, so W acts on the symbols first: it then costs nothing per input.

    Args:
        dim: features ``d_s`` of a symbol.
        relations: relation dimensions ``r``.
        combine: ``concatenate`` or ``mix``.
        out_dim: output features; ``concatenate`` needs a multiple of ``relations``. None for
            ``dim``.

    Returns:
        ``forward(relations, symbols)``: ``(b, r, m, m), (m, d_s) or (b, m, d_s) -> (b, m, out)``.

    Raises:
        ValueError: for sizes below one or an ``out_dim`` that the relations do not divide.

    Source: v1 Algorithm 1 and eq. 2.2; v3 section 2.2.

    Example:
        >>> layer = SymbolicMessagePassing(8, relations=4)
        >>> layer(torch.rand(2, 4, 5, 5), torch.rand(5, 8)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self,
        dim: int,
        relations: int,
        *,
        combine: Literal["concatenate", "mix"] = "concatenate",
        out_dim: int | None = None,
    ):
        super().__init__()
        out_dim = dim if out_dim is None else out_dim
        check_sizes(dim=dim, relations=relations, out_dim=out_dim)
        if combine not in ("concatenate", "mix"):
            raise ValueError(f"combine is {combine!r}; allowed: concatenate, mix")
        if combine == "concatenate" and out_dim % relations:
            raise ValueError(f"out_dim is {out_dim}; expected a multiple of relations, {relations}")
        self.combine = combine
        width = out_dim // relations if combine == "concatenate" else out_dim
        self.values = HeadLinear(dim, relations, width, bias=False)
        if combine == "mix":  # one dense layer on r d_s features
            self.values.fans = (relations * dim, out_dim)
        self.bias = nn.Parameter(torch.zeros(out_dim))

    def reset_parameters(self) -> None:
        nn.init.zeros_(self.bias)

    def forward(self, relations: Tensor, symbols: Tensor) -> Tensor:
        values = self.values(symbols)  # (r, m, k) or (b, r, m, k)
        messages = symbolic_message_passing(relations, values)  # (b, r, m, k)
        if self.combine == "mix":
            return messages.sum(dim=-3) + self.bias  # (b, m, out)
        return messages.transpose(-3, -2).flatten(-2) + self.bias  # (b, m, out)
