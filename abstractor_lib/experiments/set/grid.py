"""The grid of SET classification: which runs each profile and protocol asks for.

Learning curves of the models of v3 Figure 4b at all training sizes and of further models at some;
where trials share a data set, runs on further ones; where the protocol asks for it, test triples of
cards that no training row holds, at the sizes of the further models; and card embeddings of other
seeds. In parts of their own: the models whose leads are as small as what another embedder moves,
with an embedder for each trial; and more draws of a model that six of them leave undecided.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Parent, Spec, Trials, weights_name
from ..cards import embedder
from ..cards.grid import OWN
from ..experiment import NewSpec
from ..protocol import cut
from .settings import FIGURE, SHOWN, SetProtocol, SplitBy, Task, models, training

DRAW_TRIALS = 2  # of each further draw
BY_CARDS = (*FIGURE, "transformer", "mlp_wide")  # tested on unseen cards too
EMBEDDER = "cnn_64"  # whose embeddings of the cards are read
CLOSE = (  # whose leads are below 0.03 in trials that share an embedder
    "abstractor",
    "corelnet_multihead_deep",
    "corelnet_deep",
    "mlp_wide",
    "transformer",
    "abstractor_one_wide",
    "abstractor_asymmetric",
)
DECIDING, DECIDED = "deciding draws", "corelnet"  # a part of the grid, and its model
# What an update takes, by core, as a multiple of CoRelNet's: 5 ms for ten trials. Estimates of time
# rest on it, and nothing else.
UPDATE = {"abstractor": 3.0, "corelnet": 1.0, "predinet": 1.8, "mlp": 0.6, "transformer": 13.0}


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    cards: str  # the profile whose card embeddings are read
    seeds: tuple[int, ...] = ()  # of further card embeddings
    seeds_at: int = 1000  # training rows of runs on these
    sizes: tuple[int, ...] | None = None  # training rows, of all models
    trials: int | None = None  # trained together
    draws: int | None = None  # further draws, where there are some
    deciding: int | None = None  # more of them, where there are some
    own: int | None = None  # trials with an embedder of their own, where there are some
    rows: tuple[int, int, int] | None = None  # to train, validate and test on
    epochs: int | None = None
    updates: int | None = None


PROFILES = {
    "smoke": Profile("smoke", (), 40, (40,), 2, 1, 1, 2, (60, 30, 40), epochs=2, updates=4),
    "laptop": Profile("laptop", (1, 2)),
    "paper": Profile("laptop", (1, 2)),
}


def runs(new: NewSpec, amount: Profile, settings: SetProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    every, fit = models(settings), cut(training(settings), amount.epochs, amount.updates, every=2)
    rows = (settings.pool.value, settings.validation.value, settings.test.value)
    pool, validation, test = amount.rows or rows
    sizes, further = settings.sizes.value, settings.further_sizes.value or ()
    if amount.sizes:
        sizes, further = amount.sizes, amount.sizes if further else ()
    shared = 0 if settings.draws.value == "shared" else None
    parent, *others = embedders(amount, settings)
    trials = Trials(0, amount.trials or settings.trials.value)

    def run(
        name: str,
        train: int,
        draw: int | None = shared,
        split: SplitBy = settings.split.value,
        trials: Trials = trials,
        cards: Parent | None = parent,
    ) -> Spec:
        how = {one: getattr(settings, one).value for one in ("order", "positives", "negatives")}
        task = Task(train, pool, validation, test, split, **how)
        parents = own_embedders(amount, settings, trials) if cards is None else {"cards": cards}
        spec = new(every[name], task, fit, trials, draw, parents=parents)
        return replace(spec, keep=(weights_name(0),)) if shown(spec, sizes) else spec

    yield from (run(name, n) for n in sizes for name in FIGURE)
    yield from (run(name, n) for n in further for name in every if name not in FIGURE)
    draws = settings.further_draws.value
    if draws and amount.draws is not None:
        draws = amount.draws
    for n in sizes:
        for draw in range(1, draws + 1):
            yield from (run(name, n, draw, trials=Trials(0, DRAW_TRIALS)) for name in FIGURE)
    if settings.by_cards.value:
        yield from (run(name, n, split="cards") for n in further for name in BY_CARDS)
    yield from (run(FIGURE[0], amount.seeds_at, cards=other) for other in others)
    if settings.own.value:
        first, count = settings.own.value
        for at in range(first, first + (amount.own or count), trials.count):
            some = replace(trials, first=at)
            for n in further:
                for name in CLOSE:
                    yield replace(run(name, n, trials=some, cards=None), part=OWN)
    more = settings.deciding_draws.value
    if more and amount.deciding is not None:
        more = amount.deciding
    for n in sizes:
        for draw in range(draws + 1, draws + 1 + more):
            one = run(DECIDED, n, draw, trials=Trials(0, DRAW_TRIALS))
            yield replace(one, part=DECIDING)


def embedders(amount: Profile, settings: SetProtocol) -> list[Parent]:
    """The embedded cards that runs read: those of most runs, then those of other seeds."""
    seeds = amount.seeds if settings.other_seeds.value else ()
    return [embedder(amount.cards, settings.cards.value, EMBEDDER, seed) for seed in (0, *seeds)]


def own_embedders(amount: Profile, settings: SetProtocol, trials: Trials) -> dict[str, Parent]:
    """The embedded cards of each trial, ``cards_10`` and so on: those of the seed of its number."""
    read = amount.cards, settings.cards.value, EMBEDDER
    return {own_role(number): embedder(*read, number) for number in trials}


def own_role(trial: int) -> str:
    """What a run calls the embedded cards that one trial alone reads."""
    return f"cards_{trial}"


def cost(spec: Spec) -> float:
    """Updates of ten CoRelNets that take as long; early stopping takes less."""
    fit = spec.training
    updates = fit.updates or fit.epochs * -(-spec.task.train // fit.batch_size)
    return updates * spec.trials.count * UPDATE[spec.model.core] / 10


def shown(spec: Spec, sizes: tuple[int, ...]) -> bool:
    """Whether the notebook plays with the first trial's weights: `SHOWN`'s, at the largest size."""
    largest = spec.task.train == sizes[-1] and spec.task.split == "sets"
    return (spec.protocol, spec.model.name) == SHOWN and largest and 0 in spec.trials


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training ``size``, and ``variant`` (``curve``, ``draw`` on
    a further data set, ``cards`` where test cards are new, ``embedder`` with card embeddings of
    another seed, ``own`` with an embedder for each trial); and the seed of the ``embedder`` that
    all trials share."""
    shared = plain["parents"].get("cards")
    variant = "curve" if shared else "own"
    if plain["draw"]:
        variant = "draw"
    elif plain["task"]["split"] == "cards":
        variant = "cards"
    elif shared and shared["trial"]:
        variant = "embedder"
    return {
        "model": plain["model"]["name"],
        "size": plain["task"]["train"],
        "variant": variant,
        "embedder": shared["trial"] if shared else None,
    }


def derived(metrics: Mapping) -> dict:
    """``unseen_accuracy``: the mean of the accuracies on test SETs that are no training rows and on
    rows that are truly none: what is left of the accuracy without leakage and wrong labels."""
    new, other = metrics["new_accuracy"], metrics["other_accuracy"]
    known = new is not None and other is not None
    return {"unseen_accuracy": (new + other) / 2 if known else None}
