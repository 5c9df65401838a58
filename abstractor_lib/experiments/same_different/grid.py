"""The grid of the relations that are learned beforehand, and which others start from them.

Relations for trials that were added later are a part of the grid of their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Parent, Spec, Trials, weights_name
from ..cards.grid import embedder
from ..experiment import NewSpec
from ..protocol import cut
from .settings import PairsProtocol, Task, model, training

EMBEDDER = "cnn_32"
FURTHER = "further trials"  # a part of the grid


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    name: str  # whose embedders the runs start from
    trials: int | None = None
    further: int | None = None  # trials added later, where there are some
    embedders: int | None = None
    pairs: int | None = None
    epochs: int | None = None
    updates: int | None = None


PROFILES = {
    "smoke": Profile("smoke", trials=2, further=2, embedders=1, pairs=64, epochs=2, updates=10),
    "laptop": Profile("laptop"),
    "paper": Profile("laptop"),
}


def runs(new: NewSpec, amount: Profile, settings: PairsProtocol) -> Iterator[Spec]:
    """The grid: for each embedder one run, of all trials and attributes, and one of those trials
    that were added; see `Experiment.runs`."""
    task = Task(
        train=amount.pairs or settings.train.value,
        validation=amount.pairs or settings.validation.value,
        test=amount.pairs or settings.test.value,
        pairs=settings.pairs.value,
    )
    count = amount.trials or settings.trials.value
    first, *others = (
        new(
            model(settings),
            task,
            cut(training(settings), amount.epochs, amount.updates, every=5),
            Trials(0, count),
            0 if settings.draws.value == "shared" else None,
            parents={"embedder": parent},
            keep=tuple(weights_name(trial) for trial in range(min(count, settings.kept.value))),
        )
        for parent in embedders(amount, settings)
    )
    yield from (first, *others)
    if settings.further.value:
        later = Trials(settings.trials.value, amount.further or settings.further.value)
        yield replace(first, trials=later, keep=(), part=FURTHER)  # kept where a run starts there


def embedders(amount: Profile, settings: PairsProtocol) -> list[Parent]:
    """The networks that embed the cards for a protocol's runs."""
    count = amount.embedders or settings.embedders.value
    name = settings.embedder.value
    return [embedder(amount.name, name, EMBEDDER, seed) for seed in range(count)]


def relations(profile: str, protocol: str, trial: int, seed: int = 0) -> Parent:
    """The four relations of a trial, that runs of other experiments start from.

    Args:
        profile, protocol: whose grid.
        trial: which.
        seed: of the network that embeds the cards.

    Raises:
        ValueError: if no such relations are kept.
    """
    from . import EXPERIMENT

    for spec in EXPERIMENT.grid(profile, protocol):
        kept = trial in spec.trials if spec.part else weights_name(trial) in spec.keep
        if spec.parents["embedder"].trial == seed and kept:
            return Parent(spec, trial)
    raise ValueError(f"no relations of trial {trial}, seed {seed}, are kept under {protocol}")


def cost(spec: Spec) -> float:
    """Updates."""
    fit = spec.training
    return fit.updates or fit.epochs * -(-spec.task.train // fit.batch_size)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training ``size``, and ``variant``: ``curve``, the seed of
    another network that embeds the cards, or ``further`` for trials that were added."""
    seed = plain["parents"]["embedder"]["trial"]
    usual = "further" if plain["trials"]["first"] else "curve"
    return {
        "model": plain["model"]["name"],
        "size": plain["task"]["train"],
        "variant": f"embedder_{seed}" if seed else usual,
    }
