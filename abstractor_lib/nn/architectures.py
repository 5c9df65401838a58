"""The papers' sequence-to-sequence architectures by name.

v3 Figure 2 shows five ways to put an Abstractor into a Transformer. They differ in two answers,
what the Abstractor reads and what the decoder attends to::

    (a) abstractor_decoder          input -> Abstractor -> Decoder
    (b) encoder_abstractor_decoder  input -> Encoder -> Abstractor -> Decoder
    (c) parallel_streams            input -> Encoder and input -> Abstractor, both -> Decoder
    (d) sensory_connected           input -> Encoder -> Abstractor, both -> Decoder
    (e) abstractor_composition      input -> Encoder -> Abstractor -> Abstractor -> Decoder

The words are those of v3 section 3 ("two parallel processing streams", "a composition of
Abstractors") and of v1 section 2.5 ("sensory-connected"). v3 leaves open whether (e) has an
encoder; v1 section 2.5 writes one. In (c) and (d) the decoder attends to the encoder first, then to
the Abstractor.

Shapes: ``b`` batch, ``m`` source objects, ``n`` target tokens, ``d`` features, ``s`` of a symbol,
``o`` outputs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from torch import nn

from .abstractor import AbstractorLayer, AbstractorStack
from .arguments import Device, DType, check_sizes, check_word
from .attention import MultiHeadAttention
from .decoder import Decoder, DecoderLayer
from .encoder import Encoder, EncoderLayer
from .feedforward import KERAS_EPS, FeedForward
from .positions import AddPositions
from .relational_attention import (
    AblationCrossAttention,
    RelationalCrossAttention,
    SymbolicCrossAttention,
)
from .sequence import Embedded, SequenceToSequence
from .symbols import LearnedSymbols

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

SPOKEN_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "abstractor_decoder": "a",
        "encoder_abstractor_decoder": "b",
        "parallel_streams": "c",
        "sensory_connected": "d",
        "abstractor_composition": "e",
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
    symbol_dim: int | None = None,
    kind: Literal["relational", "ablation", "symbolic"] = "relational",
    self_attention: bool = True,
    encoder_attention: Callable[[], nn.Module] | None = None,
    decoder_attention: Callable[[], nn.Module] | None = None,
    sensory: Sensory = "alternate",
    abstractor_layers: int | None = None,
    encoder_layers: int | None = None,
    decoder_layers: int | None = None,
    source_positions: bool = True,
    norm_first: bool = False,
    layer_norm_eps: float = KERAS_EPS,
    dropout: float = 0.1,
    relation: Mapping | None = None,
    fused: bool = True,
    device: Device = None,
    dtype: DType = None,
) -> SequenceToSequence:
    """One of the architectures of v3 Figure 2, with one set of sizes for all its modules.

    Args:
        architecture: ``transformer``, ``a``, ``b``, ``c``, ``d`` or ``e``, or one of the five in
            words (`SPOKEN_NAMES`), such as ``encoder_abstractor_decoder``.
        source, target: embeddings, ``nn.Linear(features, dim)`` or ``nn.Embedding(count, dim)``.
        outputs: scores per target position.
        dim, heads, key_dim, hidden: of every attention and feed-forward network. The papers'
            networks have ``key_dim = dim`` for each head.
        layers: layers of encoder, abstractor and decoder; ``*_layers`` changes one of them.
        symbols: makes the symbols of an Abstractor; None for ``length`` learned symbols, scaled and
            with positions, as the public code has them.
        length: number of learned symbols.
        symbol_dim: features ``s`` of symbols and abstract states; None for ``dim``.
        kind: what the Abstractor's layers do: relational cross-attention, the papers' ablation or
            the symbolic variant of the logs.
        self_attention: let the states attend to themselves in each Abstractor layer, as the
            networks of the stated sizes do (v1 Algorithm 4).
        encoder_attention, decoder_attention: makes the attention of an encoder layer, and the
            self-attention of a decoder layer, where it is not a `MultiHeadAttention` of the sizes;
            see `EncoderLayer` and `DecoderLayer`.
        sensory: how a decoder reads two contexts: ``alternate`` attends to each in turn in every
            layer (v3 Algorithm 2), ``layers`` has a whole decoder layer for each (the public
            code), ``concatenate`` joins them (v1 section 2.5).
        source_positions: add positions to the source.
        norm_first: pre-norm layers, and a norm after the last of encoder, Abstractor and decoder.
        layer_norm_eps: added to the variance in the norms; Keras' default.
        dropout: probability, wherever there is dropout.
        relation: further arguments of the Abstractor's `RelationalCrossAttention`, such as
            ``{"activation": "sigmoid", "symmetric": True}`` or ``{"strict": True}``. Its
            self-attention takes the same activation, as in the public code; that of the ablation
            stays softmax, there too. No text says what the symbolic variant does. It differs from
            the relational one in what gives the queries, and we read it as equal in the rest: its
            self-attention takes the activation.
        fused: see `MultiHeadAttention`.
        device, dtype: of the parameters made here.

    Returns:
        A `SequenceToSequence`; `initialise` it for the papers' initial weights.

    Raises:
        ValueError: for an unknown name, a size below one, ``symbols`` that are no function, neither
            ``symbols`` nor a ``length``, or contexts of two widths to be joined.

    Example:
        >>> import torch
        >>> sizes = dict(dim=64, heads=2, key_dim=64, hidden=64, layers=2, length=10)
        >>> model = sequence_to_sequence("b", nn.Linear(12, 64), nn.Embedding(11, 64), 10, **sizes)
        >>> model(torch.randn(5, 10, 12), torch.zeros(5, 10, dtype=int)).shape
        torch.Size([5, 10, 10])
        >>> sum(p.numel() for p in model.parameters())  # v3 B.2.1: 386,954
        386954
    """
    check_word("architecture", architecture, (*ARCHITECTURES, *SPOKEN_NAMES))
    check_word("kind", kind, _ATTENTION)
    check_word("sensory", sensory, ("alternate", "layers", "concatenate"))
    wiring = ARCHITECTURES[SPOKEN_NAMES.get(architecture, architecture)]
    width = dim if symbol_dim is None else symbol_dim
    check_sizes(layers=layers, outputs=outputs, dim=dim, symbol_dim=width)
    if isinstance(symbols, nn.Module):
        raise ValueError(
            f"symbols is a {type(symbols).__name__}; expected a function that makes one, since "
            "each Abstractor has its own"
        )
    if symbols is not None and not callable(symbols):
        raise ValueError(
            f"symbols is {symbols!r}; expected a function that makes them, or None with a length, "
            "the number of learned symbols"
        )
    features = [width if one == "abstractor" else dim for one in wiring.attends]
    concatenate = sensory == "concatenate" and len(features) > 1
    if concatenate and width != dim:
        raise ValueError(f"symbol_dim is {width}; with sensory='concatenate' expected dim, {dim}")
    relation = dict(relation or {})
    own_activation = "softmax" if kind == "ablation" else relation.get("activation", "softmax")
    where = {"device": device, "dtype": dtype}
    norms = {"norm_first": norm_first, "layer_norm_eps": layer_norm_eps}
    head_sizes = {"heads": heads, "key_dim": key_dim}
    options = {"dropout": dropout, "fused": fused, **where}

    def count(name: str, given: int | None) -> range:
        given = layers if given is None else given
        check_sizes(**{name: given})
        return range(given)

    def last_norm(features: int) -> nn.LayerNorm | None:
        return nn.LayerNorm(features, eps=layer_norm_eps, **where) if norm_first else None

    def make_symbols() -> nn.Module:
        if symbols is not None:
            return symbols()
        if length is None:
            raise ValueError("length is None; expected the number of learned symbols, or symbols")
        check_sizes(length=length)
        return nn.Sequential(LearnedSymbols(length, width, **where), AddPositions(width))

    def abstractor_layer(features: int) -> AbstractorLayer:
        own = None
        if self_attention:
            own = MultiHeadAttention(width, **head_sizes, **options, activation=own_activation)
        return AbstractorLayer(
            _ATTENTION[kind](features, **head_sizes, symbol_dim=width, **options, **relation),
            FeedForward(width, hidden, dropout=dropout, **norms, **where),
            self_attention=own,
            residual=True,
            norm=width,
            **norms,
            **where,
        )

    def abstractor(features: int) -> AbstractorStack:
        depth = count("abstractor_layers", abstractor_layers)
        body = [abstractor_layer(features) for _ in depth]
        return AbstractorStack(make_symbols(), body, dropout=dropout, norm=last_norm(width))

    def decoder_layer(contexts: list[int]) -> DecoderLayer:
        own = None if decoder_attention is None else decoder_attention()
        sizes = {"hidden": hidden, "contexts": contexts, **head_sizes, **norms, **options}
        return DecoderLayer(dim, self_attention=own, **sizes)

    def encoder_layer() -> EncoderLayer:
        own = {"attention": encoder_attention()} if encoder_attention else head_sizes
        return EncoderLayer(dim, hidden=hidden, **own, **norms, **options)

    depth = count("decoder_layers", decoder_layers)
    features = features[:1] if concatenate else features
    if sensory == "layers" and len(features) > 1:  # a whole layer for each context
        reads = [(one,) for _ in depth for one in range(len(features))]
        body = [decoder_layer([features[one]]) for (one,) in reads]
    else:
        reads, body = None, [decoder_layer(features) for _ in depth]
    decoder = Decoder(body, reads, dropout=dropout, norm=last_norm(dim))
    encoder = None
    if wiring.encoder:
        body = [encoder_layer() for _ in count("encoder_layers", encoder_layers)]
        encoder = Encoder(body, dropout=dropout, norm=last_norm(dim))
    return SequenceToSequence(
        Embedded(source, AddPositions(dim) if source_positions else None),
        Embedded(target, AddPositions(dim)),
        decoder,
        nn.Linear(dim, outputs, **where),
        encoder=encoder,
        abstractors=[abstractor(width if index else dim) for index in range(wiring.abstractors)],
        reads=wiring.reads,
        attends=wiring.attends,
        concatenate=concatenate,
    )
