"""What is true of every puzzle and needs no play: what is left when the bridge has been opened."""

from collections.abc import Iterator

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.registry import measure
from ...tasks.box_world.exact import takeable
from ...tasks.box_world.motifs import State, states
from ...tasks.box_world.puzzles import Box, Kind, kinds
from ...tasks.box_world.rules import BRIDGE


def opened(state: State, box: Box) -> State:
    """The state after a box or loose key is taken; its lock's key is used up."""
    board = list(state.board)
    board.remove(box)
    inventory = list(state.inventory)
    if box.lock in inventory:
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


def after_the_bridge(kind: Kind) -> Iterator[State]:
    """The states of a type of puzzle right after its bridge was opened, if play went on."""
    bridge = Box(kind.key, kind.lock)
    for state in states(kind):
        if bridge in state.board and bridge.lock in state.inventory:
            yield opened(state, bridge)


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
