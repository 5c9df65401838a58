"""The grid of the Box World experiment.

Ten trials left undecided whether the share of puzzles that random steps solve counts as the
published start, which goes up to 0.74. It was 0.7384 of 100,000. If that is the true share, a
million puzzles bring the interval below 0.74 with a probability of 0.96: ninety more trials.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...records.spec import Spec, Trials
from ...tasks.box_world.puzzles import kinds
from ..experiment import NewSpec
from .settings import (
    LATER_PLAYERS,
    PLAYERS,
    STANDARD_PLAYERS,
    Model,
    Play,
    Player,
    Task,
    WorldProtocol,
)


@dataclass(frozen=True)
class Profile:
    """How much to play."""

    trials: int
    puzzles: int  # a trial
    drawn: int  # a trial, to count types
    further: int  # runs of random steps, of as many trials each


LATER, FURTHER = "further players", "further trials"  # parts of the grid
LAPTOP = Profile(trials=10, puzzles=10_000, drawn=400_000, further=9)
PROFILES = {
    "smoke": Profile(trials=2, puzzles=100, drawn=1000, further=1),
    "laptop": LAPTOP,
    "paper": LAPTOP,
}


def worlds(settings: WorldProtocol) -> dict[str, Task]:
    """The worlds of a protocol by name."""
    rows, columns = settings.board.value
    bridge = Task(rows, columns, 2, settings.longest.value, settings.bridges.value, 0, 1)
    bridge = replace(bridge, horizon=settings.horizon.value)
    rows, columns = settings.standard_board.value
    most, longest = settings.branches.value, settings.branch_longest.value
    standard = Task(rows, columns, 1, settings.standard_longest.value, 0.0, most, longest)
    return {
        "bridge": bridge,
        "bridge, short": replace(bridge, horizon=settings.short.value),
        "standard": replace(standard, horizon=settings.horizon.value),
        # as long a path and as many branches as there is room for
        "standard, longer branches": replace(standard, longest=3, branches=3, branch_longest=2),
    }


def runs(new: NewSpec, amount: Profile, settings: WorldProtocol) -> Iterator[Spec]:
    """The grid; see `Experiment.runs`."""
    known = worlds(settings)

    def run(model: Player, world: str, puzzles: int, trials: int) -> Spec:
        return new(Model(model), known[world], Play(puzzles), Trials(0, trials), None, "int64")

    every = kinds(known["bridge"].rules)
    yield run("exact", "bridge", 1, len(every))
    yield run("types", "bridge", amount.drawn, amount.trials)
    for player in PLAYERS:
        yield run(player, "bridge", amount.puzzles, amount.trials)
    yield run("steps", "bridge, short", amount.puzzles, amount.trials)
    for player in STANDARD_PLAYERS:
        yield run(player, "standard", amount.puzzles, amount.trials)
    for player in STANDARD_PLAYERS[-2:]:
        yield run(player, "standard, longer branches", amount.puzzles, amount.trials)
    later = [run(player, "bridge", amount.puzzles, amount.trials) for player in LATER_PLAYERS]
    wins = run("wins", "bridge", 1, len(every))
    later.append(replace(wins, model=replace(wins.model, players=LATER_PLAYERS)))
    for one in later:
        yield replace(one, part=LATER)
    first = run("steps", "bridge", amount.puzzles, amount.trials)
    for block in range(1, amount.further + 1):
        more = Trials(block * amount.trials, amount.trials)
        yield replace(first, trials=more, part=FURTHER)


def columns(plain: Mapping) -> dict:
    """What tables call a run: the player as ``model``, puzzles a trial as ``size``, the world as
    ``variant``."""
    task = plain["task"]
    variant = "bridge" if task["locks"] == 2 else "standard"
    if task["horizon"] is not None:
        variant += f", {task['horizon']} steps"
    if task["branch_longest"] > 1:
        variant += ", longer branches"
    return {
        "model": plain["model"]["name"],
        "size": plain["training"]["puzzles"],
        "variant": variant,
    }


def cost(spec: Spec) -> float:
    """Actions of a run, about; puzzles that are only drawn take the time of a fraction of one."""
    actions = {"steps": 10, "types": 0.07}.get(spec.model.name, 5)
    return actions * spec.training.puzzles * spec.trials.count
