"""SET as a task for heads that are evaluated one at a time: four relations of three cards.

A head reads one attribute: which of the three pairs of cards agree in it. A triple is a SET if in
every attribute all cards agree or all differ. One broken attribute is enough to refuse a triple.

Shapes: ``n`` examples, ``r`` rows to draw from. A head shows three bits, those of the pairs AB, AC,
BC; its *code* is the number 0 to 7 that they write.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from .set_game import ATTRIBUTES, attributes, every_set, every_triple, is_set, same

Others = Literal["any", "near_misses"]
OTHERS: tuple[Others, ...] = ("any", "near_misses")
HEADS = len(ATTRIBUTES)
PAIRS, CODES = 3, 8  # of three cards; three bits
BITS = np.array([4, 2, 1])  # of the pairs in a code
TOLD = {True: 1, False: 2}  # the attribute that is broken as a rule, by whether all numbers agree


@dataclass(frozen=True)
class World:
    """How triples are drawn, and how well heads see.

    Half of all triples are SETs. ``others``: ``any``, each triple that is none alike; or
    ``near_misses``, which break the rule in one attribute alone. Half of the near misses break it
    in number. In the other half, and in SETs, the three numbers agree as often as they differ. If
    they agree, the colour is broken with probability ``cue``; if they differ, the filling; and
    otherwise one of the other two attributes. So the number can settle the answer, and where it
    does not, it tells which head to ask next.

    ``flips``: of each head, the probability that a bit is wrong, for each pair by itself.
    """

    others: Others = "any"
    cue: float = 1.0
    flips: tuple[float, ...] = (0.0,) * HEADS


class Pool(NamedTuple):
    """SETs and other triples to draw from, ``(r, 3)`` each."""

    sets: np.ndarray
    others: np.ndarray


class Drawn(NamedTuple):
    """Cards ``(n, 3)``, bits of the heads ``(n, 4, 3)``, and whether it is a SET, ``(n,)``."""

    cards: np.ndarray
    bits: np.ndarray
    labels: np.ndarray


def whole() -> Pool:
    """All 1,080 SETs and all 84,240 other triples."""
    every = every_triple()
    return Pool(every_set(), every[~is_set(every)])


def divided(generator: np.random.Generator, shares: Sequence[float]) -> list[Pool]:
    """All SETs and all other triples, divided at random in proportion to ``shares``: no three cards
    are in two parts.

    Raises:
        ValueError: for a share that is not above 0.

    Example:
        >>> [len(part.sets) for part in divided(np.random.default_rng(0), (7, 1, 2))]
        [756, 108, 216]
    """
    if not len(shares) or min(shares) <= 0:
        raise ValueError(f"shares is {list(shares)}; expected numbers above 0")
    ends = np.cumsum(shares)[:-1] / sum(shares)
    parts = [
        np.split(generator.permutation(rows), (ends * len(rows)).round().astype(int))
        for rows in whole()
    ]
    return [Pool(sets, others) for sets, others in zip(*parts, strict=True)]


def weights(triples: np.ndarray, world: World) -> np.ndarray:
    """How likely each of some triples is, ``(r, 3) -> (r,)``: all SETs, or all others, of a pool.

    Raises:
        ValueError: for an unknown kind of others, or a cue that is no probability.

    Example:
        >>> float(weights(every_set(), World()).sum().round(6))
        1.0
    """
    if world.others not in OTHERS:
        raise ValueError(f"others is {world.others!r}; allowed: {', '.join(OTHERS)}")
    if not 0 <= world.cue <= 1:
        raise ValueError(f"cue is {world.cue}; expected a probability")
    if world.others == "any":
        return np.full(len(triples), 1 / len(triples))
    values = attributes(triples)  # (r, 3, 4)
    broken = values.sum(axis=1) % 3 != 0  # (r, 4)
    agree = (values[:, :, 0] == values[:, :1, 0]).all(axis=1)
    one = broken.sum(axis=1) == 1
    groups = [(one & broken[:, 0], 0.5)]
    for equal, told in TOLD.items():
        some = (agree == equal) & ~broken[:, 0]
        groups.append((some & ~broken.any(axis=1), 0.5))
        for head in range(1, HEADS):
            chance = world.cue if head == told else (1 - world.cue) / (HEADS - 2)
            groups.append((some & one & broken[:, head], 0.25 * chance))
    likely = np.zeros(len(triples))
    for rows, chance in groups:
        if chance and rows.any():
            likely[rows] = chance / rows.sum()
    return likely / likely.sum()


def draw(generator: np.random.Generator, pool: Pool, world: World, count: int) -> Drawn:
    """Triples of which every second is a SET, with replacement, cards in any order.

    Raises:
        ValueError: for flips that are no four probabilities.

    Example:
        >>> drawn = draw(np.random.default_rng(0), whole(), World(), 4)
        >>> drawn.bits.shape, drawn.labels.tolist(), is_set(drawn.cards).tolist()
        ((4, 4, 3), [1, 0, 1, 0], [True, False, True, False])
    """
    flips = _flips(world)
    labels = 1 - np.arange(count) % 2
    right, wrong = (
        rows[generator.choice(len(rows), count, p=weights(rows, world))] for rows in pool
    )
    cards = generator.permuted(np.where(labels[:, None] == 1, right, wrong), axis=1)
    bits = same(cards).reshape(count, HEADS, PAIRS)
    wrong_bits = generator.random(bits.shape) < flips[:, None]
    return Drawn(cards, bits ^ wrong_bits, labels)


def joint(world: World) -> np.ndarray:
    """Exact probabilities of answers, 0 or 1, and of the codes of all heads, ``(2, 8, 8, 8, 8)``,
    over all cards in all orders and all flips.

    Example:
        >>> joint(World()).sum(axis=(1, 2, 3, 4)).round(6).tolist()
        [0.5, 0.5]
    """
    flips = _flips(world)
    found = np.zeros((2, *(CODES,) * HEADS))
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    for answer, rows in enumerate(reversed(whole())):
        likely = weights(rows, world) / len(orders) / 2
        for order in orders:
            codes = same(rows[:, order]).reshape(-1, HEADS, PAIRS) @ BITS  # (r, 4)
            np.add.at(found[answer], tuple(codes.T), likely)
    numbers = np.arange(CODES)
    apart = ((numbers[:, None] ^ numbers)[..., None] // BITS % 2).sum(axis=-1)  # (8, 8)
    for head, flip in enumerate(flips):
        # P(seen | true) = p^apart (1 - p)^(3 - apart)
        channel = flip**apart * (1 - flip) ** (PAIRS - apart)
        found = np.moveaxis(np.tensordot(found, channel, axes=(head + 1, 0)), -1, head + 1)
    return found


def _flips(world: World) -> np.ndarray:
    flips = np.array(world.flips, float)
    if flips.shape != (HEADS,) or flips.min() < 0 or flips.max() > 1:
        raise ValueError(f"flips is {list(world.flips)}; expected {HEADS} probabilities")
    return flips
