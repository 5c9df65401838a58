"""Shortest walks over blank tiles, in many worlds at once, with numpy or torch.

Shapes: ``b`` worlds, ``r`` rows, ``c`` columns. Inside, worlds come last: neighbours of a tile are
then whole rows of memory.
"""

from .arrays import Array, full, library

FAR = 10_000  # more steps than any walk has


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
    free = full(blank, (r, c, b), 0, "bool")
    free[:] = xp.moveaxis(blank, 0, -1)
    wide = full(blank, (r + 2, c + 2, b), FAR, "int16")  # a border that nobody can cross
    found = wide[1:-1, 1:-1]
    each = xp.ones_like(start).cumsum(0) - 1
    found[start // c, start % c, each] = 0
    while True:
        beside = xp.minimum(wide[1:-1, :-2], wide[1:-1, 2:])
        near = xp.minimum(beside, xp.minimum(wide[:-2, 1:-1], wide[2:, 1:-1])) + 1  # (r, c, b)
        better = xp.where(free, xp.minimum(found, near), found)
        if (better == found).all():
            break
        found[:] = better
    last = xp.minimum(found, near)
    whole = full(blank, (b, r, c), 0, "int64")
    whole[:] = xp.moveaxis(xp.where(last > FAR, FAR, last), -1, 0)
    return whole
