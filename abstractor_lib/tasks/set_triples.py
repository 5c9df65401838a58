"""Examples drawn from the game of SET: triples that form a SET or not, and pairs of cards.

How SETs and others are drawn, and what keeps test examples apart from training examples, are
arguments: the papers' text, their public code and a sound test differ in them.

Shapes: ``n`` examples. Cards are numbers 0 to 80; see `set_game`.
"""

from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from .set_game import CARDS, attributes, every_set, every_triple, is_set

Order = Literal["fixed", "shuffled"]
Positives = Literal["alternate", "coin"]
Negatives = Literal["unverified", "verified"]
SplitBy = Literal["rows", "sets", "cards"]
TEST_CARDS = 27  # of 81, where no card of a test triple is in a training triple


class Rows(NamedTuple):
    """Triples ``(n, 3)`` and whether they are called a SET, ``(n,)`` of 0 and 1."""

    cards: np.ndarray
    labels: np.ndarray

    def take(self, chosen: np.ndarray) -> "Rows":
        """Some of the rows."""
        return Rows(self.cards[chosen], self.labels[chosen])


class Parts(NamedTuple):
    """Rows to train, validate and test on."""

    train: Rows
    validation: Rows
    test: Rows


def triples(
    generator: np.random.Generator,
    count: int,
    *,
    order: Order,
    positives: Positives,
    negatives: Negatives,
    sets: np.ndarray | None = None,
    others: np.ndarray | None = None,
) -> Rows:
    """Triples of which half are SETs, all drawn with replacement.

    Args:
        generator: numpy's.
        count: examples.
        order: ``shuffled`` draws the order of the three cards for each row; ``fixed`` draws it
            once for each SET, so that a SET looks the same wherever it comes.
        positives: ``coin`` makes each row a SET with probability 1/2; ``alternate`` makes every
            second row one, the first among them.
        negatives: ``verified`` are triples that are no SET; ``unverified`` are three of the cards
            that are not in the SET drawn with them, of which 1.26 % form a SET and are labelled 0.
        sets: the SETs to draw from, ``(k, 3)``; None for all.
        others: what verified negatives are drawn from, ``(k, 3)``; None for all.

    Returns:
        `Rows`.

    Raises:
        ValueError: for an unknown word, or ``unverified`` negatives with ``others``.

    Example:
        >>> rows = triples(np.random.default_rng(0), 4, order="shuffled", positives="alternate",
        ...     negatives="verified")
        >>> rows.cards.shape, rows.labels.tolist(), is_set(rows.cards).tolist()
        ((4, 3), [1, 0, 1, 0], [True, False, True, False])
    """
    _check("order", order, ("fixed", "shuffled"))
    _check("positives", positives, ("alternate", "coin"))
    _check("negatives", negatives, ("unverified", "verified"))
    if negatives == "unverified" and others is not None:
        raise ValueError("others is given with unverified negatives; expected None")
    sets = every_set() if sets is None else sets
    if order == "fixed":
        sets = generator.permuted(sets, axis=1)
    labels = 1 - np.arange(count) % 2
    if positives == "coin":
        labels = generator.integers(0, 2, count)
    drawn = generator.integers(0, len(sets), count)
    if positives == "alternate":
        drawn[1::2] = drawn[:-1:2]  # a SET, and beside it an example that is none
    right = sets[drawn]
    if negatives == "unverified":
        wrong = _beside(generator, right)
    else:
        others = _others() if others is None else others
        wrong = others[generator.integers(0, len(others), count)]
    cards = np.where(labels[:, None] == 1, right, wrong)
    if order == "shuffled":
        cards = generator.permuted(cards, axis=1)
    return Rows(cards, labels)


def parts(
    generator: np.random.Generator,
    counts: tuple[int, int, int],
    *,
    split: SplitBy,
    order: Order,
    positives: Positives,
    negatives: Negatives,
) -> Parts:
    """Rows to train, validate and test on.

    Args:
        generator: numpy's.
        counts: rows of the three parts.
        split: ``rows`` divides the rows alone, so a SET can be in several parts; ``sets`` divides
            the 1,080 SETs and the other 84,240 triples, in proportion to ``counts``; ``cards`` sets
            27 cards aside, which no other part holds, to test on, and divides the triples of the
            other 54 cards between the first two parts.
        order, positives, negatives: see `triples`.

    Returns:
        `Parts`.

    Raises:
        ValueError: for an unknown word, ``unverified`` negatives with another split than ``rows``,
            and parts that are so small that one has no SET.

    Example:
        >>> found = parts(np.random.default_rng(0), (700, 100, 200), split="sets",
        ...     order="shuffled", positives="alternate", negatives="verified")
        >>> bool(seen(found.test, found.train).any())
        False
    """
    _check("split", split, ("rows", "sets", "cards"))
    if min(counts) < 0 or not any(counts):
        raise ValueError(f"counts is {counts}; expected rows of at least one part")
    draw = partial(triples, generator, order=order, positives=positives, negatives=negatives)
    if split == "rows":
        rows = draw(sum(counts))
        first, second, _ = np.cumsum(counts)
        chosen = np.split(generator.permutation(len(rows.labels)), [first, second])
        return Parts(*map(rows.take, chosen))
    if negatives != "verified":
        raise ValueError(f"negatives is {negatives!r} with split {split!r}; allowed: verified")
    if split == "sets":
        sets, others = (_shares(generator, every, counts) for every in (every_set(), _others()))
    else:
        sets, others = _by_cards(generator, counts)
    for count, some in zip(counts, sets, strict=True):
        if count and not len(some):
            raise ValueError(
                f"counts is {counts}; with split {split!r} a part of {count} rows has no SET, "
                "expected larger parts"
            )
    drawn = (
        draw(count, sets=some, others=rest)
        for count, some, rest in zip(counts, sets, others, strict=True)
    )
    return Parts(*drawn)


def seen(rows: Rows, train: Rows) -> np.ndarray:
    """Which rows hold three cards that a training row holds too, in whatever order, ``(n,)``."""
    return np.isin(_names(rows.cards), _names(train.cards))


def leakage(train: float) -> float:
    """The share of test SETs that are also training SETs, expected where rows are split.

    Args:
        train: training rows, half of them SETs drawn with replacement from 1,080.

    Example:
        >>> [round(leakage(n), 2) for n in (500, 1000, 5000)]
        [0.21, 0.37, 0.9]
    """
    return 1 - (1 - 1 / len(every_set())) ** (train / 2)


def pairs(generator: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of cards, each drawn from the whole deck, and in which attributes they agree.

    Each attribute agrees with probability 1/3.

    Returns:
        Cards ``(n, 2)`` and labels ``(n, 4)`` of 0 and 1.

    Source: v3 section 4.1, the relations that are learned beforehand.

    Example:
        >>> cards, labels = pairs(np.random.default_rng(0), 5)
        >>> cards.shape, labels.shape
        ((5, 2), (5, 4))
    """
    cards = generator.integers(0, CARDS, (count, 2))
    values = attributes(cards)  # (n, 2, 4)
    return cards, (values[:, 0] == values[:, 1]).astype(np.int64)


def _others() -> np.ndarray:
    """All triples that are no SET, ``(84240, 3)``."""
    return every_triple()[~is_set(every_triple())]


def _beside(generator: np.random.Generator, sets: np.ndarray) -> np.ndarray:
    """For each row three different cards that are not among the row's three, ``(n, 3)``."""
    order = generator.random((len(sets), CARDS))
    np.put_along_axis(order, sets, 2.0, axis=1)  # last
    return order.argsort(axis=1)[:, :3]


def _shares(
    generator: np.random.Generator, rows: np.ndarray, counts: tuple[int, ...]
) -> list[np.ndarray]:
    """Rows divided at random, in proportion to ``counts``."""
    ends = np.cumsum(counts) * len(rows) // sum(counts)
    return np.split(generator.permutation(rows), ends[:-1])


def _by_cards(
    generator: np.random.Generator, counts: tuple[int, int, int]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """SETs and other triples of cards that are tested on and of all others."""
    tested = np.zeros(CARDS, dtype=bool)
    tested[generator.permutation(CARDS)[:TEST_CARDS]] = True
    found = []
    for every in (every_set(), _others()):
        inside = tested[every].sum(axis=1)
        rest = _shares(generator, every[inside == 0], counts[:2])
        found.append([*rest, every[inside == 3]])
    return found[0], found[1]


def _names(cards: np.ndarray) -> np.ndarray:
    """One number for each set of three cards."""
    return np.sort(cards, axis=1) @ np.array([CARDS**2, CARDS, 1])


def _check(name: str, given: str, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise ValueError(f"{name} is {given!r}; allowed: {', '.join(allowed)}")
