"""The grid of the experiment on function classes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials
from ..experiment import NewSpec
from .settings import FunctionProtocol, Model, Task, training

FIRST_ORDER = ("parity", "degree", "strongest", "median")
SECOND_ORDER = ("equal_degree", "same_row", "transitive")
THREE_STEPS = ("common_degree",)


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    trials: int  # trained together
    updates: int
    objects: int  # of targets of the first order
    few: int  # of the others, where one can count what a row alone decides
    symbol_dims: tuple[int, ...]  # against ``objects``
    symbol_dim: int  # of the others
    inverse_objects: int
    inverse_dims: tuple[int, ...]
    inverse_trials: int
    noises: tuple[float, ...] = (0.0, 0.01)
    examples: int = 4096
    chain_trials: int = 0  # of chains, in runs of ``trials``, if more than these


LAPTOP = Profile(
    trials=5,
    updates=3000,
    objects=7,
    few=5,
    symbol_dims=(1, 2, 4, 6, 7, 14),
    symbol_dim=16,
    inverse_objects=10,
    inverse_dims=(4, 8, 10, 11, 12, 14, 16, 20, 30, 50, 100),
    inverse_trials=50,
    chain_trials=20,
)
PROFILES = {
    "smoke": Profile(
        trials=2,
        updates=10,
        objects=3,
        few=3,
        symbol_dims=(1, 3),
        symbol_dim=4,
        inverse_objects=3,
        inverse_dims=(2, 3, 6),
        inverse_trials=3,
        examples=64,
    ),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def runs(new: NewSpec, amount: Profile, settings: FunctionProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    fit, some = training(settings, amount.updates), amount.examples

    def run(model: Model, target: str, objects: int, first: int = 0) -> Spec:
        task = Task(target, objects, some, max(some // 4, 8), some)
        return new(model, task, fit, Trials(first, amount.trials))

    for target in FIRST_ORDER:
        for dim in amount.symbol_dims:
            yield run(Model("one_step", dim), target, amount.objects)
    for name in ("one_step", "two_layers"):
        yield run(Model(name, amount.symbol_dim), "popular", amount.few)
    for target in SECOND_ORDER:
        for name in ("one_step", "chain", "free"):
            yield run(Model(name, amount.symbol_dim), target, amount.few)
        for first in range(amount.trials, amount.chain_trials, amount.trials):
            yield run(Model("chain", amount.symbol_dim), target, amount.few, first)
    for target in THREE_STEPS:
        for name in ("chain", "chain_of_three"):
            yield run(Model(name, amount.symbol_dim), target, amount.few)
    for dim in amount.inverse_dims:
        for noise in amount.noises:
            task = Task("relations", amount.inverse_objects, 0, 0, 1, noise)
            yield new(Model("inverse", dim), task, fit, Trials(0, amount.inverse_trials))


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, symbol dimension as ``size``, and the target as
    ``variant`` and ``target``; ``noise``."""
    task, model = plain["task"], plain["model"]
    variant = task["target"] if not task["noise"] else f"{task['target']}, noise"
    return {
        "model": model["name"],
        "size": model["symbol_dim"],
        "variant": variant,
        "target": task["target"],
        "noise": task["noise"],
    }


def derived(metrics: Mapping) -> dict:
    """``above_row``: accuracy beyond the best that knows an object's own row alone."""
    if metrics.get("row_accuracy") is None:
        return {}
    return {"above_row": metrics["accuracy"] - metrics["row_accuracy"]}
