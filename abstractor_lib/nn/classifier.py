"""Encoder -> Abstractor -> f(A): the model for classification and regression.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol, ``o`` outputs.
"""

from typing import Literal

from torch import Tensor, nn


class AbstractorClassifier(nn.Module):
    """Encoder -> Abstractor -> f(A): v1's default for classification and regression.

    Args:
        source: embeds the objects, ``(b, m, ...) -> (b, m, d)``.
        abstractor: an `Abstractor`, or any map ``(b, m, d) -> (b, m, s)``.
        head: pooled states to outputs.
        encoder: an `Encoder`, or None.
        pool: ``flatten`` the states, for a fixed number of objects, or take their ``mean``.

    Returns:
        ``forward(objects, mask=None)``: ``(b, m, ...), (b, m) -> (b, o)``; masked objects have no
        relations and do not enter the mean.

    Raises:
        ValueError: for an unknown pooling, or a mask with ``flatten``.

    Source: v1 section 2.5.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import (Abstractor, AbstractorLayer, FeedForward,
        ...     LearnedSymbols, MLP, RelationalCrossAttention)
        >>> layer = AbstractorLayer(RelationalCrossAttention(16, 2, 8), FeedForward(16, 32))
        >>> body = Abstractor(LearnedSymbols(5, 16), [layer])
        >>> model = AbstractorClassifier(nn.Linear(4, 16), body, MLP([16, 16, 3]), pool="mean")
        >>> model(torch.randn(7, 5, 4)).shape
        torch.Size([7, 3])
    """

    def __init__(
        self,
        source: nn.Module,
        abstractor: nn.Module,
        head: nn.Module,
        *,
        encoder: nn.Module | None = None,
        pool: Literal["flatten", "mean"] = "flatten",
    ):
        super().__init__()
        if pool not in ("flatten", "mean"):
            raise ValueError(f"pool is {pool!r}; allowed: flatten, mean")
        self.source, self.encoder, self.abstractor = source, encoder, abstractor
        self.head, self.pool = head, pool

    def forward(self, objects: Tensor, mask: Tensor | None = None) -> Tensor:
        masks = () if mask is None else (mask,)
        x = self.source(objects)  # (b, m, d)
        if self.encoder is not None:
            x = self.encoder(x, *masks)
        states = self.abstractor(x, *masks)  # (b, m, s)
        if self.pool == "flatten":
            if mask is not None:
                raise ValueError("mask is given with pool='flatten'; allowed: pool='mean'")
            return self.head(states.flatten(-2))  # (b, o)
        if mask is None:
            return self.head(states.mean(dim=-2))
        kept = (~mask).to(states.dtype).unsqueeze(-1)  # (b, m, 1)
        return self.head((states * kept).sum(dim=-2) / kept.sum(dim=-2).clamp(min=1))
