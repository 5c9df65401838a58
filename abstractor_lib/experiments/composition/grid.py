"""The grid: every model on every task, a run a seed; and as a control one Abstractor and a chain
whose answers are read off the states of all objects by a network."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials
from ..experiment import NewSpec
from ..protocol import cut
from .settings import CompositionProtocol, models, tasks, training

READ_BY_NETWORK = ("two_layers", "chain")


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    seeds: int | None = None
    few_seeds: int | None = None
    updates: int | None = None
    examples: int | None = None  # to validate and to test on


PROFILES = {
    "smoke": Profile(seeds=1, few_seeds=1, updates=2, examples=32),
    "laptop": Profile(),
    "paper": Profile(seeds=10, few_seeds=10),
}


def runs(new: NewSpec, amount: Profile, settings: CompositionProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    fit = cut(training(settings), None, amount.updates, every=1)
    if amount.updates:
        fit = replace(fit, warmup=0)
    named = models(settings)
    control = [
        replace(named[name], name=f"{name}_network", network=settings.network.value)
        for name in READ_BY_NETWORK
    ]
    many = amount.seeds or settings.seeds.value
    few = amount.few_seeds or settings.few_seeds.value
    for task in tasks(settings).values():
        if amount.examples:
            task = replace(task, validation=amount.examples, test=amount.examples)
        for seed in range(max(many, few)):
            chosen = [*named.values()] * (seed < many) + control * (seed < few)
            for model in chosen:
                yield new(model, task, fit, Trials(seed, 1), None)


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
    """Updates of a run, as many as those of a network with attention would take as long."""
    return (1.0 if spec.model.modules else 0.3) * spec.training.updates
