"""The grid of the sorting experiment: which runs each profile and protocol asks for.

Beside the learning curves of the main models, where the protocol asks for it: further models at
some sizes; the Transformer on either side of a batch boundary; the main models with smaller
batches; the baselines for many updates; where trials share a draw of objects and split, runs on
further draws, since how hard sorting is to learn may differ between draws of the 48 objects; and
sizes between and further trials where a claim hangs on them.

Under `published` six trials left undecided whether the Ablation needs more than twice the
Abstractor's sequences. All six have to show it. Three do not: the Abstractor needs 500 to 700, the
Ablation 1,000 to 1,500 (or more). They do if the Ablation fails with 1,400, or if it fails with
1,200 where the Abstractor needs no more than 600. These sizes are a part of the grid of their own.
With six trials the claim cannot fail by it, since other trials' brackets are wide.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...records.spec import Spec, Trials, weights_name
from ..experiment import NewSpec, updates_of_trials
from ..protocol import cut
from .settings import BASELINES, MAIN, SHOWN, Budget, More, SortingProtocol, Task, arm, arms

FURTHER = ("transformer_small", "symbolic", "simple", "relations")
BETWEEN = "further sizes"  # a part of the grid


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    sizes: tuple[int, ...]  # training sequences
    sound_sizes: tuple[int, ...]  # where every size has the same large budget
    trials: int
    draw_sizes: tuple[int, ...]  # sizes at which further draws are made
    draws: int  # further draws, one trial each
    together: int  # trials of one run; 1 on a CPU, where training them together does not pay
    further_sizes: tuple[int, ...]  # at which the further models are trained
    boundary_sizes: tuple[int, ...]  # on either side of a new, small batch; Transformer only
    batch_sizes: tuple[int, ...]  # with smaller batches; the Abstractor has all sizes
    batch_draw_sizes: tuple[int, ...]  # of further draws, Abstractor with smaller batches
    long_sizes: tuple[int, ...]  # at which the baselines are trained for many updates
    long_trials: int
    deciding: tuple[More, ...] | None = None  # None leaves what the protocol says
    between: tuple[More, ...] | None = None
    task: Mapping = field(default_factory=dict)  # what differs from the protocol's
    epochs: int | None = None  # cut the budget; None leaves the protocol's
    updates: int | None = None


LAPTOP = Profile(
    sizes=(100, 200, 300, 500, 1000, 1500, 2000, 3000),
    sound_sizes=(300, 1000, 2000, 3000),
    trials=5,
    draw_sizes=(300, 1000),
    draws=5,
    together=1,
    further_sizes=(300, 1000),
    boundary_sizes=(2500, 2600),
    batch_sizes=(300, 1000),
    batch_draw_sizes=(100, 200, 300, 500, 1000),
    long_sizes=(1000,),
    long_trials=3,
)
PROFILES = {
    "smoke": Profile(
        sizes=(20, 40),
        sound_sizes=(40,),
        trials=2,
        draw_sizes=(40,),
        draws=1,
        together=1,
        further_sizes=(40,),
        boundary_sizes=(30,),
        batch_sizes=(40,),
        batch_draw_sizes=(20, 40),
        long_sizes=(40,),
        long_trials=1,
        deciding=(More("abstractor", (30,), 2), More("transformer", (40,), 3)),
        between=(More("ablation", (35,), 2),),
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
    "paper": replace(
        LAPTOP,
        sizes=tuple(range(100, 3001, 100)),
        sound_sizes=tuple(range(100, 3001, 100)),
        trials=10,
        together=10,
        deciding=(),  # the grid has no gaps and ten trials everywhere
        between=(),
    ),
}


def runs(new: NewSpec, amount: Profile, settings: SortingProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    equal = settings.updates.value is not None  # one budget for every model and size
    sizes = amount.sound_sizes if equal else amount.sizes
    shared = 0 if settings.draws.value == "shared" else None
    names = ("validation", "test", "pool", "length", "counts", "dims")
    task = {name: getattr(settings, name).value for name in names} | dict(amount.task)

    def run(
        name: str, train: int, trials: Trials, draw: int | None, budget: Budget = "main"
    ) -> Spec:
        model, fit = arm(settings, name, budget)
        fit = cut(fit, amount.epochs, amount.updates, every=2)
        spec = new(model, Task(train, **task), fit, trials, draw)
        return replace(spec, keep=(weights_name(0),)) if shown(spec, sizes) else spec

    blocks = [Trials(at, amount.together) for at in range(0, amount.trials, amount.together)]
    yield from (run(name, n, block, shared) for n in sizes for block in blocks for name in MAIN)
    more = []
    if settings.further_models.value:
        more += [(name, n, "main") for n in amount.further_sizes for name in FURTHER]
    if settings.boundary.value:
        more += [("transformer", n, "main") for n in amount.boundary_sizes if n not in sizes]
    smaller = settings.smaller_batch.value is not None
    first, *others = MAIN
    if smaller:
        more += [(first, n, "smaller batches") for n in sizes]
        more += [(name, n, "smaller batches") for n in amount.batch_sizes for name in others]
    yield from (run(name, n, block, shared, budget) for name, n, budget in more for block in blocks)
    drawn = []
    if shared is not None:
        drawn += [(name, n, "main") for name in MAIN for n in amount.draw_sizes]
    if smaller and shared is not None:
        drawn += [(first, n, "smaller batches") for n in amount.batch_draw_sizes]
    for name, n, budget in drawn:
        for draw in range(1, amount.draws + 1):
            yield run(name, n, Trials(0, 1), draw, budget)
    for name, some, trials in (
        settings.deciding.value if amount.deciding is None else amount.deciding
    ):
        for n in some:
            yield from (run(name, n, Trials(at, 1), shared) for at in range(trials))
    if settings.long_updates.value:
        for n in amount.long_sizes:
            for at in range(amount.long_trials):
                for name in BASELINES:
                    yield run(name, n, Trials(at, 1), shared, "long")
    between = settings.between.value
    for name, some, trials in amount.between if between and amount.between is not None else between:
        for n in some:
            for at in range(trials):
                yield replace(run(name, n, Trials(at, 1), shared), part=BETWEEN)


def shown(spec: Spec, sizes: tuple[int, ...]) -> bool:
    """Whether the notebook shows the first trial's weights: `SHOWN`'s, at the largest size. Other
    sections start from them too."""
    largest = spec.task.train == sizes[-1] and spec.trials.first == 0
    return (spec.protocol, spec.model.name) == SHOWN and largest


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model`` (``NAME_BATCH`` with smaller batches, ``NAME_long``
    with many updates), ``network`` and ``budget`` (see `arm`), training ``size``,
    ``batch``, and ``variant`` (``curve``, or ``draw`` on a further draw)."""
    name = plain["model"]["name"]
    network, budget = arms().get(name, (name, "main"))
    return {
        "model": name,
        "network": network,
        "budget": budget,
        "size": plain["task"]["train"],
        "batch": plain["training"]["batch_size"],
        "variant": "draw" if plain["draw"] else "curve",
    }


def cost(spec: Spec) -> float:
    """Updates of a batch of 64 that the trials of a run may take together."""
    return updates_of_trials(spec) * spec.training.batch_size / 64
