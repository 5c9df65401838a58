"""The grid of the robustness experiment: every corruption of every trained model.

The levels of the other corruptions, 0 to 1, serve for the linear map too, where they lie on both
sides of 1 / sqrt(d), most at ratios of 1.2 to 1.5. That level is added: there the mean squared
length of an object is kept. At sigma = 0 the map is the zero map.

A part of the grid trains the three models of the papers' figures on further draws of the objects,
and corrupts these by additive noise. Under `published` there was one draw, and a claim needs five.
If areas differ and vary as under `sound`, five decide with a probability of 0.65, seven with 0.86.
Under `sound` the three models of three trials sort. Their distances to Figure 8a have the mean 0.16
and the standard deviation 0.06: seven such trials bring the interval above the bound of 0.1. No
number of draws decides what is undecided because models do not sort: all of `described`, and under
`sound` what asks for every Ablation.
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
    ADDITIVE,
    ARCHITECTURES,
    FIGURES,
    INNER_PRODUCTS,
    PROTOCOLS,
    Corruption,
    Evaluation,
    Model,
    RobustnessProtocol,
    Task,
    sorting_protocol,
)

FURTHER = "further draws"  # a part of the grid
STEPS = 49  # between the published levels 0 and 1
MOST = 10  # trained models of an architecture
AT_LEVEL = r"(?P<measure>\w+)_(?P<index>\d+)"  # names that `at_level` makes


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    dims: tuple[int, ...]  # of inner products without a model
    dims_draws: int
    dims_trials: int
    dims_level: float
    models: int | None = None  # cut what the protocol says; None leaves it
    further: int | None = None
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
        further=3,
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

    def corrupted(parent: Parent, kind: Corruption) -> Spec:
        counts, dims = parent.spec.task.counts, parent.spec.task.dims
        return new(
            Model(parent.spec.model.name),
            Task(kind, levels(kind, steps, sum(dims)), counts[0] * counts[1], sum(dims)),
            evaluation,
            Trials(parent.trial, 1),
            parent.spec.draw,
            parents={"sorter": parent},
        )

    for parent in trained(new.protocol, amount, settings):
        yield from (corrupted(parent, kind) for kind in kinds)
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
    for parent in trained(new.protocol, amount, settings, further=True):
        yield replace(corrupted(parent, ADDITIVE), part=FURTHER)


def trained(
    protocol: str, amount: Profile, settings: RobustnessProtocol, further: bool = False
) -> Iterator[Parent]:
    """The trained models: runs of the sorting experiment, whether its own grid has them or not.

    Args:
        further: those on further draws instead. Where trials share draw 0 of the objects, they have
            the draw of their number.
    """
    base = sorting_protocol(settings)
    names = ("validation", "test", "pool", "length", "counts", "dims")
    given = {name: getattr(base, name).value for name in names} | dict(amount.task)
    task = SortingTask(amount.train or settings.train.value, **given)
    new = NewSpec(SORTING.name, SORTING.version, protocol)
    shared = settings.draws.value == "shared"
    counts = dict.fromkeys(ARCHITECTURES, settings.models.value)
    counts["ablation"] = settings.ablations.value
    counts = {name: min(count, amount.models or MOST) for name, count in counts.items()}
    more = min(settings.further.value, amount.further or MOST)
    for number in range(MOST):
        for name in ARCHITECTURES:
            asked = number < counts[name]
            if further:
                asked = name in FIGURES and counts[name] <= number < more
            if not asked:
                continue
            model, fit = arm(base, name)
            fit = replace(fit, goal=settings.goal.value)
            fit = cut(fit, amount.epochs, amount.updates, every=2)
            draw = number if shared else None
            yield Parent(new(model, task, fit, Trials(number, 1), draw), number)


def starts_from() -> list[Spec]:
    """The runs of all trained models of all profiles; see `Experiment.starts_from`."""
    return [
        parent.spec
        for amount in PROFILES.values()
        for name, settings in PROTOCOLS.items()
        for further in (False, True)
        for parent in trained(name, amount, settings, further)
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


def at_level(metric: str, index: int) -> str:
    """The name of a metric at the level of that index, in the order of ``task.levels``.

    Example:
        >>> at_level("relations_angle", 3)
        'relations_angle_3'
    """
    return f"{metric}_{index}"


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
        **{at_level("level", k): level for k, level in enumerate(plain["task"]["levels"])},
    }
