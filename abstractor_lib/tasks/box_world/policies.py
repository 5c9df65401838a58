"""Scripted players of Box World: what each looks at, and what it plays.

A policy sees the picture alone, not what happened before. All but `steps` choose macro actions:
each names its ``preferred`` objects among those that can be taken, and takes one of these, at
random or the nearest; if there is none, any that can be taken.

Shapes: ``b`` worlds, ``k`` macro actions.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .rules import ACTIONS, BLANK, Rules
from .views import View, look, odd, steps_to

Preferred = Callable[[View], list[Tensor]]


def anything(view: View) -> list[Tensor]:
    """Whatever can be taken."""
    return []


def anything_once(view: View) -> list[Tensor]:
    """Whatever can be taken, the Gem being one thing; `anything` counts its two halves."""
    return [~(view.gem & (view.gem.long().cumsum(dim=1) > 1))]


def boxes_last(view: View) -> list[Tensor]:
    """The Gem, then loose keys, then boxes; which box, it does not ask."""
    return [view.gem, view.lock == BLANK]


def even_lock(view: View) -> list[Tensor]:
    """As `boxes_last`; then boxes whose lock colour is on an even number of tiles: of keys, of
    locks and in the inventory."""
    return [*boxes_last(view), ~odd(view, view.lock)]


def even_key(view: View) -> list[Tensor]:
    """As `boxes_last`; then boxes whose key colour is on an even number of tiles: of keys, of locks
    and in the inventory."""
    return [*boxes_last(view), ~odd(view, view.key)]


def only_key(view: View) -> list[Tensor]:
    """As `boxes_last`; then boxes whose key has a colour that no other key has, in boxes, loose or
    in the inventory. It looks at no lock's colour."""
    locks = (view.key[:, :, None] == view.lock[:, None, :]).sum(dim=2)
    keys = view.counts.gather(1, view.key) - locks  # all tiles of the colour but locks
    return [*boxes_last(view), keys == 1]


def no_bridge(view: View) -> list[Tensor]:
    """The oracle of bridge Box World: all but the box whose two colours are both odd."""
    return [~bridge(view)]


def bridge(view: View) -> Tensor:
    """Boxes whose lock and key colours both occur an odd number of times: the bridge, ``(b, k)``.

    On a solution path every colour is on two tiles of the picture, or on none. A bridge adds one
    tile to each of two colours, one of either path, and no other box has both.
    """
    return view.box & odd(view, view.lock) & odd(view, view.key)


def no_leaf(view: View) -> list[Tensor]:
    """All but boxes whose key opens nothing."""
    return [view.gem, _opens(view, view.key != BLANK)]


def towards_gem(view: View) -> list[Tensor]:
    """The oracle of Box World: boxes from which a way leads to the Gem, found backwards from it."""
    useful = view.gem
    while True:
        more = view.gem | _opens(view, useful)
        if torch.equal(more, useful):
            return [useful]
        useful = more


def _opens(view: View, wanted: Tensor) -> Tensor:
    """Which objects hold a key to one of the ``wanted`` locks, ``(b, k)``."""
    same = (view.key[:, :, None] == view.lock[:, None, :]) & (view.key != BLANK)[:, :, None]
    return (same & wanted[:, None, :] & (view.lock != BLANK)[:, None, :]).any(dim=2)


@dataclass(frozen=True)
class Policy:
    """A scripted player.

    Attributes:
        preferred: masks of objects ``(b, k)``, the most wanted first; None plays single steps at
            random.
        nearest: of equally wanted objects takes a nearest one, not a random one.
    """

    preferred: Preferred | None
    nearest: bool = False

    @property
    def macro(self) -> bool:
        """Whether its actions are macro actions."""
        return self.preferred is not None

    def __call__(self, codes: Tensor, rules: Rules, generator: np.random.Generator) -> Tensor:
        """Its actions.

        Args:
            codes: pictures, ``(b, r, c + 1)``; see `BoxWorlds.codes`.
            rules: of the world.
            generator: breaks ties.

        Returns:
            ``(b,)``, int64; where nothing can be taken, 0.

        Example:
            >>> from .batched import BoxWorlds
            >>> random = np.random.default_rng(0)
            >>> worlds = BoxWorlds(Rules(), 100, random, macro=True)
            >>> while not worlds.over.all():
            ...     actions = POLICIES["no_bridge"](worlds.codes(), Rules(), random)
            ...     _ = worlds.step(actions)
            >>> bool(worlds.solved.all())
            True
        """
        if self.preferred is None:
            actions = generator.integers(0, len(ACTIONS), len(codes))
            return torch.from_numpy(actions).to(codes.device)
        view = look(codes, rules)
        allowed = view.takeable
        for wanted in self.preferred(view):
            some = allowed & wanted
            allowed = torch.where(some.any(dim=1, keepdim=True), some, allowed)
        rank = torch.from_numpy(generator.random(allowed.shape)).to(codes.device)
        if self.nearest:
            rank = rank - steps_to(codes, rules)
        return torch.where(allowed, rank, -torch.inf).argmax(dim=1)


POLICIES = {
    "steps": Policy(None),
    "anything": Policy(anything),
    "nearest": Policy(anything, nearest=True),
    "anything_once": Policy(anything_once),
    "boxes_last": Policy(boxes_last),
    "even_lock": Policy(even_lock),
    "even_key": Policy(even_key),
    "only_key": Policy(only_key),
    "no_bridge": Policy(no_bridge),
    "no_bridge_nearest": Policy(no_bridge, nearest=True),
    "no_leaf": Policy(no_leaf),
    "towards_gem": Policy(towards_gem),
}
