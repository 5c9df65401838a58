"""The grid: every model on every task with 0, 50, 85 and 95 of 100 objects withheld, on same or
different also with 98.

Cells that most claims rest on are the main part, and have more seeds. Other numbers of withheld
objects, and same or different, are a part of their own. So are learning rates that are tried, with
other seeds.

The seeds of a cell are one run, which trains them together: that takes about two thirds of the
time.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials
from ..experiment import NewSpec
from ..protocol import cut
from .settings import MODELS, TASKS, Model, Name, RelativesProtocol, Task, TaskName, training

# milliseconds of an update of one trial after the encoder, about, on the longest sequences
BODY = {"relation_network": 12.0, "esbn": 7.0, "corelnet": 2.0, "predinet": 2.5, "mlp": 2.0}
OTHERS, IMAGE = 4.0, 0.03
RATES, REST = "learning rates", "other numbers withheld"  # parts of the grid
TRIED: tuple[TaskName, ...] = TASKS[1:]  # tasks of that part
FIRST = 100  # of the seeds there
MOST = 95  # objects withheld there
CLAIMED = (50, 95)  # withheld, on the three tasks that the normalisation does not settle exactly


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    seeds: int | None = None
    withheld: tuple[int, ...] | None = None
    updates: int | None = None
    sequences: tuple[int, int, int, int] | None = None  # to train, validate, test on, and compare


PROFILES = {
    "smoke": Profile(seeds=1, withheld=(95,), updates=4, sequences=(64, 32, 32, 8)),
    "laptop": Profile(),
    "paper": Profile(seeds=10),
}


def runs(new: NewSpec, amount: Profile, settings: RelativesProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    parts = (settings.train, settings.validation, settings.test, settings.compared)
    sizes = amount.sequences or tuple(one.value for one in parts)
    shape = [getattr(settings, one).value for one in ("filters", "dim", "heads", "hidden")]
    usual, same = settings.withheld.value, settings.same_withheld.value
    counts = {name: same if name == "same_different" else usual for name in TASKS}
    cells = [(name, m) for name in TASKS for m in amount.withheld or counts[name]]
    claimed = [cell for cell in cells if cell[0] != "same_different" and cell[1] in CLAIMED]
    networks: dict[Name, Model] = {
        model: Model(model, *shape, settings.parameters.value) for model in MODELS
    }
    for name, withheld in [*claimed, *(cell for cell in cells if cell not in claimed)]:
        decides = (name, withheld) in claimed
        seeds = settings.many_seeds if decides else settings.seeds
        trials = Trials(0, amount.seeds or seeds.value)
        for model, network in networks.items():
            fit = cut(training(settings, model, name), None, amount.updates, every=2)
            part = "" if decides else REST
            yield new(network, Task(name, withheld, *sizes), fit, trials, None, part=part)
    trials = Trials(FIRST, amount.seeds or settings.rate_seeds.value)
    for model, network in networks.items():
        for name, rate in itertools.product(TRIED, settings.rates.value):
            fit = cut(training(settings, model, name, rate), None, amount.updates, every=2)
            yield new(network, Task(name, MOST, *sizes), fit, trials, None, part=RATES)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``; objects withheld as ``size``; the task as ``variant``,
    with words more where learning rates are tried; its ``learning_rate``."""
    task = plain["task"]
    tried = f", {RATES}" if plain["trials"]["first"] >= FIRST else ""
    return {
        "model": plain["model"]["name"],
        "size": task["withheld"],
        "variant": task["name"] + tried,
        "learning_rate": plain["training"]["learning_rate"],
    }


def cost(spec: Spec) -> float:
    """Milliseconds of a run, about."""
    images = IMAGE * (100 - spec.task.withheld)
    update = BODY.get(spec.model.name, OTHERS) + images
    return update * spec.training.updates * spec.trials.count
