"""The grid of the memory experiment."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials, read_spec
from ..protocol import pick
from .settings import PROTOCOLS, Fit, Model, Task

NAME = "memory"
VERSION = 1
LEARNED = {"diabetes": 4, "digits": 16}  # features of a learned relation


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    sizes: Mapping[str, tuple[int, ...]]  # data set -> keys
    few: int  # on which the relation is learned where only the memory grows
    trials: int
    fit: Fit


LAPTOP = Profile(
    sizes={"diabetes": (50, 100, 200, 300), "digits": (50, 100, 200, 400, 800)},
    few=100,
    trials=10,
    fit=Fit(updates=60, penalties=(0.001, 0.01, 0.03, 0.1)),
)
PROFILES = {
    "smoke": Profile(
        sizes={"diabetes": (20, 40), "digits": (100,)},
        few=20,
        trials=2,
        fit=Fit(updates=5, penalties=(0.01, 0.1)),
    ),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def grid(profile: str, protocol: str) -> list[Spec]:
    """The specs of one profile; all are under ``described``.

    Raises:
        ValueError: for an unknown profile.
    """
    amount = pick("profile", profile, PROFILES)
    if protocol not in PROTOCOLS:  # mathematics has one
        return []

    def run(model: Model, task: Task) -> Spec:
        trials = Trials(0, amount.trials)
        return Spec(NAME, VERSION, protocol, model, task, amount.fit, trials, None, "float64")

    specs = []
    for dataset, sizes in amount.sizes.items():
        learned = [Model(name, LEARNED[dataset]) for name in ("metric", "inner")]
        for keys in sizes:
            task = Task(dataset, keys, keys)
            specs += [run(Model(name), task) for name in ("gaussian", "neighbours", "linear")]
            specs += [run(model, task) for model in learned]
        grown = [Task(dataset, amount.few, keys) for keys in sizes if keys > amount.few]
        specs += [run(model, task) for task in grown for model in (Model("gaussian"), *learned)]
    return specs


def spec(plain: Mapping) -> Spec:
    """The spec of a record.

    Raises:
        ValueError: for unknown fields or values of another type.
    """
    return read_spec(plain, model=Model, task=Task, training=Fit)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, keys in memory as ``size``, the data set as ``variant``
    (with ``, grown`` where the relation was learned on fewer)."""
    task = plain["task"]
    grown = ", grown" if task["keys"] > task["train"] else ""
    return {
        "model": plain["model"]["name"],
        "size": task["keys"],
        "variant": f"{task['dataset']}{grown}",
        "dataset": task["dataset"],
        "train": task["train"],
    }


def derived(metrics: Mapping) -> dict:
    """Nothing."""
    return {}
