"""Settings of the relations that are learned beforehand: what each protocol takes, and from where.

The paper learns, for each attribute, whether two cards agree in it, with an Abstractor of one
relation. What is used later is that relation.
"""

from dataclasses import dataclass
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, code, counted, note, ours, setting, training_of


@dataclass(frozen=True)
class Task:
    """Pairs of cards to train, validate and test on: ``drawn`` with replacement from the deck, or
    ``distinct``, two cards that differ and each two cards once."""

    train: int
    validation: int
    test: int
    pairs: Literal["drawn", "distinct"]


@dataclass(frozen=True)
class Model:
    """Dense embedding (random, not trained) -> one relation -> symbols (random, not trained) mixed
    by it -> dense head."""

    name: str
    embed: int
    key_dim: int
    scale: float
    symbol_dim: int
    head: int
    initialisation: Literal["keras", "torch"]


LEARNED = '"the learned W1 and W2 parameters learned for these relations"'
SYMBOLS = ours(
    "random and frozen, as in the public code",
    'the text, v3 2.2: "either learned parameters of the model or nonparametric positional '
    'embeddings"; v1 2.1: learnable',
)
FEED_FORWARD = ours("none, as in the public code", "the text, v3 Algorithm 1, has one a layer")


@dataclass(frozen=True)
class PairsProtocol:
    """What the protocols differ in, and what they share."""

    embedder: Sourced[str] = setting("cards embedded, in 32 features, under")
    pairs: Sourced[Literal["drawn", "distinct"]] = setting("pairs of cards")
    draws: Sourced[Literal["shared", "fresh"]] = setting("draw of the pairs")
    epochs: Sourced[int | None] = setting("epochs")
    updates: Sourced[int | None] = setting("updates")
    validate_every: Sourced[int | None] = setting("updates between validations (none: an epoch)")
    restore: Sourced[str] = setting("weights kept")
    kept: Sourced[int] = setting("sets of four relations that others start from")
    embedders: Sourced[int] = setting("networks that embed the cards, the first for all else")
    further: Sourced[int] = setting("further sets of four relations, for further trials of SET")

    train: Sourced[int] = setting("pairs to train on", code(1000, "of 3,500"))
    validation: Sourced[int] = setting("pairs to validate on", code(500))
    test: Sourced[int] = setting("pairs to test on", code(1000))
    trials: Sourced[int] = setting("sets of four relations learned", ours(10, "in the code one"))
    embed: Sourced[int] = setting("dense embedding, random and frozen", counted(64, "35,437"))
    key_dim: Sourced[int] = setting("keys of the relation, with bias", counted(64, "35,437"))
    scale: Sourced[float] = setting("factor on inner products", code(50 / 64))
    activation: Sourced[str] = note("activation of the relation", code("sigmoid"))
    symbol_dim: Sourced[int] = setting("symbols, N(0, 1), frozen", code(10))
    symbols: Sourced[str] = note("symbols", SYMBOLS)
    feed_forward: Sourced[str] = note("network after the relation", FEED_FORWARD)
    head: Sourced[int] = setting("head: dense layer, relu", code(32))
    learning_rate: Sourced[float] = setting("learning rate (Adam)", code(1e-3))
    batch_size: Sourced[int] = setting("batch size", code(32))
    initialisation: Sourced[Literal["keras", "torch"]] = setting("initial weights", code("keras"))


PROTOCOLS = {
    "described": PairsProtocol(
        embedder=ours("described", "RGB, relu, as v3 B.1.2 has it of 64 features"),
        pairs=code("drawn", "the text is silent"),
        draws=ours("fresh", "the text is silent"),
        epochs=code(20, "the text is silent"),
        updates=ours(None, "the text is silent; the public code has 20 epochs"),
        validate_every=ours(None),
        restore=code("best_if_stopped", "the last, as nothing stops early"),
        kept=ours(1, f"v3 4.1 is silent on how many: {LEARNED}"),
        embedders=ours(1),
        further=ours(0),
    ),
    "published": PairsProtocol(
        embedder=code("published", "RGBA, tanh"),
        pairs=code("drawn"),
        draws=code("shared"),
        epochs=code(20),
        updates=code(None),
        validate_every=code(None),
        restore=code("best_if_stopped", "the last, as nothing stops early"),
        kept=code(1),
        embedders=ours(3, "the code has one"),
        further=ours(0),
    ),
    "sound": PairsProtocol(
        embedder=ours("sound", "RGB, tanh; reads every card"),
        pairs=ours("distinct", "no test pair is a training pair"),
        draws=ours("fresh"),
        epochs=ours(None),
        updates=ours(1500),
        validate_every=ours(50),
        restore=ours("best"),
        kept=ours(10, "one for each trial"),
        embedders=ours(1),
        further=ours(10),
    ),
}


def model(protocol: PairsProtocol) -> Model:
    """The model of the section under a protocol."""
    return Model(
        name="relations",
        embed=protocol.embed.value,
        key_dim=protocol.key_dim.value,
        scale=protocol.scale.value,
        symbol_dim=protocol.symbol_dim.value,
        head=protocol.head.value,
        initialisation=protocol.initialisation.value,
    )


def training(protocol: PairsProtocol) -> Training:
    """The training settings of a protocol."""
    return training_of(protocol, loss="binary_cross_entropy")
