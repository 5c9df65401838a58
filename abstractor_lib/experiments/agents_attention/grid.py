"""The grid: trained agents, a run each, and untrained ones, a trial each.

The runs of the further seeds are a part of their own: weights of these agents do not ship, so that
whoever computes them trains the agents first.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...records.spec import Parent, Spec, Trials
from ..agents import EXPERIMENT as AGENTS
from ..experiment import NewSpec
from .settings import PROTOCOLS, AttentionProtocol, Model, Reading, Task

FURTHER = "further seeds"  # a part of the grid
SIMPLICIAL = "simplicial"


@dataclass(frozen=True)
class Profile:
    """How much to compute; None leaves what the protocol says."""

    name: str  # whose agents the runs look at
    puzzles: int | None = None
    draws: int | None = None
    untrained: int | None = None
    further: int | None = None


PROFILES = {
    "smoke": Profile("smoke", puzzles=32, draws=2, untrained=3, further=0),
    "laptop": Profile("laptop"),
    "paper": Profile("laptop"),
}


def runs(new: NewSpec, amount: Profile, settings: AttentionProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    task = Task(amount.puzzles or settings.puzzles.value)
    seeds, draws = settings.seeds.value, amount.draws or settings.draws.value
    further = settings.further.value if amount.further is None else amount.further
    for seed in range(seeds + further):
        agent = trained(amount.name, new.protocol, seed)
        part = "" if seed < seeds else FURTHER
        yield new(
            Model("trained"),
            task,
            Reading(plays=True),
            Trials(0, draws),
            parents={"agent": agent},
            part=part,
        )
    count = amount.untrained or settings.untrained.value
    yield new(Model("untrained"), task, Reading(plays=False), Trials(0, count))


def trained(profile: str, protocol: str, seed: int) -> Parent:
    """The agent with 2-simplicial attention, tokens and scores, of a seed.

    Raises:
        ValueError: if the agents' grid has no such run.
    """
    for spec in AGENTS.grid(profile, protocol):
        model = spec.model
        wanted = (model.name, model.observation, model.readout) == (SIMPLICIAL, "tokens", "scoring")
        if wanted and spec.part == "" and spec.trials.first == seed:
            return Parent(spec, seed)
    raise ValueError(f"no {SIMPLICIAL} agent with tokens has the seed {seed} in {profile}")


def starts_from() -> list[Spec]:
    """The runs of the agents; see `Experiment.starts_from`."""
    return [
        spec
        for name in {amount.name for amount in PROFILES.values()}
        for protocol in PROTOCOLS
        for spec in AGENTS.grid(name, protocol)
        if spec.model.name == SIMPLICIAL and spec.part == ""
    ]


def cost(spec: Spec) -> float:
    """Puzzles, of which playing takes about as much as six looks."""
    return spec.trials.count * spec.task.puzzles * (7 if spec.training.plays else 1)


def columns(plain: Mapping) -> dict:
    """What tables call a run: ``model``, ``size`` (puzzles of a trial), and as ``variant`` the
    seed of a trained agent."""
    parents = plain["parents"]
    variant = f"seed {parents['agent']['trial']}" if parents else "as they begin"
    return {"model": plain["model"]["name"], "size": plain["task"]["puzzles"], "variant": variant}
