"""Symbols: vectors that refer to objects but do not depend on them (v1 section 2.1)."""

import torch
from torch import Tensor, nn

from .linear import check_sizes


class LearnedSymbols(nn.Module):
    """One trainable symbol per position, S = (s_1, ..., s_m).

    Args:
        count: symbols ``m``: the longest sequence of objects.
        dim: features ``d_s`` of a symbol.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (m, d_s)``; only the number of objects is read.

    Raises:
        ValueError: if there are more objects than symbols.

    Source: v1 Algorithm 1; initialised from N(0, 1).

    Example:
        >>> LearnedSymbols(10, 4)(torch.zeros(2, 3, 8)).shape
        torch.Size([3, 4])
    """

    def __init__(self, count: int, dim: int):
        super().__init__()
        check_sizes(count=count, dim=dim)
        self.vectors = nn.Parameter(torch.empty(count, dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.vectors)

    def forward(self, objects: Tensor) -> Tensor:
        count = objects.shape[-2]
        if count > self.vectors.shape[0]:
            raise ValueError(
                f"objects holds {count} objects; there are symbols for {self.vectors.shape[0]}"
            )
        return self.vectors[:count]
