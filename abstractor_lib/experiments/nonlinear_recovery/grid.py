"""The grid: a run for each phi, program, sparsity and noise, with all numbers of measurements."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Parent, Spec, Trials
from ..experiment import NewSpec
from ..robust_recovery.grid import pins
from .settings import IGNORING, KNOWING, TRAINED, Model, Name, NonlinearProtocol, Solver, Task

SLOW = {"lasso": 60.0, "absolute": 20.0, "censored": 30.0, "one_bit": 25.0, "inverted": 15.0}  # ms
QUICK = 3.0


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    columns: int | None = None
    nonzeros: tuple[int, ...] | None = None
    rows: tuple[int, ...] | None = None
    noise: tuple[tuple[float, float], ...] | None = None
    shares: tuple[float, ...] | None = None
    problems: int | None = None
    sequences: int | None = None
    parents: str = "laptop"  # whose pinned parents


PROFILES = {
    "smoke": Profile(
        columns=12,
        nonzeros=(2,),
        rows=(16, 48),
        noise=((0.1, 0.1),),
        shares=(0.1,),
        problems=2,
        sequences=2,
        parents="smoke",
    ),
    "laptop": Profile(),
    "paper": Profile(),
}


def runs(new: NewSpec, amount: Profile, settings: NonlinearProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""

    def value(name: str):
        given = getattr(amount, name)
        return getattr(settings, name).value if given is None else given

    def run(name: Name, task: Task, count: int, parents: Mapping[str, Parent]) -> Spec:
        model = Model(
            name,
            settings.multiple.value,
            settings.folds.value,
            settings.penalties.value,
            settings.edge.value,
        )
        return new(model, task, Solver(), Trials(0, count), None, "float64", parents)

    columns, rows, gain = value("columns"), value("rows"), settings.gain.value
    for activation, own in KNOWING.items():
        slope = gain if activation == "sigmoid" else 1.0
        for nonzeros in value("nonzeros"):
            for dense, errors in value("noise"):
                task = Task("gaussian", activation, columns, nonzeros, rows, slope, dense, errors)
                for name in (*IGNORING, *own):
                    yield run(name, task, value("problems"), {})
    parent = pins()[amount.parents]["sorting"]
    model, seen = parent.spec.model, parent.spec.task
    unknown = model.heads * seen.length
    for activation, names in TRAINED.items():
        size = model.dim if activation == "linear" else model.hidden
        for share in value("shares"):
            task = Task("sorting", activation, unknown, unknown, (size,), 1.0, 0.0, share)
            for name in names:
                yield run(name, task, value("sequences"), {"abstractor": parent})


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, nonzero entries k as ``size``, phi and the source of A as
    ``variant``, and ``source``, ``activation``, ``columns`` (m), ``dense`` and ``errors``."""
    task = plain["task"]
    return {
        "model": plain["model"]["name"],
        "size": task["nonzeros"],
        "variant": f"{task['source']}, {task['activation']}",
        "source": task["source"],
        "activation": task["activation"],
        "columns": task["columns"],
        "dense": task["dense"],
        "errors": task["errors"],
    }


def cost(spec: Spec) -> float:
    """Milliseconds, about."""
    task = spec.task
    problems = len(task.rows) if task.source == "gaussian" else task.columns // 2
    return SLOW.get(spec.model.name, QUICK) * problems * spec.trials.count


def loose(spec: Spec) -> dict[str, float]:
    """How much less well a run comes out again on another machine: where few hidden units are
    active, several answers are as good, and rounding chooses among them."""
    if spec.task.source == "gaussian" or spec.task.activation == "linear":
        return {}
    return {"error": math.inf, "cosine": 0.05, "correlation": 0.05}
