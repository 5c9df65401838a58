"""Shortest walks over blank tiles, in many worlds at once.

Shapes: ``b`` worlds, ``r`` rows, ``c`` columns.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

FAR = 10_000  # more steps than any walk has


def distances(blank: Tensor, start: Tensor) -> Tensor:
    """Steps from a tile to every other over blank tiles; the last tile of a walk may be any.

    Args:
        blank: tiles that can be walked over, ``(b, r, c)``, bool.
        start: number of a tile, counted row by row, ``(b,)``.

    Returns:
        ``(b, r, c)``, int64; `FAR` where there is no way.

    Example:
        >>> blank = torch.tensor([[[True, False, True], [True, True, True]]])
        >>> distances(blank, torch.tensor([0])).tolist()
        [[[0, 1, 4], [1, 2, 3]]]
    """
    b, r, c = blank.shape
    found = torch.full((b, r * c), FAR, dtype=torch.int16, device=blank.device)
    found.scatter_(1, start[:, None], 0)
    found = found.view(b, r, c)
    while True:
        near = _least_neighbour(found) + 1
        better = torch.where(blank, torch.minimum(found, near), found)
        if torch.equal(better, found):
            break
        found = better
    found = torch.minimum(found, near)  # the last tile
    return found.clamp(max=FAR).long()


def _least_neighbour(distance: Tensor) -> Tensor:
    """The least value beside each tile, above, below, left or right of it, ``(b, r, c)``."""
    wide = pad(distance, (1, 1, 1, 1), value=FAR)
    across = torch.minimum(wide[:, 1:-1, :-2], wide[:, 1:-1, 2:])
    return torch.minimum(across, torch.minimum(wide[:, :-2, 1:-1], wide[:, 2:, 1:-1]))
