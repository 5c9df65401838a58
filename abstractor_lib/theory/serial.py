"""What serial evaluation of heads can reach at best, by backward induction.

A head shows one of ``a`` codes. There are ``K`` heads and a yes-or-no question. Every head that is
evaluated has a price. Who knows how codes and answers are distributed can compute the best rule
exactly: in every state, a set of heads and their codes, either answer or evaluate one more head.

Sources: Wald 1947; Arrow, Blackwell and Girshick 1949. The papers have no such computation.

Shapes: ``K`` heads, ``a`` codes, ``n`` policies.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

Rule = Literal["adaptive", "static", "random"]
RULES: tuple[Rule, ...] = ("adaptive", "static", "random")
TIE = 1e-12


class Reached(NamedTuple):
    """What a policy reaches: heads evaluated, the mean; and the share of wrong answers."""

    heads: float
    error: float


def best_rule(
    joint: np.ndarray, price: float, rule: Rule = "adaptive", order: Sequence[int] = ()
) -> Reached:
    """The policy of least ``error + price * heads``, when both stopping and order are chosen.

    Args:
        joint: probabilities of answers and codes, ``(2, a, ..., a)`` with ``K`` axes of codes.
        price: of a head, as a share of wrong answers; above 0.
        rule: who picks the next head. ``adaptive``: the policy, which has seen the codes so far;
            ``static``: ``order``; ``random``: a fair draw from the heads that are left. When to
            stop is chosen under all three.
        order: of all heads, for ``static`` alone.

    Returns:
        `Reached`.

    Raises:
        ValueError: for what is no distribution, an unknown rule, a price that is not above 0, or an
            order that does not name every head once.

    Source: backward induction (Arrow, Blackwell and Girshick 1949).

    Example:
        >>> joint = np.zeros((2, 2, 2))  # yes: both codes are 1; no: one of them is 0
        >>> joint[1, 1, 1], joint[0, 0, 1], joint[0, 1, 0] = 0.5, 0.25, 0.25
        >>> best_rule(joint, 0.01)
        Reached(heads=1.75, error=0.0)
    """
    heads = _checked(joint)
    if rule not in RULES:
        raise ValueError(f"rule is {rule!r}; allowed: {', '.join(RULES)}")
    if not price > 0:
        raise ValueError(f"price is {price}; expected a number above 0")
    if (rule == "static") != bool(len(order)) or (len(order) and sorted(order) != list(heads)):
        raise ValueError(
            f"order is {list(order)} with rule {rule!r}; expected each of {len(heads)} heads once "
            "with 'static', and no order otherwise"
        )
    found: dict[frozenset, tuple[np.ndarray, np.ndarray]] = {}
    for size in reversed(range(len(heads) + 1)):
        for chosen in map(frozenset, combinations(heads, size)):
            if rule == "static" and chosen != frozenset(order[:size]):
                continue
            mass = _marginal(joint, chosen)  # (2, a or 1, ...)
            used, wrong = np.zeros_like(mass[0]), mass.min(axis=0)  # of whom stops here
            left = [k for k in heads if k not in chosen]
            left = [order[size]] if left and rule == "static" else left
            further = [
                tuple(part.sum(axis=k, keepdims=True) for part in found[chosen | {k}]) for k in left
            ]
            if further:
                pairs = [(mass.sum(axis=0) + more, error) for more, error in further]
                going, missed = _next(pairs, price, rule)
                # V(s) = min(stop(s), min_k price + E V(s, k)); here times the probability of s
                stops = wrong <= missed + price * going + TIE
                used, wrong = np.where(stops, used, going), np.where(stops, wrong, missed)
            found[chosen] = used, wrong
    used, wrong = found[frozenset()]
    return Reached(float(used.sum()), float(wrong.sum()))


def _next(
    pairs: list[tuple[np.ndarray, np.ndarray]], price: float, rule: Rule
) -> tuple[np.ndarray, np.ndarray]:
    """Heads and errors of whom evaluates one more: the best of these heads, or a random one."""
    going, missed = (np.stack(parts) for parts in zip(*pairs, strict=True))  # (left, a or 1, ...)
    if rule == "random":
        return going.mean(axis=0), missed.mean(axis=0)
    best = (missed + price * going).argmin(axis=0)[None]
    return tuple(np.take_along_axis(part, best, axis=0)[0] for part in (going, missed))


def best_subset(joint: np.ndarray, count: int) -> Reached:
    """The best that ``count`` heads can do which are the same for every example.

    Raises:
        ValueError: for what is no distribution, or another count than 0 to ``K``.

    Example:
        >>> joint = np.zeros((2, 2, 2))
        >>> joint[1, 1, 1], joint[0, 0, 1], joint[0, 1, 0] = 0.5, 0.25, 0.25
        >>> best_subset(joint, 1)
        Reached(heads=1.0, error=0.25)
    """
    heads = _checked(joint)
    if not 0 <= count <= len(heads):
        raise ValueError(f"count is {count}; allowed: 0 to {len(heads)} heads")
    subsets = map(frozenset, combinations(heads, count))
    return Reached(
        float(count), min(float(_marginal(joint, one).min(axis=0).sum()) for one in subsets)
    )


def mixture(cost: Sequence[float], loss: Sequence[float], budget: float) -> np.ndarray:
    """Shares of policies, drawn at random for each example, of the least mean loss within a budget.

    At most two policies have a share. So what can be reached is the lower convex hull.

    Args:
        cost, loss: of each policy, ``(n,)``: heads and errors, or the other way round.
        budget: the most that the mean cost may be.

    Returns:
        ``(n,)``, which add up to one.

    Raises:
        ValueError: for no policies, or a budget below every cost.

    Example:
        >>> mixture([0.0, 4.0], [0.5, 0.0], budget=1.0)
        array([0.75, 0.25])
    """
    costs, losses = np.asarray(cost, float), np.asarray(loss, float)
    if costs.shape != losses.shape or costs.ndim != 1 or not len(costs):
        raise ValueError(
            f"cost has shape {costs.shape} and loss {losses.shape}; expected as many of each"
        )
    within = costs <= budget + TIE
    if not within.any():
        raise ValueError(f"budget is {budget}; expected at least {costs.min()}, the least cost")
    best = int(np.lexsort((costs, np.where(within, losses, np.inf)))[0])
    shares, least = np.eye(len(costs))[best], losses[best]
    for i in np.flatnonzero(within):
        for j in np.flatnonzero(~within):
            # (1 - s) cost_i + s cost_j = budget
            share = (budget - costs[i]) / (costs[j] - costs[i])
            value = (1 - share) * losses[i] + share * losses[j]
            if value < least - TIE:
                least = value
                shares = (1 - share) * np.eye(len(costs))[i] + share * np.eye(len(costs))[j]
    return shares


def _marginal(joint: np.ndarray, chosen: frozenset) -> np.ndarray:
    """Over the codes of some heads; the axes of all others have length one."""
    others = tuple(k + 1 for k in range(joint.ndim - 1) if k not in chosen)
    return joint.sum(axis=others, keepdims=True)


def _checked(joint: np.ndarray) -> range:
    """The heads of a distribution."""
    if joint.ndim < 2 or joint.shape[0] != 2:
        raise ValueError(f"joint has shape {joint.shape}; expected (2, a, ..., a)")
    if joint.min() < 0 or not np.isclose(joint.sum(), 1.0):
        raise ValueError(
            f"joint has the least entry {joint.min():g} and the sum {joint.sum():g}; "
            "expected probabilities"
        )
    return range(joint.ndim - 1)
