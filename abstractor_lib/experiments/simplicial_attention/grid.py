"""The grid of the mathematics of 2-simplicial attention."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials
from ..experiment import NewSpec
from .settings import Logits, Model, Nothing, SimplicialProtocol, Task

SETS = "sets"  # the part on 1-simplicial attention
CURVES = "curves as sets"  # the part on the Transformers of function learning
FIXED_VIRTUAL, FIXED_ENTITIES = 64, 2**14  # where the other number grows
WIDTH, POINTS = 64, 20  # of the small models of function learning; observed points of a curve
OTHERS: tuple[Logits, ...] = (
    "trilinear",
    "determinant",
    "pairs",
)  # logits in place of the unsigned triple product


@dataclass(frozen=True)
class Profile:
    """How much to compute."""

    algebra: tuple[int, ...]  # dimensions
    triples: tuple[int, ...]
    trials: int
    count: int  # triples of a trial in the algebra
    many: int  # triples of a trial without it
    examples: int  # of a trial at the start
    curves: int  # of a trial
    doublings: int  # of N or M


LAPTOP = Profile(
    algebra=(3, 4, 5, 6),
    triples=(2, 3, 4, 6, 8, 16, 32, 48, 64),
    trials=20,
    count=200,
    many=10_000,
    examples=16,
    curves=4,
    doublings=6,
)
PROFILES = {
    "smoke": Profile(
        algebra=(3, 4),
        triples=(2, 3, 8),
        trials=2,
        count=20,
        many=100,
        examples=2,
        curves=2,
        doublings=2,
    ),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def sizes(doublings: int) -> dict[str, list[tuple[int, int]]]:
    """What grows -> pairs of N and M: N, M, both alike, and N with M as its root."""
    steps = range(doublings + 1)
    return {
        "entities": [(2**10 * 2**k, FIXED_VIRTUAL) for k in steps],
        "virtual": [(FIXED_ENTITIES, 8 * 2**k) for k in steps],
        "all pairs": [(2**5 * 2**k, 2**5 * 2**k) for k in steps],
        "root": [(4 ** (5 + k), 2 ** (5 + k)) for k in steps],
    }


def runs(new: NewSpec, amount: Profile, settings: SimplicialProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""

    head, entities, virtual = (
        getattr(settings, name).value for name in ("head", "entities", "virtual")
    )
    scales = settings.scales.value

    def run(model: Model, task: Task, trials: int = amount.trials, precision="float64") -> Spec:
        return new(model, task, Nothing(), Trials(0, trials), None, precision)

    for dim in amount.algebra:
        yield run(Model("algebra"), Task(dim, amount.count))
    for dim in amount.triples:
        yield run(Model("triples"), Task(dim, amount.many))
    starts: list[tuple[Logits, float]] = [("unsigned", scale) for scale in scales]
    for logits, scale in (*starts, *((logits, scales[-1]) for logits in OTHERS)):
        task = Task(head, amount.examples, entities, virtual)
        yield run(Model("start", logits, scale), task, precision="float32")
    yield run(Model("start"), Task(head, amount.examples, entities), precision="float32")
    for pairs in sizes(amount.doublings).values():
        for many, pairing in pairs:
            yield run(Model("cost"), Task(head, 1, many, pairing), 1)
    yield run(Model("cost"), Task(head, 1, entities, virtual), 1)
    for dim in (3, 8):
        yield run(Model("relatives"), Task(dim, 1, 6))
    sets = run(Model("permuted"), Task(head, amount.examples, entities))
    yield replace(sets, part=SETS)
    for name in ("permuted_1d", "permuted_relational"):
        curves = run(Model(name), Task(WIDTH, amount.curves, POINTS))
        yield replace(curves, part=CURVES)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, the dimension as ``size``, ``variant`` (the logits),
    ``scale``, and the numbers of ``entities`` and ``virtual`` ones."""
    model, task = plain["model"], plain["task"]
    return {
        "model": model["name"],
        "size": task["dim"],
        "variant": model["logits"],
        "scale": model["scale"],
        "entities": task["entities"],
        "virtual": task["virtual"],
    }


WHOLE = {"permuted_1d": 30, "permuted_relational": 180}  # models; times a layer's work, as measured


def cost(spec: Spec) -> float:
    """Roughly, the numbers that a run works through."""
    task = spec.task
    if spec.model.name == "cost":  # nothing is computed
        return 1.0
    if spec.model.name == "algebra":
        return spec.trials.count * task.count * 4.0**task.dim
    numbers = float(spec.trials.count * task.count * task.dim * max(task.entities, 1))
    return numbers * WHOLE.get(spec.model.name, 1)
