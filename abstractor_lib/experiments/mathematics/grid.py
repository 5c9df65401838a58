"""The grid of the mathematics experiment: which runs each profile and protocol asks for.

Some tasks are studied in depth, for many updates, the others in brief.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials
from ..experiment import NewSpec
from ..needs import Needs
from .settings import (
    BLIND,
    MODELS,
    PAPER,
    SHOWN,
    TASKS,
    MathematicsProtocol,
    Task,
    models,
    training,
)

ANSWERS = "answers"  # the artifact with the answers to the questions shown
WATCHED = "watched"  # the artifact with what a model attends to in one question


@dataclass(frozen=True)
class Part:
    """Some tasks, the models that are trained on them, for how many updates (None: epochs), on how
    many questions, and whether these are blank."""

    tasks: tuple[str, ...]
    models: tuple[str, ...]
    updates: int | None
    train: int
    blank: bool = False


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
    for trial in range(amount.trials):
        for part in amount.parts:
            fit = training(settings, part.updates, amount.looks, amount.batch_size)
            for name in part.tasks:
                task = Task(
                    name,
                    part.train,
                    amount.validation,
                    amount.decoded,
                    amount.shown,
                    settings.alphabet.value,
                    settings.padding.value,
                    part.blank,
                )
                for model in part.models:
                    spec = new(every[model], task, fit, Trials(trial, 1), 0)
                    keep = (ANSWERS,) if trial == 0 and not part.blank else ()
                    if keep and (spec.protocol, name, model) == SHOWN:
                        keep += (WATCHED,)
                    yield replace(spec, keep=keep)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training questions as ``size``, task as ``variant``. A
    model whose questions are blank has a name of its own."""
    blind = plain["task"].get("blank", False)
    return {
        "model": BLIND if blind else plain["model"]["name"],
        "size": plain["task"]["train"],
        "variant": TASKS[plain["task"]["name"]],
    }


def needs(spec: Spec) -> Needs:
    """Memory: of an update, more of it if padding is read; and some copies of the questions."""
    update = {"ignored": 2100, "read": 3000}[spec.task.padding]  # MiB, measured
    return Needs(memory_mib=update + spec.task.train // 850)  # six copies of 192 bytes, reckoned


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
