"""The Abstractor of the papers' tasks on pairs and triples: a relation module, then symbols mixed.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol, ``r`` relations.
"""

from collections.abc import Callable
from typing import Literal

from torch import nn

from .abstractor import AbstractorLayer, AbstractorStack
from .arguments import Device, DType, check_maker, check_sizes
from .feedforward import FeedForward
from .message_passing import RelationalMessagePassing, SymbolicMessagePassing
from .symbols import as_symbols


class PairwiseAbstractor(AbstractorStack):
    """v1 Algorithm 3 of sizes: relations, symbols mixed by them, a `FeedForward` network.

    The experiments order and set train it. `Abstractor` cannot take its place there: its layers
    are attentions, with an output map and a residual connection.

    Args:
        relation: a function that makes the module of a layer's relations,
            ``(b, m, d) -> (b, r, m, m)``, such as ``lambda: MultiHeadRelation(...)``: each layer
            has its own.
        relations: relation dimensions ``r``.
        symbols: number of `LearnedSymbols`, the most objects; or what gives the symbols, such as
            `RelativeSymbols`, as in `Abstractor`.
        symbol_dim: features ``s`` of a symbol and of an abstract state.
        hidden: width of the feed-forward network; None for no such network.
        layers: number of layers.
        combine: how relation dimensions become one state, see `SymbolicMessagePassing`.
        norm: residual connection and layer norm of the feed-forward network.
        dropout: probability, on the feed-forward output and on the states.
        device, dtype: of the parameters made here; ``symbols`` of yours keep their own.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, m, s)``; masks as in `AbstractorStack`.

    Raises:
        ValueError: for sizes below one, a ``symbol_dim`` that the relations do not divide, or a
            module in the place of the function that makes it.

    Source: v1 Algorithm 3 and section 4.1; v3 B.1.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import MultiHeadRelation
        >>> sizes = {"relations": 4, "symbols": 2, "symbol_dim": 64, "hidden": 64}
        >>> abstractor = PairwiseAbstractor(lambda: MultiHeadRelation(64, 4, 16), **sizes)
        >>> abstractor(torch.randn(5, 2, 64)).shape
        torch.Size([5, 2, 64])
        >>> sum(p.numel() for p in abstractor.parameters())  # v3's pairwise Abstractor
        20928
    """

    def __init__(
        self,
        relation: Callable[[], nn.Module],
        *,
        relations: int,
        symbols: nn.Module | int,
        symbol_dim: int,
        hidden: int | None,
        layers: int = 1,
        combine: Literal["concatenate", "mix"] = "concatenate",
        norm: bool = True,
        dropout: float = 0.1,
        device: Device = None,
        dtype: DType = None,
    ):
        check_sizes(layers=layers)
        where = {"device": device, "dtype": dtype}
        check_maker("relation", relation)
        symbols = as_symbols(symbols, symbol_dim, **where)

        def layer() -> AbstractorLayer:
            passing = SymbolicMessagePassing(symbol_dim, relations, combine=combine, **where)
            network = None
            if hidden is not None:
                options = {"residual": norm, "norm": norm, "dropout": dropout, **where}
                network = FeedForward(symbol_dim, hidden, **options)
            messages = RelationalMessagePassing(relation(), passing)
            return AbstractorLayer(messages, network, dropout=dropout)

        body = [layer() for _ in range(layers)]
        super().__init__(symbols, body)
