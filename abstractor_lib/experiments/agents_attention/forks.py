"""Late puzzles at their fork: the held key opens the right box and the bridge.

Shapes: ``n`` puzzles, ``t`` tokens of an observation.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...tasks.box_world.batched import BoxWorlds
from ...tasks.box_world.puzzles import Puzzles
from ...tasks.box_world.rules import BLANK, EMPTY, GEM
from ...tasks.box_world.views import tokens

KINDS = (
    *("held key", "right box", "bridge", "other box", "loose key"),
    *("Gem, upper lock", "Gem, lower lock", "empty place"),
)


class Forks(NamedTuple):
    """Puzzles at their fork.

    Attributes:
        tokens: what the agent sees, ``(n, t, 3)``; see `tasks.box_world.views.tokens`.
        held, right, bridge, upper, lower: which token is the held key, the right box, the bridge,
            and the Gem with its upper and its lower lock, ``(n,)``.
    """

    tokens: Tensor
    held: Tensor
    right: Tensor
    bridge: Tensor
    upper: Tensor
    lower: Tensor

    @property
    def objects(self) -> Tensor:
        """Which tokens are something, ``(n, t)``."""
        key = self.tokens[..., 0]
        return (key != BLANK) & (key != EMPTY)

    @property
    def boxes(self) -> Tensor:
        """Which tokens are closed boxes, the Gem left out, ``(n, t)``."""
        key, lock = self.tokens[..., 0], self.tokens[..., 1]
        return self.objects & (lock != BLANK) & (key != GEM)

    @property
    def kinds(self) -> Tensor:
        """What each token is, a number of `KINDS`, ``(n, t)``."""
        found = torch.full(self.tokens.shape[:2], KINDS.index("empty place"))
        found[self.objects] = KINDS.index("loose key")
        found[self.boxes] = KINDS.index("other box")
        named = {"held key": self.held, "right box": self.right, "bridge": self.bridge}
        named |= {"Gem, upper lock": self.upper, "Gem, lower lock": self.lower}
        for kind, which in named.items():
            found[torch.arange(len(found)), which] = KINDS.index(kind)
        return found


def forks(puzzles: Puzzles) -> Forks:
    """Late puzzles after the upper path has been walked as far as the fork, and nothing else.

    Raises:
        ValueError: if the bridge of a puzzle is not late, so that there is no right box.

    Example:
        >>> from ...tasks.box_world.rules import Rules
        >>> from ..agents.play import late
        >>> found = forks(late(Rules(shortest=2, bridges=1.0), 4, np.random.default_rng(0)))
        >>> found.tokens.shape, found.boxes.sum(dim=1).min().item()
        (torch.Size([4, 12, 3]), 4)
    """
    rules, count = puzzles.rules, len(puzzles)
    length, lock, key = (torch.from_numpy(part.copy()) for part in puzzles.kinds.T)
    if not bool((lock > 1).all()):
        raise ValueError("puzzles holds one whose bridge is not late; expected locks of 2 or more")
    code = torch.from_numpy(puzzles.codes.astype(np.int64))  # (n, colours)
    worlds = BoxWorlds(rules, count, np.random.default_rng(0), macro=True)
    worlds.reset(puzzles=puzzles)
    every = torch.arange(count)
    seen = tokens(worlds.codes(), rules)
    for walked in range(int((length - lock).max()) + 1):
        number = length - walked  # of the colour whose key is taken next, on the upper path
        going = number >= lock
        wanted = code[every, number.clamp(min=1)][:, None]
        now = tokens(worlds.codes(), rules)
        taken = (now[:, : len(rules.slots), 0] == wanted).int().argmax(dim=1)
        worlds.step(torch.where(going, taken, worlds.masks().int().argmax(dim=1)))
        seen = torch.where(going[:, None, None], tokens(worlds.codes(), rules), seen)
    keys, locks = seen[..., 0], seen[..., 1]
    opened, beyond = code[every, lock][:, None], code[every, key][:, None]
    fits = locks == opened

    def one(which: Tensor) -> Tensor:
        return which.int().argmax(dim=1)

    return Forks(
        seen,
        one((keys == opened) & (locks == BLANK)),
        one(fits & (keys != beyond)),
        one(fits & (keys == beyond)),
        one(keys == GEM),
        torch.full((count,), len(rules.slots)),
    )
