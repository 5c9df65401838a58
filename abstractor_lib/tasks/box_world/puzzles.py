"""Puzzles of Box World: drawn at random, many at once (simplicial sections 3 and 5).

Shapes: ``n`` puzzles, ``r`` rows, ``c`` columns of the board.

Within a puzzle colours have numbers that nobody on the board sees. The Gem is 0. Numbers grow with
the distance from the Gem: 1, ..., L on the upper path (or the only one), L + 1, ..., 2L on the
lower one. So a box with lock i + 1 holds key i, and keys L and 2L are the loose ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .rules import BLANK, FIRST_HUE, GEM, HUES, Rules

NOBODY = -1  # the number of no colour, the lock of a loose key


class Kind(NamedTuple):
    """The type (a, b, c) of a puzzle of bridge Box World: solution length, and the numbers of the
    lock and the key of the bridge; both are 0 without a bridge."""

    length: int
    lock: int = 0
    key: int = 0

    def __str__(self) -> str:
        return f"({', '.join(map(str, self))})" if self.lock else f"({self.length}), no bridge"


class Box(NamedTuple):
    """A box, by the numbers of its key and lock; a loose key has the lock `NOBODY`."""

    key: int
    lock: int


@dataclass(frozen=True)
class Puzzles:
    """Puzzles as arrays.

    Attributes:
        rules: what they were drawn from.
        board: codes of tiles at the start, ``(n, r, c)``, uint8.
        decoys: tiles that are locks of boxes which end an episode, ``(n, r, c)``, bool.
        gem: row and column of the Gem's upper lock, ``(n, 2)``.
        kinds: solution length, lock and key of the bridge, ``(n, 3)``; see `Kind`.
        codes: code of each colour by its number, ``(n, k)``, uint8.

    The arrays are views that cannot be written to.
    """

    rules: Rules
    board: np.ndarray
    decoys: np.ndarray
    gem: np.ndarray
    kinds: np.ndarray
    codes: np.ndarray

    def __post_init__(self):
        for name in ("board", "decoys", "gem", "kinds", "codes"):
            view = np.asarray(getattr(self, name)).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def __len__(self) -> int:
        return len(self.board)

    def __getitem__(self, which: slice | np.ndarray) -> "Puzzles":
        arrays = (self.board, self.decoys, self.gem, self.kinds, self.codes)
        return Puzzles(self.rules, *(part[which] for part in arrays))

    def kind(self, index: int = 0) -> Kind:
        """The type of a puzzle."""
        return Kind(*self.kinds[index].tolist())

    def boxes(self, index: int = 0) -> list[Box]:
        """Boxes and loose keys of a puzzle as they lie in the slots, by numbers of colours; each
        half of a Gem with two locks is a box."""
        number = {int(code): k for k, code in enumerate(self.codes[index])}
        found, board = [], self.board[index]
        for row, column in self.rules.slots:
            for part in (row, row + 1) if board[row, column] == GEM else (row,):
                content, lock = (int(code) for code in board[part, column : column + 2])
                if content != BLANK:
                    found.append(Box(number[content], number.get(lock, NOBODY)))
        return found


def check_fit(name: str, puzzles: Puzzles, rules: Rules) -> None:
    """Refuse puzzles that a world with these rules cannot hold.

    Raises:
        ValueError: for other rows, columns or locks, or an object that lies in no slot.
    """
    found, wanted = ((one.rows, one.columns, one.locks) for one in (puzzles.rules, rules))
    if found != wanted:
        raise ValueError(
            f"{name} has the rows, columns and locks {found}; expected {wanted}, as the rules have"
        )
    free = np.ones((rules.rows, rules.columns), bool)
    for row, column in rules.slots:
        free[row : row + rules.locks, column : column + 2] = False
    if (puzzles.board[:, free] != BLANK).any():
        index, row, column = np.argwhere((puzzles.board != BLANK) & free)[0].tolist()
        raise ValueError(
            f"{name} has something in row {row} and column {column} of puzzle {index}; expected "
            "objects in slots alone, a content on the left and its lock on the right"
        )


def draw(generator: np.random.Generator, rules: Rules, count: int = 1) -> Puzzles:
    """Puzzles at random.

    Lengths, colours, places and bridges (or decoy branches) are uniform and independent. Only the
    Gem with two locks is not everywhere: it is not in the last column or row of slots, and nothing
    lies in the slot under it.

    Args:
        generator: where all randomness comes from.
        rules: what they may hold.
        count: how many.

    Raises:
        ValueError: for a count below 1.

    Example:
        >>> found = draw(np.random.default_rng(0), Rules(), 3)
        >>> found.board.shape, str(found.kind(1))
        ((3, 7, 9), '(2), no bridge')
    """
    if count < 1:
        raise ValueError(f"count is {count}; expected at least 1")
    return _build(rules, _draw(generator, rules, count))


def draw_each(generators: Sequence[np.random.Generator], rules: Rules) -> Puzzles:
    """A puzzle from each generator: what `draw` gives with one after the other, but faster.

    Raises:
        ValueError: for no generator.

    Example:
        >>> each = [np.random.default_rng(seed) for seed in (0, 1)]
        >>> alone = draw(np.random.default_rng(1), Rules())
        >>> bool((draw_each(each, Rules()).board[1] == alone.board[0]).all())
        True
    """
    if not len(generators):
        raise ValueError("generators is empty; expected at least one")
    each = [_draw(generator, rules, 1) for generator in generators]
    return _build(rules, _Drawn(*(np.concatenate(same) for same in zip(*each, strict=True))))


class _Drawn(NamedTuple):
    """The random numbers of puzzles; ``(n,)``, or with a last axis."""

    lengths: np.ndarray
    hues: np.ndarray  # (n, 20), their order is that of the colours
    gem: np.ndarray  # which of the slots that the Gem may have
    ranks: np.ndarray  # (n, slots), their order is that of objects
    bridge: np.ndarray  # (n, 3): whether there is one, its lock, its key
    branches: np.ndarray
    locks: np.ndarray  # (n, branches): where each leaves the path
    long: np.ndarray  # (n, branches)


def _draw(generator: np.random.Generator, rules: Rules, count: int) -> _Drawn:
    """The random numbers, in the order that records rely on."""
    lengths = _whole(generator, rules.shortest, rules.longest, count)
    hues = generator.random((count, HUES))
    gem = _whole(generator, 0, len(rules.gem_slots) - 1, count)
    ranks = generator.random((count, len(rules.slots)))
    bridge = generator.random((3, count)).T if rules.bridges else np.ones((count, 3))
    branches = np.zeros(count, int)
    if rules.branches:
        branches = _whole(generator, 0, rules.branches, count)
    locks, long = np.zeros((count, rules.branches)), np.zeros((count, rules.branches), int)
    for branch in range(rules.branches):
        locks[:, branch] = generator.random(count)
        long[:, branch] = _whole(generator, 1, rules.branch_longest, count)
    return _Drawn(lengths, hues, gem, ranks, bridge, branches, locks, long)


def _whole(generator: np.random.Generator, low: int, high: int, count: int) -> np.ndarray:
    """Whole numbers from ``low`` to ``high``, ``(n,)``; numpy draws one alone faster."""
    if count == 1:
        return np.array([generator.integers(low, high + 1)])
    return generator.integers(low, high + 1, count)


def _build(rules: Rules, drawn: _Drawn) -> Puzzles:
    """The puzzles that random numbers say."""
    lengths, count = drawn.lengths, len(drawn.lengths)
    each = np.arange(count)
    hues = drawn.hues.argsort(axis=1)[:, : rules.colours]
    codes = np.concatenate([np.full((count, 1), GEM), FIRST_HUE + hues], axis=1).astype(np.uint8)
    gem = np.array(rules.gem_slots)[drawn.gem]
    order = _free_slots(rules, gem, drawn.ranks)
    board = np.full((count, rules.rows, rules.columns), BLANK, np.uint8)
    decoys = np.zeros(board.shape, bool)
    kinds = np.stack([lengths, 0 * lengths, 0 * lengths], axis=1)
    slots = np.array(rules.slots)
    row, column = slots[gem].T
    for path in range(rules.locks):
        board[each, row + path, column] = GEM
        board[each, row + path, column + 1] = codes[each, path * lengths + 1]
    for at, item in enumerate(_objects(rules, drawn, kinds)):
        some = each[item.there]
        y, x = slots[order[some, at]].T
        board[some, y, x] = codes[some, item.key[some]]
        locked = item.lock[some] != NOBODY
        some, y, x = some[locked], y[locked], x[locked]
        board[some, y, x + 1] = codes[some, item.lock[some]]
        decoys[some, y, x + 1] = item.decoy
    return Puzzles(rules, board, decoys, np.stack([row, column + 1], axis=1), kinds, codes)


class _Objects(NamedTuple):
    """A box or loose key of many puzzles: in which it is, its key and lock ``(n,)``, and whether
    it ends an episode."""

    there: np.ndarray
    key: np.ndarray
    lock: np.ndarray
    decoy: bool = False


def _free_slots(rules: Rules, gem: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The slots of boxes and loose keys in random order, ``(n, slots)``; those of the Gem, and
    under it, come last."""
    ranks, each = ranks.copy(), np.arange(len(gem))
    ranks[each, gem] = 2
    if rules.locks == 2:
        ranks[each, np.array(rules.below)[gem]] = 2
    return ranks.argsort(axis=1)


def _objects(rules: Rules, drawn: _Drawn, kinds: np.ndarray) -> Iterator[_Objects]:
    """Boxes and loose keys, without the Gem; bridges are noted in ``kinds``."""
    lengths, count = drawn.lengths, len(drawn.lengths)
    always = np.ones(count, bool)
    for path in range(rules.locks):
        start = path * lengths
        for i in range(1, rules.longest):
            yield _Objects(i < lengths, start + i, start + i + 1)
        yield _Objects(always, start + lengths, np.full(count, NOBODY))
    if rules.bridges:
        # simplicial section 5: "the starting and ending point of the bridge are uniformly sampled"
        there = drawn.bridge[:, 0] < rules.bridges
        lock = 1 + (drawn.bridge[:, 1] * lengths).astype(int)  # on the upper path
        key = 1 + lengths + (drawn.bridge[:, 2] * lengths).astype(int)  # on the lower one
        kinds[:, 1], kinds[:, 2] = lock * there, key * there
        yield _Objects(there, key, lock, decoy=True)
    fresh = 1 + rules.longest  # number of the next colour that nothing has yet
    for branch in range(rules.branches):
        lock = 1 + (drawn.locks[:, branch] * lengths).astype(int)
        for step in range(rules.branch_longest):
            key = np.full(count, fresh)
            there = (branch < drawn.branches) & (step < drawn.long[:, branch])
            yield _Objects(there, key, lock, decoy=True)
            lock, fresh = key, fresh + 1


def kinds(rules: Rules) -> list[Kind]:
    """All types that puzzles may have: without a bridge, then with one.

    Example:
        >>> [str(kind) for kind in kinds(Rules(longest=1))]
        ['(1), no bridge', '(1, 1, 2)']
    """
    lengths = range(rules.shortest, rules.longest + 1)
    alone = [Kind(length) for length in lengths if rules.bridges < 1]
    bridged = [
        Kind(length, lock, length + key)
        for length in lengths
        if rules.bridges
        for lock in range(1, length + 1)
        for key in range(1, length + 1)
    ]
    return alone + bridged


def probability(kind: Kind, rules: Rules) -> Fraction:
    """How likely a puzzle has this type; 0 for a type that is not one of `kinds`.

    Example:
        >>> print(probability(Kind(1, 1, 2), Rules()), probability(Kind(3, 2, 6), Rules()))
        1/6 1/54
    """
    if kind not in kinds(rules):
        return Fraction(0)
    bridges = Fraction(rules.bridges).limit_denominator(10**6)
    lengths = rules.longest - rules.shortest + 1
    if not kind.lock:
        return (1 - bridges) / lengths
    return bridges / lengths / kind.length**2


def boxes_of(kind: Kind) -> list[Box]:
    """Boxes and loose keys of a type, in no particular place; the Gem's halves come first.

    Example:
        >>> boxes_of(Kind(1, 1, 2))
        [Box(key=0, lock=1), Box(key=0, lock=2), Box(key=1, lock=-1), Box(key=2, lock=-1), \
Box(key=2, lock=1)]
    """
    length = kind.length
    starts = (0, length)
    found = [Box(0, start + 1) for start in starts]
    found += [Box(start + i, start + i + 1) for start in starts for i in range(1, length)]
    found += [Box(start + length, NOBODY) for start in starts]
    return found + ([Box(kind.key, kind.lock)] if kind.lock else [])
