"""The papers' sequence-to-sequence architectures by name.

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

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from torch import nn

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
from .sequence import Embedded, SequenceToSequence
from .symbols import LearnedSymbols
from .transformer import Decoder, DecoderLayer, Encoder, EncoderLayer

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
        >>> import torch
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
