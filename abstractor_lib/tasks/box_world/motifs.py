"""What the graph of a puzzle tells about its bridge: sources, sinks, parities (simplicial 3).

The graph has colours for vertices and an arrow from a lock's colour to a key's colour for each box.
A state of play is known by the boxes that are still closed, the loose keys that still lie there and
the keys in the inventory: where things lie is of no account.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Literal, NamedTuple, get_args

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
    """Pairs of boxes with the same lock colour and distinct key colours; no lock has no colour.

    Example:
        >>> sources([Box(1, 2), Box(4, 2), Box(3, 4), Box(2, NOBODY), Box(4, NOBODY)])
        [(Box(key=1, lock=2), Box(key=4, lock=2))]
    """
    pairs = combinations((one for one in boxes if one.lock != NOBODY), 2)
    return [(a, b) for a, b in pairs if a.lock == b.lock and a.key != b.key]


def sinks(boxes: Iterable[Box]) -> list[Pair]:
    """Pairs of boxes with the same key colour and distinct lock colours.

    Example:
        >>> sinks([Box(0, 1), Box(0, 3), Box(1, 2)])  # the two halves of a Gem
        [(Box(key=0, lock=1), Box(key=0, lock=3))]
    """
    return [(a, b) for a, b in combinations(boxes, 2) if a.key == b.key and a.lock != b.lock]


class Motifs(NamedTuple):
    """Sources and sinks that are seen in a state."""

    sources: list[Pair]
    sinks: list[Pair]

    @property
    def common(self) -> set[Box]:
        """The boxes that are part of a source and of a sink."""
        parts = [{box for pair in pairs for box in pair} for pairs in self]
        return parts[0] & parts[1]


Reading = Literal["halves", "no_gem", "appendix_i"]  # of the word box; see `seen`
READINGS: tuple[Reading, ...] = get_args(Reading)


def seen(state: State, reading: Reading) -> Motifs:
    """The motifs of a state, by what counts as a box.

    Args:
        reading: ``halves``, each half of the Gem is a box, so that the two are a sink, as in the
            paper's example; ``no_gem``, neither is; ``appendix_i``, as halves, and loose keys are
            boxes without a lock colour ("this includes loose keys and the box with the Gem"), but
            the Gem is one box with two locks, so that its halves are no pair.

    Source: Logic and the 2-Simplicial Transformer, section 3 and appendix I.

    Example:
        >>> start = State(tuple(boxes_of(Kind(2, 1, 4))), ())
        >>> [len(seen(start, one).common) for one in READINGS]
        [1, 0, 1]
        >>> seen(start, "halves").common, seen(start, "appendix_i").common
        ({Box(key=0, lock=1)}, {Box(key=4, lock=1)})
    """
    if reading != "appendix_i":
        found = boxes(state, gem=reading == "halves")
        return Motifs(sources(found), sinks(found))
    return Motifs(sources(state.board), sinks(one for one in state.board if one.key != 0))


def counts(state: State, inventory: bool = True) -> Counter:
    """How many tiles of the picture each colour has, on the board and, unless it is left out, in
    the inventory; the Gem's own colour is left out."""
    found = Counter(state.inventory if inventory else ())
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


def thrice_boxes(state: State, inventory: bool = False) -> list[Box]:
    """Closed boxes, without the Gem, whose key and lock colours both occur three times.

    Args:
        inventory: whether keys that are held count. For an agent without memory the paper counts
            "on the board" alone (appendix D, footnote).

    Example:
        >>> start, *later = states(Kind(1, 1, 2))
        >>> thrice_boxes(start), [len(thrice_boxes(one)) for one in later]
        ([Box(key=2, lock=1)], [0, 0, 0])
        >>> [len(thrice_boxes(one, inventory=True)) for one in later]
        [1, 1, 1]
    """
    found = counts(state, inventory)
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
