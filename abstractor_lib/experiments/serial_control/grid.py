"""The grid: given heads in four worlds, and an Abstractor's own heads in the first; a run a seed.

All arms are part of a run: they share its reader, its examples and the order of its test triples.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials
from ...tasks.set_heads import HEADS, Others
from ..experiment import NewSpec
from ..protocol import cut
from .settings import Model, SerialProtocol, Task, WorldName, training

WORLDS: tuple[WorldName, ...] = ("exact", "unequal", "cued", "mostly_cued")
TRAINED: WorldName = "exact"  # where the heads of an Abstractor are trained


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    seeds: int | None = None
    updates: int | None = None
    rows: tuple[int, int, int] | None = None  # to train, validate and test on
    hidden: int | None = None


PROFILES = {
    "smoke": Profile(seeds=1, updates=4, rows=(128, 128, 128), hidden=8),
    "laptop": Profile(),
    "paper": Profile(seeds=20),
}


def runs(new: NewSpec, amount: Profile, settings: SerialProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    fit = cut(training(settings), None, amount.updates, every=2)
    sizes = [getattr(settings, name).value for name in ("train", "validation", "test")]
    rows = amount.rows or sizes
    hidden = amount.hidden or settings.hidden.value
    given = Model("given", hidden)
    trained = Model(
        "trained",
        hidden,
        settings.embed.value,
        settings.key_dim.value,
        settings.symbol_dim.value,
        settings.feedforward.value,
        amount.updates or settings.head_updates.value,
        settings.head_batch.value,
        settings.head_rate.value,
    )

    def task(world: WorldName) -> Task:
        always, mostly = settings.cues.value
        cue = {"cued": always, "mostly_cued": mostly}.get(world, 1.0)
        flips = settings.flips.value if world == "unequal" else (0.0,) * HEADS
        others: Others = "near_misses" if "cued" in world else "any"
        return Task(world, others, cue, flips, settings.shares.value, *rows)

    cells = [(given, world) for world in WORLDS] + [(trained, TRAINED)]
    for seed in range(amount.seeds or settings.seeds.value):
        for model, world in cells:
            yield new(model, task(world), fit, Trials(seed, 1), None)


def columns(plain: Mapping) -> dict:
    """What tables call a run: whose heads are the ``model``, the world is the ``variant``, triples
    to train on the ``size``."""
    task = plain["task"]
    return {"model": plain["model"]["name"], "size": task["train"], "variant": task["world"]}


def cost(spec: Spec) -> float:
    """Updates of a reader or controller that take as long."""
    return 4.0 * spec.training.updates + 0.5 * spec.model.head_updates
