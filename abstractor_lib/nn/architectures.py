"""Whole models: sequence-to-sequence architectures around an Abstractor, and a classifier.

v3 Figure 2 shows five ways to put an Abstractor into a Transformer. They differ in two answers,
what the Abstractor reads and what the decoder attends to::

    (a) input -> Abstractor -> Decoder
    (b) input -> Encoder -> Abstractor -> Decoder
    (c) input -> Encoder and input -> Abstractor, both -> Decoder
    (d) input -> Encoder -> Abstractor, both -> Decoder
    (e) input -> Encoder -> Abstractor -> Abstractor -> Decoder

v3 leaves open whether (e) has an encoder; v1 section 2.5 writes one. In (c) and (d) the decoder
attends to the encoder first, then to the Abstractor.

Shapes: ``b`` batch, ``m`` source objects, ``n`` target tokens, ``d`` features, ``o`` outputs.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import torch
from torch import Tensor, nn

from .abstractor import Abstractor, AbstractorLayer
from .attention import (
    AblationCrossAttention,
    MultiHeadAttention,
    RelationalCrossAttention,
    SymbolicCrossAttention,
)
from .feedforward import FeedForward
from .linear import check_sizes
from .positions import AddPositions
from .symbols import LearnedSymbols
from .transformer import Decoder, DecoderLayer, Encoder, EncoderLayer, LayerCache

Sensory = Literal["alternate", "layers", "concatenate"]


@dataclass(frozen=True)
class Wiring:
    """Which states a sequence-to-sequence model has and who reads them.

    Attributes:
        encoder: is there an encoder?
        abstractors: how many Abstractors, each after the first reading the one before.
        reads: what the first Abstractor reads, ``input`` or ``encoder``.
        attends: the states that the decoder attends to, in turn.
    """

    encoder: bool = True
    abstractors: int = 1
    reads: Literal["input", "encoder"] = "encoder"
    attends: tuple[str, ...] = ("abstractor",)


ARCHITECTURES: Mapping[str, Wiring] = MappingProxyType(
    {
        "transformer": Wiring(abstractors=0, attends=("encoder",)),
        "a": Wiring(encoder=False, reads="input"),
        "b": Wiring(),
        "c": Wiring(reads="input", attends=("encoder", "abstractor")),
        "d": Wiring(attends=("encoder", "abstractor")),
        "e": Wiring(abstractors=2),
    }
)


class Concatenate(nn.Module):
    """Several contexts as one sequence, concat(E, A): v1's sensory-connected Abstractor.

    Example:
        >>> Concatenate()([torch.zeros(1, 3, 4), torch.zeros(1, 2, 4)]).shape
        torch.Size([1, 5, 4])
    """

    def forward(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts, dim=-2)


class SequenceToSequence(nn.Module):
    """Source objects and a target prefix to scores of the next target token.

    `sequence_to_sequence` builds the models of the papers; this class takes any modules.

    Args:
        source: embeds the source, ``(b, m, ...) -> (b, m, d)``.
        target: embeds the target tokens, ``(b, n) -> (b, n, d)``; an `Embedded`, whose positions
            can start later when decoding, or a module that knows no positions.
        decoder: a `Decoder`.
        output: decoder states to scores, ``(b, n, d) -> (b, n, o)``.
        encoder: an `Encoder`, or None.
        abstractors: `Abstractor` modules, each reading the states of the one before.
        reads, attends: see `Wiring`.
        concatenate: let the decoder see its contexts as one sequence.

    Returns:
        ``forward(source, target)``: ``(b, m, ...), (b, n) -> (b, n, o)``.

    Raises:
        ValueError: if something is to be read that the model does not have.

    Source: v1 sections 2.4 and 2.5; v3 section 3 and Figure 2.
    """

    def __init__(
        self,
        source: nn.Module,
        target: nn.Module,
        decoder: Decoder,
        output: nn.Module,
        *,
        encoder: nn.Module | None = None,
        abstractors: Iterable[nn.Module] = (),
        reads: Literal["input", "encoder"] = "encoder",
        attends: Iterable[str] = ("abstractor",),
        concatenate: bool = False,
    ):
        super().__init__()
        self.source, self.encoder = source, encoder
        self.abstractors = nn.ModuleList(abstractors)
        self.target = target if isinstance(target, Embedded) else Embedded(target)
        self.decoder, self.output = decoder, output
        self.concatenate = Concatenate() if concatenate else None
        self.reads, self.attends = reads, tuple(attends)
        present = {"input"}
        present |= set() if encoder is None else {"encoder"}
        present |= {"abstractor"} if len(self.abstractors) else set()
        wanted = {"attends": self.attends, "reads": (reads,) if len(self.abstractors) else ()}
        for name, words in wanted.items():
            for word in words:
                if word not in present:
                    raise ValueError(
                        f"{name} names {word!r}; this model has: {', '.join(sorted(present))}"
                    )

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> list[Tensor]:
        """The contexts that the decoder attends to, each ``(b, m, d)``."""
        states = {"input": self.source(source)}  # (b, m, d)
        if self.encoder is not None:
            states["encoder"] = self.encoder(states["input"], source_mask)
        read = states.get(self.reads)
        for abstractor in self.abstractors:
            read = states["abstractor"] = abstractor(read, source_mask)
        contexts = [states[name] for name in self.attends]
        return contexts if self.concatenate is None else [self.concatenate(contexts)]

    def decode(
        self,
        target: Tensor,
        contexts: list[Tensor],
        *,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
        cache: list[LayerCache] | None = None,
    ) -> Tensor:
        """Scores of the next token after each position of ``target``, ``(b, n, o)``.

        With a ``cache`` (`Decoder.new_cache`) ``target`` holds only the tokens that follow those
        seen before; ``target_mask`` covers both.
        """
        seen = 0
        if cache is not None and cache[0].own is not None:
            seen = cache[0].own[0].shape[-2]
        masks = None
        if source_mask is not None:
            whole = torch.cat([source_mask] * len(self.attends), dim=-1)
            masks = [whole] if self.concatenate is not None else [source_mask] * len(contexts)
        y = self.target(target, seen)  # (b, n, d)
        y = self.decoder(
            y, contexts, key_padding_mask=target_mask, context_masks=masks, cache=cache
        )
        return self.output(y)

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
    ) -> Tensor:
        """Masks are boolean, ``(b, m)`` and ``(b, n)``, True meaning "ignore"."""
        contexts = self.encode(source, source_mask)
        return self.decode(target, contexts, source_mask=source_mask, target_mask=target_mask)


class Embedded(nn.Module):
    """Inputs embedded, then positions: a sequence-to-sequence model's source and target.

    Args:
        embed: ``nn.Linear`` for vectors or ``nn.Embedding`` for tokens.
        positions: `AddPositions`; None for objects without order.

    Example:
        >>> Embedded(nn.Embedding(11, 4), AddPositions(4))(torch.zeros(2, 3, dtype=int)).shape
        torch.Size([2, 3, 4])
    """

    def __init__(self, embed: nn.Module, positions: nn.Module | None = None):
        super().__init__()
        self.embed, self.positions = embed, positions

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        x = self.embed(x)  # (b, m, d)
        return x if self.positions is None else self.positions(x, start)


_ATTENTION = {
    "relational": RelationalCrossAttention,
    "ablation": AblationCrossAttention,
    "symbolic": SymbolicCrossAttention,
}


def sequence_to_sequence(
    architecture: str,
    source: nn.Module,
    target: nn.Module,
    outputs: int,
    *,
    dim: int,
    heads: int,
    key_dim: int,
    hidden: int,
    layers: int,
    symbols: Callable[[], nn.Module] | None = None,
    length: int | None = None,
    kind: Literal["relational", "ablation", "symbolic"] = "relational",
    self_attention: bool = True,
    sensory: Sensory = "alternate",
    abstractor_layers: int | None = None,
    encoder_layers: int | None = None,
    decoder_layers: int | None = None,
    source_positions: bool = True,
    dropout: float = 0.1,
    relation: Mapping | None = None,
    fused: bool = True,
) -> SequenceToSequence:
    """One of the architectures of v3 Figure 2, with one set of sizes for all its modules.

    Args:
        architecture: ``transformer``, ``a``, ``b``, ``c``, ``d`` or ``e``.
        source, target: embeddings, ``nn.Linear(features, dim)`` or ``nn.Embedding(count, dim)``.
        outputs: scores per target position.
        dim, heads, key_dim, hidden: of every attention and feed-forward network. The papers'
            networks have ``key_dim = dim`` for each head.
        layers: layers of encoder, abstractor and decoder; ``*_layers`` changes one of them.
        symbols: makes the symbols of an Abstractor; None for ``length`` learned symbols, scaled and
            with positions, as the public code has them.
        length: number of learned symbols.
        kind: what the Abstractor's layers do: relational cross-attention, the papers' ablation or
            the symbolic variant of the logs.
        self_attention: let the states attend to themselves in each Abstractor layer, as the
            networks of the stated sizes do (v1 Algorithm 4).
        sensory: how a decoder reads two contexts: ``alternate`` attends to each in turn in every
            layer (v3 Algorithm 2), ``layers`` has a whole decoder layer for each (the public
            code), ``concatenate`` joins them (v1 section 2.5).
        source_positions: add positions to the source.
        dropout: probability, wherever there is dropout.
        relation: further arguments of the Abstractor's `RelationalCrossAttention`, such as
            ``{"activation": "sigmoid", "symmetric": True}`` or ``{"strict": True}``. Its
            self-attention takes the same activation, as in the public code; that of the ablation
            stays softmax.
        fused: see `MultiHeadAttention`.

    Returns:
        A `SequenceToSequence`; `initialise` it for the papers' initial weights.

    Raises:
        ValueError: for an unknown name or a size below one.

    Example:
        >>> sizes = dict(dim=64, heads=2, key_dim=64, hidden=64, layers=2, length=10)
        >>> model = sequence_to_sequence("b", nn.Linear(12, 64), nn.Embedding(11, 64), 10, **sizes)
        >>> model(torch.randn(5, 10, 12), torch.zeros(5, 10, dtype=int)).shape
        torch.Size([5, 10, 10])
        >>> sum(p.numel() for p in model.parameters())  # v3 B.2.1: 386,954
        386954
    """
    for name, word, allowed in (
        ("architecture", architecture, ARCHITECTURES),
        ("kind", kind, _ATTENTION),
        ("sensory", sensory, ("alternate", "layers", "concatenate")),
    ):
        if word not in allowed:
            raise ValueError(f"{name} is {word!r}; allowed: {', '.join(allowed)}")
    wiring = ARCHITECTURES[architecture]
    check_sizes(layers=layers, outputs=outputs)
    if isinstance(symbols, nn.Module):
        raise ValueError(
            f"symbols is a {type(symbols).__name__}; expected a function that makes one, since "
            "each Abstractor has its own"
        )
    relation = dict(relation or {})
    own_activation = relation.get("activation", "softmax") if kind == "relational" else "softmax"
    sizes = {"dim": dim, "heads": heads, "key_dim": key_dim, "dropout": dropout, "fused": fused}

    def count(name: str, given: int | None) -> range:
        given = layers if given is None else given
        check_sizes(**{name: given})
        return range(given)

    def make_symbols() -> nn.Module:
        if symbols is not None:
            return symbols()
        if length is None:
            raise ValueError("length is None; expected the number of learned symbols, or symbols")
        return nn.Sequential(LearnedSymbols(length, dim), AddPositions(dim))

    def abstractor_layer() -> AbstractorLayer:
        own = MultiHeadAttention(**sizes, activation=own_activation) if self_attention else None
        return AbstractorLayer(
            _ATTENTION[kind](**sizes, **relation),
            FeedForward(dim, hidden, dropout=dropout),
            self_attention=own,
            residual=True,
            norm=dim,
        )

    def abstractor() -> Abstractor:
        body = [abstractor_layer() for _ in count("abstractor_layers", abstractor_layers)]
        return Abstractor(make_symbols(), body, dropout=dropout)

    contexts = 1 if sensory == "concatenate" else len(wiring.attends)
    whole = sensory == "layers" and contexts > 1
    depth = count("decoder_layers", decoder_layers)
    reads = [(k,) for _ in depth for k in range(contexts)] if whole else None
    decoder = Decoder(
        [
            DecoderLayer(**sizes, hidden=hidden, contexts=1 if whole else contexts)
            for _ in (reads or depth)
        ],
        reads,
        dropout=dropout,
    )
    encoder = None
    if wiring.encoder:
        depth = count("encoder_layers", encoder_layers)
        encoder = Encoder([EncoderLayer(**sizes, hidden=hidden) for _ in depth], dropout=dropout)
    return SequenceToSequence(
        Embedded(source, AddPositions(dim) if source_positions else None),
        Embedded(target, AddPositions(dim)),
        decoder,
        nn.Linear(dim, outputs),
        encoder=encoder,
        abstractors=[abstractor() for _ in range(wiring.abstractors)],
        reads=wiring.reads,
        attends=wiring.attends,
        concatenate=sensory == "concatenate" and len(wiring.attends) > 1,
    )


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
        >>> from abstractor_lib.nn import MLP
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
