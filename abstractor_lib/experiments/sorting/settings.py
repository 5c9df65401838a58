"""Settings of the sorting experiment: what each protocol takes, and from where."""

from dataclasses import dataclass, replace
from typing import Literal

from ...training.settings import Training
from ..protocol import Sourced, code, counted, ours, setting, text


@dataclass(frozen=True)
class Task:
    """``train`` sequences of ``length`` objects; objects are products of two attributes."""

    train: int
    validation: int = 1000
    test: int = 5000
    pool: int = 70_000
    length: int = 10
    counts: tuple[int, ...] = (4, 12)
    dims: tuple[int, ...] = (4, 8)


@dataclass(frozen=True)
class Model:
    """A sequence-to-sequence model from objects to their argsort."""

    name: str
    core: Literal["abstractor", "transformer", "simple", "relations"]
    kind: Literal["relational", "ablation", "symbolic"] = "relational"
    encoder_layers: int = 2
    abstractor_layers: int = 2
    decoder_layers: int = 2
    heads: int = 2
    self_attention: bool = True
    dim: int = 64
    key_dim: int = 64
    hidden: int = 64
    dropout: float = 0.1
    initialisation: Literal["keras", "torch"] = "keras"


@dataclass(frozen=True)
class SortingProtocol:
    """What the protocols differ in."""

    draws: Sourced[Literal["shared", "fresh"]] = setting("objects and split")
    epochs: Sourced[int | None] = setting("epochs, Abstractor and Transformer")
    epochs_others: Sourced[int | None] = setting("epochs, the other models")
    updates: Sourced[int | None] = setting("updates")
    validate_every: Sourced[int | None] = setting("updates between looks (none: an epoch)")
    monitor: Sourced[Literal["validation", "training"]] = setting("loss that is watched")
    patience: Sourced[int | None] = setting("early stopping: patience")
    restore: Sourced[str] = setting("weights kept")
    self_attention: Sourced[bool] = setting("self-attention of the abstract states")
    further_models: Sourced[bool] = setting("further models, at two sizes")
    boundary: Sourced[bool] = setting("Transformer on either side of a batch boundary")
    smaller_batch: Sourced[int | None] = setting("further runs with batches of")


MAIN = ("abstractor", "ablation", "transformer")
PROTOCOLS = {
    "described": SortingProtocol(
        draws=ours("fresh", "B.2.1 may mean one data set"),
        epochs=text(100, "v3 B.2.1"),
        epochs_others=text(100, "v3 B.2.1"),
        updates=ours(None, "epochs are given"),
        validate_every=ours(None, "the text is silent"),
        monitor=text("validation", "v3 B.2.1: best model according to validation loss"),
        patience=ours(None, "the text has no early stopping"),
        restore=text("best", "v3 B.2.1"),
        self_attention=counted(True, "386,954"),
        further_models=ours(True),
        boundary=ours(False),
        smaller_batch=ours(None),
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
        self_attention=counted(True, "386,954"),
        further_models=ours(False),
        boundary=ours(True),
        smaller_batch=ours(128, "what the Abstractor's logs look like"),
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
        self_attention=counted(True, "386,954"),
        further_models=ours(False),
        boundary=ours(False),
        smaller_batch=ours(None),
    ),
}


COMMON: tuple[tuple[str, Sourced], ...] = (  # what no protocol changes
    ("objects", text("products of two attributes, 4 x 12 = 48 objects", "v3 4.2")),
    ("features of the attributes", code("4 and 8, i.i.d. N(0, 1)")),
    ("sequences", text("10 distinct objects, uniform", "v3 4.2")),
    ("training pool", code("70,000 sequences; a trial draws n of them")),
    ("validation, test sequences", ours("1,000 and 5,000", "published: 10,000 and 20,000")),
    ("model width, heads, layers", text("64; 2; 2 a module, Transformer 4 a module", "v3 B.2.1")),
    ("key width of a head", counted("64", "386,954")),
    ("loss, optimiser", text("cross-entropy; Adam, 1e-3, betas 0.9, 0.999, eps 1e-7", "v3 B.2.1")),
    ("batch size", text("512", "v3 B.2.1")),
    ("dropout", code("0.1")),
    ("symbols", text("learned", "v3 B.2.1")),
    ("symbols, scale and positions", code("times sqrt(d), plus sinusoids")),
    ("Simple Abstractor", counted("no encoder, one layer of four heads, bare symbols", "219,210")),
    ("initial weights", code("Keras")),
)

PATIENT = ("ablation", "simple", "symbolic")  # those that the logs let train for longer


def training(protocol: SortingProtocol, model: Model) -> Training:
    """The training settings of a model under a protocol."""
    smaller = f"_{protocol.smaller_batch.value}"
    patient = model.name.removesuffix(smaller) in PATIENT
    epochs = protocol.epochs_others if patient else protocol.epochs
    return Training(
        loss="cross_entropy",
        learning_rate=1e-3,
        batch_size=protocol.smaller_batch.value if model.name.endswith(smaller) else 512,
        epochs=epochs.value,
        updates=protocol.updates.value,
        validate_every=protocol.validate_every.value,
        patience=protocol.patience.value,
        min_delta=0.0,
        baseline=None,
        restore=protocol.restore.value,
        monitor=protocol.monitor.value,
    )


def models(protocol: SortingProtocol) -> dict[str, Model]:
    """Every model of the section under a protocol, by name; ``NAME_BATCH`` is the same model,
    trained with smaller batches."""
    main = Model("abstractor", "abstractor", self_attention=protocol.self_attention.value)
    four = {"encoder_layers": 4, "decoder_layers": 4, "abstractor_layers": 0}
    every = [
        main,
        replace(main, name="ablation", kind="ablation"),
        Model("transformer", "transformer", **four),
        # v3 B.2.1 mentions a Transformer with the Abstractor's own hyperparameters
        Model("transformer_small", "transformer", abstractor_layers=0),
        replace(main, name="symbolic", kind="symbolic"),
        Model(
            "simple",
            "simple",
            encoder_layers=0,
            abstractor_layers=1,
            decoder_layers=1,
            heads=4,
            self_attention=False,
        ),
        # the order relation alone, given instead of learned: what there is to know
        Model("relations", "relations", encoder_layers=0, abstractor_layers=1),
    ]
    if smaller := protocol.smaller_batch.value:
        every += [replace(m, name=f"{m.name}_{smaller}") for m in every if m.name in MAIN]
    return {model.name: model for model in every}
