"""The grid of the card embedders, and which of them other experiments start from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Parent, Spec, Trials, weights_name
from ...tasks.set_game import CARDS
from ..experiment import NewSpec
from .settings import CardsProtocol, Task, models, training


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    seeds: int | None = None
    drawn: int | None = None
    epochs: int | None = None


PROFILES = {
    "smoke": Profile(seeds=1, drawn=81, epochs=2),
    "laptop": Profile(),
    "paper": Profile(),
}


def runs(new: NewSpec, amount: Profile, settings: CardsProtocol) -> Iterator[Spec]:
    """The grid: each embedder with each seed, a run of its own; see `Experiment.runs`."""
    drawn = settings.drawn.value
    task = Task(
        drawn=drawn if drawn is None else amount.drawn or drawn,
        validation=settings.validation.value,
        channels=settings.channels.value,
    )
    for model in models(settings).values():
        fit = training(settings, model.dim)
        fit = replace(fit, epochs=amount.epochs or fit.epochs)
        for seed in range(amount.seeds or settings.seeds.value):
            yield new(model, task, fit, Trials(seed, 1), keep=(weights_name(seed),))


def embedder(profile: str, protocol: str, model: str, trial: int = 0) -> Parent:
    """A trained embedder that runs of other experiments start from.

    Its weights hold one tensor, ``embeddings``, ``(81, d)``: the embedding of each card, by the
    card's number.

    Args:
        profile, protocol: whose grid.
        model: ``cnn_64`` or ``cnn_32``.
        trial: which seed.

    Raises:
        ValueError: if the grid has no such run.

    Example:
        >>> from abstractor_lib.experiments.cards import EXPERIMENT
        >>> first, *_ = EXPERIMENT.protocols
        >>> embedder("laptop", first, "cnn_64").spec.model.dim
        64
    """
    from . import EXPERIMENT

    for spec in EXPERIMENT.grid(profile, protocol):
        if spec.model.name == model and spec.trials.first == trial:
            return Parent(spec, trial)
    raise ValueError(f"no run of {model!r}, seed {trial}, under {protocol} in {profile}")


def cost(spec: Spec) -> float:
    """Images that the network is shown in training."""
    shown = CARDS if spec.task.drawn is None else spec.task.drawn * (1 - spec.task.validation)
    return spec.training.epochs * shown


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, ``size`` (features of the embedding), and ``variant``, the
    images that it is given."""
    channels = {3: "RGB", 4: "RGBA"}[plain["task"]["channels"]]
    return {
        "model": plain["model"]["name"],
        "size": plain["model"]["dim"],
        "variant": f"{channels}, {plain['model']['activation']}",
    }


def start() -> list[Spec]:
    """Every run that other experiments may start from."""
    from . import EXPERIMENT

    protocols = EXPERIMENT.protocols
    return [spec for name in PROFILES for each in protocols for spec in EXPERIMENT.grid(name, each)]
