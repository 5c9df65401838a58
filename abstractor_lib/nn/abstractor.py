"""The Abstractor: layers that turn objects into abstract states through their relations only.

Shapes: ``b`` batch, ``m`` objects, ``d`` features of an object, ``s`` of a symbol.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from torch import Tensor, nn

from .arguments import (
    Device,
    DType,
    check_dropout,
    check_eps,
    check_features,
    check_modules,
    check_sizes,
    check_word,
    listed,
    parts,
    passed,
    shown,
    warn_if_shared,
)
from .attention import MultiHeadAttention
from .excluded import finite_padding
from .feedforward import KERAS_EPS, FeedForward, sublayer
from .heads import Heads, as_heads
from .message_passing import RelationalMessagePassing
from .relational_attention import KINDS, Kind
from .relations import GivenRelation
from .symbols import RelativeSymbols, RetrievedSymbols, as_symbols


class AbstractorLayer(nn.Module):
    """One layer: [self-attention of the states], messages along relations, feed-forward.

    By itself it is the loop's body as v1 Algorithms 3 and 4 print it: no ``residual`` connection,
    no ``norm``, no ``dropout``. `Abstractor` has all three, as the networks of the stated sizes.

    Args:
        relational: how relations between the objects update the states,
            ``forward(objects, states) -> (b, m, s)``: `RelationalCrossAttention`, or a
            `RelationalMessagePassing` of a relation and a message-passing module. Masks and
            relative symbols are handed on where they are given.
        feedforward: the map phi of each state; None for the identity.
        self_attention: a `MultiHeadAttention` of the states, or another attention as in
            `EncoderLayer`; None for none.
        self_attention_first: before (v1 Algorithm 4) or after the messages (v3 section 2.3).
        residual: add what came in, after self-attention and after the messages.
        norm: features ``s`` of a layer norm after each of the two; None for none.
        norm_first: normalise the states that each of the two reads (pre-norm) instead of its
            result. A `FeedForward` has a ``norm_first`` of its own.
        layer_norm_eps: added to the variance in the norms; Keras' default.
        dropout: probability, on the result.
        device, dtype: of the norms.

    Returns:
        ``forward(objects, states)``: ``(b, m, d), (m, s) or (b, m, s) -> (b, m, s)``. ``values``
        are mixed instead of the states if given; ``relative`` symbols are added to them. Masks, as
        in `MultiHeadAttention`, hold for the objects and for their states.

    Raises:
        ValueError: for a ``norm`` below one, ``norm_first`` without one, or what is no module.

    Source: the body of the loop in v1 Algorithms 3 and 4 and in v3 Algorithm 1.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import RelationalCrossAttention
        >>> layer = AbstractorLayer(RelationalCrossAttention(8, 2), residual=True, norm=8)
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
        norm_first: bool = False,
        layer_norm_eps: float = KERAS_EPS,
        dropout: float = 0.0,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_dropout(dropout)
        check_eps("layer_norm_eps", layer_norm_eps)
        others = passed(feedforward=feedforward, self_attention=self_attention)
        check_modules(relational=relational, **others)
        if norm is not None:
            check_sizes(norm=norm)
        elif norm_first:
            raise ValueError("norm_first is True and norm None; expected the features of a norm")
        self.self_attention = self_attention
        self.self_attention_first = self_attention_first
        self.relational = relational
        self.feedforward = nn.Identity() if feedforward is None else feedforward
        self.residual, self.norm_first = residual, norm_first
        self.norm, self.self_norm = (
            nn.LayerNorm(norm, eps=layer_norm_eps, device=device, dtype=dtype)
            if norm and block is not None
            else nn.Identity()
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
        attn_mask: Tensor | None = None,
    ) -> Tensor:
        masks = passed(key_padding_mask=key_padding_mask, attn_mask=attn_mask)
        offsets = passed(relative=relative)
        how = {"norm_first": self.norm_first, "residual": self.residual}
        if isinstance(self.norm, nn.LayerNorm) and self.norm_first:
            check_features("states", states, self.norm.normalized_shape[0], self.norm.weight)
        states = finite_padding(states, key_padding_mask)
        if values is not None:
            values = finite_padding(values, key_padding_mask)
        if values is not None and self.norm_first:
            values = self.norm(values)

        def attend(states: Tensor) -> Tensor:
            return self.self_attention(states, states, states, **masks)

        def relate(states: Tensor) -> Tensor:
            mixed = states if values is None else values
            return self.relational(objects, mixed, **offsets, **masks)

        if self.self_attention is not None and self.self_attention_first:
            states = sublayer(
                states, attend, self.self_norm, name="self_attention", **how
            )  # (b, m, s)
        states = sublayer(states, relate, self.norm, name="relational", **how)  # (b, m, s)
        if self.self_attention is not None and not self.self_attention_first:
            states = sublayer(states, attend, self.self_norm, name="self_attention", **how)
        return self.dropout(self.feedforward(states))  # (b, m, s)

    def extra_repr(self) -> str:
        names = ("self_attention_first",) if self.self_attention is not None else ()
        return shown(self, *names, "residual", "norm_first")


class AbstractorStack(nn.Module):
    """Abstract states of objects: A = S, then A <- layer(X, A) for each layer, any layers.

    `Abstractor` makes one of sizes. Here there is no ``dropout`` unless it is asked for, as the
    papers' algorithms have none. They are settings of this module:

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
        norm: after the last layer, ``nn.LayerNorm(s)`` where layers have ``norm_first``; None for
            none.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, m, s)``; ``key_padding_mask`` ``(b, m)`` and
        ``attn_mask`` as in `MultiHeadAttention`. Layers of `GivenRelation` take relations
        ``(b, r, m, m)`` for objects. ``positions`` ``(m,)`` are handed to the
        symbols, which have to take them, as learned and sinusoidal ones do.

    Raises:
        ValueError: if there is no layer, for unknown ``values``, or for what is no module or no
            layer.

    Source: v1 Algorithms 1, 3 and 4; v3 Algorithm 1.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import (FeedForward, LearnedSymbols, MultiHeadRelation,
        ...     RelationalMessagePassing, SymbolicMessagePassing)
        >>> messages = RelationalMessagePassing(MultiHeadRelation(64, relations=4, key_dim=16),
        ...     SymbolicMessagePassing(64, relations=4))
        >>> layer = AbstractorLayer(messages, FeedForward(64, 64))
        >>> abstractor = AbstractorStack(LearnedSymbols(2, 64), [layer])
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
        norm: nn.Module | None = None,
    ):
        super().__init__()
        check_dropout(dropout)
        check_word("values", values, ("states", "symbols"))
        check_modules(symbols=symbols, **passed(norm=norm))
        self.symbols = symbols
        self.layers = nn.ModuleList(listed("layers", layers))
        if not self.layers:
            raise ValueError("layers is empty; expected at least one AbstractorLayer")
        for number, layer in enumerate(self.layers):
            if isinstance(layer, MultiHeadAttention | RelationalMessagePassing):
                kind = type(layer).__name__
                raise ValueError(
                    f"layers[{number}] is a {kind}; expected a layer, AbstractorLayer({kind}(...))"
                )
        warn_if_shared("layers", parts(self.layers))
        self.values = values
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.Identity() if norm is None else norm
        given = any(isinstance(part, GivenRelation) for part in self.layers.modules())
        self._dims = 3 if given else 2  # of one example: relations (r, m, m), or objects (m, d)

    def forward(
        self,
        objects: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        *,
        positions: Tensor | None = None,
    ) -> Tensor:
        # (m, s), (b, m, s) or, relative, (2m - 1, s) or (m, m, s)
        seen = finite_padding(objects, key_padding_mask)  # by symbols that read the objects
        if positions is not None and isinstance(self.symbols, RetrievedSymbols):
            raise ValueError(
                "positions is given; expected None, since RetrievedSymbols are chosen by objects"
            )
        symbols = self.symbols(seen, **passed(positions=positions))
        pairs = isinstance(self.symbols, RelativeSymbols) and symbols.dim() > 2
        if self.training and self.dropout.p:
            batch, shape = objects.shape[: -self._dims], symbols.shape[-3 if pairs else -2 :]
            symbols = self.dropout(symbols.expand(*batch, *shape))
        given = passed(key_padding_mask=key_padding_mask, attn_mask=attn_mask)
        if isinstance(self.symbols, RelativeSymbols):
            given["relative"] = symbols
            symbols = symbols.new_zeros(objects.shape[-2], symbols.shape[-1])
        states = symbols
        for layer in self.layers:
            values = symbols if self.values == "symbols" else None
            states = layer(objects, states, values, **given)  # (b, m, s)
        return self.norm(states)

    def extra_repr(self) -> str:
        return shown(self, "values")


class Abstractor(AbstractorStack):
    """An Abstractor of sizes: v3 Algorithm 1 with residual connections and layer norms.

    Each layer is a `RelationalCrossAttention` between the objects that mixes the states, then a
    `FeedForward` network. For other layers, see `AbstractorStack`; for the papers' initial weights,
    `initialise`. The experiments sorting and mathematics train this Abstractor. Order and set train
    a `PairwiseAbstractor`; function_classes, and sorting's small network, whose symbols have no
    dropout, build an `AbstractorStack`.

    Args:
        dim: features ``d`` of an object.
        heads: number of heads, the relation dimensions, each ``dim / heads`` wide; or `Heads`,
            which say also how relations are computed.
        layers: number of layers.
        symbols: what gives the symbols, such as `LearnedSymbols`, `SinusoidalSymbols`,
            `RelativeSymbols` or `RetrievedSymbols`; a number for as many `LearnedSymbols`.
        symbol_dim: features ``s`` of a symbol and of an abstract state; None for ``dim``.
        hidden: width of the feed-forward network; None for ``4 * symbol_dim``.
        kind: what a layer does: ``relational`` cross-attention, the papers' ``ablation`` or the
            ``symbolic`` variant of the logs.
        self_attention: let the states attend to themselves before each round of messages, with the
            same number of heads (v1 Algorithm 4, and the networks of the published sizes). It takes
            the activation of the relations, as in the public code; that of the ablation stays
            softmax, there too. No text says what the symbolic variant does; we read it as equal to
            the relational one.
        norm_first: pre-norm layers, and a norm after the last.
        layer_norm_eps: added to the variance in the norms; Keras' default.
        dropout: probability, on symbols, relations and feed-forward outputs.
        device, dtype: of the parameters; ``symbols`` of yours keep their own.

    Returns:
        ``forward(objects)``: ``(b, m, d) -> (b, m, s)``; masks as in `AbstractorStack`.

    Raises:
        ValueError: for sizes below one, heads that do not divide ``dim`` and have no ``key_dim``,
            or an unknown kind.

    Source: v3 Algorithm 1.

    Example:
        >>> import torch
        >>> abstractor = Abstractor(64, heads=4, layers=2, symbols=10)
        >>> abstractor(torch.randn(5, 10, 64)).shape
        torch.Size([5, 10, 64])
        >>> from abstractor_lib.nn import Heads, SinusoidalSymbols
        >>> heads = Heads(4, activation="sigmoid", symmetric=True)
        >>> abstractor = Abstractor(64, heads, 2, symbols=SinusoidalSymbols(32), symbol_dim=32)
        >>> abstractor(torch.randn(5, 7, 64)).shape
        torch.Size([5, 7, 32])
    """

    def __init__(
        self,
        dim: int,
        heads: Heads | int,
        layers: int,
        *,
        symbols: nn.Module | int,
        symbol_dim: int | None = None,
        hidden: int | None = None,
        kind: Kind = "relational",
        self_attention: bool = False,
        norm_first: bool = False,
        layer_norm_eps: float = KERAS_EPS,
        dropout: float = 0.1,
        device: Device = None,
        dtype: DType = None,
    ):
        heads = as_heads(heads, dim)
        width = dim if symbol_dim is None else symbol_dim
        hidden = 4 * width if hidden is None else hidden
        check_sizes(layers=layers, symbol_dim=width)
        check_word("kind", kind, KINDS)
        where = {"device": device, "dtype": dtype}
        norms = {"norm_first": norm_first, "layer_norm_eps": layer_norm_eps, **where}
        options = {"dropout": dropout, **where}
        activation = "softmax" if kind == "ablation" else heads.activation
        own = replace(heads.plain, activation=activation)

        def layer() -> AbstractorLayer:
            attention = MultiHeadAttention(width, own, **options) if self_attention else None
            return AbstractorLayer(
                KINDS[kind](dim, heads, symbol_dim=width, **options),
                FeedForward(width, hidden, dropout=dropout, **norms),
                self_attention=attention,
                residual=True,
                norm=width,
                **norms,
            )

        symbols = as_symbols(symbols, width, **where)
        last = nn.LayerNorm(width, eps=layer_norm_eps, **where) if norm_first else None
        super().__init__(symbols, [layer() for _ in range(layers)], dropout=dropout, norm=last)
