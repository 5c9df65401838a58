"""Many episodes of Box World at once, by the rules of `game`: the one implementation of the rules
for arrays, with numpy on a CPU and torch on a GPU.

`batched` offers it to torch, `vector` to Gymnasium. Most steps lead to a blank tile. So a step
first moves all players, and then looks at those alone that touch something: few operations on
many worlds, and more on few. That is fast with ten worlds and with ten thousand.

Shapes: ``b`` worlds, ``r`` rows, ``c`` columns of the board, ``t = r (c + 1)`` tiles of the picture
(its last column is the inventory), ``k`` actions, ``h`` worlds whose player touches something.
Boxes and loose keys lie in slots, so no tile with an object is beside the picture's edge.
"""

from typing import NamedTuple

import numpy as np

from .arrays import Array, copy, full, library, put, rows
from .layout import Laid, next_tiles
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
    check_number,
    palette,
)
from .walks import distances

STATE = (  # what a world is, by attribute
    *("_picture", "_decoys", "_player", "_gem", "_upper", "_lower", "_changed"),
    *("solved", "ended", "over", "kinds", "steps"),
)


Pair = tuple[Array, Array]


class Outcome(NamedTuple):
    """What a step gave each world, ``(b,)`` each; see `batched.Steps`."""

    reward: Array
    ended: Array
    truncated: Array
    walked: Array


class Touched(NamedTuple):
    """Worlds whose player touches something, ``(h,)`` each: what lies to the left, the inventory,
    whether a lock opens, and whether anything is taken."""

    left: Array
    first: Array
    second: Array
    opens: Array
    taken: Array


class Worlds:
    """Worlds that are stepped together; `place` gives them their puzzles.

    A world whose episode is over stays as it is, with reward zero, until it is given another one.

    Args:
        rules: what an episode may hold.
        count: how many worlds.
        like: an array of the library and on the device that shall be used.
        horizon: steps after which an episode is truncated; None for no limit.
        macro: actions are those of `Game.choose` in place of `Game.step`.
        count_walks: with ``macro``, count the primitive steps of each walk.

    Attributes:
        solved, ended, over: whether the player has the Gem; has it or opened a decoy; whether the
            episode has ended or was truncated, ``(b,)``.
        kinds: solution length, lock and key of the bridge, ``(b, 3)``.
        steps: actions since the world got its puzzle, ``(b,)``.

    Raises:
        ValueError: for a count or horizon below 1.

    Example:
        >>> from .layout import lay
        >>> from .puzzles import draw
        >>> worlds = Worlds(Rules(), 8, horizon=100)
        >>> worlds.place(None, lay(draw(np.random.default_rng(0), Rules(), 8)))
        >>> worlds.step(np.full(8, 3)).reward.shape, worlds.images().shape, worlds.masks().shape
        ((8,), (8, 7, 10, 3), (8, 4))
    """

    def __init__(
        self,
        rules: Rules,
        count: int,
        like: Array | None = None,
        *,
        horizon: int | None = None,
        macro: bool = False,
        count_walks: bool = False,
    ):
        check_number("count", count)
        if horizon is not None:
            check_number("horizon", horizon)
        like = np.empty(0) if like is None else like
        self.rules, self.count, self.horizon = rules, count, horizon
        self.macro, self.count_walks = macro, count_walks
        self.width = rules.columns + 1  # of the picture
        self.tiles = rules.rows * self.width
        self._next = put(next_tiles(rules).ravel(), like)  # (t * 4,)
        self._moves = put(np.arange(len(MOVES)), like)
        slots = [row * self.width + column for row, column in rules.slots]
        self._slots, self._colours = put(np.array(slots), like), put(palette(), like)
        self._base = put(np.arange(count) * self.tiles, like)
        self._picture = full(like, (count, self.tiles), EMPTY, "uint8")  # without the player
        self._image: Array | None = None  # (b, t, 3), of `_picture`, once someone looks at it
        self._changed, self.solved, self.ended, self.over = (
            full(like, (count,), value, "bool") for value in (1, 0, 0, 1)
        )
        self._decoys = full(like, (count, self.tiles), 0, "bool")
        self._player, self._gem, self.steps = (full(like, (count,), 0, "int64") for _ in range(3))
        self._upper, self._lower = (full(like, (count,), 0, "uint8") for _ in range(2))
        self.kinds = full(like, (count, 3), 0, "int64")

    @property
    def _xp(self):
        """The library of the arrays; not kept, since a module cannot be copied."""
        return library(self._picture)

    def place(self, which: Array | None, laid: Laid) -> None:
        """Give worlds puzzles: those with the numbers ``which``, or all."""
        some = slice(None) if which is None else which
        self._picture[some], self._decoys[some] = laid.picture, laid.decoys
        self._gem[some], self.kinds[some] = laid.gem, laid.kinds
        gem = self._base[: len(laid.gem)] + laid.gem
        self._upper[some] = laid.picture.take(gem)
        if self.rules.locks == 2:
            self._lower[some] = laid.picture.take(gem + self.width)
        for name in ("_player", "steps", "solved", "ended", "over"):
            getattr(self, name)[some] = 0
        self._changed[some] = True

    def keep(self, which: Array) -> None:
        """Go on with some worlds alone; they are numbered anew.

        Args:
            which: numbers of worlds, in ascending order, or a mask ``(b,)``.
        """
        for name in STATE:
            setattr(self, name, getattr(self, name)[which])
        self.count = len(self.over)
        self._base = self._base[: self.count]
        self._image = None
        self._changed[:] = True

    def state(self) -> dict[str, Array]:
        """What the worlds are, by name; copies."""
        return {name: copy(getattr(self, name)) for name in STATE}

    def restore(self, state: dict[str, Array]) -> None:
        """Make the worlds what they were when a state was taken; it is theirs from now on."""
        for name in STATE:
            setattr(self, name, state[name])
        self._image = None

    def step(self, actions: Array) -> Outcome:
        """Play one action in each world.

        Args:
            actions: ``(b,)``, whole numbers, not checked.
        """
        xp, live = self._xp, ~self.over
        aim = self._chosen(actions) if self.macro else self._next.take(self._player * 4 + actions)
        target = xp.where(live, aim, self._player)  # (b,)
        at = target + self._base
        touches = self._picture.take(at) != BLANK
        before = self._player
        self._player = xp.where(touches, before, target)
        self.steps = self.steps + live
        reward = xp.zeros_like(live, dtype=xp.float32)
        ended = xp.zeros_like(live)
        walked = xp.zeros_like(before) if self.macro else live + xp.zeros_like(before)
        world = xp.where(touches)[0]
        if len(world):
            self._touch(world, at.take(world), before, reward, ended, walked)
        if self.horizon is None:
            return Outcome(reward, ended, xp.zeros_like(live), walked)
        truncated = (self.steps >= self.horizon) & live & ~ended
        self.over = self.over | truncated
        return Outcome(reward, ended, truncated, walked)

    def _touch(
        self, world: Array, at: Array, before: Array, reward: Array, ended: Array, walked: Array
    ) -> None:
        """Play the worlds whose player touches something, and fill in what that gives.

        Args:
            world: their numbers, ``(h,)``.
            at: the tiles that are touched, among those of all worlds, ``(h,)``.
            before: where all players were, ``(b,)``.
            reward, ended, walked: of all worlds, ``(b,)``; filled in.
        """
        xp = self._xp
        here = self._picture.take(at)
        found = self._look(world, at, here)
        some = xp.where(found.taken)[0]
        if not len(some):
            return
        world, at, here = world.take(some), at.take(some), here.take(some)
        left, first, second, opens, _ = (part.take(some) for part in found)
        base = self._base.take(world)
        if self.macro:
            walked[world] = self._walk(world, before, at - base) if self.count_walks else 1
        won = opens & (left == GEM)
        failed = opens & self._decoys.take(at)
        # the key that was used goes, the others move up, the new one comes last
        gained = xp.where(opens, left, here)
        kept = xp.where(opens & (first == here), second, first)
        rest = xp.where(opens, EMPTY, second)
        alone = (kept == EMPTY) | won
        flat, place = self._picture.reshape(-1), base + self.rules.columns
        flat[place] = xp.where(alone, gained, kept)
        flat[place + self.width] = xp.where(alone, rest, gained)
        flat[at] = BLANK
        flat[at - 1] = BLANK  # the content of the box; beside a loose key it was blank
        self._player[world] = at - base
        self._changed[world] = True
        gain = xp.where(won, GEM_REWARD, PROGRESS_REWARD)
        reward[world] = xp.where(failed, FAILURE_REWARD, gain)
        over = won | failed
        ended[world], self.ended[world], self.over[world] = over, over, over
        self.solved[world] = won
        if self.rules.locks == 2:
            gem = (base + self._gem.take(world))[won]
            for tile in (0, -1, self.width, self.width - 1):  # all of the Gem goes
                flat[gem + tile] = BLANK

    def _look(self, world: Array, at: Array, here: Array) -> Touched:
        """What would happen to objects that are touched, with the inventory as it is.

        Args:
            world: numbers of worlds, ``(h,)``.
            at: the tiles that are touched, among those of all worlds, ``(h,)``.
            here: what lies there, ``(h,)``; not blank.
        """
        left, right = self._picture.take(at - 1), self._picture.take(at + 1)
        place = self._base.take(world) + self.rules.columns
        held = self._picture.take(place), self._picture.take(place + self.width)
        gem = self._upper.take(world), self._lower.take(world)
        return Touched(left, *held, *self._rule(here, left, right, held, gem))

    def _rule(self, here: Array, left: Array, right: Array | int, held: Pair, gem: Pair) -> Pair:
        """Which locks open, and where anything is taken: a lock with its key, or a loose key.

        Args:
            here, left, right: what lies on tiles and beside them; not blank itself.
            held: the keys of the inventory.
            gem: the locks of the Gem.
        """
        (first, second), (upper, lower) = held, gem
        lock = left != BLANK
        opens = lock & ((first == here) | (second == here))
        if self.rules.locks == 2:  # the Gem needs both keys
            both = (first == upper) & (second == lower) | (first == lower) & (second == upper)
            opens = opens & ((left != GEM) | both)
        return opens, self._xp.where(lock, opens, right == BLANK)

    def _chosen(self, choices: Array) -> Array:
        """The tile that each world's macro action is about, ``(b,)``; where nothing lies, that of
        the player."""
        slots, flat = len(self.rules.slots), self._picture.reshape(-1)
        slot = self._slots.take(choices.clip(0, slots - 1))
        at = slot + self._base
        tile = slot + (flat.take(at + 1) != BLANK)
        tile = self._xp.where(flat.take(at) == BLANK, self._player, tile)
        if self.rules.locks == 2:
            tile = self._xp.where(choices == slots, self._gem + self.width, tile)
        return tile

    def _walk(self, world: Array, before: Array, tile: Array) -> Array:
        """Steps from the player to tiles, ``(h,)``."""
        size = (-1, self.rules.rows, self.width)
        board = self._picture[world].reshape(size)[:, :, :-1]
        start, columns = before.take(world), self.rules.columns
        found = distances(board == BLANK, start // self.width * columns + start % self.width)
        each = self._xp.ones_like(world).cumsum(0) - 1
        return found[each, tile // self.width, tile % self.width]

    def masks(self) -> Array:
        """Which actions do something, ``(b, k)``, bool.

        A move does something if it leads to a blank tile, takes a loose key or opens a lock; a
        macro action, if something lies in its slot that can be taken now. Where the episode has
        ended all actions are allowed, so that a masked policy is defined there too.
        """
        found = self._takeable() if self.macro else self._movable()
        return found | self.ended[:, None]

    def _movable(self) -> Array:
        to = self._next.take(self._player[:, None] * 4 + self._moves)  # (b, 4)
        at, found = to + self._base[:, None], to != self._player[:, None]
        here = self._picture.take(at)
        world, move = self._xp.where(here != BLANK)
        found[world, move] = self._look(world, at[world, move], here[world, move]).taken
        return found

    def _takeable(self) -> Array:
        xp, columns = self._xp, self.rules.columns
        content, lock = self._picture[:, self._slots], self._picture[:, self._slots + 1]  # (b, k)
        if self.rules.locks == 2:
            at = (self._gem + self._base + self.width)[:, None]
            content = xp.concatenate([content, self._picture.take(at - 1)], 1)
            lock = xp.concatenate([lock, self._picture.take(at)], 1)
        closed = lock != BLANK
        here, left = xp.where(closed, lock, content), xp.where(closed, content, BLANK)
        held = self._picture[:, columns, None], self._picture[:, columns + self.width, None]
        gem = self._upper[:, None], self._lower[:, None]
        return self._rule(here, left, BLANK, held, gem)[1] & (content != BLANK)

    def codes(self) -> Array:
        """Codes of the pictures, ``(b, r, c + 1)``, uint8; see `Game.picture`."""
        found = copy(self._picture)
        found.reshape(-1)[self._player + self._base] = PLAYER
        return found.reshape(self.count, self.rules.rows, self.width)

    def images(self) -> Array:
        """The pictures, ``(b, r, c + 1, 3)``, uint8, contiguous. Those of worlds in which nothing
        but the player has moved since the last call are kept."""
        if self._image is None:
            self._image = full(self._picture, (self.count, self.tiles, 3), 0, "uint8")
            self._changed[:] = True
        some = self._xp.where(self._changed)[0]
        self._image[some] = rows(self._colours, self._picture[some])
        self._changed[:] = False
        found = copy(self._image)
        found.reshape(-1, 3)[self._player + self._base] = self._colours[PLAYER]
        return found.reshape(self.count, self.rules.rows, self.width, 3)
