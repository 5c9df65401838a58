"""Puzzles of Box World: drawn at random, many at once (simplicial sections 3 and 5).

Shapes: ``n`` puzzles, ``r`` rows, ``c`` columns of the board.

Within a puzzle colours have numbers that nobody on the board sees. The Gem is 0. Numbers grow with
the distance from the Gem: 1, ..., L on the upper path (or the only one), L + 1, ..., 2L on the
lower one. So a box with lock i + 1 holds key i, and keys L and 2L are the loose ones.
"""

from collections.abc import Iterator
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
    """

    rules: Rules
    board: np.ndarray
    decoys: np.ndarray
    gem: np.ndarray
    kinds: np.ndarray
    codes: np.ndarray

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
    each = np.arange(count)
    lengths = generator.integers(1, rules.longest + 1, count)  # (n,)
    hues = generator.random((count, HUES)).argsort(axis=1)[:, : rules.colours]
    codes = np.concatenate([np.full((count, 1), GEM), FIRST_HUE + hues], axis=1).astype(np.uint8)
    gem, order = _places(generator, rules, count)
    board = np.full((count, rules.rows, rules.columns), BLANK, np.uint8)
    decoys = np.zeros(board.shape, bool)
    kinds = np.stack([lengths, 0 * lengths, 0 * lengths], axis=1)
    slots = np.array(rules.slots)
    row, column = slots[gem].T
    for path in range(rules.locks):
        board[each, row + path, column] = GEM
        board[each, row + path, column + 1] = codes[each, path * lengths + 1]
    for at, item in enumerate(_objects(generator, rules, lengths, kinds)):
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


def _places(
    generator: np.random.Generator, rules: Rules, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """The slot of the Gem, ``(n,)``, and the slots of the rest in random order, ``(n, ...)``."""
    gem = np.array(rules.gem_slots)[generator.integers(0, len(rules.gem_slots), count)]
    ranks = generator.random((count, len(rules.slots)))
    each = np.arange(count)
    ranks[each, gem] = 2
    if rules.locks == 2:
        ranks[each, np.array(rules.below)[gem]] = 2
    return gem, ranks.argsort(axis=1)


def _objects(
    generator: np.random.Generator, rules: Rules, lengths: np.ndarray, kinds: np.ndarray
) -> Iterator[_Objects]:
    """Boxes and loose keys, without the Gem; bridges are noted in ``kinds``."""
    count, always = len(lengths), np.ones(len(lengths), bool)
    for path in range(rules.locks):
        start = path * lengths
        for i in range(1, rules.longest):
            yield _Objects(i < lengths, start + i, start + i + 1)
        yield _Objects(always, start + lengths, np.full(count, NOBODY))
    if rules.bridges:
        # simplicial section 5: "the starting and ending point of the bridge are uniformly sampled"
        there = generator.random(count) < rules.bridges
        lock = 1 + (generator.random(count) * lengths).astype(int)  # on the upper path
        key = 1 + lengths + (generator.random(count) * lengths).astype(int)  # on the lower one
        kinds[:, 1], kinds[:, 2] = lock * there, key * there
        yield _Objects(there, key, lock, decoy=True)
    branches = generator.integers(0, rules.branches + 1, count)
    fresh = 1 + rules.longest  # number of the next colour that nothing has yet
    for branch in range(rules.branches):
        lock = 1 + (generator.random(count) * lengths).astype(int)
        long = generator.integers(1, rules.branch_longest + 1, count)
        for step in range(rules.branch_longest):
            key = np.full(count, fresh)
            yield _Objects((branch < branches) & (step < long), key, lock, decoy=True)
            lock, fresh = key, fresh + 1


def kinds(rules: Rules) -> list[Kind]:
    """All types that puzzles may have: without a bridge, then with one.

    Example:
        >>> [str(kind) for kind in kinds(Rules(longest=1))]
        ['(1), no bridge', '(1, 1, 2)']
    """
    lengths = range(1, rules.longest + 1)
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
    if not kind.lock:
        return (1 - bridges) / rules.longest
    return bridges / rules.longest / kind.length**2


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
