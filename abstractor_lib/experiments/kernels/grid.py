"""The grid of the kernel experiment: relations, approximators, ranks and widths."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials, weights_name
from ..experiment import NewSpec
from .settings import Fit, KernelProtocol, Model, Task

MERCER = ("linear", "polynomial", "gaussian", "laplacian", "brownian", "circle", "sphere", "vector")
OTHERS = ("distance", "difference", "before", "half")
SHOWN = (("mlp", "brownian"), ("mlp", "before"), ("separate", "before"))  # whose weights are
ON_INTERVAL = ("polynomial", "gaussian", "laplacian", "brownian")  # networks are built for these
NO_SERIES = ("gaussian", "vector")  # no closed form (of one component)
PROVED = "over the whole interval"  # of earlier records the bound was evaluated on a grid


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    ranks: tuple[int, ...]  # at the largest width
    widths: tuple[int, ...]  # at the largest rank
    trials: int  # of what is random; each a run
    fit: Fit
    points: int = 1000
    built: tuple[int, ...] = ()  # widths of networks built by hand, beyond ``widths``
    proof_trials: int = 0  # of ``proof`` at the largest width, if more than ``trials``


LAPTOP = Profile(
    ranks=(1, 2, 4, 8, 16),
    widths=(4, 16, 64),
    trials=5,
    fit=Fit(nodes=128, updates=500),
    proof_trials=20,
    built=(8, 32, 128, 256),
)
PROFILES = {
    "smoke": Profile(ranks=(1, 2), widths=(4, 8), trials=2, fit=Fit(36, updates=6), points=100),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def runs(new: NewSpec, amount: Profile, settings: KernelProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    ranks, widths = amount.ranks, amount.widths
    # a point is a rank and a width; ranks at the largest width, widths at the largest rank
    points = [(rank, widths[-1]) for rank in ranks] + [(ranks[-1], width) for width in widths[:-1]]

    def run(model: Model, relation: str, trials: int = 1) -> Iterator[Spec]:
        task = Task(relation, points=amount.points)
        for trial in range(trials):
            spec = new(model, task, amount.fit, Trials(trial, 1), None, "float64")
            shown = trial == 0 and (model.rank, model.width) == (ranks[-1], widths[-1])
            shown = shown and (model.name, relation) in SHOWN
            yield replace(spec, keep=(weights_name(trial),)) if shown else spec

    for relation in MERCER:
        for rank in ranks:
            if relation not in NO_SERIES:
                yield from run(Model("series", "series", rank), relation)
            yield from run(Model("nystrom", "nystrom", rank), relation)
        for rank, width in points:
            yield from run(Model("mlp", "mlp", rank, width), relation, amount.trials)
            yield from run(Model("waves", "waves", rank, width), relation, amount.trials)
            yield from run(Model("radial", "radial", rank, width), relation)
        for width in widths:
            trials = max(amount.trials, amount.proof_trials if width == widths[-1] else 0)
            yield from run(Model("proof", "proof", ranks[-1], width), relation, trials)
    for relation in ON_INTERVAL:
        for width in sorted({*widths, *amount.built}):
            for rank in sorted({ranks[-1], width}):  # or as many features as hidden units
                yield from run(Model("built", "built", rank, width, bound=PROVED), relation)
        for width in widths:
            yield from run(Model("relu", "relu", ranks[-1], width), relation, amount.trials)
            yield from run(Model("relu_built", "relu_built", ranks[-1], width), relation)
    for relation in OTHERS:
        for rank in ranks:
            yield from run(Model("mlp", "mlp", rank, widths[-1]), relation, amount.trials)
            separate = Model("separate", "mlp", rank, widths[-1], "separate")
            yield from run(separate, relation, amount.trials)


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


EQUAL_EIGENVALUES = ("linear", "circle", "sphere")  # relations of symmetric domains


def loose(spec: Spec) -> dict[str, float]:
    """How much less well some runs come out again on another machine. Line searches part ways, and
    the fits of trained networks with them. Of features that are computed from a matrix,
    eigenvectors of equal eigenvalues may be mixed; where the rank cuts through such a group, what
    is left out is another, and with it the error at a point, but not that over all points. Features
    of rank 1 can have distances that are all next to zero: shares of the largest are rounding."""
    flat = spec.model.rank == 1
    if spec.model.trained:
        free = ("distance_error", "relative_error", "over_built", "evaluations")
        rounding = {"triangle": 1e-4} if flat else {}
        return {"l2_error": 0.05, "sup_error": 0.2, **rounding, **dict.fromkeys(free, math.inf)}
    computed = spec.model.approximator in ("nystrom", "waves", "radial")
    if not computed or spec.task.relation not in EQUAL_EIGENVALUES:
        return {}
    at_points = {"sup_error": 0.1, "relative_error": 0.05, "distance_error": 0.05}
    return at_points | ({"triangle": math.inf} if flat else {})
