"""The game of SET as arithmetic: 81 cards, 1,080 SETs, and nothing to look at.

A card has four attributes of three values each. Three cards form a SET if, in every attribute, all
of them agree or all of them differ: if the values add up to 0 modulo 3. So any two cards are
completed to a SET by exactly one third card.

Shapes: ``n`` examples of three cards. Cards are numbers 0 to 80, whose digits to base 3 are their
attributes.
"""

from functools import cache
from itertools import combinations

import numpy as np

ATTRIBUTES = ("number", "colour", "filling", "shape")
VALUES = {
    "number": ("one", "two", "three"),
    "colour": ("red", "green", "purple"),
    "filling": ("solid", "striped", "open"),
    "shape": ("diamond", "oval", "wave"),
}
CARDS = 81
WEIGHTS = np.array([27, 9, 3, 1])  # of the attributes in a card's number
PAIRS = ((0, 1), (0, 2), (1, 2))  # of three cards
LARGEST_WITHOUT_SET = 20  # Pellegrino 1971: among 21 cards there always is a SET


def attributes(cards: np.ndarray) -> np.ndarray:
    """The values of cards, each 0 to 2, in the order of `ATTRIBUTES`: ``(...) -> (..., 4)``.

    Example:
        >>> attributes(np.array([0, 5, 80])).tolist()
        [[0, 0, 0, 0], [0, 0, 1, 2], [2, 2, 2, 2]]
    """
    return _checked(cards)[..., None] // WEIGHTS % 3


def card(values: np.ndarray) -> np.ndarray:
    """The inverse of `attributes`, modulo 3: ``(..., 4) -> (...)``.

    Example:
        >>> int(card(np.array([0, 0, 1, 2])))
        5
    """
    return np.asarray(values) % 3 @ WEIGHTS


def completing(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The one card that forms a SET with two others (a card with itself gives that card again).

    Example:
        >>> int(completing(np.array(0), np.array(1)))
        2
    """
    return card(-attributes(first) - attributes(second))


def is_set(triples: np.ndarray) -> np.ndarray:
    """Whether three distinct cards form a SET, ``(..., 3) -> (...)``.

    Example:
        >>> is_set(np.array([[0, 1, 2], [0, 1, 5]])).tolist()
        [True, False]
    """
    triples = np.asarray(triples)
    distinct = triples[..., 0] != triples[..., 1]  # then a third that completes is another too
    return distinct & (completing(triples[..., 0], triples[..., 1]) == triples[..., 2])


def same(triples: np.ndarray) -> np.ndarray:
    """The symbolic description of three cards: which pairs agree in which attribute.

    Returns:
        ``(..., 3) -> (..., 12)`` of 0 and 1: for each attribute the pairs AB, AC, BC.

    Source: v1 section 4.5, v3 section 4.1.

    Example:
        >>> same(np.array([0, 1, 5])).tolist()  # the third differs in filling too
        [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    """
    values = attributes(triples)  # (..., 3, 4)
    bits = [values[..., i, :] == values[..., j, :] for i, j in PAIRS]
    return np.stack(bits, axis=-1).reshape(*values.shape[:-2], -1).astype(np.int64)


@cache
def every_triple() -> np.ndarray:
    """All C(81, 3) = 85,320 sets of three cards, each once and ascending, ``(85320, 3)``."""
    found = np.array(list(combinations(range(CARDS), 3)))
    found.flags.writeable = False
    return found


@cache
def every_set() -> np.ndarray:
    """All 1,080 SETs, each once and ascending, ``(1080, 3)``.

    Example:
        >>> len(every_set()), len(every_triple())
        (1080, 85320)
    """
    found = every_triple()[is_set(every_triple())]
    found.flags.writeable = False
    return found


def find_sets(cards: np.ndarray) -> np.ndarray:
    """All SETs among some cards, each once and ascending, ``(k, 3)``.

    Each two cards are completed, which is exact and takes few steps.

    Raises:
        ValueError: for a card twice.

    Example:
        >>> find_sets(np.array([7, 0, 2, 1])).tolist()
        [[0, 1, 2]]
    """
    cards = np.sort(_checked(cards))
    if len(set(cards.tolist())) < len(cards):
        raise ValueError(f"cards is {cards.tolist()}; expected each card once")
    first, second = np.triu_indices(len(cards), k=1)
    triples = np.stack([cards[first], cards[second]], axis=1)
    third = completing(triples[:, 0], triples[:, 1])
    found = np.isin(third, cards) & (third > triples[:, 1])  # each SET from its two smallest
    return np.column_stack([triples, third])[found]


def without_set() -> np.ndarray:
    """20 cards without a SET among them, as many as there can be, ``(20,)``.

    Ten pairs of cards around card 0, which completes each of the pairs and is left out; found by
    trying one pair after the other and going back where no further one fits.

    Example:
        >>> len(without_set()), len(find_sets(without_set()))
        (20, 0)
    """
    opposite = card(-attributes(np.arange(CARDS)))
    return np.sort(_grown([], 1, opposite.tolist()))


def _grown(cards: list[int], start: int, opposite: list[int]) -> list[int]:
    """Cards without a SET, with further pairs from ``start`` on until there are 20, or no card."""
    if len(cards) == LARGEST_WITHOUT_SET:
        return cards
    for one in range(start, CARDS):
        more = [*cards, one, opposite[one]]
        if one < opposite[one] and not len(find_sets(np.array(more))):
            found = _grown(more, one + 1, opposite)
            if found:
                return found
    return []


def deal(generator: np.random.Generator, count: int = 12) -> np.ndarray:
    """Cards off the top of a shuffled deck, ``(count,)``.

    Raises:
        ValueError: for more cards than there are.

    Example:
        >>> len(set(deal(np.random.default_rng(0)).tolist()))
        12
    """
    if not 1 <= count <= CARDS:
        raise ValueError(f"count is {count}; allowed: 1 to {CARDS} cards")
    return generator.permutation(CARDS)[:count]


def _checked(cards: np.ndarray) -> np.ndarray:
    cards = np.asarray(cards)
    if cards.dtype.kind not in "iu" or (cards.size and (cards.min() < 0 or cards.max() >= CARDS)):
        raise ValueError(f"cards is {cards!r}; expected whole numbers from 0 to {CARDS - 1}")
    return cards
