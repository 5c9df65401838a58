"""What a player sees: from pictures, the object in each slot and what can be taken.

Shapes: ``b`` pictures, ``r`` rows, ``c`` columns of the board, ``k`` macro actions.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .rules import BLANK, CODES, FIRST_HUE, GEM, PLAYER, Rules
from .walks import FAR, distances


class View(NamedTuple):
    """The objects of pictures, a macro action each; ``(b, k)`` but for ``counts``.

    Attributes:
        key: code of the content or loose key, blank if the slot is empty.
        lock: code of the lock, blank for a loose key.
        takeable: the loose key can be taken, or the lock opened, with what the inventory holds.
        gem: it is the Gem, or its lower half.
        counts: how often each code occurs in the picture, ``(b, 24)``.
    """

    key: Tensor
    lock: Tensor
    takeable: Tensor
    gem: Tensor
    counts: Tensor

    @property
    def box(self) -> Tensor:
        """Which are closed boxes, without the Gem, ``(b, k)``."""
        return (self.lock != BLANK) & ~self.gem


def look(codes: Tensor, rules: Rules) -> View:
    """The objects of pictures.

    Args:
        codes: ``(b, r, c + 1)``; see `BoxWorlds.codes`.
        rules: of the world.

    Example:
        >>> import numpy as np
        >>> from .batched import BoxWorlds
        >>> view = look(BoxWorlds(Rules(longest=1), 1, np.random.default_rng(0)).codes(), Rules())
        >>> int(view.takeable.sum()), int(view.gem.sum())  # two loose keys; two halves of the Gem
        (2, 2)
    """
    rows, columns = torch.tensor(rules.slots, device=codes.device).T
    flat = codes.flatten(1).long()  # (b, r * (c + 1))
    wide = rules.columns + 1
    at = rows * wide + columns
    key, lock = flat[:, at], flat[:, at + 1]  # (b, slots)
    if rules.locks == 2:
        upper = (key == GEM).long().argmax(dim=1)  # the slot of the Gem
        place = at[upper] + wide
        below = torch.stack([flat.gather(1, (place + k)[:, None])[:, 0] for k in (0, 1)])
        key = torch.cat([key, below[0][:, None]], dim=1)
        lock = torch.cat([lock, below[1][:, None]], dim=1)
    key, lock = (torch.where(part == PLAYER, BLANK, part) for part in (key, lock))
    gem = key == GEM
    held = flat.view(-1, *rules.picture)[:, : rules.locks, -1]  # the inventory has one or two keys
    opens = (lock[:, :, None] == held[:, None, :]).any(dim=2)
    if rules.locks == 2:
        opens = torch.where(gem, (opens | ~gem).all(dim=1, keepdim=True), opens)
    takeable = (key != BLANK) & (opens | (lock == BLANK))
    counts = flat.new_zeros(len(flat), CODES).scatter_add_(1, flat, torch.ones_like(flat))
    return View(key, lock, takeable, gem, counts)


def tokens(codes: Tensor, rules: Rules) -> Tensor:
    """Objects of pictures as whole numbers, a row each: the codes of key and lock, and the place.

    Rows are the macro actions (`Rules.choices`), an empty slot being blank, and then the places of
    the inventory, which have no lock.

    Args:
        codes: ``(b, r, c + 1)``; see `BoxWorlds.codes`.
        rules: of the world.

    Returns:
        ``(b, k + locks, 3)``, int64.

    Example:
        >>> import numpy as np
        >>> from .batched import BoxWorlds
        >>> worlds = BoxWorlds(Rules(longest=1), 1, np.random.default_rng(0))
        >>> tokens(worlds.codes(), Rules()).shape
        torch.Size([1, 12, 3])
    """
    view = look(codes, rules)
    held = codes[:, : rules.locks, -1].long()
    key = torch.cat([view.key, held], dim=1)
    lock = torch.cat([view.lock, torch.full_like(held, BLANK)], dim=1)
    place = torch.arange(key.shape[1], device=key.device).expand_as(key)
    return torch.stack([key, lock, place], dim=2)


def odd(view: View, codes: Tensor) -> Tensor:
    """Whether each code, a hue, occurs an odd number of times in its picture, ``(b, k)``."""
    return (view.counts.gather(1, codes) % 2 == 1) & (codes >= FIRST_HUE)


def steps_to(codes: Tensor, rules: Rules) -> Tensor:
    """Steps from the player to each object, ``(b, k)``; `FAR` where there is none."""
    board = codes[:, :, :-1]
    blank = (board == BLANK) | (board == PLAYER)
    start = (board == PLAYER).flatten(1).long().argmax(dim=1)
    found = distances(blank, start).flatten(1)  # (b, r * c)
    view = look(codes, rules)
    rows, columns = torch.tensor(rules.slots, device=codes.device).T
    tile = (rows * rules.columns + columns).expand(len(codes), -1)
    if rules.locks == 2:
        upper = view.gem[:, :-1].long().argmax(dim=1, keepdim=True)
        tile = torch.cat([tile, tile.gather(1, upper) + rules.columns], dim=1)
    far = found.gather(1, tile + (view.lock != BLANK))
    return torch.where(view.key == BLANK, FAR, far)
