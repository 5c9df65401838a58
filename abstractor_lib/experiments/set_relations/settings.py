"""Settings of SET from relations: what each protocol takes, and from where."""

from dataclasses import dataclass, replace
from typing import Literal

from ...tasks.set_triples import SplitBy
from ...training.settings import Training
from ..protocol import Sourced, code, counted, note, ours, setting, text, training_of
from ..same_different.settings import FEED_FORWARD, LEARNED, SYMBOLS


@dataclass(frozen=True)
class Task:
    """``train`` triples of ``pool``, and others to validate and test on; see `tasks.set_triples`.

    Where triples are split by ``rows``, each trial draws its own rows of the pool for all three
    parts.
    """

    train: int
    validation: int
    test: int
    pool: int
    split: SplitBy
    order: Literal["fixed", "shuffled"]
    positives: Literal["alternate", "coin"]
    negatives: Literal["unverified", "verified"]


@dataclass(frozen=True)
class Model:
    """What a model reads, and how its relations begin.

    ``cards``: embedded cards, through relations that are ``learned`` beforehand or ``random``, and
    are ``trained`` further or not; then random symbols and a dense head. ``relations``: the same
    with the true relations in place of the cards. ``bits``: a dense head on twelve bits, the true
    relations of the three pairs. ``features``: a dense head on the embedded cards.
    """

    name: str
    reads: Literal["cards", "relations", "bits", "features"]
    relations: Literal["learned", "random", "given"]
    trained: bool
    embed: int
    key_dim: int
    scale: float
    symbol_dim: int
    head: tuple[int, ...]
    initialisation: Literal["keras", "torch"]


@dataclass(frozen=True)
class RelationsProtocol:
    """What the protocols differ in, and what they share."""

    relations: Sourced[str] = setting("relations learned, and cards embedded, under")
    own: Sourced[bool] = setting("relations of its own for each trial")
    embedders: Sourced[int] = setting("networks that embed the cards, the first for all else")
    split: Sourced[Literal["rows", "sets"]] = setting("triples kept apart by")
    order: Sourced[Literal["fixed", "shuffled"]] = setting("order of the cards of a SET")
    positives: Sourced[Literal["alternate", "coin"]] = setting("which rows are SETs")
    negatives: Sourced[Literal["unverified", "verified"]] = setting("rows that are no SET")
    draws: Sourced[Literal["shared", "fresh"]] = setting("draw of the rows")
    pool: Sourced[int] = setting("rows to draw from")
    validation: Sourced[int | None] = setting("rows to validate on (none: a quarter of n)")
    test: Sourced[int] = setting("rows to test on")
    sizes: Sourced[tuple[int, ...]] = setting("training rows n")
    more_sizes: Sourced[tuple[int, ...]] = setting("further n of the symbolic MLP")
    few_sizes: Sourced[tuple[int, ...]] = setting("n of the controls, and of further embedders")
    unseen: Sourced[tuple[int, ...]] = setting("n where the test cards are in no training row")
    models: Sourced[tuple[str, ...]] = setting("models")
    epochs: Sourced[int | None] = setting("epochs")
    updates: Sourced[int | None] = setting("updates")
    validate_every: Sourced[int | None] = setting("updates between validations (none: an epoch)")
    patience: Sourced[int | None] = setting("early stopping: patience")
    ignored: Sourced[int] = setting("early stopping: epochs before it begins")
    restore: Sourced[str] = setting("weights kept")
    further: Sourced[int] = setting("further trials of the models that bounds are asked of")

    trials: Sourced[int] = setting(
        "trials a size", code(10, "the figure is of another file of results, with five")
    )
    embed: Sourced[int] = setting("dense embedding, random and frozen", counted(64, "35,437"))
    key_dim: Sourced[int] = setting("keys of a relation, with bias", counted(64, "35,437"))
    scale: Sourced[float] = setting("factor on inner products", code(50 / 64))
    symbol_dim: Sourced[int] = setting("symbols, N(0, 1), frozen", code(15))
    symbols: Sourced[str] = note("symbols", SYMBOLS)
    feed_forward: Sourced[str] = note("network after the relations", FEED_FORWARD)
    head: Sourced[tuple[int, ...]] = setting(
        "head: dense layers, relu", counted((128, 64), "31,489")
    )
    symbolic: Sourced[tuple[int, ...]] = setting(
        "symbolic MLP: dense layers, relu", counted((16, 16), "497")
    )
    symbolic_wide: Sourced[tuple[int, ...]] = setting(
        "wide symbolic MLP, about the Abstractor's parameters: dense layers, relu",
        ours((170, 170)),
    )
    learning_rate: Sourced[float] = setting("learning rate (Adam)", code(1e-3))
    batch_size: Sourced[int] = setting("batch size", code(32))
    initialisation: Sourced[Literal["keras", "torch"]] = setting("initial weights", code("keras"))


SIZES = (20, 40, 60, 80, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
EVERY = (
    "abstractor_frozen",
    "abstractor_tuned",
    "abstractor_random",
    "abstractor_scratch",
    "symbolic_mlp",
    "symbolic_wide",
    "symbolic_abstractor",
    "features_mlp",
)
CONTROLS = ("abstractor_random", "abstractor_scratch", "features_mlp")
PROTOCOLS = {
    "described": RelationsProtocol(
        relations=ours("described", "of embeddings from a relu, as v3 B.1.2 has it of 64 features"),
        own=ours(False, f"v3 4.1 is silent on how many: {LEARNED}"),
        embedders=ours(1),
        split=code("rows", "the text is silent"),
        order=ours("shuffled", "as in v3 B.1.2, on Figure 4b"),
        positives=ours(
            "coin",
            "as in v3 B.1.2, on Figure 4b; the text of this figure, v3 4.1 and v1 4.5, has half",
        ),
        negatives=ours("verified", "as in v3 B.1.2, on Figure 4b"),
        draws=ours("fresh", "the text is silent"),
        pool=code(5000, "the text is silent"),
        validation=code(None, "the text is silent"),
        test=code(500, "the text is silent"),
        sizes=code(SIZES),
        more_sizes=ours(()),
        few_sizes=ours(()),
        unseen=ours(()),
        models=text(("abstractor_tuned", "symbolic_mlp"), "v3 4.1: used to initialize"),
        epochs=code(50, "the text is silent"),
        updates=ours(None, "the text is silent; the public code has 50 epochs"),
        validate_every=ours(None),
        patience=ours(None, "the text is silent"),
        ignored=ours(0),
        restore=ours("best", "as in v3 B.1.2, on Figure 4b, which has 200 epochs of 64"),
        further=ours(0),
    ),
    "published": RelationsProtocol(
        relations=code("published"),
        own=code(False),
        embedders=ours(3, "the code has one"),
        split=code("rows"),
        order=code("fixed"),
        positives=code("alternate"),
        negatives=code("unverified", "1.26 % are SETs"),
        draws=code("shared"),
        pool=code(5000),
        validation=code(None),
        test=code(500),
        sizes=code(SIZES),
        more_sizes=code((10, 30, 50, 70, 90)),
        few_sizes=ours((100, 300, 1000)),
        unseen=ours(()),
        models=code(EVERY, "the first and symbolic_mlp"),
        epochs=code(50),
        updates=code(None),
        validate_every=code(None),
        patience=code(6),
        ignored=code(20),
        restore=code("best_if_stopped", "Keras 2"),
        further=ours(0, "at 500 triples the two differ by the margin: no number decides"),
    ),
    "sound": RelationsProtocol(
        relations=ours("sound"),
        own=ours(True),
        embedders=ours(1),
        split=ours("sets", "no test SET is a training SET"),
        order=ours("shuffled", "as in v3 B.1.2, on Figure 4b"),
        positives=ours("alternate", "exactly half"),
        negatives=ours("verified"),
        draws=ours("fresh"),
        pool=ours(3500),
        validation=ours(500, "the same at every n"),
        test=ours(1000),
        sizes=ours((20, 40, 60, 80, 100, 125, 150, 200, 250, 300, 400, 500, 700, 1000)),
        more_sizes=ours(()),
        few_sizes=ours((100, 300, 1000)),
        unseen=ours((100, 300, 1000)),
        models=ours(EVERY),
        epochs=ours(None),
        updates=ours(5000, "the same at every size"),
        validate_every=ours(50),
        patience=ours(None),
        ignored=ours(0),
        restore=ours("best"),
        further=ours(10, "added after ten; 20 decide both bounds if these are no exception"),
    ),
}


def training(protocol: RelationsProtocol) -> Training:
    """The training settings of a protocol."""
    return training_of(protocol, loss="binary_cross_entropy")


def models(protocol: RelationsProtocol) -> dict[str, Model]:
    """The models of the section under a protocol, by name."""
    frozen = Model(
        name="abstractor_frozen",
        reads="cards",
        relations="learned",
        trained=False,
        embed=protocol.embed.value,
        key_dim=protocol.key_dim.value,
        scale=protocol.scale.value,
        symbol_dim=protocol.symbol_dim.value,
        head=protocol.head.value,
        initialisation=protocol.initialisation.value,
    )
    given = replace(frozen, relations="given", name="symbolic_abstractor", reads="relations")
    bits = replace(given, name="symbolic_mlp", reads="bits", head=protocol.symbolic.value)
    every = [
        frozen,
        replace(frozen, name="abstractor_tuned", trained=True),
        # controls: relations that nobody taught, and relations learned with the rest
        replace(frozen, name="abstractor_random", relations="random"),
        replace(frozen, name="abstractor_scratch", relations="random", trained=True),
        bits,  # as published
        # as many trained parameters as the Abstractor's
        replace(bits, name="symbolic_wide", head=protocol.symbolic_wide.value),
        given,
        replace(given, name="features_mlp", reads="features"),
    ]
    return {model.name: model for model in every if model.name in protocol.models.value}
