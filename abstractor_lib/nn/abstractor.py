"""The Abstractor: layers that turn objects into abstract states through their relations only.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol.
"""

from collections.abc import Iterable
from typing import Literal

from torch import Tensor, nn

from .feedforward import LAYER_NORM_EPS
from .linear import check_dropout, check_sizes
from .symbols import RelativeSymbols


class AbstractorLayer(nn.Module):
    """One layer: [self-attention of the states], messages along relations, feed-forward.

    Args:
        relational: how relations between the objects update the states,
            ``forward(objects, states) -> (b, m, s)``: `RelationalCrossAttention`, or a
            `RelationalMessagePassing` of a relation and a message-passing module.
        feedforward: the map phi of each state; None for the identity.
        self_attention: a `MultiHeadAttention` of the states; None for none.
        self_attention_first: before (v1 Algorithm 4) or after the messages (v3 section 2.3).
        residual: add what came in, after self-attention and after the messages.
        norm: features ``s`` of a layer norm after each of the two; None for none.
        dropout: probability, on the result.

    Returns:
        ``forward(objects, states)``: ``(b, m, d), (m, s) or (b, m, s) -> (b, m, s)``. ``values``
        are mixed instead of the states if given; ``relative`` symbols are added to them.

    Source: the body of the loop in v1 Algorithms 3 and 4 and in v3 Algorithm 1.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import RelationalCrossAttention
        >>> layer = AbstractorLayer(RelationalCrossAttention(8, 2, 4), residual=True, norm=8)
        >>> layer(torch.randn(5, 3, 8), torch.randn(3, 8)).shape
        torch.Size([5, 3, 8])
    """

    def __init__(
        self,
        relational: nn.Module,
        feedforward: nn.Module | None = None,
        *,
        self_attention: nn.Module | None = None,
        self_attention_first: bool = True,
        residual: bool = False,
        norm: int | None = None,
        dropout: float = 0.0,
    ):
        super().__init__()
        check_dropout(dropout)
        if norm is not None:
            check_sizes(norm=norm)
        self.self_attention = self_attention
        self.self_attention_first = self_attention_first
        self.relational = relational
        self.feedforward = nn.Identity() if feedforward is None else feedforward
        self.residual = residual
        self.norm, self.self_norm = (
            nn.LayerNorm(norm, eps=LAYER_NORM_EPS) if norm and block is not None else nn.Identity()
            for block in (relational, self_attention)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        objects: Tensor,
        states: Tensor,
        values: Tensor | None = None,
        *,
        relative: Tensor | None = None,
        key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        masks = {} if key_padding_mask is None else {"key_padding_mask": key_padding_mask}
        offsets = {} if relative is None else {"relative": relative}
        if self.self_attention is not None and self.self_attention_first:
            states = self._attend(states, masks)  # (b, m, s)
        mixed = self.relational(objects, states if values is None else values, **offsets, **masks)
        states = self.norm(states + mixed if self.residual else mixed)  # (b, m, s)
        if self.self_attention is not None and not self.self_attention_first:
            states = self._attend(states, masks)
        return self.dropout(self.feedforward(states))  # (b, m, s)

    def _attend(self, states: Tensor, masks: dict[str, Tensor]) -> Tensor:
        mixed = self.self_attention(states, states, states, **masks)
        return self.self_norm(states + mixed if self.residual else mixed)


class Abstractor(nn.Module):
    """Abstract states of objects: A = S, then A <- layer(X, A) for each layer.

    The algorithms of the papers are settings of it:

    ======================  ==================================================================
    v1 Algorithm 3          layers ``AbstractorLayer(RelationalMessagePassing(relation,
                            SymbolicMessagePassing(s, r, combine="mix")), phi)``
    v1 Algorithm 1          the same with relation ``GivenRelation()``, called with a relation
                            tensor ``(b, r, m, m)`` in place of the objects, without dropout
    v1 Algorithm 4          layers ``AbstractorLayer(RelationalCrossAttention(...), phi,
                            self_attention=MultiHeadAttention(...))`` and ``values="symbols"``:
                            as printed, each layer mixes the symbols and drops the states
    v3 Algorithm 1          layers ``AbstractorLayer(RelationalCrossAttention(...),
                            FeedForward(...), residual=True, norm=s)``
    v3 eq. 7                symbols ``RelativeSymbols(s)``; the rule for deeper layers is there
    ======================  ==================================================================

    Args:
        symbols: gives the symbols, ``forward(objects) -> (m, s) or (b, m, s)``, or
            `RelativeSymbols`, with which the states start from zero.
        layers: the layers, applied in turn.
        values: what each layer mixes, the ``states`` or always the ``symbols``.
        dropout: probability, on the symbols, with a mask for each example.

    Returns:
        ``forward(objects, key_padding_mask=None)``: ``(b, m, d), (b, m) -> (b, m, s)``.

    Raises:
        ValueError: if there is no layer.

    Source: v1 Algorithms 1, 3 and 4; v3 Algorithm 1.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import (FeedForward, LearnedSymbols, MultiHeadRelation,
        ...     RelationalMessagePassing, SymbolicMessagePassing)
        >>> messages = RelationalMessagePassing(MultiHeadRelation(64, relations=4, key_dim=16),
        ...     SymbolicMessagePassing(64, relations=4))
        >>> layer = AbstractorLayer(messages, FeedForward(64, 64))
        >>> abstractor = Abstractor(LearnedSymbols(2, 64), [layer])
        >>> abstractor(torch.randn(5, 2, 64)).shape
        torch.Size([5, 2, 64])
        >>> sum(p.numel() for p in abstractor.parameters())  # v3's pairwise Abstractor
        20928
    """

    def __init__(
        self,
        symbols: nn.Module,
        layers: Iterable[nn.Module],
        *,
        values: Literal["states", "symbols"] = "states",
        dropout: float = 0.0,
    ):
        super().__init__()
        check_dropout(dropout)
        if values not in ("states", "symbols"):
            raise ValueError(f"values is {values!r}; allowed: states, symbols")
        self.symbols = symbols
        self.layers = nn.ModuleList(layers)
        if not self.layers:
            raise ValueError("layers is empty; expected at least one AbstractorLayer")
        self.values = values
        self.dropout = nn.Dropout(dropout)

    def forward(self, objects: Tensor, key_padding_mask: Tensor | None = None) -> Tensor:
        symbols = self.symbols(objects)  # (m, s), (b, m, s) or, relative, (2m - 1, s)
        if self.training and self.dropout.p:
            symbols = self.dropout(symbols.expand(*objects.shape[:-2], *symbols.shape[-2:]))
        given = {}
        if key_padding_mask is not None:
            given["key_padding_mask"] = key_padding_mask
        if isinstance(self.symbols, RelativeSymbols):
            given["relative"] = symbols
            symbols = symbols.new_zeros(objects.shape[-2], symbols.shape[-1])
        states = symbols
        for layer in self.layers:
            values = symbols if self.values == "symbols" else None
            states = layer(objects, states, values, **given)  # (b, m, s)
        return states
