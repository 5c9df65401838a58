"""The grid of the function learning experiment: four models, and the settings the text leaves open;
and in parts of their own the same models with all of the paper's updates.

A run is one model and one seed, or all seeds of a model where a GPU computes them together. All
are tested on the same curves.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...records.spec import Spec, Trials
from ...training.settings import Training
from ..experiment import NewSpec
from ..needs import Needs
from .settings import (
    FURTHER,
    MODELS,
    OPEN,
    REFERENCES,
    RELATIONAL,
    SINGLE,
    CurvesProtocol,
    Model,
    Name,
    Task,
    training,
)

GALLERY = "gallery"  # what runs call the predictions that they leave
MAIN, WATCHED = "as set", "watched"  # variants
PREDICTED = 270  # points of curves in the time of an update


LONG, LARGE = "10,000 updates", "paper size"
LATER = "further references"


class Part(NamedTuple):
    """Watched runs with all of the paper's updates, in a part of the grid of their own."""

    name: str
    models: tuple[Name, ...]
    small: bool
    seeds: int
    together: tuple[str, ...] = ()  # of which all seeds are one run, which suits a GPU


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    seeds: int
    looks: int  # at the training loss and the windows
    small: bool  # the smaller model, with its own learning rate
    updates: int | None = None  # None leaves the protocol's
    open: bool = True  # try the settings that the text leaves open
    sizes: tuple[int, ...] | None = None  # width, heads and layers, if others
    task: Mapping = field(default_factory=dict)  # what differs from the protocol's
    watched: bool = False  # validate, and keep the best and averaged weights too
    together: tuple[str, ...] = ()  # models of which all seeds are one run, which suits a GPU
    parts: tuple[Part, ...] = ()
    long_updates: int | None = None  # of parts; None leaves the protocol's


PROFILES = {
    "smoke": Profile(
        seeds=1,
        looks=2,
        small=True,
        updates=4,
        sizes=(8, 2, 2),
        task={
            "observed": 6,
            "steps": 3,
            "test": 9,
            "long": 6,
            "long_steps": 4,
            "outside": 4,
            "gallery": 3,
            "validation": 9,
            "rolled": 6,
        },
        parts=(Part(LONG, MODELS, True, 1),),
        long_updates=6,
    ),
    "laptop": Profile(
        seeds=5,
        looks=16,
        small=True,
        updates=2000,
        parts=(
            Part(LONG, MODELS, True, 5),
            Part(LARGE, SINGLE, False, 5, together=SINGLE),
            Part(LARGE, RELATIONAL, False, 1),  # 13 core hours a run
        ),
    ),
    # the paper has 3 seeds, which decide nothing
    "paper": Profile(seeds=5, looks=16, small=False, open=False, watched=True, together=SINGLE),
}
WATCHED_LOOKS = 20
TASK = ("observed", "steps", "test", "long", "long_steps", "outside", "intercept", "target")
TASK += ("lengths",)  # settings that are the task's too
WATCHED_TASK = ("validation", "rolled")


def runs(new: NewSpec, amount: Profile, settings: CurvesProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""

    def model(name: Name, small: bool) -> Model:
        sizes = tuple(getattr(settings, name).value for name in ("dim", "heads", "layers"))
        dim, heads, layers = amount.sizes or (settings.small.value if small else sizes)
        own = ("mask", "queries", "gating", "shared", "start", "norm_first")
        options = {name: getattr(settings, name).value for name in own}
        hidden = settings.hidden.value * dim
        return Model(name, dim, heads, layers, hidden, similarity="difference", **options)

    def fit(small: bool, updates: int | None, looks: int, watched: bool) -> Training:
        rate = settings.small_learning_rate if small else settings.learning_rate
        updates = updates or settings.updates.value
        return training(settings, updates, looks, rate.value, watched)

    def task(watched: bool) -> Task:
        names = TASK + (WATCHED_TASK if watched else ())
        given: dict[str, Any] = {"gallery": 12}
        given |= {name: getattr(settings, name).value for name in names}
        other = {name: value for name, value in amount.task.items() if name in (*names, "gallery")}
        return Task(**given | other)

    def run(model: Model, task: Task, fit: Training, seeds: Trials) -> Spec:
        spec = new(model, task, fit, seeds, None)
        return replace(spec, keep=(GALLERY,)) if seeds.first == 0 else spec

    def each(models: Iterable[Name], of: Profile | Part) -> Iterator[tuple[Name, Trials]]:
        for seed in range(of.seeds):
            for name in models:
                if name not in of.together:
                    yield name, Trials(seed, 1)
                elif seed == 0:
                    yield name, Trials(0, of.seeds)

    looks = WATCHED_LOOKS if amount.watched else amount.looks
    main = fit(amount.small, amount.updates, looks, amount.watched)
    for name, seeds in each(MODELS, amount):
        yield run(model(name, amount.small), task(amount.watched), main, seeds)
    for one in settings.open.value if amount.open else ():
        of_task = {name: value for name, value in one.change.items() if hasattr(task(False), name)}
        of_model = {name: value for name, value in one.change.items() if name not in of_task}
        changed = replace(model(one.model, amount.small), **of_model)
        yield run(changed, replace(task(amount.watched), **of_task), main, Trials(0, 1))
    nothing = Model(
        "last_value", 0, 0, 0, 0, "none", "observed", "weights", False, (), False, "difference"
    )
    for name in REFERENCES:
        untrained = replace(fit(amount.small, amount.updates, amount.looks, False), updates=0)
        one = new(
            replace(nothing, name=name), task(False), untrained, Trials(0, 1), None, "float64"
        )
        yield replace(one, part=LATER) if name in FURTHER else one
    for part in amount.parts:
        long = fit(part.small, amount.long_updates, WATCHED_LOOKS, watched=True)
        for name, seeds in each(part.models, part):
            one = run(model(name, part.small), task(True), long, seeds)
            yield replace(one, part=part.name)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``; width as ``size``; ``variant``: what differs of the
    settings that the text leaves open, ``watched`` where training is, else ``as set``;
    ``updates``."""
    settings = {**plain["model"], **plain["task"]}
    found = [
        one.label
        for one in OPEN
        if one.model == settings["name"]
        and all(settings[name] == value for name, value in one.change.items())
    ]
    return {
        "model": settings["name"],
        "size": settings["dim"],
        "variant": WATCHED if plain["task"].get("validation") else found[0] if found else MAIN,
        "updates": plain["training"]["updates"],
    }


def cost(spec: Spec) -> float:
    """Seconds of a run, about. An update costs so much for each token of a curve and layer: a part
    that grows as the width, as what is done with single numbers, and one that grows as its square,
    as matrix products do. A token of a similarity costs twice as much as one of a point."""
    fit, task = spec.training, spec.task
    if spec.model.name in REFERENCES:
        return 60.0 if spec.model.name in FURTHER else 0.2
    points = task.observed
    tokens = points * (points + 1) * 1.1 if spec.model.relational else 2 * points
    width = spec.model.dim / 64
    update = 3.4e-5 * tokens * spec.model.layers * width * (3 + width)
    predicted = task.test * task.steps * (1 + len(fit.also))
    predicted += task.long * task.long_steps + task.outside * task.steps
    looks = fit.updates / fit.validate_every
    predicted += looks * (task.validation + task.rolled * task.steps)
    return update * (fit.updates + predicted / PREDICTED) * spec.trials.count


def needs(spec: Spec) -> Needs:
    """One core; memory for the attention weights of all layers."""
    large = (spec.model.relational and spec.model.dim > 64) or spec.trials.count > 1
    return Needs(memory_mib=5000 if large else 1500)
