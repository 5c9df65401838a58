"""The grid of the order experiment: which runs each profile and protocol asks for.

Beside the learning curves of all models: where there is early stopping, runs without it ("trained
freely"); where trials share a draw of objects and split, runs on further draws; and where the
protocol asks for it, the control on random tournaments.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials, read_spec
from ...training.settings import Training
from ..protocol import cut, pick
from .settings import PROTOCOLS, Model, Task, models, training

NAME = "order"
VERSION = 1
V1_MODELS = ("abstractor_v1", "corelnet_v1", "transformer")
V3_MODELS = ("abstractor", "corelnet_symmetric", "corelnet_asymmetric")
CONTROL_MODELS = ("abstractor", "transformer")


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    sizes: tuple[int, ...]  # training pairs
    trials: int  # trained together
    blocks: int  # of trials, where each trial has a draw of its own
    draw_sizes: tuple[int, ...]  # sizes at which further draws are made
    draws: int  # further draws
    objects: int = 32
    dim: int = 8
    epochs: int | None = None  # cut the budget; None leaves the protocol's
    updates: int | None = None


FULL = Profile(
    sizes=(5, 25, 50, 100, 150, 200, 250, 300, 350, 400, 495),
    trials=10,
    blocks=2,  # draws differ more (SD 0.05-0.17) than trials of one draw
    draw_sizes=(50, 200, 495),
    draws=10,
)
PROFILES = {
    "smoke": Profile(
        sizes=(5, 40),
        trials=2,
        blocks=1,
        draw_sizes=(40,),
        draws=1,
        objects=12,
        dim=4,
        epochs=3,
        updates=20,
    ),
    "laptop": FULL,
    "paper": FULL,
}


def grid(profile: str, protocol: str) -> list[Spec]:
    """The specs of one profile and protocol.

    Raises:
        ValueError: for an unknown profile or protocol.
    """
    amount = pick("profile", profile, PROFILES)
    settings = pick("protocol", protocol, PROTOCOLS)
    every, fit = models(settings), cut(training(settings), amount.epochs, amount.updates, every=5)
    shared = 0 if settings.draws.value == "shared" else None

    def runs(model: Model, train: int, draw=shared, fit=fit, relation="order") -> list[Spec]:
        task = Task(train, amount.objects, amount.dim, settings.pairs.value, relation)
        blocks = amount.blocks if draw is None else 1
        return [
            Spec(NAME, VERSION, protocol, model, task, fit, Trials(first, amount.trials), draw)
            for first in range(0, blocks * amount.trials, amount.trials)
        ]

    specs = [run for model in every.values() for n in amount.sizes for run in runs(model, n)]
    both = [every[name] for name in V1_MODELS + V3_MODELS]
    if fit.patience is not None:
        freely = replace(fit, patience=None, baseline=None, min_delta=0.0, restore="best")
        specs += [run for model in both for n in amount.sizes for run in runs(model, n, fit=freely)]
    if shared is not None:
        further = range(1, amount.draws + 1)
        specs += [
            run
            for model in both
            for n in amount.draw_sizes
            for draw in further
            for run in runs(model, n, draw)
        ]
    if settings.control.value:
        control = [every[name] for name in CONTROL_MODELS]
        specs += [
            run
            for model in control
            for n in amount.sizes
            for run in runs(model, n, relation="tournament")
        ]
    return specs


def spec(plain: Mapping) -> Spec:
    """The spec of a record.

    Raises:
        ValueError: for unknown fields or values of another type.
    """
    return read_spec(plain, model=Model, task=Task, training=Training)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training ``size``, and ``variant`` (``curve``, ``freely``
    without early stopping, ``draw`` on a further draw, ``tournament`` for the control)."""
    variant = "curve"
    if plain["task"]["relation"] == "tournament":
        variant = "tournament"
    elif plain["draw"]:
        variant = "draw"
    elif plain["training"]["patience"] != PROTOCOLS[plain["protocol"]].patience.value:
        variant = "freely"
    return {"model": plain["model"]["name"], "size": plain["task"]["train"], "variant": variant}


def derived(metrics: Mapping) -> dict:
    """``distinct_accuracy``: accuracy on test pairs of distinct objects, the kinds of inference put
    together again. It differs from ``test_accuracy`` where pairs of an object with itself are
    among the test pairs."""
    shares = {name: metrics[f"{name}_share"] for name in ("reversed", "transitive")}
    shares["other"] = 1 - sum(shares.values())
    accuracy = {name: metrics[f"{name}_accuracy"] for name in shares}
    known = [name for name in shares if accuracy[name] is not None]
    return {"distinct_accuracy": sum(shares[name] * accuracy[name] for name in known)}
