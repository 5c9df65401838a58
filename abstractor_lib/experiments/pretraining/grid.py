"""The grid of the pre-training experiment: which runs each profile and protocol asks for.

Models that are pre-trained are runs of the grid themselves, of the variant ``pretraining``; the
others start from them. A protocol may take those of another one, where nothing about them differs.

Of the ratio of sequences that the Simple Abstractor needs without and with pre-training on new
objects, ten trials bound the median on no side, since brackets of some trials have no end. A part
of the grid adds sizes that end them. They do not decide whether the ratio is more than two: three
trials are above it or on either side of it whatever these sizes give, and only one may be.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...records.spec import Parent, Spec, Trials, weights_name
from ..experiment import NewSpec
from ..protocol import cut
from ..sorting.settings import SortingProtocol
from .settings import (
    LACKS,
    NAMES,
    ONE_EACH,
    PROTOCOLS,
    More,
    PretrainingProtocol,
    Task,
    models,
    training,
)

NAME, VERSION = "pretraining", 1
MOST = 10  # trials that there can be: where the next one's objects are taken, 0 follows 9
STATED, BETWEEN = "pre-trained as stated", "further sizes"  # parts of the grid
ORDERS = {"same": "standard", "permuted": "permuted", "new_objects": "standard"}


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    sizes: tuple[int, ...]  # training sequences
    trials: int
    part_sizes: Mapping[str, int]  # model -> size at which single parts are moved
    part_trials: int
    deciding: tuple[More, ...] | None = None  # None leaves what the protocol says
    stated: tuple[More, ...] | None = None
    between: tuple[More, ...] | None = None
    task: Mapping = field(default_factory=dict)  # what differs from the protocol's
    pretraining_train: int | None = None
    epochs: int | None = None  # cut the budgets of both stages; None leaves the protocol's
    updates: int | None = None


LAPTOP = Profile(
    sizes=(50, 100, 200, 300, 500, 1000, 2000),
    trials=5,
    part_sizes={"simple": 300, "transformer": 1000},
    part_trials=5,
)
PROFILES = {
    "smoke": Profile(
        sizes=(20, 40),
        trials=2,
        part_sizes={"simple": 20, "transformer": 20},
        part_trials=1,
        deciding=(More("simple", "permuted", (30,), 2),),
        stated=(More("simple", "permuted", (40,), 1), More("transformer", "permuted", (40,), 1)),
        between=(More("simple", "none", (35,), 2), More("simple", "new_objects", (35,), 2)),
        task={
            "validation": 20,
            "test": 30,
            "pool": 100,
            "length": 4,
            "counts": (2, 3),
            "dims": (2, 2),
        },
        pretraining_train=40,
        epochs=2,
        updates=2,  # more would let roundings grow from stage to stage
    ),
    "laptop": LAPTOP,
    "paper": replace(LAPTOP, sizes=tuple(range(100, 3001, 100)), trials=10, part_trials=10),
}


def runs(new: NewSpec, amount: Profile, settings: PretrainingProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    children = list(_children(new, amount, settings))
    for spec in children:
        for parent in spec.parents.values():
            if parent.spec.protocol == spec.protocol:
                # kept where a run is to start from it
                yield replace(parent.spec, keep=(), part=spec.part)
    yield from children


def _children(new: NewSpec, amount: Profile, settings: PretrainingProtocol) -> Iterator[Spec]:
    def run(
        model: str, n: int, arm: str, at: int, moved: str | None = None, budget: str = "ample"
    ) -> Spec:
        if moved is None:
            one = settings.moved if model == "simple" else settings.moved_transformer
            moved = "nothing" if arm == "none" else one.value
        task = _task(amount, settings, n, "main", "standard", arm, moved, budget)
        fit = cut(training(settings, model, "main"), amount.epochs, amount.updates, every=2)
        shared = 0 if settings.draws.value == "shared" else None
        parents = {}
        if arm != "none":
            first = (at + 1) % MOST if arm == "new_objects" else at
            first = first if settings.parents.value == "each" else 0
            parents["pretrained"] = parent(new, amount, settings, model, ORDERS[arm], first, budget)
        return new(models()[model], task, fit, Trials(at, 1), shared, parents=parents)

    arms = settings.arms.value
    for some in (arms[:2], arms[2:]):  # what the papers compare first
        for model in NAMES:
            for n in amount.sizes:
                for at in range(amount.trials):
                    yield from (run(model, n, arm, at) for arm in some)
    if settings.parts.value:
        for model, n in amount.part_sizes.items():
            for moved in ONE_EACH:
                if moved != LACKS[model]:
                    for at in range(amount.part_trials):
                        yield run(model, n, "permuted", at, moved)
    deciding = settings.deciding.value if amount.deciding is None else amount.deciding
    for model, arm, some, trials in deciding or ():
        for n in some if arm in arms else ():
            yield from (run(model, n, arm, at) for at in range(trials))
    stated = settings.stated.value
    if stated and amount.stated is not None:
        stated = amount.stated
    for model, arm, some, trials in stated:
        for at in range(trials):
            for n in some:
                budget = "ample" if arm == "none" else "stated"  # without pre-training
                yield replace(run(model, n, arm, at, budget=budget), part=STATED)
    between = settings.between.value
    if between and amount.between is not None:
        between = amount.between
    for model, arm, some, trials in between:
        for n in some:
            for at in range(trials):
                yield replace(run(model, n, arm, at), part=BETWEEN)


def parent(
    new: NewSpec,
    amount: Profile,
    settings: PretrainingProtocol,
    model: str,
    order: str,
    trial: int,
    budget: str = "ample",
) -> Parent:
    """The model that has been trained on an order of a trial's objects."""
    protocol = settings.starts.value
    settings = settings if protocol == new.protocol else PROTOCOLS[protocol]
    new = replace(new, protocol=protocol)
    train = amount.pretraining_train or settings.pretraining_train.value
    task = _task(amount, settings, train, "pretraining", order, "none", "nothing", budget)
    fit = training(settings, model, "pretraining", budget)
    fit = cut(fit, amount.epochs, amount.updates, every=2)
    shared = 0 if settings.draws.value == "shared" else None
    spec = new(models()[model], task, fit, Trials(trial, 1), shared)
    return Parent(replace(spec, keep=(weights_name(trial),)), trial)


def _task(amount: Profile, settings: PretrainingProtocol, train: int, *more: str) -> Task:
    shared = {name: getattr(SortingProtocol, name).value for name in ("length", "counts", "dims")}
    own = {name: getattr(settings, name).value for name in ("validation", "test", "pool")}
    given = shared | own | dict(amount.task)
    names = ("stage", "order", "arm", "moved", "budget")
    return Task(train, **given, **dict(zip(names, more, strict=True)))


def every_parent() -> Iterator[Spec]:
    """All runs that others can start from, of any profile, protocol and trial."""
    for amount in PROFILES.values():
        for protocol, settings in PROTOCOLS.items():
            new = NewSpec(NAME, VERSION, protocol)
            for model in NAMES:
                for order in ("standard", "permuted"):
                    for trial in range(MOST):
                        yield parent(new, amount, settings, model, order, trial).spec
                for trial in range(MOST) if settings.stated.value else ():
                    yield parent(new, amount, settings, model, "permuted", trial, "stated").spec


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``variant``, ``pretraining`` or ``curve`` (or ``part``, where a
    single part is moved); ``model``: in pre-training ``MODEL_ORDER``; on curves ``MODEL`` without
    and ``MODEL_ARM`` with pre-training; ``MODEL_PART`` where a part is moved; all with ``_stated``
    where the text's budget of pre-training is meant; and ``network``, training ``size``, ``arm``,
    ``order``, ``moved``, ``batch`` and ``budget``."""
    name, task = plain["model"]["name"], plain["task"]
    variant, last = "curve", task["arm"]
    if task["stage"] == "pretraining":
        variant, last = "pretraining", task["order"]
    elif task["moved"] in ONE_EACH:
        variant, last = "part", task["moved"]
    budget = task.get("budget", "ample")
    if budget != "ample":
        last = f"{last}_{budget}"
    return {
        "model": name if last == "none" else f"{name}_{last}",
        "network": name,
        "size": task["train"],
        "arm": task["arm"],
        "order": task["order"],
        "moved": task["moved"],
        "variant": variant,
        "batch": plain["training"]["batch_size"],
        "budget": budget,
    }
