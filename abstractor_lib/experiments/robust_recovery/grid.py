"""The grid of the robust recovery experiment."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials, read_spec
from .. import order, sorting
from ..protocol import pick
from .settings import PROTOCOLS, Model, Solver, Task

NAME = "robust_recovery"
VERSION = 1
INDEPENDENT = ("gaussian", "heavy_tailed", "one_sided")  # errors that do not know the symbols
DEPENDENT = ("dropout", "sign_flip", "adversarial_values")
KINDS = (*INDEPENDENT, *DEPENDENT, "adversarial_positions")
TRAINED = ("order", "sorting", "sorting_heads")
OWN_KINDS = (
    "gaussian",
    "one_sided",
    "dropout",
    "adversarial_values",
)  # for symbols of trained models


MATRICES = {"gaussian": 1, "order": 4, "sorting": 2, "sorting_heads": 1}  # of symbols, a trial
HEADS_OF_A_MATRIX = {"order": 1, "sorting": 1, "sorting_heads": 2}


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
    ),
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

    def run(model: str, task: Task, trials: int = amount.trials, parents=None, first=0) -> Spec:
        count = Trials(first, trials)
        return Spec(
            NAME, VERSION, protocol, Model(model), task, Solver(), count, None, "float64",
            parents or {},
        )  # fmt: skip

    def recoveries(sizes: list[tuple[int, int]], kinds: tuple[str, ...]) -> Iterator[Spec]:
        for rows, columns in sizes:
            for kind in kinds:
                for errors in amount.errors:
                    task = Task("gaussian", rows, columns, kind, errors, amount.relations)
                    yield run("recovery", task)

    def sizes(rows: int) -> list[tuple[int, int]]:
        return [(rows, round(ratio * rows)) for ratio in amount.ratios if ratio * rows >= 1]

    trained = [(which, *shape(which, profile)) for which in TRAINED]
    specs = list(recoveries(sizes(amount.rows), KINDS))
    for rows in amount.other_rows:
        some = [size for size in sizes(rows) if size[1] <= amount.rows]
        specs += recoveries(some, KINDS[:1])
    matched = sorted({(rows, columns) for _, rows, columns, _ in trained})
    specs += recoveries(matched, OWN_KINDS)
    for which, rows, columns, parents in trained:
        for kind in OWN_KINDS:
            for errors in amount.errors:
                task = Task(which, rows, columns, kind, errors, amount.relations)
                specs.append(run("recovery", task, parents=parents))
                if errors == amount.closer:
                    more = amount.sequences - amount.trials
                    specs.append(run("recovery", task, more, parents, first=amount.trials))
        specs.append(run("conditions", Task(which, rows, columns, relations=1), 2, parents))
    for rows, columns in sizes(amount.rows) + matched:
        specs.append(run("conditions", Task("gaussian", rows, columns, relations=1)))
    many = Task("gaussian", 200, 20, "heavy_tailed", 0.2, amount.problems // 5)
    return [*specs, run("certificates", many, 5)]


def shape(which: str, profile: str) -> tuple[int, int, dict]:
    """Rows and columns of a trained model's symbols, and the run they come from."""
    if which == "order":
        runs = [one for one in order.grid(profile, "sound") if one.model.name == "abstractor"]
        parent = max(runs, key=lambda one: (one.task.train, -one.trials.first))
        rows, columns = parent.model.symbol_dim // parent.model.relations, 2
    else:
        runs = [one for one in sorting.grid(profile, "described") if one.model.name == "abstractor"]
        parent = max(runs, key=lambda one: (one.task.train, -one.trials.first))
        heads = parent.model.heads if which == "sorting_heads" else 1
        rows, columns = parent.model.dim, parent.task.length * heads
    return rows, columns, {"symbols": {"run": parent.id, "trial": parent.trials.first}}


def spec(plain: Mapping) -> Spec:
    """The spec of a record.

    Raises:
        ValueError: for unknown fields or values of another type.
    """
    return read_spec(plain, model=Model, task=Task, training=Solver)


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


def derived(metrics: Mapping) -> dict:
    """Nothing."""
    return {}
