"""The grid: every arm, a run a seed. Arms of one seed see the same sequences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials
from ..experiment import NewSpec
from ..protocol import cut
from .settings import Core, LengthProtocol, Model, Positions, Task, training

ARMS: dict[str, tuple[Core, Positions, bool]] = {
    "learned": ("abstractor", "learned", False),
    "learned_randomised": ("abstractor", "learned", True),
    "sinusoidal": ("abstractor", "sinusoidal", False),
    "sinusoidal_randomised": ("abstractor", "sinusoidal", True),
    "relative": ("abstractor", "relative", False),
    "relative_randomised": ("abstractor", "relative", True),
    "transformer": ("transformer", "sinusoidal", False),
    "transformer_randomised": ("transformer", "sinusoidal", True),
    "transformer_bias": ("transformer", "bias", False),
    "transformer_rotary": ("transformer", "rotary", False),
    "transformer_none": ("transformer", "none", False),
}
SLOWER = {"relative_randomised": 1.3}  # an update, about


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    seeds: int | None = None
    updates: int | None = None
    sequences: int | None = None  # to validate, to test and to fit the probe on, of each length
    batch: int | None = None


PROFILES = {
    "smoke": Profile(seeds=1, updates=4, sequences=10, batch=16),
    "laptop": Profile(),
    "paper": Profile(seeds=10),
}


def runs(new: NewSpec, amount: Profile, settings: LengthProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    fit = cut(training(settings), None, amount.updates, every=2)
    fit = replace(fit, batch_size=amount.batch or fit.batch_size)
    names = ("counts", "dims", "lengths", "span", "validation", "test", "probe")
    values = {name: getattr(settings, name).value for name in names}
    shortest, longest = settings.trained.value
    values |= {"shortest": shortest, "longest": longest}
    if amount.sequences:
        values |= dict.fromkeys(("validation", "test", "probe"), amount.sequences)
    sizes = ("dim", "heads", "key_dim", "hidden", "layers", "decoder_layers")
    sizes += ("buckets", "farthest")
    shared = {name: getattr(settings, name).value for name in sizes}
    for seed in range(amount.seeds or settings.seeds.value):
        for name, arm in ARMS.items():
            yield new(Model(name, *arm, **shared), Task(**values), fit, Trials(seed, 1), None)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, its arm; ``variant``, its core; sequences seen in training
    as ``size``."""
    model, fit = plain["model"], plain["training"]
    return {
        "model": model["name"],
        "size": fit["updates"] * fit["batch_size"],
        "variant": model["core"],
    }


def cost(spec: Spec) -> float:
    """Updates of a run, as many as those of a Transformer would take as long."""
    return SLOWER.get(spec.model.name, 1.0) * spec.training.updates
