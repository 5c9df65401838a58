"""The grid of the kernel experiment: relations, approximators, ranks and widths."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials, read_spec
from ..protocol import pick
from .settings import PROTOCOLS, Fit, Model, Task

NAME = "kernels"
VERSION = 2
MERCER = ("linear", "polynomial", "gaussian", "laplacian", "brownian", "circle", "sphere", "vector")
OTHERS = ("distance", "difference", "before", "half")
NO_SERIES = ("gaussian", "vector")  # no closed form (of one component)


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    ranks: tuple[int, ...]  # at the largest width
    widths: tuple[int, ...]  # at the largest rank
    trials: int  # of what is random; each a run
    fit: Fit
    points: int = 1000


LAPTOP = Profile(
    ranks=(1, 2, 4, 8, 16),
    widths=(4, 16, 64),
    trials=5,
    fit=Fit(nodes=128, updates=500),
)
PROFILES = {
    "smoke": Profile(ranks=(1, 2), widths=(4, 8), trials=2, fit=Fit(36, updates=6), points=100),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def grid(profile: str, protocol: str) -> list[Spec]:
    """The specs of one profile; all are under ``described``.

    Raises:
        ValueError: for an unknown profile.
    """
    amount = pick("profile", profile, PROFILES)
    if protocol not in PROTOCOLS:  # mathematics has one
        return []
    ranks, widths = amount.ranks, amount.widths
    # a point is a rank and a width; ranks at the largest width, widths at the largest rank
    points = [(rank, widths[-1]) for rank in ranks] + [(ranks[-1], width) for width in widths[:-1]]

    def runs(model: Model, relation: str, trials: int = 1) -> list[Spec]:
        task = Task(relation, points=amount.points)
        return [
            Spec(NAME, VERSION, protocol, model, task, amount.fit, Trials(k, 1), None, "float64")
            for k in range(trials)
        ]

    specs = []
    for relation in MERCER:
        for rank in ranks:
            if relation not in NO_SERIES:
                specs += runs(Model("series", "series", rank), relation)
            specs += runs(Model("nystrom", "nystrom", rank), relation)
        for rank, width in points:
            specs += runs(Model("mlp", "mlp", rank, width), relation, amount.trials)
            specs += runs(Model("waves", "waves", rank, width), relation, amount.trials)
            specs += runs(Model("radial", "radial", rank, width), relation)
        for width in widths:
            specs += runs(Model("proof", "proof", ranks[-1], width), relation, amount.trials)
    for relation in OTHERS:
        for rank in ranks:
            specs += runs(Model("mlp", "mlp", rank, widths[-1]), relation, amount.trials)
            separate = Model("separate", "mlp", rank, widths[-1], "separate")
            specs += runs(separate, relation, amount.trials)
    return specs


def spec(plain: Mapping) -> Spec:
    """The spec of a record.

    Raises:
        ValueError: for unknown fields or values of another type.
    """
    return read_spec(plain, model=Model, task=Task, training=Fit)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, its rank as ``size``, the relation as ``variant`` and
    ``relation``, and ``width``."""
    relation = plain["task"]["relation"]
    return {
        "model": plain["model"]["name"],
        "size": plain["model"]["rank"],
        "width": plain["model"]["width"],
        "variant": relation,
        "relation": relation,
    }


def derived(metrics: Mapping) -> dict:
    """``above_floor``: L2 error as a multiple of the least that any such features of this rank
    allow, where that is not zero."""
    floor = metrics["floor"]
    return {"above_floor": metrics["l2_error"] / floor if floor > 1e-6 else None}
