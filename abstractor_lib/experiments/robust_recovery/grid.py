"""The grid of the robust recovery experiment."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...records.spec import Parent, Spec, Trials
from ...theory.corruption import INDEPENDENT
from ..experiment import NewSpec
from ..order import EXPERIMENT as ORDER
from ..pins import Pins, read_pins
from ..sorting import EXPERIMENT as SORTING
from .settings import Model, Name, RecoveryProtocol, Solver, Symbols, Task

TRAINED: tuple[Symbols, ...] = ("order", "sorting", "sorting_heads")
MATRICES = {"gaussian": 1, "order": 4, "sorting": 2, "sorting_heads": 1}  # of symbols, a trial
HEADS_OF_A_MATRIX = {"order": 1, "sorting": 1, "sorting_heads": 2}
TRAINED_ON = {"order": "order", "sorting": "sorting", "sorting_heads": "sorting"}


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    rows: int  # of the phase diagrams
    other_rows: tuple[int, ...]  # with Gaussian errors, to see what depends on m / d alone
    ratios: tuple[float, ...]  # m / d
    errors: tuple[float, ...]
    trials: int
    closer: float  # share of errors at which trained models are looked at more closely
    sequences: int  # there, a trial each
    relations: int
    problems: int  # to certify
    compared: tuple[int, ...] = ()  # rows whose thresholds are held against each other
    further: int = 0  # trials there with Gaussian errors, beyond `trials`
    small: float = 0.0  # eq. 3.15 is at most that where each cell is looked at by itself
    more: int = 0  # trials there with the other independent errors, beyond `trials`
    resized: tuple[int, int] = (2, 2)  # trials and relations in each cell, with errors resized
    parents: str = "laptop"  # whose pinned parents symbols come from


LAPTOP = Profile(
    rows=200,
    other_rows=(50, 100, 400),
    ratios=(0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
    errors=tuple(round(0.05 * k, 2) for k in range(1, 18)),
    trials=10,
    closer=0.1,
    sequences=50,
    relations=10,
    problems=10_000,
    compared=(100, 200),
    further=30,
    small=0.65,
    more=20,
    resized=(5, 4),
)
PROFILES = {
    "smoke": Profile(
        rows=30,
        other_rows=(20,),
        ratios=(0.1, 0.4),
        errors=(0.1, 0.5),
        trials=2,
        closer=0.1,
        sequences=3,
        relations=3,
        problems=50,
        parents="smoke",
    ),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def runs(new: NewSpec, amount: Profile, settings: RecoveryProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""

    def run(model: Name, task: Task, trials: int = amount.trials, parent=None, first=0) -> Spec:
        parents = {"symbols": parent} if parent else {}
        count = Trials(first, trials)
        return new(Model(model), task, Solver(), count, None, "float64", parents)

    def recoveries(sizes: list[tuple[int, int]], kinds: tuple[str, ...]) -> Iterator[Spec]:
        for rows, columns in sizes:
            for kind in kinds:
                for errors in amount.errors:
                    task = Task("gaussian", rows, columns, kind, errors, amount.relations)
                    yield run("recovery", task)

    def sizes(rows: int) -> list[tuple[int, int]]:
        return [(rows, round(ratio * rows)) for ratio in amount.ratios if ratio * rows >= 1]

    kinds, own_kinds = settings.kinds.value, settings.trained_kinds.value
    trained = [(which, *symbols(which, amount.parents)) for which in TRAINED]
    yield from recoveries(sizes(amount.rows), kinds)
    for rows in amount.other_rows:
        some = [size for size in sizes(rows) if size[1] <= amount.rows]
        yield from recoveries(some, kinds[:1])
    for rows in amount.compared:
        for spec in list(recoveries(sizes(rows), kinds[:1])):
            yield run("recovery", spec.task, amount.further, first=amount.trials)
    for spec in list(recoveries(sizes(amount.rows), INDEPENDENT[1:])):
        task = spec.task
        if (task.columns / task.rows) ** 0.5 / (1 - task.errors) <= amount.small:  # eq. 3.15
            yield run("recovery", task, amount.more, first=amount.trials)
    trials, relations = amount.resized
    for rows, columns in sizes(amount.rows):
        for errors in amount.errors:
            task = Task("gaussian", rows, columns, "gaussian", errors, relations)
            yield run("invariance", task, trials)
    matched = sorted({(rows, columns) for _, rows, columns, _ in trained})
    yield from recoveries(matched, own_kinds)
    for which, rows, columns, parent in trained:
        for kind in own_kinds:
            for errors in amount.errors:
                task = Task(which, rows, columns, kind, errors, amount.relations)
                yield run("recovery", task, parent=parent)
                if errors == amount.closer:
                    more = amount.sequences - amount.trials
                    yield run("recovery", task, more, parent, first=amount.trials)
        yield run("conditions", Task(which, rows, columns, relations=1), 2, parent)
    for rows, columns in sizes(amount.rows) + matched:
        yield run("conditions", Task("gaussian", rows, columns, relations=1))
    many = Task("gaussian", 200, 20, "heavy_tailed", 0.2, amount.problems // 5)
    yield run("certificates", many, 5)


@cache
def pins() -> Pins:
    """The trained models whose symbols are looked at, by profile and name."""
    return read_pins(Path(__file__).parent, ORDER, SORTING)


def symbols(which: str, profile: str) -> tuple[int, int, Parent]:
    """Rows and columns of a trained model's symbols, and the trial they come from."""
    parent = pins()[profile][TRAINED_ON[which]]
    model, task = parent.spec.model, parent.spec.task
    if which == "order":
        return model.symbol_dim // model.relations, 2, parent
    return model.dim, task.length * (model.heads if which == "sorting_heads" else 1), parent


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, the number of symbols m as ``size``, the corruption as
    ``variant``, and ``symbols``, ``rows`` (d), ``ratio`` (m / d), ``errors``, and how many
    ``relations`` a trial reads back."""
    task = plain["task"]
    objects = task["relations"]
    if task["symbols"] != "gaussian":  # one relation for each position of a sequence
        objects = min(objects, task["columns"] // HEADS_OF_A_MATRIX[task["symbols"]])
    return {
        "relations": MATRICES[task["symbols"]] * objects,
        "model": plain["model"]["name"],
        "size": task["columns"],
        "variant": task["corruption"],
        "symbols": task["symbols"],
        "rows": task["rows"],
        "ratio": task["columns"] / task["rows"],
        "errors": task["errors"],
    }


def loose(spec: Spec) -> dict[str, float]:
    """How much less well a run with an adversary comes out again on another machine: what it tries
    next depends on rounding."""
    if not spec.task.adversary:
        return {}
    shares = dict.fromkeys(("recovered", "squares_recovered"), 0.3)
    return {**shares, **dict.fromkeys(("error", "squares_error"), math.inf)}
