"""The grid: every model on both tasks, a run a seed.

Standard attention and four kinds of logits of 2-simplicial attention in one layer of equal depth;
and standard attention with as many parameters, in one layer and in two, and in as many layers as
cost as much. The last seeds are a part of the grid of their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials
from ..experiment import NewSpec
from ..protocol import cut
from .settings import TASKS, Model, Sizes, Task, ThreeWayProtocol, training

FURTHER = "further seeds"  # a part of the grid
SIMPLICIAL = ("unsigned", "trilinear", "pairs", "uniform")
STANDARD = ("standard", "wide", "two", "two_matched", "deep")
MODELS = (*SIMPLICIAL, *STANDARD)
UPDATE = {"standard": 5, "wide": 7, "two": 9, "two_matched": 12, "deep": 20}  # milliseconds, about


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    seeds: int | None = None
    updates: int | None = None
    test: int | None = None
    sizes: tuple[int, int] | None = None  # width, and that of a 2-simplicial head


PROFILES = {
    "smoke": Profile(seeds=1, updates=4, test=64, sizes=(8, 4)),
    "laptop": Profile(),
    "paper": Profile(seeds=10),
}


def runs(new: NewSpec, amount: Profile, settings: ThreeWayProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    fit = cut(training(settings), None, amount.updates, every=2)
    small, head = amount.sizes or (None, settings.simplicial_dim.value)

    def model(name: str) -> Model:
        sizes: Sizes = getattr(
            settings, "layer" if name in (*SIMPLICIAL, "standard") else name
        ).value
        width, hidden, layers = sizes if small is None else (small, small, sizes[2])
        logits = name if name in SIMPLICIAL else None
        pairs = head if logits else 0
        return Model(name, width, settings.heads.value, hidden, layers, logits, pairs)

    for seed in range(amount.seeds or settings.seeds.value):
        part = FURTHER if seed >= settings.first_seeds.value else ""
        for kind, objects in zip(TASKS, settings.objects.value, strict=True):
            names = ("modulus", "dim", "validation", "test")
            task = {one: getattr(settings, one).value for one in names}
            if amount.test:
                task |= {"validation": amount.test, "test": amount.test}
            for name in MODELS:
                drawn = Task(kind, objects, **task)
                yield new(model(name), drawn, fit, Trials(seed, 1), None, part=part)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``; the task as ``variant``; examples seen in training as
    ``size``."""
    fit = plain["training"]
    return {
        "model": plain["model"]["name"],
        "size": fit["updates"] * fit["batch_size"],
        "variant": plain["task"]["name"],
    }


def cost(spec: Spec) -> float:
    """Milliseconds of a run, about."""
    return UPDATE.get(spec.model.name, 16) * spec.training.updates * spec.trials.count
