"""How often a player wins, computed without playing: over all states of a type of puzzle.

Where things lie does not matter to players that choose at random among objects. So the probability
of a win is a sum over the few states of a puzzle's graph; see `motifs.State`. The players are those
of `policies`, written once more, for states in place of pictures: the two check each other.
"""

from collections.abc import Callable
from fractions import Fraction

from .motifs import State, counts
from .puzzles import NOBODY, Box, Kind, boxes_of

Wanted = Callable[[Box, State], bool]


def _gem(box: Box, state: State) -> bool:
    return box.key == 0


def _loose(box: Box, state: State) -> bool:
    return box.lock == NOBODY


def _not_lower_half(box: Box, state: State) -> bool:
    return box.key != 0 or box.lock == 1  # the upper path ends with colour 1


def _only_key(box: Box, state: State) -> bool:
    keys = [*state.inventory, *(one.key for one in state.board)]
    return keys.count(box.key) == 1


def _even_lock(box: Box, state: State) -> bool:
    return counts(state)[box.lock] % 2 == 0


def _even_key(box: Box, state: State) -> bool:
    return counts(state)[box.key] % 2 == 0


def _no_bridge(box: Box, state: State) -> bool:
    closed = box.key != 0 and box.lock != NOBODY
    return not closed or _even_lock(box, state) or _even_key(box, state)


PLAYERS: dict[str, tuple[Wanted, ...]] = {  # what each wants, the most wanted first
    "anything": (),
    "anything_once": (_not_lower_half,),
    "boxes_last": (_gem, _loose),
    "even_lock": (_gem, _loose, _even_lock),
    "even_key": (_gem, _loose, _even_key),
    "only_key": (_gem, _loose, _only_key),
    "no_bridge": (_no_bridge,),
}


def takeable(state: State) -> list[Box]:
    """Loose keys, boxes whose lock the inventory opens, and the Gem's halves if it opens both."""
    locks = {box.lock for box in state.board if box.key == 0}
    free = locks <= set(state.inventory)
    return [
        box
        for box in state.board
        if box.lock == NOBODY or (box.lock in state.inventory and (box.key != 0 or free))
    ]


def win_probability(kind: Kind, player: str) -> Fraction:
    """Probability that a player takes the Gem of a puzzle of this type.

    Args:
        kind: the type.
        player: one of `PLAYERS`.

    Raises:
        ValueError: for an unknown player.

    Example:
        >>> print(win_probability(Kind(2, 1, 3), "boxes_last"))
        3/4
    """
    if player not in PLAYERS:
        raise ValueError(f"player is {player!r}; allowed: {', '.join(PLAYERS)}")
    bridge = Box(kind.key, kind.lock)
    known: dict[State, Fraction] = {}

    def wins(state: State) -> Fraction:
        if state not in known:
            some = takeable(state)
            for wanted in PLAYERS[player]:
                some = [box for box in some if wanted(box, state)] or some
            known[state] = sum((after(state, box) for box in some), Fraction(0)) / len(some)
        return known[state]

    def after(state: State, box: Box) -> Fraction:
        if box.key == 0 or (kind.lock and box == bridge):
            return Fraction(box.key == 0)
        board = list(state.board)
        board.remove(box)
        keys = sorted([*(key for key in state.inventory if key != box.lock), box.key])
        return wins(State(tuple(board), tuple(keys)))

    return wins(State(tuple(boxes_of(kind)), ()))
