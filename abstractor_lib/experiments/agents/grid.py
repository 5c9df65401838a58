"""The grid: what an agent sees, how it answers, and which attention it has; a run a seed.

Each part of the grid is one of the difficulties. In the main one objects are given as tokens;
``controls`` and ``deep`` have other agents there, and ``long`` is the same to the end. In ``tiles``
and ``picture`` objects have to be found. Of these three the relational agent is one part, and the
2-simplicial one, which takes most of the time, another: what an agent sees, and how it answers, can
be compared without it. In ``maximum`` the answer is read off one maximum over all
entities, as in the paper. ``standard`` is the world without bridges, on which the paper checked its
relational agent. ``steps`` is the paper's task with the hyperparameters that it states, one
synchronous actor, and 0.05 % of its steps. ``steps, RLlib`` is the same on the paper's engine; the
profile ``paper`` alone has it. ``engines`` is a small world in which our own engine and RLlib's
IMPALA learn the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials, weights_name
from ...training.reinforcement import Engine
from ..experiment import NewSpec
from ..needs import Needs
from ..protocol import Sourced
from .settings import (
    AgentProtocol,
    Attention,
    Model,
    Observation,
    Readout,
    Task,
    learning,
    papers,
    small,
)

SMALL = "small world, "  # how variants begin whose runs compare engines
STANDARD = "standard world"  # variant of runs without bridges
ENGINES: dict[Engine, str] = {"actor_learner": "our engine", "rllib": "RLlib"}
TOKEN_AGENTS: tuple[Attention, ...] = ("relational", "simplicial", "wide", "uniform", "deep")
AGENTS: tuple[Attention, ...] = ("relational", "simplicial")
OBSERVATIONS: tuple[Observation, ...] = ("tokens", "tiles", "picture")
PARTS = {"relational": "", "simplicial": "", "deep": "deep"}  # of runs with tokens; else controls
SHOWN = (
    "",
    "long",
    "long, 2-simplicial",
)  # the notebook looks inside the first seed of each agent, whose weights ship
# about, a decision
SLOWER = {"relational": 1.0, "wide": 5.0, "deep": 1.8, "simplicial": 2.3, "uniform": 2.3}
USUAL = 4  # passes over each play
SEEING = {"tokens": 1.0, "tiles": 3.0, "picture": 3.0}


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    seeds: int | None = None
    decisions: int | None = None
    worlds: int | None = None
    puzzles: int | None = None
    steps: int | None = None
    cluster: bool = False  # single steps on RLlib too


PROFILES = {
    "smoke": Profile(seeds=1, decisions=512, worlds=32, puzzles=32, steps=2560),
    "laptop": Profile(),
    "paper": Profile(seeds=10, steps=5_500_000_000, cluster=True),
}


def runs(new: NewSpec, amount: Profile, settings: AgentProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    rows, columns = settings.board.value
    shortest, longest = settings.lengths.value
    tested = [amount.puzzles or getattr(settings, name).value for name in ("validation", "test")]
    task = Task(rows, columns, shortest, longest, settings.bridges.value, *tested)
    heads, _ = settings.heads.value

    def model(name: Attention, observation: Observation, readout: Readout) -> Model:
        pairs = name in ("simplicial", "uniform")
        return Model(
            name,
            observation,
            readout,
            settings.dim.value,
            heads,
            settings.wide.value if name == "wide" else settings.hidden.value,
            (settings.deep if name == "deep" else settings.iterations).value,
            settings.virtual.value if pairs else 0,
            {"simplicial": "unsigned", "uniform": "uniform"}.get(name),
            settings.simplicial_dim.value if pairs else 0,
        )

    def cell(
        part: str,
        name: Attention,
        observation: Observation,
        readout: Readout,
        seeds: Sourced[int],
        budget: Sourced[int],
        world: Task = task,
    ) -> Iterator[Spec]:
        rules = learning(settings, amount.decisions or budget.value)
        if amount.worlds:
            rules = replace(rules, worlds=amount.worlds, look_every=1)
        for seed in range(amount.seeds or seeds.value):
            agent = model(name, observation, readout)
            keep = (weights_name(seed),) if part in SHOWN and seed == 0 else ()
            yield new(agent, world, rules, Trials(seed, 1), None, part=part, keep=keep)

    some, few = settings.seeds, settings.few_seeds
    for name in TOKEN_AGENTS:
        part = PARTS.get(name, "controls")
        yield from cell(part, name, "tokens", "scoring", some, settings.decisions)
    for name in AGENTS:
        more = ", 2-simplicial" if name == "simplicial" else ""
        yield from cell("long" + more, name, "tokens", "scoring", few, settings.long)
        yield from cell("tiles" + more, name, "tiles", "scoring", few, settings.tiles)
        yield from cell("picture" + more, name, "picture", "scoring", few, settings.picture)
    for observation in OBSERVATIONS:
        yield from cell("maximum", "relational", observation, "maximum", few, settings.maximum)
    yield from cell("maximum", "simplicial", "picture", "maximum", few, settings.maximum)
    seeds, world = settings.standard_seeds, standard(settings)
    yield from cell("standard", "relational", "tokens", "scoring", seeds, settings.decisions, world)
    shortest, longest = settings.steps_lengths.value
    lengths = {"shortest": shortest, "longest": longest}
    whole = replace(task, **lengths, bridges=settings.steps_bridges.value, macro=False)
    for name in AGENTS:
        agent, rules = model(name, "picture", "maximum"), papers(settings, amount.steps)
        yield new(agent, whole, rules, Trials(0, 1), None, part="steps")
    shortest, longest = settings.small_lengths.value
    if amount.cluster:
        for name in AGENTS:
            agent, rules = (
                model(name, "picture", "maximum"),
                papers(settings, amount.steps, "rllib"),
            )
            for seed in range(settings.cluster_seeds.value):
                yield new(agent, whole, rules, Trials(seed, 1), None, part="steps, RLlib")
    easy = replace(task, shortest=shortest, longest=longest, validation=0, test=0)
    for engine in ENGINES:
        rules = small(settings, engine, amount.decisions)
        for seed in range(amount.seeds or settings.small_seeds.value):
            agent = model("relational", "tokens", "scoring")
            yield new(agent, easy, rules, Trials(seed, 1), None, part="engines")


def standard(settings: AgentProtocol) -> Task:
    """The world without bridges; no puzzle of it is late."""
    rows, columns = settings.standard_board.value
    shortest, longest = settings.standard_lengths.value
    decoys = {"locks": 1, "branches": settings.standard_branches.value}
    return Task(rows, columns, shortest, longest, 0.0, 0, 0, **decoys)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``; what it sees and how it answers as ``variant``; decisions
    as ``size``."""
    model = plain["model"]
    engine = plain["training"].get("engine", "actor_learner")
    variant = f"{model['observation']}, {model['readout']}"
    if not plain["task"].get("macro", True):
        variant = "single steps" + (", RLlib" if engine == "rllib" else "")
    elif plain["task"].get("locks", 2) == 1:
        variant = STANDARD
    elif not plain["task"].get("test", True):
        variant = f"{SMALL}{ENGINES[engine]}"
    size = plain["training"]["decisions"]
    return {"model": model["name"], "size": size, "variant": variant}


def cost(spec: Spec) -> float:
    """Decisions of a run, as many as those of the fastest agent would take as long. To learn once
    from a decision takes about three times as long as to make it."""
    model, passes = spec.model, (1 + 3 * spec.training.passes) / (1 + 3 * USUAL)
    return SLOWER[model.name] * SEEING[model.observation] * spec.training.decisions * passes


def needs(spec: Spec) -> Needs:
    """One core; of runs on RLlib this is the learner's."""
    engine = spec.training.engine
    return Needs(cores=1, memory_mib=1000, engine="rllib" if engine == "rllib" else None)
