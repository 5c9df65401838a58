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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from torch import nn

from .abstractor import Abstractor
from .arguments import Device, DType, check_maker, check_sizes, check_unused, check_word, passed
from .decoder import Decoder, DecoderLayer
from .encoder import Encoder, EncoderLayer
from .feedforward import KERAS_EPS
from .heads import Heads
from .positions import AddPositions
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


def sequence_to_sequence(
    architecture: str,
    source: nn.Module,
    target: nn.Module,
    outputs: int,
    *,
    dim: int,
    heads: Heads | int,
    layers: int | Mapping[str, int],
    hidden: int | None = None,
    symbols: Callable[[], nn.Module] | int | None = None,
    abstractor: Callable[[int], nn.Module] | None = None,
    symbol_dim: int | None = None,
    encoder_attention: Callable[[], nn.Module] | None = None,
    decoder_attention: Callable[[], nn.Module] | None = None,
    sensory: Sensory | None = None,
    norm_first: bool = False,
    layer_norm_eps: float = KERAS_EPS,
    dropout: float = 0.1,
    device: Device = None,
    dtype: DType = None,
) -> SequenceToSequence:
    """One of the architectures of v3 Figure 2, with one set of sizes for all its modules.

    An option that an architecture does not use is an error. For any other modules, compose a
    `SequenceToSequence`.

    Args:
        architecture: ``transformer``, ``a``, ``b``, ``c``, ``d`` or ``e``, or one of the five in
            words (`SPOKEN_NAMES`), such as ``encoder_abstractor_decoder``.
        source, target: embeddings, ``nn.Linear(features, dim)`` or ``nn.Embedding(count, dim)``, to
            which positions are added; or an `Embedded`, with positions of its own or without.
        outputs: scores per target position.
        dim, hidden: of every attention and feed-forward network; see `EncoderLayer`.
        heads: of every attention; `Heads` may say how the Abstractor computes its relations, which
            encoder and decoder leave aside.
        layers: of each part, or of each by name, such as ``{"encoder": 2, "decoder": 4}``.
        symbols: of the Abstractor: the number of learned symbols, scaled and with positions, as the
            public code has them; or a function that makes the symbols. The `Abstractor` then has
            self-attention, as the networks of the stated sizes do (v1 Algorithm 4).
        abstractor: in place of ``symbols``, makes an Abstractor of objects with so many features.
        symbol_dim: features ``s`` of symbols and abstract states; None for ``dim``.
        encoder_attention, decoder_attention: makes the attention of an encoder layer, and the
            self-attention of a decoder layer, where it is not a `MultiHeadAttention` of the sizes;
            see `EncoderLayer` and `DecoderLayer`. It has a dropout of its own.
        sensory: how a decoder reads two contexts: ``alternate`` attends to each in turn in every
            layer (v3 Algorithm 2), ``layers`` has a whole decoder layer for each (the public
            code), ``concatenate`` joins them (v1 section 2.5). None for ``alternate``.
        norm_first: pre-norm layers, and a norm after the last of encoder, Abstractor and decoder.
        layer_norm_eps: added to the variance in the norms; Keras' default.
        dropout: probability, wherever there is dropout.
        device, dtype: of the parameters made here.

    Returns:
        A `SequenceToSequence`; `initialise` it for the papers' initial weights.

    Raises:
        ValueError: for an unknown name, a size below one, what the architecture does not use or
            lacks, or contexts of two widths to be joined.

    Example:
        >>> import torch
        >>> from abstractor_lib.nn import Heads
        >>> sizes = dict(dim=64, heads=Heads(2, key_dim=64), hidden=64, layers=2, symbols=10)
        >>> model = sequence_to_sequence("b", nn.Linear(12, 64), nn.Embedding(11, 64), 10, **sizes)
        >>> model(torch.randn(5, 10, 12), torch.zeros(5, 10, dtype=int)).shape
        torch.Size([5, 10, 10])
        >>> sum(p.numel() for p in model.parameters())  # v3 B.2.1: 386,954
        386954
    """
    check_word("architecture", architecture, (*ARCHITECTURES, *SPOKEN_NAMES))
    wiring = ARCHITECTURES[SPOKEN_NAMES.get(architecture, architecture)]
    width = dim if symbol_dim is None else symbol_dim
    check_sizes(outputs=outputs, dim=dim, symbol_dim=width)
    heads = heads if isinstance(heads, Heads) else Heads(heads)
    user = f"architecture {architecture!r}"
    if not wiring.encoder:
        check_unused(user, encoder_attention=encoder_attention)
    if not wiring.abstractors:
        check_unused(user, symbols=symbols, abstractor=abstractor, symbol_dim=symbol_dim)
    if len(wiring.attends) < 2:
        check_unused(user, sensory=sensory)
    if abstractor is not None:
        check_maker("abstractor", abstractor)
        user = f"{user} with an abstractor"
        check_unused(user, symbols=symbols)
    of_sizes = wiring.abstractors > 0 and abstractor is None
    if not of_sizes:
        check_unused(user, **heads.special)
    elif isinstance(symbols, nn.Module) or symbols is None:
        given = None if symbols is None else f"a {type(symbols).__name__}"
        raise ValueError(
            f"symbols is {given}; expected the number of learned symbols, or a function that makes "
            "symbols, since each Abstractor has its own"
        )
    makers = {"encoder_attention": encoder_attention, "decoder_attention": decoder_attention}
    for name, make in passed(**makers).items():
        check_maker(name, make)
    check_word("sensory", sensory or "alternate", ("alternate", "layers", "concatenate"))
    if sensory == "concatenate" and width != dim:
        raise ValueError(f"symbol_dim is {width}; with sensory='concatenate' expected dim, {dim}")
    made = {"encoder": wiring.encoder, "abstractor": of_sizes, "decoder": True}
    depth = _depths(layers, [part for part, there in made.items() if there], user)

    heads = heads.of(dim)
    where = {"device": device, "dtype": dtype}
    norms = {"norm_first": norm_first, "layer_norm_eps": layer_norm_eps}
    shared = {"hidden": hidden, "dropout": dropout, **norms, **where}

    def last_norm() -> nn.LayerNorm | None:
        return nn.LayerNorm(dim, eps=layer_norm_eps, **where) if norm_first else None

    def attention(make: Callable[[], nn.Module] | None) -> Heads | nn.Module:
        return heads.plain if make is None else make()

    def make_symbols() -> nn.Module:
        if callable(symbols):
            return symbols()
        check_sizes(symbols=symbols)
        return nn.Sequential(LearnedSymbols(symbols, width, **where), AddPositions(width))

    def make_abstractor(features: int) -> nn.Module:
        if abstractor is not None:
            return abstractor(features)
        options = {"symbols": make_symbols(), "symbol_dim": width, "self_attention": True}
        return Abstractor(features, heads, depth["abstractor"], **options, **shared)

    def decoder_layer(contexts: Sequence[int]) -> DecoderLayer:
        crossing = {"contexts": contexts, "cross_attention": heads.plain}
        return DecoderLayer(dim, attention(decoder_attention), **crossing, **shared)

    contexts = [width if one == "abstractor" else dim for one in wiring.attends]
    reads = None  # each layer of the decoder reads all contexts
    if sensory == "layers":
        reads = [(index,) for _ in range(depth["decoder"]) for index in range(len(contexts))]
        body = [decoder_layer([contexts[index]]) for (index,) in reads]
    else:
        seen = contexts[:1] if sensory == "concatenate" else contexts
        body = [decoder_layer(seen) for _ in range(depth["decoder"])]
    decoder = Decoder(body, reads, dropout=dropout, norm=last_norm())
    encoder = None
    if wiring.encoder:
        body = [
            EncoderLayer(dim, attention(encoder_attention), **shared)
            for _ in range(depth["encoder"])
        ]
        encoder = Encoder(body, dropout=dropout, norm=last_norm())
    read = [width if index else dim for index in range(wiring.abstractors)]
    return SequenceToSequence(
        _placed(source, dim),
        _placed(target, dim),
        decoder,
        nn.Linear(dim, outputs, **where),
        encoder=encoder,
        abstractors=[make_abstractor(features) for features in read],
        reads=wiring.reads,
        attends=wiring.attends,
        concatenate=sensory == "concatenate",
    )


def _depths(layers: int | Mapping[str, int], parts: Sequence[str], user: str) -> dict[str, int]:
    """How many layers each part has."""
    if not isinstance(layers, Mapping):
        check_sizes(layers=layers)
        return dict.fromkeys(parts, layers)
    named = {f"layers[{part!r}]": count for part, count in layers.items() if part not in parts}
    check_unused(user, **named)
    check_sizes(**{f"layers[{part!r}]": layers.get(part) for part in parts})
    return dict(layers)


def _placed(embed: nn.Module, dim: int) -> Embedded:
    """With positions, unless it says itself what it adds."""
    return embed if isinstance(embed, Embedded) else Embedded(embed, AddPositions(dim))
