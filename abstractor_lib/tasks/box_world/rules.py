"""Rules of Box World: the board, its colours, what an episode may hold (simplicial section 3).

A board has rows and columns of tiles; beside it, in the picture, stands the inventory as one more
column. Every tile of the picture has one of 24 *codes*: blank, Gem, player, empty place of the
inventory, or one of 20 hues. Rows are counted from the top, columns from the left, from zero.
"""

import colorsys
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np

BLANK, GEM, PLAYER, EMPTY = range(4)  # codes of tiles that are no hue
FIRST_HUE, HUES = 4, 20
CODES = FIRST_HUE + HUES

ACTIONS = ("left", "up", "right", "down")  # in the order of the public code
MOVES = ((0, -1), (-1, 0), (0, 1), (1, 0))  # rows and columns of each

GEM_REWARD, PROGRESS_REWARD, FAILURE_REWARD = 10.0, 1.0, -1.0


def palette() -> np.ndarray:
    """The colour of each code, red, green and blue, as in the public code; ``(24, 3)``, uint8.

    Hue k has HSV (18 k degrees, 0.7, 0.8).

    Example:
        >>> palette()[[BLANK, GEM, PLAYER, EMPTY]].tolist()
        [[199, 199, 199], [255, 255, 255], [127, 127, 127], [10, 10, 10]]
    """
    plain = [(199, 199, 199), (255, 255, 255), (127, 127, 127), (10, 10, 10)]
    hues = [colorsys.hsv_to_rgb(k / HUES, 0.7, 0.8) for k in range(HUES)]
    return np.array(plain + [[round(255 * part) for part in hue] for hue in hues], np.uint8)


def check_number(name: str, number: int) -> None:
    """Raise ValueError unless the number is an integer of at least 1.

    Example:
        >>> check_number("horizon", 2.5)
        Traceback (most recent call last):
            ...
        ValueError: horizon is 2.5; expected an integer of at least 1
    """
    if not isinstance(number, Integral) or isinstance(number, bool) or number < 1:
        raise ValueError(f"{name} is {number!r}; expected an integer of at least 1")


@dataclass(frozen=True)
class Rules:
    """What an episode may hold. The defaults are those of bridge Box World; see `STANDARD`.

    Attributes:
        rows, columns: of the board.
        locks: of the Gem. With two there are two solution paths of the same length, and a bridge
            may join them. With one there is one path, and decoy branches may leave it.
        longest, shortest: solution lengths are uniform on ``shortest``, ..., ``longest``.
        bridges: probability of a bridge, with two locks.
        branches: the number of decoy branches is uniform on 0, ..., ``branches``, with one lock.
        branch_longest: their lengths are uniform on 1, ..., ``branch_longest``.

    Raises:
        ValueError: if such an episode does not fit on the board, or has too many colours.

    Example:
        >>> Rules().slots[:4], Rules().gem_slots
        (((1, 1), (1, 4), (1, 7), (3, 1)), (0, 1, 3, 4))
    """

    rows: int = 7
    columns: int = 9
    locks: int = 2
    longest: int = 3
    bridges: float = 0.5
    branches: int = 0
    branch_longest: int = 1
    shortest: int = 1

    def __post_init__(self):
        if self.locks not in (1, 2):
            raise ValueError(f"locks is {self.locks}; allowed: 1, 2")
        if self.longest < 1 or self.branches < 0 or self.branch_longest < 1:
            raise ValueError(
                f"longest is {self.longest}, branches {self.branches} and branch_longest "
                f"{self.branch_longest}; expected at least 1, 0 and 1"
            )
        if not 1 <= self.shortest <= self.longest:
            raise ValueError(
                f"shortest is {self.shortest}; expected 1 to {self.longest}, which longest is"
            )
        if not 0 <= self.bridges <= 1:
            raise ValueError(f"bridges is {self.bridges}; expected a probability")
        if self.locks == 2 and self.branches:
            raise ValueError(f"branches is {self.branches}; a Gem with two locks has none")
        if self.locks == 1 and self.bridges:
            raise ValueError(f"bridges is {self.bridges}; a Gem with one lock has none")
        room = len(self.slots) - 1 - (self.locks == 2)  # less the Gem and the slot under it
        if self.objects > room or not self.gem_slots:
            raise ValueError(
                f"the board has {self.rows} rows and {self.columns} columns, room for {room} "
                f"boxes and loose keys beside the Gem; expected room for {self.objects}"
            )
        if self.colours > HUES:
            raise ValueError(f"an episode may have {self.colours} colours; expected at most {HUES}")

    @cached_property
    def slots(self) -> tuple[tuple[int, int], ...]:
        """Tiles, row and column, where a box's content or a loose key may lie, row by row. The lock
        of a box lies to the right of its content."""
        across = range(1, self.columns - 1, 3)
        return tuple((row, column) for row in range(1, self.rows, 2) for column in across)

    @cached_property
    def gem_slots(self) -> tuple[int, ...]:
        """Slots that the Gem may have: with two locks, not in the last column or row of slots."""
        return tuple(
            number
            for number, (row, column) in enumerate(self.slots)
            if self.locks == 1 or (row <= self.rows - 3 and column <= self.columns - 3)
        )

    @cached_property
    def below(self) -> tuple[int, ...]:
        """For each slot the number of the slot under it, -1 if there is none."""
        number = {slot: k for k, slot in enumerate(self.slots)}
        return tuple(number.get((row + 2, column), -1) for row, column in self.slots)

    @property
    def objects(self) -> int:
        """The most boxes and loose keys of an episode, without the Gem."""
        extra = bool(self.bridges) + self.branches * self.branch_longest
        return self.locks * self.longest + extra

    @property
    def colours(self) -> int:
        """The most colours of an episode, without the Gem's."""
        return self.locks * self.longest + self.branches * self.branch_longest

    @property
    def picture(self) -> tuple[int, int]:
        """Rows and columns of the picture: the board, and the inventory as its last column."""
        return self.rows, self.columns + 1

    @property
    def choices(self) -> int:
        """How many macro actions there are: a slot each, and the Gem's lower lock."""
        return len(self.slots) + (self.locks == 2)


BRIDGE = Rules()
STANDARD = Rules(rows=9, locks=1, longest=5, bridges=0.0, branches=4)  # simplicial section 5
WORLDS = {"bridge": BRIDGE, "standard": STANDARD}


def named(rules: Rules | str) -> Rules:
    """The rules of a name in `WORLDS`, or rules as they are.

    Raises:
        ValueError: for another name, or what are no rules.

    Example:
        >>> named("standard").locks
        1
    """
    if isinstance(rules, Rules):
        return rules
    if not isinstance(rules, str) or rules not in WORLDS:
        raise ValueError(f"rules is {rules!r}; allowed: Rules, {', '.join(map(repr, WORLDS))}")
    return WORLDS[rules]
