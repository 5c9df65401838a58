"""The grid: every architecture on every task, a run a seed. Its main part has the architectures
with and without the decoder's path to the encoder, and the Transformer, on sorting with and without
reports. Other architectures, reports alone, the larger training set, and of each of these and of
the main part further seeds of what claims are of, are parts of their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...records.spec import Spec, Trials
from ...tasks.coloured import TOLD
from ..experiment import NewSpec
from ..protocol import cut
from ..sorting.settings import Task as Sequences
from .settings import Model, PartialProtocol, Task, models, training

UPDATE = {
    "a": 0.8,
    "a_strict": 0.8,
    "b": 1.0,
    "c": 1.2,
    "d": 1.15,
    "d_joined": 1.05,
    "transformer": 1.2,
}
FURTHER, LARGER = "further seeds", "larger training set"  # parts of the grid
REPORTS, OTHERS = "reports alone", "other architectures"
MAIN = ("b", "d", "transformer")
CLAIMED = {  # by task and number of training sequences
    ("sort", 1000): ("b", "d", "d_joined", "transformer"),
    ("sort_and_report", 1000): ("b", "d", "d_joined", "transformer"),
    ("sort_and_report", 3000): ("a", "b", "c", "d", "d_joined", "transformer"),
    ("report", 1000): ("a", "a_strict", "b", "d"),
}


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    sizes: tuple[int, ...] | None = None
    pure_sizes: tuple[int, ...] | None = None
    trials: int | None = None
    updates: int | None = None
    sequences: Mapping = field(default_factory=dict)  # what differs from the protocol's


SMALL = {"validation": 20, "test": 30, "pool": 40, "length": 4}
PROFILES = {
    "smoke": Profile((40,), (40,), trials=1, updates=4, sequences=SMALL),
    "laptop": Profile(),
    "paper": Profile(sizes=(300, 1000, 3000), pure_sizes=(300, 1000, 3000), trials=10),
}


def runs(new: NewSpec, amount: Profile, settings: PartialProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    fit = cut(training(settings), None, amount.updates, every=2)
    names = ("validation", "test", "pool", "length", "counts", "dims")
    drawn = {name: getattr(settings, name).value for name in names} | dict(amount.sequences)
    colour = (settings.kinds.value, settings.colour_dim.value)
    cells = []
    for name in settings.tasks.value:
        which = "sizes" if name == "sort_and_report" else "pure_sizes"
        for train in getattr(amount, which) or getattr(settings, which).value:
            task = Task(name, Sequences(train, **drawn), *colour)
            for model in models(settings).values():
                if model.strict and name not in TOLD:  # it asks of colours
                    continue
                claimed = model.name in CLAIMED.get((name, train), ())
                cells.append((claimed, task, model))
    cells.sort(key=lambda cell: not cell[0])
    some, many = (amount.trials or one.value for one in (settings.trials, settings.many_trials))
    least = min(task.sequences.train for _, task, _ in cells)
    for _, task, model in cells:
        part = _part(model, task, least)
        for seed in range(some):
            yield new(model, task, fit, Trials(seed, 1), None, part=part)
    for claimed, task, model in cells:
        part = f"{_part(model, task, least)}, {FURTHER}".lstrip(", ")
        for seed in range(some, many if claimed else some):
            yield new(model, task, fit, Trials(seed, 1), None, part=part)


def _part(model: Model, task: Task, least: int) -> str:
    """The part of the grid of the first seeds of a model on a task; see above."""
    if task.sequences.train > least:
        return LARGER
    if task.name == "report":
        return REPORTS
    return "" if model.name in MAIN else OTHERS


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``; training ``size``; the task as ``variant``."""
    task = plain["task"]
    return {
        "model": plain["model"]["name"],
        "size": task["sequences"]["train"],
        "variant": task["name"],
    }


def cost(spec: Spec) -> float:
    """Updates of a run, as many as those of architecture (b) would take as long."""
    return UPDATE[spec.model.name] * spec.training.updates
