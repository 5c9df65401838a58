"""The grid: both agents with several numbers of puzzles to train on, a run a seed.

In the main part objects are given as tokens, and each is scored; agents learn that. Each of the
other parts changes something: ``controls`` has other places of layer normalisation; in ``maximum``
the answer is read off one maximum over all entities; ``picture`` has the agents of the paper, which
see pictures and answer by the maximum.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Spec, Trials
from ...training.settings import Training
from ..agents.settings import Observation, Readout
from ..experiment import NewSpec
from ..protocol import cut
from .settings import CloningProtocol, Model, Name, Task, seeing, training

AGENTS: tuple[Name, ...] = ("relational", "simplicial")
CONTROLS: tuple[Name, ...] = ("unnormalised", "projections")
PAIRS = ("simplicial", "unnormalised")  # agents with 2-simplicial attention
SLOWER = {"tokens": 1.0, "picture": 2.7}  # an update, about
PAIRS_SLOWER = 2.3


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    seeds: int | None = None
    train: int | None = None
    updates: int | None = None
    puzzles: int | None = None  # to validate and to test on
    seen: int | None = None  # puzzles to train on, and updates, of agents that see pictures
    seeing_updates: int | None = None


PROFILES = {
    "smoke": Profile(seeds=1, train=64, updates=4, puzzles=64, seen=64, seeing_updates=4),
    "laptop": Profile(),
    "paper": Profile(seeds=10, seen=300_000, seeing_updates=100_000),
}


def runs(new: NewSpec, amount: Profile, settings: CloningProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    rows, columns = settings.board.value
    shortest, longest = settings.lengths.value
    heads, _ = settings.heads.value
    held = [amount.puzzles or getattr(settings, name).value for name in ("validation", "test")]
    every = 2 if amount.updates else settings.validate_every.value
    fit = cut(training(settings), None, amount.updates, every)
    see = cut(seeing(settings), None, amount.seeing_updates, every)

    def model(name: Name, observation: Observation, readout: Readout) -> Model:
        pairs = name in PAIRS
        return Model(
            name,
            observation,
            readout,
            settings.dim.value,
            heads,
            settings.hidden.value,
            settings.iterations.value,
            settings.virtual.value if pairs else 0,
            "unsigned" if pairs else None,
            settings.simplicial_dim.value if pairs else 0,
            norm="projections" if name == "projections" else "entities",
            pair_norm=name != "unnormalised",
        )

    def cell(part: str, agent: Model, train: int, rules: Training, seeds: int) -> Iterator[Spec]:
        task = Task(rows, columns, shortest, longest, train, *held)
        for seed in range(amount.seeds or seeds):
            yield new(agent, task, rules, Trials(seed, 1), None, part=part)

    some, few = settings.seeds.value, settings.few_seeds.value
    sizes = settings.train.value if amount.train is None else (amount.train,)
    for train in sizes:
        for name in AGENTS:
            yield from cell("", model(name, "tokens", "scoring"), train, fit, some)
    for name in CONTROLS:
        agent = model(name, "tokens", "scoring")
        yield from cell("controls", agent, amount.train or settings.controls.value, fit, some)
    for name in AGENTS:
        agent = model(name, "tokens", "maximum")
        yield from cell("maximum", agent, sizes[-1], fit, few)
    for name in AGENTS:
        agent = model(name, "picture", "maximum")
        yield from cell("picture", agent, amount.seen or settings.seen.value, see, few)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``; what it sees and how it answers as ``variant``; puzzles to
    train on as ``size``."""
    model = plain["model"]
    sees = f"{model['observation']}, {model['readout']}"
    return {"model": model["name"], "size": plain["task"]["train"], "variant": sees}


def cost(spec: Spec) -> float:
    """Updates of a run, as many as those of the relational agent with tokens would take as long."""
    pairs = PAIRS_SLOWER if spec.model.name in PAIRS else 1.0
    return pairs * SLOWER[spec.model.observation] * spec.training.updates
