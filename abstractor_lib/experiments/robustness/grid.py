"""The grid of the robustness experiment: every corruption of every trained model.

The levels of the other corruptions, 0 to 1, serve for the linear map too, where they lie on both
sides of 1 / sqrt(d), most at ratios of 1.2 to 1.5. That level is added: there the mean squared
length of an object is kept. At sigma = 0 the map is the zero map.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...records.spec import Parent, Spec, Trials
from ..experiment import NewSpec
from ..protocol import cut
from ..sorting import EXPERIMENT as SORTING
from ..sorting.settings import Task as SortingTask
from ..sorting.settings import arm
from .settings import (
    ARCHITECTURES,
    INNER_PRODUCTS,
    PROTOCOLS,
    Evaluation,
    Model,
    RobustnessProtocol,
    Task,
    sorting_protocol,
)

STEPS = 49  # between the published levels 0 and 1
MOST = 10  # trained models of an architecture


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    dims: tuple[int, ...]  # of inner products without a model
    dims_draws: int
    dims_trials: int
    dims_level: float
    models: int | None = None  # cut what the protocol says; None leaves it
    levels: tuple[int, ...] | None = None
    draws: int | None = None
    sequences: int | None = None
    train: int | None = None
    task: Mapping = field(default_factory=dict)  # what differs from the sorting protocol's
    epochs: int | None = None
    updates: int | None = None


LAPTOP = Profile(
    dims=(3, 6, 12, 24, 48, 96, 192, 384, 768), dims_draws=100, dims_trials=8, dims_level=0.2
)
PROFILES = {
    "smoke": Profile(
        dims=(3, 12),
        dims_draws=10,
        dims_trials=2,
        dims_level=0.2,
        models=2,
        levels=(0, 5, 49),
        draws=2,
        sequences=10,
        train=40,
        task={
            "validation": 20,
            "test": 30,
            "pool": 60,
            "length": 4,
            "counts": (2, 3),
            "dims": (2, 2),
        },
        epochs=2,
        updates=4,
    ),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def runs(new: NewSpec, amount: Profile, settings: RobustnessProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    kinds = settings.corruptions.value
    evaluation = Evaluation(
        amount.draws or settings.noise_draws.value, amount.sequences or settings.sequences.value
    )
    steps = amount.levels or settings.levels.value
    for parent in trained(new.protocol, amount, settings):
        counts, dims = parent.spec.task.counts, parent.spec.task.dims
        for kind in kinds:
            task = Task(kind, levels(kind, steps, sum(dims)), counts[0] * counts[1], sum(dims))
            yield new(
                Model(parent.spec.model.name),
                task,
                evaluation,
                Trials(parent.trial, 1),
                parent.spec.draw,
                parents={"sorter": parent},
            )
    if settings.theory.value:
        for dim in amount.dims:
            for kind in kinds:
                level = dim**-0.5 if kind == "linear" else amount.dims_level
                yield new(
                    Model(INNER_PRODUCTS),
                    Task(kind, (level,), 48, dim),
                    Evaluation(amount.dims_draws, 0),
                    Trials(0, amount.dims_trials),
                )


def trained(protocol: str, amount: Profile, settings: RobustnessProtocol) -> Iterator[Parent]:
    """The trained models: runs of the sorting experiment, whether its own grid has them or not."""
    base = sorting_protocol(settings)
    names = ("validation", "test", "pool", "length", "counts", "dims")
    given = {name: getattr(base, name).value for name in names} | dict(amount.task)
    task = SortingTask(amount.train or settings.train.value, **given)
    new = NewSpec(SORTING.name, SORTING.version, protocol)
    draw = 0 if settings.draws.value == "shared" else None
    counts = dict.fromkeys(ARCHITECTURES, settings.models.value)
    counts["ablation"] = settings.ablations.value
    for number in range(min(max(counts.values()), amount.models or MOST)):
        for name in (name for name, count in counts.items() if number < count):
            model, fit = arm(base, name)
            fit = replace(fit, goal=settings.goal.value)
            fit = cut(fit, amount.epochs, amount.updates, every=2)
            trials = Trials(number, 1)
            yield Parent(new(model, task, fit, trials, draw), number)


def starts_from() -> list[Spec]:
    """The runs of all trained models of all profiles; see `Experiment.starts_from`."""
    return [
        parent.spec
        for amount in PROFILES.values()
        for name, settings in PROTOCOLS.items()
        for parent in trained(name, amount, settings)
    ]


def levels(kind: str, steps: tuple[int, ...], features: int) -> tuple[float, ...]:
    """Levels of sigma in ascending order.

    Args:
        kind: of corruption.
        steps: the levels in 49ths.
        features: of an object, d.

    Example:
        >>> levels("additive", (0, 7, 49), 4)
        (0.0, 0.14285714285714285, 1.0)
        >>> levels("linear", (0, 7, 49), 4)
        (0.0, 0.14285714285714285, 0.5, 1.0)
    """
    found = {step / STEPS for step in steps}
    if kind == "linear":
        found.add(features**-0.5)  # d sigma^2 = 1
    return tuple(sorted(found))


def cost(spec: Spec) -> float:
    """Draws of the corruption at all levels, which are that many passes through a model."""
    return spec.training.draws * len(spec.task.levels) * spec.trials.count


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, features d as ``size``, the corruption as ``variant``, and
    sigma of level k as ``level_k``."""
    return {
        "model": plain["model"]["name"],
        "size": plain["task"]["features"],
        "variant": plain["task"]["corruption"],
        **{f"level_{index}": level for index, level in enumerate(plain["task"]["levels"])},
    }
