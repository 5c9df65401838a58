"""Settings of the pre-training experiment: what each protocol takes, and from where."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ...records.spec import added
from ...training.settings import Training
from ..protocol import Sourced, code, note, ours, setting, text, training_of
from ..sorting import settings as sorting
from ..sorting.settings import Model, SortingProtocol

NAMES = ("simple", "transformer")
LEARNED = 0.99  # share of its own validation sequences that a model which has learned gets right
PARTS = ("source", "encoder", "abstractors", "target", "decoder", "output")
MOVED = {  # names of transfers -> parts of the model that a child takes from its parent
    "nothing": (),
    "everything": PARTS,
    "layers_of_decoder": ("decoder",),
    "embedder": ("source",),
    "encoder": ("encoder",),
    "abstractor": ("abstractors",),
    "decoder": ("target", "decoder"),
    "all_but_output": PARTS[:-1],
}
ONE_EACH = ("embedder", "encoder", "abstractor", "decoder", "all_but_output")
LACKS = {"simple": "encoder", "transformer": "abstractor"}  # a transfer that moves nothing there


@dataclass(frozen=True)
class Task(sorting.Task):
    """The sorting task; ``train`` sequences are those of a stage.

    ``order`` says by which ranks of the first attribute the objects are sorted: ``standard``, or
    ``permuted`` by a permutation of the trial's own that moves at least one of them.

    ``arm`` is what a model starts from: ``none``, nothing; ``same``, a model that has learned the
    same order of the same objects; ``permuted``, one that has learned the permuted order of the
    same objects; ``new_objects``, one that has learned other objects of the same structure, those
    of the next trial. ``moved`` says which parts of it, by a name of `MOVED`.

    ``budget`` is that of pre-training: ``ample``, until the task is learned, or ``stated``, the
    epochs and the batch size of the text.
    """

    stage: Literal["pretraining", "main"]
    order: Literal["standard", "permuted"]
    arm: Literal["none", "same", "permuted", "new_objects"]
    moved: Literal[
        "nothing",
        "everything",
        "layers_of_decoder",
        "embedder",
        "encoder",
        "abstractor",
        "decoder",
        "all_but_output",
    ]
    budget: Literal["ample", "stated"] = added("ample")


class More(NamedTuple):
    """Sizes at which an arm of a model has more trials, since a claim hangs on them."""

    model: str
    arm: str
    sizes: tuple[int, ...]
    trials: int

    def __str__(self):
        return f"{self.model} {self.arm}, {', '.join(map(str, self.sizes))}: {self.trials}"


@dataclass(frozen=True)
class PretrainingProtocol:
    """What the protocols differ in, and what they share."""

    draws: Sourced[Literal["shared", "fresh"]] = setting("objects and split")
    arms: Sourced[tuple[str, ...]] = setting("arms")
    starts: Sourced[str] = setting("protocol whose pre-trained models are used")
    parents: Sourced[Literal["each", "one"]] = setting("a pre-trained model for each trial, or one")
    moved: Sourced[str] = setting("what is moved, Simple Abstractor")
    moved_transformer: Sourced[str] = setting("what is moved, Transformer")
    parts: Sourced[bool] = setting("single parts moved, at one size")
    pretraining_train: Sourced[int] = setting("pre-training: sequences")
    pretraining_batch: Sourced[int] = setting("pre-training: batch size")
    pretraining_epochs: Sourced[int | None] = setting("pre-training: epochs, Simple Abstractor")
    pretraining_epochs_transformer: Sourced[int | None] = setting(
        "pre-training: epochs, Transformer"
    )
    pretraining_updates: Sourced[int | None] = setting("pre-training: updates, at most")
    pretraining_every: Sourced[int | None] = setting("pre-training: updates between validations")
    pretraining_goal: Sourced[float | None] = setting(
        "pre-training: stops at this full-sequence accuracy (validation)"
    )
    stated_batch: Sourced[int | None] = setting("pre-training for 100 epochs: batch size")
    stated_epochs: Sourced[int | None] = setting("pre-training for 100 epochs: epochs")
    stated: Sourced[tuple[More, ...]] = setting(
        "runs after pre-training for 100 epochs, and beside them (model and arm, sizes: trials)"
    )
    batch_size: Sourced[int] = setting("batch size")
    epochs: Sourced[int | None] = setting("epochs, Simple Abstractor")
    epochs_transformer: Sourced[int | None] = setting("epochs, Transformer")
    updates: Sourced[int | None] = setting("updates, at most")
    validate_every: Sourced[int | None] = setting("updates between validations (none: an epoch)")
    validation: Sourced[int] = setting("validation sequences")
    goal: Sourced[float | None] = setting("stops at this full-sequence accuracy (validation)")
    monitor: Sourced[Literal["validation", "training"]] = setting("loss that is watched")
    patience: Sourced[int | None] = setting("early stopping: patience")
    restore: Sourced[str] = setting("weights kept where that accuracy is not reached")
    deciding: Sourced[tuple[More, ...] | None] = setting(
        "trials where more are needed to decide (model and arm, sizes: trials)"
    )
    between: Sourced[tuple[More, ...]] = setting(
        "further sizes, a part of the grid of their own (model and arm, sizes: trials)"
    )

    models: Sourced[str] = note("models, Adam, loss, objects", ours("those of sorting"))
    order: Sourced[str] = note(
        "permuted order: ranks of the first attribute",
        text("permuted at random", "v3 4.2; ours: not left as it was"),
    )
    rows: Sourced[str] = note("pre-training sequences", ours("none is seen in both stages"))
    pool: Sourced[int] = setting("pool that both stages draw from", SortingProtocol.pool)
    test: Sourced[int] = setting("test sequences", ours(2000, "published: 20,000"))


PROTOCOLS = {
    "described": PretrainingProtocol(
        draws=ours("fresh", "B.2.1 may mean one data set"),
        arms=ours(("none", "permuted", "same", "new_objects"), "text: none, permuted"),
        starts=ours("described"),
        parents=ours("each", "B.2.2 may mean one of each model"),
        moved=text("everything", "v3 B.2.2"),
        moved_transformer=text("everything", "v3 B.2.2"),
        parts=ours(True),
        pretraining_train=text(3000, "v3 B.2.2"),
        pretraining_batch=ours(
            128, "the text has 512, with which fewer models learn; the runs of 100 epochs have it"
        ),
        pretraining_epochs=ours(None, "updates are counted; the runs of 100 epochs count these"),
        pretraining_epochs_transformer=ours(None, "likewise"),
        pretraining_updates=ours(6000, "more than the text's 600; until it is learned"),
        pretraining_every=ours(50),
        pretraining_goal=ours(LEARNED, "nearly all are right"),
        stated_batch=text(512, "v3 B.2.1; B.2.2: batch size identical to the previous sections"),
        stated_epochs=text(
            100, "v3 B.2.1; not in B.2.2's list of what is identical, but it names no other number"
        ),
        stated=ours(
            (
                More("simple", "permuted", (100, 200, 300, 500, 1000), 10),
                More("transformer", "permuted", (300, 500, 1000, 2000, 3000), 10),
                More("transformer", "none", (3000,), 10),
            ),
            "the sizes between which the same models learn without it, and smaller ones; 3,000 is "
            "where the curves of v3 B.2.1 end",
        ),
        batch_size=text(512, "v3 B.2.1; B.2.2: identical to the previous sections"),
        epochs=text(100, "v3 B.2.1"),
        epochs_transformer=text(100, "v3 B.2.1"),
        updates=ours(None, "epochs are given"),
        validate_every=ours(4, "the text is silent"),
        validation=SortingProtocol.validation,
        goal=ours(None, "the text is silent"),
        monitor=text("validation", "v3 B.2.1: best model according to validation loss"),
        patience=ours(None, "v1 4.2 mentions early stopping, v3 B.2.1 does not; no patience given"),
        restore=text("best", "v3 B.2.1"),
        deciding=ours(
            (
                More("simple", "none", (500, 1000), 10),
                More("simple", "permuted", (50, 100, 200), 10),
                More("simple", "same", (50,), 10),
                More("simple", "new_objects", (300, 500, 1000, 2000), 10),
                More("transformer", "none", (2000,), 10),
                More("transformer", "permuted", (100, 200, 300, 500, 1000), 10),
                More("transformer", "same", (50,), 10),
                More("transformer", "new_objects", (500, 1000, 2000), 10),
            ),
            "sizes chosen after five trials",
        ),
        between=ours(
            (More("simple", "none", (700, 2000), 10), More("simple", "new_objects", (700,), 10)),
            "so that the brackets of a ratio have ends",
        ),
    ),
    "published": PretrainingProtocol(
        draws=code("shared"),
        arms=code(("none", "same"), "the permuted order is computed, but not used"),
        starts=code("published"),
        parents=code("one", "one logged run of each model"),
        moved=code("everything"),
        moved_transformer=code("layers_of_decoder"),
        parts=ours(False),
        pretraining_train=code(1000, "the logs' accuracies"),
        pretraining_batch=code(512),
        pretraining_epochs=code(400, "the logs' largest epoch"),
        pretraining_epochs_transformer=code(200, "the logs' largest epoch"),
        pretraining_updates=code(None),
        pretraining_every=code(None),
        pretraining_goal=code(None),
        stated_batch=ours(None),
        stated_epochs=ours(None),
        stated=ours((), "what is logged is the budget above"),
        batch_size=code(512),
        epochs=code(400, "the logs' largest epoch"),
        epochs_transformer=code(200, "the logs' largest epoch"),
        updates=code(None),
        validate_every=code(None),
        validation=ours(200, "published: 10,000; only parents are judged by them"),
        goal=code(None),
        monitor=code("training", "scripts of the time"),
        patience=code(10, "runs end after as few as 11 epochs"),
        restore=code("best_if_stopped", "Keras 2"),
        deciding=ours(
            (More("transformer", "same", (1000,), 10),),
            "the size of a claim, chosen after five trials",
        ),
        between=ours(()),
    ),
    "sound": PretrainingProtocol(
        draws=ours("fresh"),
        arms=ours(("none", "permuted", "same", "new_objects")),
        starts=ours("described", "they have learned; nothing else is asked of them"),
        parents=ours("each"),
        moved=ours("everything"),
        moved_transformer=ours("everything"),
        parts=ours(False),
        pretraining_train=ours(3000),
        pretraining_batch=ours(128),
        pretraining_epochs=ours(None),
        pretraining_epochs_transformer=ours(None),
        pretraining_updates=ours(6000),
        pretraining_every=ours(50),
        pretraining_goal=ours(LEARNED),
        stated_batch=ours(None),
        stated_epochs=ours(None),
        stated=ours(()),
        batch_size=ours(128, "a quarter of the time that batches of 512 take"),
        epochs=ours(None),
        epochs_transformer=ours(None),
        updates=ours(1500, "the same for every model, arm and size"),
        validate_every=ours(25),
        validation=SortingProtocol.validation,
        goal=ours(0.995, "who has learned needs no further updates"),
        monitor=ours("validation"),
        patience=ours(None),
        restore=ours("best"),
        deciding=ours(
            (
                More("simple", "none", (200, 300, 500), 10),
                More("simple", "permuted", (50, 100), 10),
                More("simple", "same", (50,), 10),
                More("simple", "new_objects", (100, 200, 300, 500), 10),
                More("transformer", "none", (1000, 2000), 10),
                More("transformer", "permuted", (100, 300), 10),
                More("transformer", "same", (100,), 10),
                More("transformer", "new_objects", (300, 500), 10),
            ),
            "sizes chosen after five trials; 500, Simple Abstractor, after ten",
        ),
        between=ours(
            (
                More("simple", "none", (700, 1000), 10),
                More("simple", "new_objects", (700, 1000), 10),
            ),
            "so that the brackets of a ratio have ends",
        ),
    ),
}


def models() -> dict[str, Model]:
    """The two models, by name; the sorting experiment's, which are alike under its protocols."""
    every = sorting.models(sorting.PROTOCOLS["described"])
    return {name: every[name] for name in NAMES}


def training(
    protocol: PretrainingProtocol, model: str, stage: str, budget: str = "ample"
) -> Training:
    """The training settings of a model under a protocol, in a stage; ``budget`` as in `Task`."""
    patient = model == "simple"
    every, goal = protocol.validate_every, protocol.goal
    if stage == "pretraining" and budget == "stated":
        batch_size, epochs = protocol.stated_batch, protocol.stated_epochs
        updates = every = goal = ours(None)  # validated after each epoch
    elif stage == "pretraining":
        batch_size, updates = protocol.pretraining_batch, protocol.pretraining_updates
        every, goal = protocol.pretraining_every, protocol.pretraining_goal
        epochs = protocol.pretraining_epochs if patient else protocol.pretraining_epochs_transformer
    else:
        batch_size, updates = protocol.batch_size, protocol.updates
        epochs = protocol.epochs if patient else protocol.epochs_transformer
    return training_of(
        protocol,
        loss="sequence_cross_entropy",
        learning_rate=SortingProtocol.learning_rate.value,
        batch_size=batch_size.value,
        epochs=epochs.value,
        updates=updates.value,
        validate_every=every.value,
        beta_1=SortingProtocol.betas.value[0],
        beta_2=SortingProtocol.betas.value[1],
        epsilon=SortingProtocol.epsilon.value,
        goal=goal.value,
    )
