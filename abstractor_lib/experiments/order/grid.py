"""The grid of the order experiment: which runs each profile and protocol asks for.

Beside the learning curves of all models: where there is early stopping, runs without it ("trained
freely"); where trials share a draw of objects and split, runs on further draws; and where the
protocol asks for it, the control on random tournaments. In parts of their own: v3's Abstractor
without the diagonal of its relation matrix, at the larger sizes; and models of the text, with what
we think makes their curves differ from the paper's taken from the public code.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials, weights_name
from ..experiment import NewSpec
from ..protocol import cut
from .settings import PROTOCOLS, SHOWN, Model, OrderProtocol, Task, as_coded, models, training

V1_MODELS = ("abstractor_v1", "corelnet_v1", "transformer")
V3_MODELS = ("abstractor", "corelnet_symmetric", "corelnet_asymmetric")
CONTROL_MODELS = ("abstractor", "transformer")
MASKED = "without diagonal"  # the part
MASKED_LEAST = 200  # pairs
REASONS = "reasons"  # the part


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    sizes: tuple[int, ...] | None = None  # training pairs
    trials: int | None = None  # trained together
    blocks: int | None = None  # of trials, where each trial has a draw of its own
    draws: int | None = None  # further draws
    objects: int | None = None
    dim: int | None = None
    epochs: int | None = None
    updates: int | None = None


PROFILES = {
    "smoke": Profile(
        sizes=(5, 40),
        trials=2,
        blocks=1,
        draws=1,
        objects=12,
        dim=4,
        epochs=3,
        updates=20,
    ),
    "laptop": Profile(),
    "paper": Profile(),
}


def runs(new: NewSpec, amount: Profile, settings: OrderProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    every, fit = models(settings), cut(training(settings), amount.epochs, amount.updates, every=5)
    sizes, trials = amount.sizes or settings.sizes.value, amount.trials or settings.trials.value
    shared = 0 if settings.draws.value == "shared" else None

    def block(model: Model, train: int, draw=shared, fit=fit, relation="order") -> Iterator[Spec]:
        task = Task(
            train,
            objects=amount.objects or settings.objects.value,
            dim=amount.dim or settings.dim.value,
            pairs=settings.pairs.value,
            relation=relation,
            test=settings.test.value,
            validation=settings.validation.value,
        )
        blocks = (amount.blocks or settings.blocks.value) if draw is None else 1
        for first in range(0, blocks * trials, trials):
            yield new(model, task, fit, Trials(first, trials), draw)

    for model in every.values():
        for n in sizes:
            for spec in block(model, n):
                yield replace(spec, keep=(weights_name(0),)) if shown(spec, sizes) else spec
    both = [every[name] for name in V1_MODELS + V3_MODELS]
    if fit.patience is not None:
        freely = replace(fit, patience=None, baseline=None, min_delta=0.0, restore="best")
        for model in both:
            for n in sizes:
                yield from block(model, n, fit=freely)
    if shared is not None:
        for model in both:
            for n in sizes:
                for draw in range(1, 1 + (amount.draws or settings.further_draws.value)):
                    yield from block(model, n, draw)
    if settings.control.value:
        for name in CONTROL_MODELS:
            for n in sizes:
                yield from block(every[name], n, relation="tournament")
    masked = replace(every["abstractor"], name="abstractor_no_diagonal", diagonal=False)
    for n in [n for n in sizes if n >= MASKED_LEAST] or sizes[-1:]:
        for spec in block(masked, n):
            yield replace(spec, part=MASKED)
    for model, changed in as_coded(settings, fit):
        for n in sizes:
            for spec in block(model, n, fit=changed):
                yield replace(spec, part=REASONS)


def shown(spec: Spec, sizes: tuple[int, ...]) -> bool:
    """Whether the notebook draws the first trial's weights: `SHOWN`'s, at the largest size. Other
    sections start from them too."""
    largest = spec.task.train == sizes[-1] and spec.trials.first == 0
    return (spec.protocol, spec.model.name) == SHOWN and largest


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, training ``size``, and ``variant`` (``curve``, ``freely``
    without early stopping, ``draw`` on a further draw, ``tournament`` for the control, ``as coded``
    of the part on reasons)."""
    protocol, fit, variant = PROTOCOLS[plain["protocol"]], plain["training"], "curve"
    if plain["task"]["relation"] == "tournament":
        variant = "tournament"
    elif plain["draw"]:
        variant = "draw"
    elif fit["patience"] != protocol.patience.value:
        variant = "freely" if fit["patience"] is None else "as coded"
    elif fit["learning_rate"] != protocol.learning_rate.value:
        variant = "as coded"
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
