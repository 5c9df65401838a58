"""The grid of the function learning experiment: four models, and the settings the text leaves open.

Each run is one model of one seed. All are tested on the same curves.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...records.spec import Spec, Trials
from ..needs import Needs
from .settings import MODELS, OPEN, REFERENCES, CurvesProtocol, Model, Task, training

GALLERY = "gallery"  # what runs call the predictions that they leave


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
        },
    ),
    "laptop": Profile(seeds=5, looks=16, small=True, updates=2000),
    "paper": Profile(seeds=3, looks=16, small=False, open=False),
}


def runs(new: Callable[..., Spec], amount: Profile, settings: CurvesProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    sizes = tuple(getattr(settings, name).value for name in ("dim", "heads", "layers"))
    if amount.small:
        sizes = settings.small.value
    dim, heads, layers = amount.sizes or sizes
    rate = settings.small_learning_rate if amount.small else settings.learning_rate
    fit = training(settings, amount.updates or settings.updates.value, amount.looks, rate.value)
    names = ("observed", "steps", "test", "long", "long_steps", "outside", "intercept", "target")
    task = {name: getattr(settings, name).value for name in (*names, "lengths")}
    task = Task(**{"gallery": 12, **task, **amount.task})

    def model(name: str) -> Model:
        shared = ("mask", "queries", "gating", "shared", "start", "norm_first")
        options = {name: getattr(settings, name).value for name in shared}
        hidden = settings.hidden.value * dim
        return Model(name, dim, heads, layers, hidden, similarity="difference", **options)

    def run(model: Model, task: Task, seed: int) -> Spec:
        spec = new(model, task, fit, Trials(seed, 1), None)
        return replace(spec, keep=(GALLERY,)) if seed == 0 else spec

    for seed in range(amount.seeds):
        yield from (run(model(name), task, seed) for name in MODELS)
    for one in OPEN if amount.open else ():
        of_task = {name: value for name, value in one.change.items() if hasattr(task, name)}
        of_model = {name: value for name, value in one.change.items() if name not in of_task}
        yield run(replace(model(one.model), **of_model), replace(task, **of_task), 0)
    nothing = Model(
        "last_value", 0, 0, 0, 0, "none", "observed", "weights", False, (), False, "difference"
    )
    for name in REFERENCES:
        untrained = replace(fit, updates=0)
        yield new(replace(nothing, name=name), task, untrained, Trials(0, 1), None, "float64")


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``; width as ``size``; ``variant``: what differs of the
    settings that the text leaves open, else ``as set``; ``updates``."""
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
        "variant": found[0] if found else "as set",
        "updates": plain["training"]["updates"],
    }


def cost(spec: Spec) -> float:
    """Seconds of a run, about: per token of a batch and layer, at a width of 64."""
    if spec.model.name in REFERENCES:
        return 2.0
    points = spec.task.observed
    tokens = points * (points + 1) / 2 if spec.model.relational else 2 * points
    width = spec.model.dim / 64
    return spec.training.updates * tokens * spec.model.layers * width * (1 + width) * 1.2e-4


def needs(spec: Spec) -> Needs:
    """One core; memory for the attention weights of all layers."""
    large = spec.model.relational and spec.model.dim > 64
    return Needs(memory_mib=5000 if large else 1500)
