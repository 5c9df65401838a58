"""The grid: each block of seeds computes a fraction of the 48 cells, on each task."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...records.spec import Spec, Trials
from ..cards.grid import embedder
from ..experiment import NewSpec
from ..protocol import cut
from ..set.grid import EMBEDDER
from .design import fraction
from .settings import TASKS, FactorialProtocol, Task, cards, data, model, training

TOGETHER = ("order", "set")  # tasks whose seeds of a block are trained together
LAYER = {"order": (1.5, 4.0), "set": (2.5, 3.5), "sorting": (45.0, 7.0)}  # ms, about; see `cost`


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    cards: str = "laptop"  # the profile whose card embeddings are read
    blocks: int | None = None
    seeds: int | None = None  # a block
    sizes: int | None = None  # the one training size of every task
    updates: int | None = None
    data: Mapping[str, Mapping] = field(default_factory=dict)  # what differs, by task


SMALL = {
    "order": {"objects": 12, "dim": 4},
    "set": {"pool": 60, "validation": 30, "test": 40},
    "sorting": {"pool": 40, "validation": 20, "test": 30, "length": 4},
}
PROFILES = {
    "smoke": Profile("smoke", blocks=1, seeds=1, sizes=30, updates=2, data=SMALL),
    "laptop": Profile(),
    "paper": Profile(blocks=6, seeds=4),
}


def runs(new: NewSpec, amount: Profile, settings: FactorialProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    for name in TASKS:
        seeds = amount.seeds or getattr(settings, f"{name}_seeds").value
        fit = cut(training(settings, name), None, amount.updates, every=2)
        sizes = (amount.sizes,) if amount.sizes else getattr(settings, f"{name}_sizes").value
        parents = {}
        if name == "set":
            parents = {"cards": embedder(amount.cards, cards(settings), EMBEDDER)}
        for train in sizes:
            task = Task(name, replace(data(settings, name, train), **amount.data.get(name, {})))
            plain = model(settings, name, getattr(task.data, "length", 0))
            for block in range(amount.blocks or settings.blocks.value):
                together = Trials(block * seeds, seeds)
                alone = [Trials(seed, 1) for seed in together]
                for cell in fraction(block % settings.fractions.value):
                    levels = cell._asdict() | {"name": f"{cell.symbols}_{cell.activation}"}
                    for trials in [together] if name in TOGETHER else alone:
                        own = replace(plain, **levels)
                        yield new(own, task, fit, trials, None, parents=parents)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model`` (symbols and activation), training ``size``, the task as
    ``variant``; and its levels, ``symbols``, ``activation`` and ``depth``."""
    model, task = plain["model"], plain["task"]
    levels = {name: model[name] for name in ("symbols", "activation", "depth")}
    size = task["data"]["train"]
    return {"model": model["name"], "size": size, "variant": task["name"], **levels}


def cost(spec: Spec) -> float:
    """Milliseconds of a run, about."""
    base, layer = LAYER[spec.task.name]
    return (base + layer * spec.model.depth) * spec.training.updates
