"""Where things lie in the pictures of many worlds.

Shapes: ``n`` puzzles, ``t = r (c + 1)`` tiles of a picture with ``r`` rows and ``c`` columns of the
board; its last column is the inventory.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Array, put
from .puzzles import Puzzles
from .rules import EMPTY, MOVES, Rules


class Laid(NamedTuple):
    """Puzzles as they lie in pictures: codes and decoys ``(n, t)``, the tile of the Gem's upper
    lock ``(n,)``, and the type of each ``(n, 3)``."""

    picture: Array
    decoys: Array
    gem: Array
    kinds: Array


def lay(puzzles: Puzzles, like: Array | None = None) -> Laid:
    """Puzzles as they lie in pictures.

    Args:
        puzzles: which.
        like: an array of the library and on the device that shall be used; numpy, if None.
    """
    count, rules = len(puzzles), puzzles.rules
    picture = np.full((count, *rules.picture), EMPTY, np.uint8)
    decoys = np.zeros(picture.shape, bool)
    picture[:, :, :-1], decoys[:, :, :-1] = puzzles.board, puzzles.decoys
    gem = puzzles.gem[:, 0] * (rules.columns + 1) + puzzles.gem[:, 1]
    parts = picture.reshape(count, -1), decoys.reshape(count, -1), gem, puzzles.kinds.copy()
    return Laid(*(part if like is None else put(part, like) for part in parts))


def next_tiles(rules: Rules) -> np.ndarray:
    """Where each move leads from each tile of the picture, ``(t, 4)``; the board's edge is a
    wall."""
    width = rules.columns + 1
    row, column = np.divmod(np.arange(rules.rows * width), width)
    found = [
        (row + down).clip(0, rules.rows - 1) * width + (column + right).clip(0, rules.columns - 1)
        for down, right in MOVES
    ]
    return np.stack(found, axis=1)
