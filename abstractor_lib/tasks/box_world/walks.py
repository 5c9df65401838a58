"""Shortest walks over blank tiles, in many worlds at once, with numpy or torch.

Shapes: ``b`` worlds, ``r`` rows, ``c`` columns; ``t = (r + 2) (c + 2)`` tiles with a border around
the board. Inside, worlds come last: the neighbours of all tiles are then one piece of memory.
"""

from .arrays import Array, full, library

FAR = 10_000  # more steps than any walk has; three times that is below 2 ** 15
ROUNDS = 4  # steps that walks grow by before it is asked whether all are found


def distances(blank: Array, start: Array) -> Array:
    """Steps from a tile to every other over blank tiles; the last tile of a walk may be any.

    Args:
        blank: tiles that can be walked over, ``(b, r, c)``, bool.
        start: number of a tile, counted row by row, ``(b,)``.

    Returns:
        ``(b, r, c)``, int64; `FAR` where there is no way.

    Example:
        >>> import numpy as np
        >>> blank = np.array([[[True, False, True], [True, True, True]]])
        >>> distances(blank, np.array([0])).tolist()
        [[[0, 1, 4], [1, 2, 3]]]
    """
    xp, (b, r, c) = library(blank), blank.shape
    width = c + 2
    cost = full(blank, (r + 2, width, b), FAR, "int16")  # of a step to a tile
    cost[1:-1, 1:-1] = xp.where(xp.moveaxis(blank, 0, -1), 1, FAR)
    whole = full(blank, ((r + 2) * width, b), FAR, "int16")
    each = xp.ones_like(start).cumsum(0) - 1
    whole[(start // c + 1) * width + start % c + 1, each] = 0
    edge, end = width + 1, len(whole) - width - 1  # from the first tile of the board to the last
    cost = cost.reshape(-1, b)[edge:end]
    found, *beside = (whole[edge + k : end + k] for k in (0, -1, 1, -width, width))

    def least():
        left, right, above, below = beside
        return xp.minimum(xp.minimum(left, right), xp.minimum(above, below))

    while True:
        near = least() + cost
        if (near >= found).all():
            break
        for _ in range(ROUNDS):
            found[:] = xp.minimum(found, near)
            near = least() + cost
    last = xp.minimum(found, least() + 1)  # may be any tile
    found[:] = xp.where(last > FAR, FAR, last)
    steps = full(blank, (b, r, c), 0, "int64")
    steps[:] = xp.moveaxis(whole.reshape(r + 2, width, b)[1:-1, 1:-1], -1, 0)
    return steps
