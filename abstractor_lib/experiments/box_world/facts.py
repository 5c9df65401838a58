"""What is true of every puzzle and needs no play: what is left when the bridge has been opened,
and what sources and sinks tell."""

from collections.abc import Iterator

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.registry import measure
from ...tasks.box_world.exact import takeable
from ...tasks.box_world.motifs import Reading, State, states
from ...tasks.box_world.puzzles import Box, Kind, kinds
from ...tasks.box_world.rules import BRIDGE
from .readings import by_type


def opened(state: State, box: Box, kept: bool = False) -> State:
    """The state after a box or loose key is taken; its lock's key is used up, unless it is kept."""
    board = list(state.board)
    board.remove(box)
    inventory = list(state.inventory)
    if box.lock in inventory and not kept:
        inventory.remove(box.lock)
    return State(tuple(board), tuple(sorted([*inventory, box.key])))


def winnable(state: State) -> bool:
    """Whether some order of play takes the Gem."""
    seen, waiting = {state}, [state]
    while waiting:
        now = waiting.pop()
        for box in takeable(now):
            if box.key == 0:
                return True
            if (after := opened(now, box)) not in seen:
                seen.add(after)
                waiting.append(after)
    return False


def after_the_bridge(kind: Kind, kept: bool = False) -> Iterator[State]:
    """The states of a type of puzzle right after its bridge was opened, if play went on.

    Args:
        kept: the bridge's lock does not use up its key, as the arrow of classical logic has it.
    """
    bridge = Box(kind.key, kind.lock)
    for state in states(kind):
        if bridge in state.board and bridge.lock in state.inventory:
            yield opened(state, bridge, kept)


@measure
def lost_by_the_bridge(frames: Frames, protocol: str) -> Measured:
    """The share of states in which opening the bridge leaves no way to the Gem, the least of all
    types of puzzle with a bridge."""
    shares = []
    for kind in kinds(BRIDGE):
        if kind.lock:
            lost = [not winnable(state) for state in after_the_bridge(kind)]
            shares.append(sum(lost) / len(lost))
    return known({f"least of {len(shares)} types of puzzle": min(shares)}, len(shares))


@measure
def won_without_it(frames: Frames, protocol: str) -> Measured:
    """The share of states before the bridge is opened in which the Gem can still be taken, the
    least of all types of puzzle with a bridge."""
    shares = []
    for kind in kinds(BRIDGE):
        if kind.lock:
            won = [winnable(state) for state in states(kind)]
            shares.append(sum(won) / len(won))
    return known({f"least of {len(shares)} types of puzzle": min(shares)}, len(shares))


@measure
def motifs(frames: Frames, protocol: str, sentence: str, reading: Reading) -> Measured:
    """How far a sentence on motifs is true, the least of all types of puzzle with a bridge.

    Args:
        sentence: ``appear``, ``hold`` or ``locate``, as in `readings.by_type`; or ``every``, the
            product of the three.
        reading: what counts as a box.
    """
    found = by_type(reading)
    shares = {
        "appear": found["appear"].astype(float),
        "hold": (found["hold"] / found["pairs"]).fillna(1.0),  # of none, all do
        "locate": (found["locate"] / found["both"]).fillna(1.0),
    }
    shares["every"] = shares["appear"] * shares["hold"] * shares["locate"]
    return known({f"least of {len(found)} types of puzzle": shares[sentence].min()}, len(found))
