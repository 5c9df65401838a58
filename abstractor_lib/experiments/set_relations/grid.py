"""The grid of SET from relations: which runs each profile and protocol asks for.

Trials that were added to decide whether one model bounds another are a part of their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Parent, Spec, Trials
from ..experiment import NewSpec
from ..protocol import cut
from ..same_different.grid import FURTHER, relations
from .settings import (
    CONTROLS,
    PROTOCOLS,
    Model,
    RelationsProtocol,
    SplitBy,
    Task,
    models,
    training,
)

MORE = "symbolic_mlp"  # the model that the paper's figure has at further sizes
SHOWN = "abstractor_frozen"  # the model of the paper's figure, on further embeddings too
BOUNDS = (SHOWN, "symbolic_mlp")  # does one bound the other?


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    name: str  # whose relations the runs start from
    sizes: tuple[int, ...] | None = None
    trials: int | None = None
    further: int | None = None  # trials added later, where there are some
    rows: int | None = None  # of the pool, to validate on and to test on
    epochs: int | None = None
    updates: int | None = None


PROFILES = {
    "smoke": Profile("smoke", sizes=(16, 32), trials=2, further=2, rows=80, epochs=2, updates=10),
    "laptop": Profile("laptop"),
    "paper": Profile("laptop"),
}


def runs(new: NewSpec, amount: Profile, settings: RelationsProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    usual = Trials(0, amount.trials or settings.trials.value)
    fit = cut(training(settings), amount.epochs, amount.updates, every=5)
    shared = 0 if settings.draws.value == "shared" else None

    def task(train: int, split: SplitBy) -> Task:
        held_out = settings.validation.value
        return Task(
            train=train,
            validation=train // 4 if held_out is None else amount.rows or held_out,
            test=min(amount.rows or settings.test.value, settings.test.value),
            pool=3 * amount.rows if amount.rows else settings.pool.value,
            split=split,
            order=settings.order.value,
            positives=settings.positives.value,
            negatives=settings.negatives.value,
        )

    def run(
        model: Model, train: int, split: SplitBy, seed: int = 0, trials: Trials = usual
    ) -> Spec:
        return new(
            model,
            task(train, split),
            fit,
            trials,
            shared,
            parents=parents(amount.name, settings, model, trials, seed),
        )

    every, few = models(settings), amount.sizes or settings.few_sizes.value
    for model in every.values():
        sizes = settings.few_sizes.value if model.name in CONTROLS else settings.sizes.value
        more = settings.more_sizes.value if model.name == MORE else ()
        for train in amount.sizes or sorted({*sizes, *more}):
            yield run(model, train, settings.split.value)
        for train in settings.unseen.value and (amount.sizes or settings.unseen.value):
            yield run(model, train, "cards")
    for seed in range(1, 1 if amount.sizes else settings.embedders.value):
        for train in few:
            yield run(every[SHOWN], train, settings.split.value, seed)
    if settings.further.value:
        later = further(amount, settings)
        for train in amount.sizes or settings.sizes.value:
            for name in BOUNDS:
                one = run(every[name], train, settings.split.value, trials=later)
                yield replace(one, part=FURTHER)


def further(amount: Profile, settings: RelationsProtocol) -> Trials:
    """The trials that were added, numbered after those of the protocol."""
    return Trials(settings.trials.value, amount.further or settings.further.value)


def parents(
    profile: str, settings: RelationsProtocol, model: Model, trials: Trials, seed: int
) -> dict[str, Parent]:
    """What a run starts from: the embedded cards, and relations that were learned on them, one for
    all trials or, ``relations_0`` and so on, one for each."""
    if model.reads not in ("cards", "features"):
        return {}
    where = profile, settings.relations.value
    first = relations(*where, trials.first if settings.own.value else 0, seed)
    found = {"embedder": first.spec.parents["embedder"]}
    if model.relations != "learned":
        return found
    if not settings.own.value:
        return {**found, "relations": first}
    every = {f"relations_{trial}": relations(*where, trial, seed) for trial in trials}
    return {**found, **every}


def start() -> list[Spec]:
    """The runs of other experiments that this one's start from."""
    found: dict[str, Spec] = {}
    for amount in PROFILES.values():
        for settings in PROTOCOLS.values():
            usual = Trials(0, amount.trials or settings.trials.value)
            for model in models(settings).values():
                for seed in range(1 if amount.sizes else settings.embedders.value):
                    some = parents(amount.name, settings, model, usual, seed)
                    found |= {one.spec.id: one.spec for one in some.values()}
            if settings.further.value:
                later = further(amount, settings)
                some = parents(amount.name, settings, models(settings)[SHOWN], later, 0)
                found |= {one.spec.id: one.spec for one in some.values()}
    return list(found.values())


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training ``size``, and ``variant``: ``curve``, ``unseen``
    where test cards are in no training row, another ``embedder``, or ``further`` for trials that
    were added."""
    usual = "further" if plain["trials"]["first"] else "curve"
    seed = plain["parents"].get("embedder", {"trial": 0})["trial"]
    variant = f"embedder_{seed}" if seed else usual
    if plain["task"]["split"] == "cards":
        variant = "unseen"
    return {"model": plain["model"]["name"], "size": plain["task"]["train"], "variant": variant}
