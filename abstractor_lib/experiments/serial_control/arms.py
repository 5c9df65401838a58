"""The ways to evaluate heads that are compared, from a reader's answers to points of a curve.

A point is a policy: the mean number of heads and the share of wrong answers, in validation and in
the test. All that is chosen is chosen in validation.

Shapes: ``n`` triples, ``K`` heads, ``S`` = 2^K sets of heads, ``p`` points.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...nn.serial import subsets, walk
from ...theory.serial import mixture

BUDGETS = np.linspace(1, 4, 31)  # mean numbers of heads, for the mean accuracy over them
TOLERANCE = 0.01  # of the accuracy with all heads, what may be lost
THRESHOLDS = 1 - np.geomspace(0.5, 0.0005, 30)


class Answers(NamedTuple):
    """Of a part: whether the answer from each set of heads is wrong, and the reader's probability
    that it is right, both ``(n, S)``."""

    wrong: Tensor
    confidence: Tensor

    @property
    def heads(self) -> Tensor:
        """In each set of heads, ``(S,)``."""
        return subsets(self.wrong.shape[1].bit_length() - 1).sum(dim=1)


class Point(NamedTuple):
    """Mean heads and share of wrong answers, in validation and in the test."""

    heads: float
    error: float
    test_heads: float
    test_error: float

    def objective(self, price: float) -> float:
        """What is minimised, in validation."""
        return self.error + price * self.heads


Parts = tuple[Answers, Answers]  # validation and test


def answers(logits: Tensor, labels: Tensor) -> Answers:
    """From the reader's logits of a SET ``(n, S)`` and the labels ``(n,)``.

    Example:
        >>> found = answers(torch.tensor([[0.0, 20.0]]), torch.tensor([0]))
        >>> found.wrong.tolist(), found.confidence.tolist()
        ([[0.0, 1.0]], [[0.5, 1.0]])
    """
    wrong = ((logits > 0) != labels[:, None].bool()).to(logits)
    return Answers(wrong, logits.abs().sigmoid())


def point(parts: Parts, chosen: Sequence[Tensor]) -> Point:
    """Of a policy that answers each triple of a part from a set of heads, ``(n,)``."""
    found = []
    for part, sets in zip(parts, chosen, strict=True):
        wrong = part.wrong.gather(1, sets[:, None])
        found += [part.heads[sets].double().mean().item(), wrong.double().mean().item()]
    return Point(*found)


def fixed(parts: Parts) -> list[Point]:
    """No head; the best head; and so on to all heads: of each number the best subset."""
    heads, errors = parts[0].heads, parts[0].wrong.double().mean(dim=0)
    found = []
    for count in range(int(heads.max()) + 1):
        best = torch.where(heads == count, errors, torch.inf).argmin()
        found.append(point(parts, [best.expand(len(part.wrong)) for part in parts]))
    return found


def in_order(order: Sequence[int]) -> Tensor:
    """The next head of a ranking in every set of heads, ``(S,)``; 0 where none is left.

    Example:
        >>> in_order([1, 0]).tolist()
        [1, 1, 0, 0]
    """
    every = subsets(len(order))
    places = torch.tensor([list(order).index(k) for k in range(len(order))])
    return (places + len(order) * every).argmin(dim=1) * ~every.all(dim=1)


def confident(parts: Parts, orders: Iterable[Sequence[Tensor]], prices: Sequence[float]) -> dict:
    """Rankings with stopping by confidence: the best ranking and threshold for each price.

    Args:
        orders: of each ranking the next head in every set of heads, of each part, ``(n or 1, S)``.

    Returns:
        ``points``, one a price, and ``ranking``, the number of the ranking whose best thresholds
        have the least mean objective over prices.
    """
    tried = []
    for order in orders:
        points = []
        for level in THRESHOLDS:
            chosen = []
            for part, following in zip(parts, order, strict=True):
                stop = part.confidence >= level
                chosen.append(walk(following.expand_as(stop), _last(stop)))
            points.append(point(parts, chosen))
        tried.append([min(points, key=lambda one: one.objective(price)) for price in prices])
    scores = [
        sum(one.objective(price) for one, price in zip(points, prices, strict=True))
        for points in tried
    ]
    best = [
        min((points[i] for points in tried), key=lambda one: one.objective(price))
        for i, price in enumerate(prices)
    ]
    return {"points": best, "ranking": int(np.argmin(scores))}


def rankings(heads: int) -> list[tuple[int, ...]]:
    """All orders of the heads."""
    return list(permutations(range(heads)))


def random_orders(random: np.random.Generator, count: int, heads: int) -> Tensor:
    """A fresh ranking of each triple, as the next head in every set of heads, ``(n, S)``."""
    every = rankings(heads)
    table = torch.stack([in_order(order) for order in every])
    return table[torch.from_numpy(random.integers(0, len(every), count))]


def _last(stop: Tensor) -> Tensor:
    """With all heads evaluated there is nothing but to stop."""
    return torch.cat([stop[:, :-1], torch.ones_like(stop[:, -1:])], dim=1)


def summary(points: Sequence[Point], ends: Sequence[Point], full: Point) -> dict[str, float]:
    """What a curve is worth: ``heads``, the least mean number of heads in the test that keeps the
    accuracy in validation to `TOLERANCE`; ``lost``, what it loses in the test; ``area``, the mean
    test accuracy at 1 to 4 heads. Policies may be mixed at random; shares are chosen in validation.

    Args:
        points: of the curve.
        ends: policies that anybody has: no head, all heads.
        full: with all heads.

    Example:
        >>> none, all_ = Point(0, 0.5, 0, 0.5), Point(4, 0.0, 4, 0.0)
        >>> summary([Point(2, 0.02, 2, 0.02)], [none, all_], all_)["heads"]
        3.0
    """
    heads, errors, test_heads, test_errors = np.array([*points, *ends]).T
    shares = mixture(errors, heads, full.error + TOLERANCE)
    areas = [1 - mixture(heads, errors, budget) @ test_errors for budget in BUDGETS]
    return {
        "heads": float(shares @ test_heads),
        "lost": float(shares @ test_errors - full.test_error),
        "area": float(np.mean(areas)),
    }


Choose = Callable[[float], Sequence[Tensor]]


def learned(parts: Parts, choose: Choose, prices: Sequence[float]) -> list[Point]:
    """Of a controller: by price the sets of heads from which each triple of a part is answered."""
    return [point(parts, choose(price)) for price in prices]
