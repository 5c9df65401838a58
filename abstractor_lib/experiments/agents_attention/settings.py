"""Settings of the look at the agents' attention: which agents, and on how many puzzles."""

from dataclasses import dataclass
from typing import Literal

from ..protocol import Sourced, note, ours, setting


@dataclass(frozen=True)
class Model:
    """An agent with 2-simplicial attention, as it began or as it was trained."""

    name: Literal["trained", "untrained"]


@dataclass(frozen=True)
class Task:
    """How many late puzzles a trial looks at; each once, at its fork."""

    puzzles: int


@dataclass(frozen=True)
class Reading:
    """Nothing is trained.

    ``plays``: the agent also plays the puzzles, as it is and with all pairs weighing the same.
    """

    plays: bool


@dataclass(frozen=True)
class AttentionProtocol:
    """What is looked at."""

    puzzles: Sourced[int] = setting("late puzzles of a trial")
    draws: Sourced[int] = setting("trials of a trained agent")
    untrained: Sourced[int] = setting("untrained agents, a trial each")
    seeds: Sourced[int] = setting("trained agents, first seeds")
    further: Sourced[int] = setting("trained agents, further seeds")
    state: Sourced[str] = note("state")
    pairs: Sourced[str] = note("attention to pairs of objects")
    matter: Sourced[str] = note("pairs that matter")
    queries: Sourced[str] = note("entities that read")


PROTOCOLS = {
    "sound": AttentionProtocol(
        puzzles=ours(1000, "the text shows three states (Figures 7, 12, 13)"),
        draws=ours(10, "each other puzzles"),
        untrained=ours(39, "the fewest of which all may lie on one side with probability 1/40"),
        seeds=ours(1, "whose weights ship"),
        further=ours(4, "a part of the grid of their own"),
        state=ours(
            "at the fork",
            "the held key opens the bridge and the right box; the text does not say how it chose",
        ),
        pairs=ours("second block's, through what virtual entities read in the first"),
        matter=ours("the three of held key, right box and bridge"),
        queries=ours("the right box and the bridge", "whose scores decide"),
    )
}
