"""The grid of the relations that are learned beforehand, and which others start from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Parent, Spec, Trials, weights_name
from ..cards.grid import embedder
from ..experiment import NewSpec
from ..protocol import cut
from .settings import PairsProtocol, Task, model, training

EMBEDDER = "cnn_32"


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    name: str  # whose embedders the runs start from
    trials: int | None = None
    embedders: int | None = None
    pairs: int | None = None
    epochs: int | None = None
    updates: int | None = None


PROFILES = {
    "smoke": Profile("smoke", trials=2, embedders=1, pairs=64, epochs=2, updates=10),
    "laptop": Profile("laptop"),
    "paper": Profile("laptop"),
}


def runs(new: NewSpec, amount: Profile, settings: PairsProtocol) -> Iterator[Spec]:
    """The grid: for each embedder one run, of all trials and attributes; see `Experiment.runs`."""
    task = Task(
        train=amount.pairs or settings.train.value,
        validation=amount.pairs or settings.validation.value,
        test=amount.pairs or settings.test.value,
        pairs=settings.pairs.value,
    )
    count = amount.trials or settings.trials.value
    for parent in embedders(amount, settings):
        yield new(
            model(settings),
            task,
            cut(training(settings), amount.epochs, amount.updates, every=5),
            Trials(0, count),
            0 if settings.draws.value == "shared" else None,
            parents={"embedder": parent},
            keep=tuple(weights_name(trial) for trial in range(min(count, settings.kept.value))),
        )


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
        if spec.parents["embedder"].trial == seed and weights_name(trial) in spec.keep:
            return Parent(spec, trial)
    raise ValueError(f"no relations of trial {trial}, seed {seed}, are kept under {protocol}")


def cost(spec: Spec) -> float:
    """Updates."""
    fit = spec.training
    return fit.updates or fit.epochs * -(-spec.task.train // fit.batch_size)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training ``size``, and ``variant``: ``curve``, or the
    seed of another network that embeds the cards."""
    seed = plain["parents"]["embedder"]["trial"]
    return {
        "model": plain["model"]["name"],
        "size": plain["task"]["train"],
        "variant": f"embedder_{seed}" if seed else "curve",
    }
