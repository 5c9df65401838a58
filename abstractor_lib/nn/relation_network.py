"""Relation Network (Santoro et al. 2017), a relative of the Abstractor.

Shapes: ``b`` batch, ``m`` objects, ``d`` features, ``f`` features of a pair.
"""

from typing import Literal

import torch
from torch import Tensor, nn


class RelationNetwork(nn.Module):
    """The sum, or the mean, over all ordered pairs of objects of one function of both.

    Args:
        pair: the function g, ``(..., 2 * d) -> (..., f)``.
        reduction: over pairs; ``sum``, as in the source, or ``mean``.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, f)``. The order of the objects does not matter: an
        object that should know its place has to carry it.

    Raises:
        ValueError: for another reduction, and for the mean of no objects.

    Source: Santoro et al. 2017, A simple neural network module for relational reasoning: the inner
    part of ``f(sum_ij g(o_i, o_j))``; an object is paired with itself too.

    Example:
        >>> from abstractor_lib.nn import MLP
        >>> RelationNetwork(MLP([16, 32, 5]))(torch.zeros(2, 3, 8)).shape
        torch.Size([2, 5])
    """

    def __init__(self, pair: nn.Module, reduction: Literal["sum", "mean"] = "sum"):
        super().__init__()
        if reduction not in ("sum", "mean"):
            raise ValueError(f"reduction is {reduction!r}; expected 'sum' or 'mean'")
        self.pair, self.reduction = pair, reduction

    def forward(self, objects: Tensor) -> Tensor:
        m = objects.shape[-2]
        if self.reduction == "mean" and not m:
            raise ValueError(
                f"objects has shape {tuple(objects.shape)}; expected at least one object with "
                "reduction='mean'"
            )
        shape = (*objects.shape[:-1], m, objects.shape[-1])
        first = objects.unsqueeze(-2).expand(shape)  # (b, m, m, d), its entry ij is o_i
        second = objects.unsqueeze(-3).expand(shape)  # (b, m, m, d), its entry ij is o_j
        each = self.pair(torch.cat([first, second], dim=-1))  # (b, m, m, f)
        # sum_ij g(o_i, o_j)
        return each.mean((-3, -2)) if self.reduction == "mean" else each.sum((-3, -2))  # (b, f)
