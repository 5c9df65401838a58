"""The grid of the memory experiment."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials, weights_name
from ..experiment import NewSpec
from .settings import Dataset, Fit, MemoryProtocol, Model, Task


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    sizes: Mapping[Dataset, tuple[int, ...]]  # data set -> keys
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


def runs(new: NewSpec, amount: Profile, settings: MemoryProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    widths = {"diabetes": settings.diabetes_features, "digits": settings.digits_features}
    held_out = {"diabetes": settings.diabetes_test, "digits": settings.digits_test}

    def run(model: Model, task: Task) -> Spec:
        spec = new(model, task, amount.fit, Trials(0, amount.trials), None, "float64")
        largest = task.train == max(amount.sizes[task.dataset])
        shown = largest and (model.name, task.dataset) == ("metric", "diabetes")
        return replace(spec, keep=(weights_name(0),)) if shown else spec

    for dataset, sizes in amount.sizes.items():
        test = {f"{dataset}_test": held_out[dataset].value}
        learned = [Model(name, widths[dataset].value) for name in ("metric", "inner")]
        for keys in sizes:
            task = Task(dataset, keys, keys, **test)
            yield from (run(Model(name), task) for name in ("gaussian", "neighbours", "linear"))
            yield from (run(model, task) for model in learned)
        for keys in sizes:
            if keys > amount.few:
                task = Task(dataset, amount.few, keys, **test)
                yield from (run(model, task) for model in (Model("gaussian"), *learned))


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
