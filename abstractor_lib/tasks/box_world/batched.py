"""Many episodes of Box World at once for torch, on a CPU or a GPU; see `worlds` for the rules.

Shapes: ``b`` worlds, ``r`` rows, ``c`` columns of the board, ``k`` actions.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from .arrays import Array, copy
from .layout import Laid, lay
from .puzzles import Puzzles, check_fit, draw
from .rules import ACTIONS, Rules, named
from .worlds import Worlds

BLOCK = 4096  # puzzles drawn at a time; it determines which puzzle a world gets


class Steps(NamedTuple):
    """What a step gave each world, ``(b,)`` each.

    ``ended``: the Gem is reached or a decoy was opened. ``truncated``: the horizon is reached and
    the episode has not ended. ``walked``: primitive steps, where these are counted.
    """

    reward: Tensor
    ended: Tensor
    truncated: Tensor
    walked: Tensor


class BoxWorlds:
    """Worlds that are stepped together.

    A world whose episode is over stays as it is, with reward zero, until `reset` gives it another
    puzzle. Puzzles come in the order in which worlds ask for them, so the same generator and
    actions give the same episodes on every device. What it returns is the caller's: writing to it
    changes no world.

    Args:
        rules: what an episode may hold, or a name of `WORLDS`.
        count: how many worlds.
        generator: where puzzles come from.
        device: where tensors live.
        horizon: steps (with ``macro``, decisions) after which an episode is truncated; None for no
            limit, as in the paper.
        macro: actions are those of `Game.choose` in place of `Game.step`.
        count_walks: with ``macro``, count the primitive steps of each walk.

    Attributes:
        solved, over: whether the player has the Gem, whether the episode has ended or was
            truncated, ``(b,)``.
        kinds: solution length, lock and key of the bridge, ``(b, 3)``.
        steps: actions since the last reset, ``(b,)``.

    Raises:
        ValueError: for other rules, or a count or horizon below 1.

    Example:
        >>> worlds = BoxWorlds("bridge", 8, np.random.default_rng(0))
        >>> worlds.step(torch.full((8,), 3)).reward.shape, worlds.images().shape
        (torch.Size([8]), torch.Size([8, 7, 10, 3]))
    """

    def __init__(
        self,
        rules: Rules | str,
        count: int,
        generator: np.random.Generator,
        *,
        device: str | torch.device = "cpu",
        horizon: int | None = None,
        macro: bool = False,
        count_walks: bool = False,
    ):
        self.rules, self.device = named(rules), torch.device(device)
        # numpy is the faster one on a CPU
        self._like = np.empty(0) if self.device.type == "cpu" else torch.empty(0, device=device)
        more = {"horizon": horizon, "macro": macro, "count_walks": count_walks}
        self._worlds = Worlds(self.rules, count, self._like, **more)
        self.horizon, self.macro, self.count_walks = horizon, macro, count_walks
        self._choices = self.rules.choices if macro else len(ACTIONS)
        self._supply = _Supply(self.rules, generator, self._like)
        self.reset()

    @property
    def count(self) -> int:
        """How many worlds."""
        return self._worlds.count

    @property
    def solved(self) -> Tensor:
        """Whether the player has the Gem, ``(b,)``."""
        return self._own(self._worlds.solved)

    @property
    def over(self) -> Tensor:
        """Whether the episode has ended or was truncated, ``(b,)``."""
        return self._own(self._worlds.over)

    @property
    def kinds(self) -> Tensor:
        """Solution length, lock and key of the bridge, ``(b, 3)``."""
        return self._own(self._worlds.kinds)

    @property
    def steps(self) -> Tensor:
        """Actions since the last reset, ``(b,)``."""
        return self._own(self._worlds.steps)

    def reset(self, which: Tensor | None = None, puzzles: Puzzles | None = None) -> None:
        """Give worlds new puzzles.

        Args:
            which: numbers of worlds, or a mask ``(b,)``; None for all.
            puzzles: theirs; drawn, if None.

        Raises:
            ValueError: if there are not as many puzzles as worlds, or for puzzles of another size
                or number of locks.
        """
        some, count = None, self.count
        if which is not None:
            some = which.nonzero()[:, 0] if which.dtype == torch.bool else which
            some, count = self._given(some), len(some)
        if count == 0:
            return
        if puzzles is None:
            laid = self._supply.take(count)
        else:
            if len(puzzles) != count:
                raise ValueError(f"puzzles holds {len(puzzles)}; expected {count}")
            check_fit("puzzles", puzzles, self.rules)
            laid = lay(puzzles, self._like)
        self._worlds.place(some, laid)

    def keep(self, which: Tensor) -> None:
        """Go on with some worlds alone; they are numbered anew.

        Args:
            which: numbers of worlds, in ascending order, or a mask ``(b,)``.
        """
        self._worlds.keep(self._given(which))

    def step(self, actions: Tensor) -> Steps:
        """Play one action in each world.

        Args:
            actions: ``(b,)``, whole numbers: 0 to 3 for left, up, right, down, or with ``macro``
                0 to k - 1. On a GPU their range is not checked, since that would wait for it:
                others lead to a wrong place there, or to an error of CUDA.

        Raises:
            ValueError: for what is no tensor of whole numbers, another shape, or other actions.
        """
        if not isinstance(actions, Tensor):
            raise ValueError(f"actions is a {type(actions).__name__}; expected a tensor")
        if actions.is_floating_point() or actions.dtype == torch.bool:
            raise ValueError(f"actions has type {actions.dtype}; expected whole numbers")
        if actions.shape != (self.count,):
            raise ValueError(f"actions has shape {tuple(actions.shape)}; expected ({self.count},)")
        given = self._given(actions)
        if isinstance(given, np.ndarray):
            # read without their sign, numbers below 0 are large: one pass, not two
            largest = given.view(f"u{given.itemsize}").max(initial=0)
            if largest >= self._choices:
                wrong = given[(given < 0) | (given >= self._choices)][0]
                raise ValueError(f"actions holds {wrong}; expected 0 to {self._choices - 1}")
        return Steps(*map(self._tensor, self._worlds.step(given)))

    def masks(self) -> Tensor:
        """Which actions do something, ``(b, k)``, bool; see `Worlds.masks`."""
        return self._tensor(self._worlds.masks())

    def codes(self) -> Tensor:
        """Codes of the pictures, ``(b, r, c + 1)``, uint8; see `Game.picture`."""
        return self._tensor(self._worlds.codes())

    def images(self) -> Tensor:
        """The pictures, ``(b, r, c + 1, 3)``, uint8, contiguous."""
        return self._tensor(self._worlds.images())

    def state_dict(self) -> dict[str, Any]:
        """Everything that later steps depend on, but for the actions: tensors and JSON values."""
        worlds = {name: self._tensor(part) for name, part in self._worlds.state().items()}
        return {"worlds": worlds, "puzzles": self._supply.state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where a state was taken, by worlds of the same arguments.

        Raises:
            ValueError: for the state of another number of worlds, or of worlds of another size;
                nothing is changed then.
        """
        count = len(state["worlds"]["over"])
        if count != self.count:
            raise ValueError(f"the state holds {count} worlds; expected {self.count}")
        own = self.state_dict()["worlds"]
        for name, part in state["worlds"].items():
            if part.shape != own[name].shape:
                raise ValueError(
                    f"the state has {name} of shape {tuple(part.shape)}; expected "
                    f"{tuple(own[name].shape)}, of worlds of the same rules"
                )
        moved = {name: part.to(self.device) for name, part in state["worlds"].items()}
        self._worlds.restore({name: copy(self._given(part)) for name, part in moved.items()})
        self._supply.restore(state["puzzles"])

    def _given(self, tensor: Tensor) -> Array:
        """A tensor as the worlds want it."""
        return tensor.numpy(force=True) if isinstance(self._like, np.ndarray) else tensor

    def _tensor(self, array: Array) -> Tensor:
        """A tensor with the memory of what the worlds gave."""
        return torch.from_numpy(array) if isinstance(array, np.ndarray) else array

    def _own(self, array: Array) -> Tensor:
        """A tensor with memory of its own."""
        return self._tensor(array).clone()


class _Supply:
    """Puzzles one after the other, drawn a block at a time."""

    def __init__(self, rules: Rules, generator: np.random.Generator, like: Array):
        self.rules, self.generator, self.like = rules, generator, like
        self._fill()

    def state(self) -> dict[str, Any]:
        """Where the puzzles stand: the generator before the block, and how many were taken."""
        return {"generator": self.begun, "taken": self.taken}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back there."""
        self.generator.bit_generator.state = state["generator"]
        self._fill()
        self.taken = state["taken"]

    def _fill(self) -> None:
        self.begun = deepcopy(self.generator.bit_generator.state)
        self.block = lay(draw(self.generator, self.rules, BLOCK), self.like)
        self.taken = 0

    def take(self, count: int) -> Laid:
        """The next puzzles."""
        parts = []
        while count:
            if self.taken == BLOCK:
                self._fill()
            some = slice(self.taken, min(self.taken + count, BLOCK))
            parts.append(Laid(*(part[some] for part in self.block)))
            count -= some.stop - some.start
            self.taken = some.stop
        if len(parts) == 1:
            return parts[0]
        join = np.concatenate if isinstance(self.like, np.ndarray) else torch.cat
        return Laid(*(join(same) for same in zip(*parts, strict=True)))
