"""The grid of the mathematics experiment: which runs each profile and protocol asks for.

Some tasks are studied in depth, for many updates, the others in brief. In a part of its own, linear
equations are trained on for whole epochs of the paper's questions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials
from ...training.settings import Training
from ..experiment import NewSpec
from ..needs import Needs
from .settings import (
    BLIND,
    FAIR,
    MODELS,
    PAPER,
    SHOWN,
    TASKS,
    MathematicsProtocol,
    Name,
    Task,
    models,
    of_epochs,
    training,
)

ANSWERS = "answers"  # the artifact with the answers to the questions shown
WATCHED = "watched"  # the artifact with what a model attends to in one question


@dataclass(frozen=True)
class Part:
    """Some tasks, the models that are trained on them, for how many updates (None: epochs), on how
    many questions, and whether these are blank."""

    tasks: tuple[Name, ...]
    models: tuple[str, ...]
    updates: int | None
    train: int
    blank: bool = False


@dataclass(frozen=True)
class Epochs:
    """Whole epochs of linear equations: how many questions (None leaves the protocol's), of the
    validation set too, answers in full, and looks an epoch."""

    train: int | None
    validation: int | None
    decoded: int
    looks: int


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    parts: tuple[Part, ...]
    costly: bool  # with protocols whose runs take long?
    validation: int
    decoded: int
    trials: int
    looks: int
    shown: int = 5
    batch_size: int | None = None  # None leaves the protocol's
    epochs: Epochs | None = None  # in a part of the grid of its own


DIFFERENTIATE, NEXT, LINEAR, EXPAND, ADD = TASKS
PROFILES = {
    "smoke": Profile(
        parts=(
            Part((DIFFERENTIATE,), MODELS, 2, 40),
            Part((NEXT,), PAPER, 2, 40),
            Part((DIFFERENTIATE, NEXT), ("transformer",), 2, 40, blank=True),
        ),
        costly=True,
        validation=8,
        decoded=4,
        trials=2,
        looks=2,
        batch_size=2,
        epochs=Epochs(train=8, validation=8, decoded=4, looks=2),
    ),
    "laptop": Profile(
        parts=(
            Part((DIFFERENTIATE,), MODELS, 3500, 200_000),  # a pilot left its plateau after 800
            Part((NEXT,), MODELS, 2500, 320_000),  # a pilot left its plateau after about 1,200
            Part((EXPAND,), MODELS, 800, 102_400),
            Part((LINEAR, ADD), MODELS, 400, 51_200),
            Part(tuple(TASKS), ("transformer",), 1600, 51_200, blank=True),  # cheap
        ),
        costly=False,
        validation=2000,
        decoded=500,
        trials=2,
        looks=10,
        epochs=Epochs(train=None, validation=None, decoded=2000, looks=5),
    ),
    "paper": Profile(
        parts=(
            Part(tuple(TASKS), MODELS, None, 2_000_000),
            Part(tuple(TASKS), ("transformer",), None, 2_000_000, blank=True),
        ),
        costly=True,
        validation=10_000,
        decoded=2000,
        trials=5,
        looks=50,
    ),
}


def runs(new: NewSpec, amount: Profile, settings: MathematicsProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    if settings.costly.value and not amount.costly:
        return
    every = models(settings)

    def run(name: Name, model: str, trial: int, fit: Training, blank: bool, *counts: int) -> Spec:
        """Counts are those of questions: for training, validation, and answers in full."""
        reads = settings.alphabet.value, settings.padding.value
        task = Task(name, *counts, amount.shown, *reads, blank)
        spec = new(every[model], task, fit, Trials(trial, 1), 0)
        keep = (ANSWERS,) if trial == 0 and not blank else ()
        if keep and (spec.protocol, name, model) == SHOWN:
            keep += (WATCHED,)
        return replace(spec, keep=keep)

    for trial in range(amount.trials):
        for part in amount.parts:
            fit = training(settings, part.updates, amount.looks, amount.batch_size)
            counts = part.train, amount.validation, amount.decoded
            for name in part.tasks:
                for model in part.models:
                    yield run(name, model, trial, fit, part.blank, *counts)

    epochs, whole = settings.linear_epochs.value, amount.epochs
    if epochs and whole:
        train = whole.train or settings.training_questions.value
        counts = train, whole.validation or settings.validation.value, whole.decoded
        fit = training(settings, None, 0, amount.batch_size)
        look = -(-train // fit.batch_size) // whole.looks
        fit = replace(fit, epochs=epochs, validate_every=look)
        # the control is cheap: it has as many updates as the others, and looks wherever they do
        for trial in range(amount.trials):
            for model, blank in (*((one, False) for one in FAIR), ("transformer", True)):
                spec = run(LINEAR, model, trial, fit, blank, *counts)
                yield replace(spec, part=of_epochs(TASKS[LINEAR], epochs))


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training questions as ``size``, task as ``variant``, with
    its epochs where these are whole and fewer than the paper's. A model whose questions are blank
    has a name of its own."""
    blind = plain["task"].get("blank", False)
    return {
        "model": BLIND if blind else plain["model"]["name"],
        "size": plain["task"]["train"],
        "variant": of_epochs(TASKS[plain["task"]["name"]], plain["training"]["epochs"]),
    }


def needs(spec: Spec) -> Needs:
    """Memory: of an update, more of it if padding is read; and some copies of the questions."""
    update = {"ignored": 2100, "read": 3000}[spec.task.padding]  # MiB, measured
    return Needs(memory_mib=update + spec.task.train // 1100)  # measured with two million


# an update of the text's Abstractor on one core, in units of 5 ms; and shares of it
UPDATE = {
    "calculus__differentiate": 93,
    "algebra__sequence_next_term": 60,
    "algebra__linear_1d": 46,
    "polynomials__expand": 99,
    "polynomials__add": 148,
}
SHARE = {"transformer": 0.55, "transformer_plus": 0.75}
BLANK = 0.15


def cost(spec: Spec) -> float:
    """Length of a run: updates, by the length of the task's questions and answers."""
    fit = spec.training
    updates = fit.updates or fit.epochs * -(-spec.task.train // fit.batch_size)
    short = spec.task.blank and spec.task.padding == "ignored"
    share = BLANK if short else SHARE.get(spec.model.name, 1.0)
    update = UPDATE[spec.task.name] * share
    return updates * update * spec.trials.count
