"""One episode of Box World in plain Python: the rules as one would read them aloud.

`worlds` plays many at once by the same rules, with arrays; tests hold the two against each other.
"""

import operator
from collections import deque
from typing import NamedTuple

import numpy as np

from .puzzles import Puzzles
from .rules import (
    BLANK,
    EMPTY,
    FAILURE_REWARD,
    GEM,
    GEM_REWARD,
    MOVES,
    PLAYER,
    PROGRESS_REWARD,
)


class Step(NamedTuple):
    """What a step gave: the reward, whether the episode has ended, and how many primitive steps it
    took (one, or the length of the walk of a macro action)."""

    reward: float
    ended: bool
    walked: int = 1


class Game:
    """An episode: board, inventory and player, who starts in the upper left corner.

    Args:
        puzzles: where the puzzle comes from.
        index: which of them.

    Attributes:
        board: codes of tiles, ``(rows, columns)``.
        inventory: codes of keys, in the order in which the player got them.
        player: row and column.
        solved: whether the player has the Gem.
        ended: whether the player has the Gem or has opened a decoy (a bridge is one).

    Example:
        >>> from .puzzles import draw
        >>> from .rules import Rules
        >>> game = Game(draw(np.random.default_rng(0), Rules(longest=1, bridges=0.0)))
        >>> [game.choose(k).reward for k in range(game.rules.choices)]  # a slot after the other
        [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 10.0]
        >>> game.solved, game.ended
        (True, True)
    """

    def __init__(self, puzzles: Puzzles, index: int = 0):
        self.rules = puzzles.rules
        self.kind = puzzles.kind(index)
        self.board = puzzles.board[index].tolist()
        self.decoys = puzzles.decoys[index]
        row, column = (int(part) for part in puzzles.gem[index])
        self.gem = [(row + path, column) for path in range(self.rules.locks)]  # its locks
        self.inventory: list[int] = []
        self.player = (0, 0)
        self.solved = self.ended = False

    def picture(self) -> np.ndarray:
        """Codes of the picture, ``(rows, columns + 1)``, uint8: the board with the player, and the
        inventory as the last column, from the top."""
        found = np.full(self.rules.picture, EMPTY, np.uint8)
        found[:, :-1] = self.board
        found[self.player] = PLAYER
        found[: len(self.inventory), -1] = self.inventory
        return found

    def step(self, action: int) -> Step:
        """Try to move one tile to the left, up, right or down; the board's edge is a wall.

        Raises:
            ValueError: if the episode has ended, or for what is no action.
        """
        action = self._checked(action, len(MOVES))
        return Step(self._enter(*self._beside(action)), self.ended)

    def choose(self, choice: int) -> Step:
        """Macro action: walk to what lies in a slot, on a shortest path, and take or open it.

        Nothing happens if the slot is empty or its lock cannot be opened. The last choice of a Gem
        with two locks is its lower lock, where its slot stands for the upper one.

        Raises:
            ValueError: if the episode has ended, or for what is no choice.
        """
        choice = self._checked(choice, self.rules.choices)
        tile = self.tile(choice)
        walk = self.walk(tile) if tile and self.can_take(*tile) else []
        reward = sum(self.step(action).reward for action in walk)
        return Step(float(reward), self.ended, len(walk))

    def tile(self, choice: int) -> tuple[int, int] | None:
        """The tile that a macro action is about: a lock or a loose key; None if there is none."""
        if choice == len(self.rules.slots):
            return self.gem[1]
        row, column = self.rules.slots[choice]
        if self.board[row][column] == BLANK:
            return None
        return (row, column) if self.board[row][column + 1] == BLANK else (row, column + 1)

    def can_take(self, row: int, column: int) -> bool:
        """Whether stepping on this tile takes a loose key, or opens a box or the Gem."""
        here, left, right = self._around(row, column)
        if here == BLANK:
            return False
        if self.rules.locks == 2 and left == GEM:
            return all(self.board[y][x] in self.inventory for y, x in self.gem)
        if left != BLANK:
            return here in self.inventory
        return right == BLANK

    def mask(self, macro: bool) -> np.ndarray:
        """Which actions do something, ``(k,)``, bool.

        A move does something if it leads to a blank tile, takes a loose key or opens a lock; a
        macro action, if something lies in its slot that can be taken now. Where the episode has
        ended all actions are allowed, so that a masked policy is defined there too.
        """
        count = self.rules.choices if macro else len(MOVES)
        if self.ended:
            return np.ones(count, bool)
        if macro:
            tiles = map(self.tile, range(count))
            return np.array([tile is not None and self.can_take(*tile) for tile in tiles])
        tiles = [self._beside(action) for action in range(count)]
        blank = [self.board[row][column] == BLANK for row, column in tiles]
        return np.array(
            [
                tile != self.player and (free or self.can_take(*tile))
                for tile, free in zip(tiles, blank, strict=True)
            ]
        )

    def walk(self, tile: tuple[int, int]) -> list[int]:
        """Actions of a shortest way to a tile over blank ones; of several, that which goes left
        before up before right before down.

        Raises:
            ValueError: if there is no way.
        """
        came: dict = {self.player: None}
        queue = deque([self.player])
        while queue and tile not in came:
            row, column = place = queue.popleft()
            for action, (down, right) in enumerate(MOVES):
                y, x = new = row + down, column + right
                inside = 0 <= y < self.rules.rows and 0 <= x < self.rules.columns
                if inside and new not in came and (new == tile or self.board[y][x] == BLANK):
                    came[new] = place, action
                    queue.append(new)
        if tile not in came:
            raise ValueError(f"tile is {tile}; there is no way from {self.player}")
        found, place = [], tile
        while came[place]:
            place, action = came[place]
            found.append(action)
        return found[::-1]

    def _checked(self, given: int, count: int) -> int:
        if self.ended:
            raise ValueError("the episode has ended; start another one")
        try:
            number = operator.index(given)
        except TypeError:
            raise ValueError(f"action is {given!r}; expected a whole number") from None
        if not 0 <= number < count:
            raise ValueError(f"action is {number}; expected 0 to {count - 1}")
        return number

    def _beside(self, action: int) -> tuple[int, int]:
        """The tile that a move leads to, the player's own at the edge."""
        (row, column), (down, right) = self.player, MOVES[action]
        rows, columns = self.rules.rows, self.rules.columns
        return min(max(row + down, 0), rows - 1), min(max(column + right, 0), columns - 1)

    def _around(self, row: int, column: int) -> tuple[int, int, int]:
        """Codes of a tile and of its neighbours to the left and right; beyond the edge is blank."""
        padded = [BLANK, *self.board[row], BLANK]
        return padded[column + 1], padded[column], padded[column + 2]

    def _enter(self, row: int, column: int) -> float:
        """Go to a tile, if it can be entered; the reward."""
        here, left, _ = self._around(row, column)
        if here != BLANK and not self.can_take(row, column):
            return 0.0  # a lock without its key, or the content of a box
        self.player = row, column
        if here == BLANK:
            return 0.0
        if left == BLANK:  # a loose key
            self.board[row][column] = BLANK
            self.inventory.append(here)
            return PROGRESS_REWARD
        for y, x in self.gem if left == GEM else [(row, column)]:
            self.inventory.remove(self.board[y][x])
            self.board[y][x] = self.board[y][x - 1] = BLANK
        self.inventory.append(left)
        if left == GEM:
            self.solved = self.ended = True
            return GEM_REWARD
        self.ended = bool(self.decoys[row, column])
        return FAILURE_REWARD if self.ended else PROGRESS_REWARD
