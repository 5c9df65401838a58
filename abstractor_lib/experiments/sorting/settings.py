"""Settings of the sorting experiment: what each protocol takes, and from where."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

from ...training.settings import Training
from ..protocol import Sourced, code, counted, note, ours, setting, text, training_of


@dataclass(frozen=True)
class Task:
    """``train`` sequences of ``length`` objects; objects are products of two attributes."""

    train: int
    validation: int
    test: int
    pool: int
    length: int
    counts: tuple[int, int]
    dims: tuple[int, int]


@dataclass(frozen=True)
class Model:
    """A sequence-to-sequence model from objects to their argsort."""

    name: str
    core: Literal["abstractor", "transformer", "simple", "relations"]
    kind: Literal["relational", "ablation", "symbolic"]
    encoder_layers: int
    abstractor_layers: int
    decoder_layers: int
    heads: int
    self_attention: bool
    dim: int
    key_dim: int
    hidden: int
    dropout: float
    initialisation: Literal["keras", "torch"]


class More(NamedTuple):
    """Sizes at which a model has more trials, or trials at all, since a claim hangs on them."""

    model: str
    sizes: tuple[int, ...]
    trials: int

    def __str__(self):
        return f"{self.model}, {', '.join(map(str, self.sizes))}: {self.trials}"


@dataclass(frozen=True)
class SortingProtocol:
    """What the protocols differ in, and what they share."""

    draws: Sourced[Literal["shared", "fresh"]] = setting("objects and split")
    epochs: Sourced[int | None] = setting("epochs, Abstractor and Transformer")
    epochs_others: Sourced[int | None] = setting("epochs, the other models")
    updates: Sourced[int | None] = setting("updates")
    validate_every: Sourced[int | None] = setting("updates between validations (none: an epoch)")
    monitor: Sourced[Literal["validation", "training"]] = setting("loss that is watched")
    patience: Sourced[int | None] = setting("early stopping: patience")
    restore: Sourced[str] = setting("weights kept")
    further_models: Sourced[bool] = setting("further models, at two sizes")
    boundary: Sourced[bool] = setting("Transformer on either side of a batch boundary")
    smaller_batch: Sourced[int | None] = setting("further runs with batches of")
    long_updates: Sourced[int | None] = setting("updates of long runs of the baselines")
    long_batch: Sourced[int | None] = setting("batches of these long runs")
    deciding: Sourced[tuple[More, ...]] = setting(
        "trials where more are needed to decide (model, sizes: trials)"
    )
    between: Sourced[tuple[More, ...]] = setting(
        "further sizes, a part of the grid of their own (model, sizes: trials)"
    )

    counts: Sourced[tuple[int, ...]] = setting(
        "values of the two attributes; objects are their products", text((4, 12), "v3 4.2")
    )
    dims: Sourced[tuple[int, ...]] = setting(
        "features of the attributes, i.i.d. N(0, 1)", text((4, 8), "v3 4.2")
    )
    length: Sourced[int] = setting(
        "objects of a sequence, uniform; distinct, which the text does not say", text(10, "v3 4.2")
    )
    pool: Sourced[int] = setting("training pool, of which a trial draws n sequences", code(70_000))
    validation: Sourced[int] = setting("validation sequences", ours(1000, "published: 10,000"))
    test: Sourced[int] = setting("test sequences", ours(5000, "published: 20,000"))
    dim: Sourced[int] = setting("model width", text(64, "v3 B.2.1"))
    heads: Sourced[int] = setting("heads", text(2, "v3 B.2.1"))
    layers: Sourced[int] = setting("layers of a module", text(2, "v3 B.2.1"))
    transformer_layers: Sourced[int] = setting(
        "layers of a module, Transformer", text(4, "v3 B.2.1")
    )
    key_dim: Sourced[int] = setting("key width of a head", counted(64, "386,954"))
    hidden: Sourced[int] = setting("feed-forward width", text(64, "v3 B.2.1"))
    self_attention: Sourced[bool] = setting(
        "self-attention of the abstract states", counted(True, "386,954")
    )
    simple_heads: Sourced[int] = setting(
        "Simple Abstractor: heads of its one layer, on bare objects", text(4, "v3 B.2.2")
    )
    dropout: Sourced[float] = setting("dropout", code(0.1))
    learning_rate: Sourced[float] = setting("learning rate (Adam)", text(1e-3, "v3 B.2.1"))
    betas: Sourced[tuple[float, ...]] = setting("Adam, betas", text((0.9, 0.999), "v3 B.2.1"))
    epsilon: Sourced[float] = setting("Adam, epsilon", text(1e-7, "v3 B.2.1"))
    loss: Sourced[str] = setting("loss", text("cross_entropy", "v3 B.2.1"))
    batch_size: Sourced[int] = setting("batch size", text(512, "v3 B.2.1"))
    symbols: Sourced[str] = note("symbols", text("learned", "v3 B.2.1"))
    positions: Sourced[str] = note(
        "symbols, scale and positions", code("times sqrt(d), plus sinusoids")
    )
    initialisation: Sourced[Literal["keras", "torch"]] = setting("initial weights", code("keras"))


MAIN = ("abstractor", "ablation", "transformer")
LABELS = {
    "abstractor": "Abstractor",
    "simple": "Simple Abstractor",
    "symbolic": "Symbolic",
    "ablation": "Ablation",
    "transformer": "Transformer",
    "transformer_small": "Transformer 2+2",
    "relations": "relations given",
}
PROTOCOLS = {
    "described": SortingProtocol(
        draws=ours("fresh", "B.2.1 may mean one data set"),
        epochs=text(100, "v3 B.2.1"),
        epochs_others=text(100, "v3 B.2.1"),
        updates=ours(None, "epochs are given"),
        validate_every=ours(None, "the text is silent"),
        monitor=text("validation", "v3 B.2.1: best model according to validation loss"),
        patience=ours(None, "v1 4.2 mentions early stopping, v3 B.2.1 does not; no patience given"),
        restore=text("best", "v3 B.2.1"),
        further_models=ours(True),
        boundary=ours(False),
        smaller_batch=ours(None),
        long_updates=ours(None),
        long_batch=ours(None),
        deciding=ours(
            (
                More("abstractor", (1250,), 6),
                More("transformer", (2500,), 6),
                More("abstractor", (1500,), 6),
                More("transformer", (2000, 3000), 6),
                More("ablation", (3000,), 6),
                More("abstractor", (1000,), 10),
                More("ablation", (1000,), 10),
                More("transformer", (1000,), 10),
                More("abstractor", (3000,), 6),
                More("relations", (1000,), 6),
            )
        ),
        between=ours(()),
    ),
    "published": SortingProtocol(
        draws=code("shared"),
        epochs=code(200, "the logs' largest epoch"),
        epochs_others=code(400, "the logs' largest epoch"),
        updates=code(None),
        validate_every=code(None),
        monitor=code("training", "scripts of the time"),
        patience=code(10, "runs end after as few as 11 epochs"),
        restore=code("best_if_stopped", "Keras 2"),
        further_models=ours(False),
        boundary=ours(True),
        smaller_batch=ours(128, "what the Abstractor's logs look like"),
        long_updates=ours(None),
        long_batch=ours(None),
        deciding=ours(
            (
                More("abstractor", (700,), 6),
                More("abstractor", (500, 1000, 3000), 6),
                More("transformer", (1000, 1500, 2000, 3000), 6),
                More("ablation", (1000, 1500), 6),
            )
        ),
        between=ours(
            (More("ablation", (1200, 1400), 6), More("abstractor", (600,), 6)),
            "twice 600 is 1,200, twice 700 is 1,400",
        ),
    ),
    "sound": SortingProtocol(
        draws=ours("fresh"),
        epochs=ours(None),
        epochs_others=ours(None),
        updates=ours(1500, "the same for every model and size"),
        validate_every=ours(25),
        monitor=ours("validation"),
        patience=ours(None),
        restore=ours("best"),
        further_models=ours(False),
        boundary=ours(False),
        smaller_batch=ours(None),
        long_updates=ours(10_000, "do the baselines lack sequences or updates?"),
        long_batch=ours(128, "a quarter of the time that batches of 512 take"),
        deciding=ours(
            (
                More("abstractor", (300, 3000), 6),
                More("transformer", (1000, 3000), 6),
                More("ablation", (1000,), 6),
            )
        ),
        between=ours(()),
    ),
}


SHOWN = ("described", "abstractor")  # the protocol and the model whose weights the notebook shows
PATIENT = ("ablation", "simple", "symbolic")  # those that the logs let train for longer
BASELINES = ("ablation", "transformer")
Budget = Literal["main", "smaller batches", "long"]


def arm(protocol: SortingProtocol, name: str, budget: Budget = "main") -> tuple[Model, Training]:
    """A model of a protocol, and the settings that it is trained with.

    Args:
        name: of `models`.
        budget: ``main``; or with smaller batches, or for many updates, where the protocol has such
            runs. In these the model is called ``NAME_BATCH`` or ``NAME_long``.
    """
    model, batch_size, updates, also = models(protocol)[name], protocol.batch_size, None, ()
    if budget == "smaller batches":
        batch_size = protocol.smaller_batch
        model = replace(model, name=f"{name}_{batch_size.value}")
    elif budget == "long":
        batch_size, updates = protocol.long_batch, protocol.long_updates
        also = ("final", "best_accuracy")
        model = replace(model, name=f"{name}_long")
    updates = updates or protocol.updates
    epochs = protocol.epochs_others if name in PATIENT else protocol.epochs
    fit = training_of(
        protocol,
        batch_size=batch_size.value,
        epochs=epochs.value,
        updates=updates.value,
        also=also,
    )
    return model, fit


@cache
def arms() -> dict[str, tuple[str, Budget]]:
    """By what models are called: which of `models` they are, and their budget."""
    found: dict[str, tuple[str, Budget]] = {}
    for protocol in PROTOCOLS.values():
        budgets: list[Budget] = ["main"]
        budgets += ["smaller batches"] if protocol.smaller_batch.value else []
        budgets += ["long"] if protocol.long_updates.value else []
        for name in models(protocol):
            found |= {arm(protocol, name, budget)[0].name: (name, budget) for budget in budgets}
    return found


def models(protocol: SortingProtocol) -> dict[str, Model]:
    """Every model of the section under a protocol, by name."""
    layers, more = protocol.layers.value, protocol.transformer_layers.value
    main = Model(
        name="abstractor",
        core="abstractor",
        kind="relational",
        encoder_layers=layers,
        abstractor_layers=layers,
        decoder_layers=layers,
        heads=protocol.heads.value,
        self_attention=protocol.self_attention.value,
        dim=protocol.dim.value,
        key_dim=protocol.key_dim.value,
        hidden=protocol.hidden.value,
        dropout=protocol.dropout.value,
        initialisation=protocol.initialisation.value,
    )
    # v3 B.2.1 mentions a Transformer with the Abstractor's own hyperparameters
    small = replace(main, name="transformer_small", core="transformer", abstractor_layers=0)
    every = [
        main,
        replace(main, name="ablation", kind="ablation"),
        replace(small, name="transformer", encoder_layers=more, decoder_layers=more),
        small,
        replace(main, name="symbolic", kind="symbolic"),
        replace(
            main,
            name="simple",
            core="simple",
            encoder_layers=0,
            abstractor_layers=1,
            decoder_layers=1,
            heads=protocol.simple_heads.value,
            self_attention=False,
        ),
        # the order relation alone, given instead of learned: what there is to know
        replace(main, name="relations", core="relations", encoder_layers=0, abstractor_layers=1),
    ]
    return {model.name: model for model in every}
