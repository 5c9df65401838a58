"""Many episodes of Box World at once, with tensors, by the rules of `game`.

Shapes: ``b`` worlds, ``r`` rows, ``c`` columns of the board, ``k`` macro actions, ``t`` tiles of
the padded board: one blank column on either side, so that every tile has two neighbours.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from .puzzles import Puzzles, draw
from .rules import (
    BLANK,
    EMPTY,
    FAILURE_REWARD,
    GEM,
    GEM_REWARD,
    MOVES,
    PLAYER,
    PROGRESS_REWARD,
    Rules,
    palette,
)
from .walks import distances

BLOCK = 4096  # puzzles drawn at a time; it determines which puzzle a world gets

STATE = (  # what a world is, by attribute
    *("_board", "_decoys", "_player", "_gem", "_first", "_second", "_upper", "_lower"),
    *("solved", "over", "kinds", "steps"),
)


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
    actions give the same episodes on every device.

    Args:
        rules: what an episode may hold.
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
        ValueError: for a count or horizon below 1.

    Example:
        >>> worlds = BoxWorlds(Rules(), 8, np.random.default_rng(0))
        >>> worlds.step(torch.full((8,), 3)).reward.shape, worlds.images().shape
        (torch.Size([8]), torch.Size([8, 7, 10, 3]))
    """

    def __init__(
        self,
        rules: Rules,
        count: int,
        generator: np.random.Generator,
        *,
        device: str | torch.device = "cpu",
        horizon: int | None = None,
        macro: bool = False,
        count_walks: bool = False,
    ):
        if count < 1 or (horizon is not None and horizon < 1):
            raise ValueError(f"count is {count} and horizon {horizon}; expected at least 1")
        self.rules, self.count, self.device = rules, count, torch.device(device)
        self.horizon, self.macro, self.count_walks = horizon, macro, count_walks
        self.width = rules.columns + 2  # of the padded board
        self.tiles = rules.rows * self.width
        self._supply = _Supply(rules, generator, self.device)
        whole = {"dtype": torch.int64, "device": self.device}
        self._base = torch.arange(count, **whole) * self.tiles
        self._next = torch.tensor(_next_tiles(rules), **whole).flatten()  # (t * 4,)
        self._slots = torch.tensor([self._tile(*slot) for slot in rules.slots], **whole)
        packed = np.concatenate([palette(), np.full((len(palette()), 1), 255, np.uint8)], axis=1)
        self._colours = torch.from_numpy(packed.view(np.int32)[:, 0].copy()).to(self.device)
        self._board = torch.empty((count, self.tiles), dtype=torch.uint8, device=self.device)
        self._decoys = torch.empty((count, self.tiles), dtype=torch.bool, device=self.device)
        self._player, self._gem, self.steps = (torch.empty(count, **whole) for _ in range(3))
        self._first, self._second, self._upper, self._lower = (
            torch.empty(count, dtype=torch.uint8, device=self.device) for _ in range(4)
        )
        self.solved, self.over = (
            torch.empty(count, dtype=torch.bool, device=self.device) for _ in range(2)
        )
        self.kinds = torch.empty((count, 3), **whole)
        self.reset()

    def _tile(self, row: int, column: int) -> int:
        return row * self.width + column + 1

    def reset(self, which: Tensor | None = None, puzzles: Puzzles | None = None) -> None:
        """Give worlds new puzzles.

        Args:
            which: numbers of worlds, or a mask ``(b,)``; None for all.
            puzzles: theirs; drawn, if None.

        Raises:
            ValueError: if there are not as many puzzles as worlds.
        """
        if which is None:
            which = torch.arange(self.count, device=self.device)
        elif which.dtype == torch.bool:
            which = which.nonzero()[:, 0]
        if len(which) == 0:
            return
        if puzzles is not None and len(puzzles) != len(which):
            raise ValueError(f"puzzles holds {len(puzzles)}; expected {len(which)}")
        new = self._supply.take(len(which)) if puzzles is None else self._supply.tensors(puzzles)
        self._board[which], self._decoys[which] = new.board, new.decoys
        self._gem[which], self.kinds[which] = new.gem, new.kinds
        at = torch.arange(len(which), device=self.device)
        self._upper[which] = new.board[at, new.gem]
        if self.rules.locks == 2:
            self._lower[which] = new.board[at, new.gem + self.width]
        self._player[which] = self._tile(0, 0)
        self._first[which] = self._second[which] = BLANK
        self.steps[which] = 0
        self.solved[which] = self.over[which] = False

    def keep(self, which: Tensor) -> None:
        """Go on with some worlds alone; they are numbered anew.

        Args:
            which: numbers of worlds, in ascending order, or a mask ``(b,)``.
        """
        for name in STATE:
            setattr(self, name, getattr(self, name)[which])
        self.count = len(self.over)
        self._base = self._base[: self.count]

    def step(self, actions: Tensor) -> Steps:
        """Play one action in each world.

        Args:
            actions: ``(b,)``, whole numbers: 0 to 3 for left, up, right, down, or with ``macro``
                0 to k - 1; not checked.
        """
        walked = (~self.over).long()
        target = self._next.take(self._player * len(MOVES) + actions)  # (b,)
        if self.macro:
            target = self._chosen(actions)
        target = torch.where(self.over, self._player, target)
        if self.macro and self.count_walks:
            walked = self._distances().gather(1, target[:, None])[:, 0]
        flat, board = target + self._base, self._board.view(-1)
        here, left, right = board.take(flat), board.take(flat - 1), board.take(flat + 1)
        blank = here == BLANK
        lock = (left != BLANK) & ~blank
        loose = ~(blank | lock) & (right == BLANK)
        first = self._first == here
        opened = lock & (first | (self._second == here))
        won = opened & (left == GEM)
        if self.rules.locks == 2:  # both keys are needed
            won = won & self._has_both()
            opened = opened & ((left != GEM) | won)
        taken = opened | loose
        self._player = torch.where(taken | blank, target, self._player)
        # the key that was used goes, the others move up, the new one comes last
        gained = torch.where(opened, left, here)
        used = opened & first
        kept = torch.where(used, self._second, self._first)
        rest = torch.where(opened, BLANK, self._second)
        alone = (kept == BLANK) | won
        self._first = torch.where(taken, torch.where(alone, gained, kept), self._first)
        self._second = torch.where(taken, torch.where(alone, rest, gained), self._second)
        board.put_(flat, torch.where(taken, BLANK, here))
        board.put_(flat - 1, torch.where(opened, BLANK, left))
        failed = opened & self._decoys.view(-1).take(flat)
        reward = taken * PROGRESS_REWARD
        reward = reward + won * (GEM_REWARD - PROGRESS_REWARD)
        reward = reward + failed * (FAILURE_REWARD - PROGRESS_REWARD)
        self.steps = self.steps + ~self.over
        ended = won | failed
        truncated = torch.zeros_like(ended)
        if self.horizon is not None:
            truncated = (self.steps >= self.horizon) & ~ended & ~self.over
        self.solved = self.solved | won
        self.over = self.over | ended | truncated
        if self.rules.locks == 2:
            self._clear_gem(won)
        walked = torch.where(taken, walked, 0) if self.macro else walked
        return Steps(reward, ended, truncated, walked)

    def _has_both(self) -> Tensor:
        """Whether the inventory holds the keys of both locks of the Gem, ``(b,)``."""
        in_order = (self._first == self._upper) & (self._second == self._lower)
        return in_order | ((self._first == self._lower) & (self._second == self._upper))

    def _clear_gem(self, won: Tensor) -> None:
        """Take the four tiles of the Gem from the board."""
        some = won.nonzero()[:, 0]
        for half in (0, self.width):
            for side in (-1, 0):
                self._board[some, self._gem[some] + half + side] = BLANK

    def _chosen(self, choices: Tensor) -> Tensor:
        """The tile that each world's macro action is about, ``(b,)``; where nothing lies, that of
        the player."""
        slot = self._slots.take(choices.clamp(max=len(self.rules.slots) - 1))
        flat = slot + self._base
        content, lock = self._board.view(-1).take(flat), self._board.view(-1).take(flat + 1)
        tile = torch.where(content == BLANK, self._player, slot + (lock != BLANK))
        if self.rules.locks == 2:
            lower = choices == len(self.rules.slots)
            tile = torch.where(lower, self._gem + self.width, tile)
        return tile

    def _distances(self) -> Tensor:
        """Steps from the player to every tile of the padded board, ``(b, t)``."""
        size = (self.count, self.rules.rows, self.width)
        inner = self._board.view(size)[:, :, 1:-1]
        at = self._player // self.width * self.rules.columns + self._player % self.width - 1
        found = torch.zeros(size, dtype=torch.int64, device=self.device)
        found[:, :, 1:-1] = distances(inner == BLANK, at)
        return found.view(self.count, self.tiles)

    def codes(self) -> Tensor:
        """Codes of the pictures, ``(b, r, c + 1)``, uint8; see `Game.picture`."""
        rows, columns = self.rules.picture
        found = self._board.new_full((self.count, rows, columns), EMPTY)
        found[:, :, :-1] = self._board.view(self.count, rows, self.width)[:, :, 1:-1]
        for place, key in enumerate((self._first, self._second)[: self.rules.locks]):
            found[:, place, -1] = torch.where(key == BLANK, EMPTY, key)
        row, column = self._player // self.width, self._player % self.width - 1
        each = torch.arange(self.count, device=self.device)
        found[each, row, column] = PLAYER
        return found

    def images(self) -> Tensor:
        """The pictures, ``(b, r, c + 1, 3)``, uint8."""
        codes = self.codes()
        packed = self._colours.index_select(0, codes.flatten().int())
        return packed.view(torch.uint8).view(*codes.shape, 4)[..., :3]


class _Supplied(NamedTuple):
    """Puzzles as tensors, the board padded and flat."""

    board: Tensor
    decoys: Tensor
    gem: Tensor
    kinds: Tensor


class _Supply:
    """Puzzles one after the other, drawn a block at a time."""

    def __init__(self, rules: Rules, generator: np.random.Generator, device: torch.device):
        self.rules, self.generator, self.device = rules, generator, device
        self.block = self.tensors(draw(generator, rules, BLOCK))
        self.taken = 0

    def take(self, count: int) -> _Supplied:
        """The next puzzles."""
        parts = []
        while count:
            if self.taken == BLOCK:
                self.block = self.tensors(draw(self.generator, self.rules, BLOCK))
                self.taken = 0
            some = slice(self.taken, min(self.taken + count, BLOCK))
            parts.append(_Supplied(*(part[some] for part in self.block)))
            count -= some.stop - some.start
            self.taken = some.stop
        if len(parts) == 1:
            return parts[0]
        return _Supplied(*(torch.cat(same) for same in zip(*parts, strict=True)))

    def tensors(self, puzzles: Puzzles) -> _Supplied:
        """Puzzles on the device."""
        width = self.rules.columns + 2
        pad = ((0, 0), (0, 0), (1, 1))
        boards = (np.pad(part, pad) for part in (puzzles.board, puzzles.decoys))  # BLANK is 0
        gem = puzzles.gem[:, 0] * width + puzzles.gem[:, 1] + 1
        arrays = (*(part.reshape(len(puzzles), -1) for part in boards), gem, puzzles.kinds)
        return _Supplied(
            *(torch.from_numpy(np.ascontiguousarray(a)).to(self.device) for a in arrays)
        )


def _next_tiles(rules: Rules) -> np.ndarray:
    """Where each move leads from each tile of the padded board, ``(t, 4)``; the edge is a wall."""
    width = rules.columns + 2
    row, column = np.divmod(np.arange(rules.rows * width), width)
    column = column - 1
    found = [
        (row + down).clip(0, rules.rows - 1) * width
        + (column + right).clip(0, rules.columns - 1)
        + 1
        for down, right in MOVES
    ]
    return np.stack(found, axis=1)
