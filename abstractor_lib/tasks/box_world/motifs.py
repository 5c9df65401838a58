"""What the graph of a puzzle tells about its bridge: sources, sinks, parities (simplicial 3).

The graph has colours for vertices and an arrow from a lock's colour to a key's colour for each box.
A state of play is known by the boxes that are still closed, the loose keys that still lie there and
the keys in the inventory: where things lie is of no account.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from .puzzles import NOBODY, Box, Kind, boxes_of

Pair = tuple[Box, Box]


class State(NamedTuple):
    """What is left of a puzzle: boxes and loose keys on the board, keys in the inventory."""

    board: tuple[Box, ...]
    inventory: tuple[int, ...]


def boxes(state: State, gem: bool) -> list[Box]:
    """Closed boxes, with or without the halves of the Gem; loose keys are none."""
    return [one for one in state.board if one.lock != NOBODY and (gem or one.key != 0)]


def sources(boxes: Iterable[Box]) -> list[Pair]:
    """Pairs of boxes with the same lock colour and distinct key colours.

    Example:
        >>> sources([Box(1, 2), Box(4, 2), Box(3, 4)])
        [(Box(key=1, lock=2), Box(key=4, lock=2))]
    """
    return [(a, b) for a, b in combinations(boxes, 2) if a.lock == b.lock and a.key != b.key]


def sinks(boxes: Iterable[Box]) -> list[Pair]:
    """Pairs of boxes with the same key colour and distinct lock colours.

    Example:
        >>> sinks([Box(0, 1), Box(0, 3), Box(1, 2)])  # the two halves of a Gem
        [(Box(key=0, lock=1), Box(key=0, lock=3))]
    """
    return [(a, b) for a, b in combinations(boxes, 2) if a.key == b.key and a.lock != b.lock]


def counts(state: State) -> Counter:
    """How many tiles of the picture each colour has, board and inventory together; the Gem's own
    colour is left out."""
    found = Counter(state.inventory)
    for box in state.board:
        found.update(number for number in box if number > 0)
    return found


def odd_boxes(state: State) -> list[Box]:
    """Closed boxes, without the Gem, whose key and lock colours both occur an odd number of times.

    On a path every colour occurs twice, as a key and as a lock, or not at all; a box that is opened
    moves its key to the inventory and takes one lock and one key away. A bridge adds one to each
    of its two colours. So the bridge alone is such a box.
    """
    found = counts(state)
    return [box for box in boxes(state, gem=False) if found[box.key] % 2 and found[box.lock] % 2]


def thrice_boxes(state: State) -> list[Box]:
    """Closed boxes, without the Gem, whose key and lock colours both occur three times."""
    found = counts(state)
    return [box for box in boxes(state, gem=False) if found[box.key] == found[box.lock] == 3]


def states(kind: Kind) -> Iterator[State]:
    """Every state that play can reach before the Gem is taken or the bridge opened, each once.

    Example:
        >>> len(list(states(Kind(1)))), len(list(states(Kind(3, 1, 4))))
        (4, 16)
    """
    bridge = Box(kind.key, kind.lock) if kind.lock else None
    start = State(tuple(boxes_of(kind)), ())
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        yield state
        for box in state.board:
            if box.key == 0 or box == bridge or box.lock not in (NOBODY, *state.inventory):
                continue
            board = list(state.board)
            board.remove(box)
            keys = sorted([*(k for k in state.inventory if k != box.lock), box.key])
            after = State(tuple(board), tuple(keys))
            if after not in seen:
                seen.add(after)
                waiting.append(after)
