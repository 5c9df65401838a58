"""The Abstractor: layers that turn objects into abstract states through their relations only.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol.
"""

from collections.abc import Iterable

from torch import Tensor, nn

from .linear import check_dropout


class AbstractorLayer(nn.Module):
    """Relations, message-passing, feed-forward: A <- phi(MessagePassing(R(X), A)).

    Args:
        relation: objects to relations, ``(b, m, d) -> (b, r, m, m)``.
        message_passing: ``(b, r, m, m), (m, s) or (b, m, s) -> (b, m, s)``.
        feedforward: the map phi of each abstract state; None for the identity.
        dropout: probability, on the result.

    Returns:
        ``forward(objects, states)``: ``(b, m, d), (m, s) or (b, m, s) -> (b, m, s)``.

    Source: the body of the loop in v1 Algorithm 3 and v3 Algorithm 1.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import MultiHeadRelation, SymbolicMessagePassing
        >>> layer = AbstractorLayer(MultiHeadRelation(8, 2, 4), SymbolicMessagePassing(6, 2))
        >>> layer(torch.randn(5, 3, 8), torch.randn(3, 6)).shape
        torch.Size([5, 3, 6])
    """

    def __init__(
        self,
        relation: nn.Module,
        message_passing: nn.Module,
        feedforward: nn.Module | None = None,
        *,
        dropout: float = 0.0,
    ):
        super().__init__()
        check_dropout(dropout)
        self.relation = relation
        self.message_passing = message_passing
        self.feedforward = nn.Identity() if feedforward is None else feedforward
        self.dropout = nn.Dropout(dropout)

    def forward(self, objects: Tensor, states: Tensor) -> Tensor:
        relations = self.relation(objects)  # (b, r, m, m)
        states = self.message_passing(relations, states)  # (b, m, s)
        return self.dropout(self.feedforward(states))  # (b, m, s)


class Abstractor(nn.Module):
    """Abstract states of objects: A = S, then A <- layer(X, A) for each layer.

    The two forms of the papers differ in their layers only. v1's mixes the concatenated messages
    by one dense layer::

        AbstractorLayer(MultiHeadRelation(d, r, p, bias=True),
                        SymbolicMessagePassing(s, r, combine="mix"))

    v3's has one dense block per relation dimension and a feed-forward network::

        AbstractorLayer(MultiHeadRelation(d, r, p, activation="sigmoid"),
                        SymbolicMessagePassing(s, r), FeedForward(s, hidden))

    Args:
        symbols: gives the initial states, ``forward(objects) -> (m, s)``.
        layers: the layers, applied in turn.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, m, s)``.

    Raises:
        ValueError: if there is no layer.

    Source: v1 Algorithm 3, v3 Algorithm 1.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import (FeedForward, LearnedSymbols, MultiHeadRelation,
        ...     SymbolicMessagePassing)
        >>> layer = AbstractorLayer(MultiHeadRelation(64, relations=4, key_dim=16),
        ...     SymbolicMessagePassing(64, relations=4), FeedForward(64, 64))
        >>> abstractor = Abstractor(LearnedSymbols(2, 64), [layer])
        >>> abstractor(torch.randn(5, 2, 64)).shape
        torch.Size([5, 2, 64])
        >>> sum(p.numel() for p in abstractor.parameters())  # v3's pairwise Abstractor
        20928
    """

    def __init__(self, symbols: nn.Module, layers: Iterable[AbstractorLayer]):
        super().__init__()
        self.symbols = symbols
        self.layers = nn.ModuleList(layers)
        if not self.layers:
            raise ValueError("layers is empty; expected at least one AbstractorLayer")

    def forward(self, objects: Tensor) -> Tensor:
        states = self.symbols(objects)  # (m, s)
        for layer in self.layers:
            states = layer(objects, states)  # (b, m, s)
        return states
