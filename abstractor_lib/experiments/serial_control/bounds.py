"""The best that any rule can do in a world of given heads, computed without data or training."""

from functools import cache

import numpy as np

from ...tasks.set_heads import HEADS, World, joint
from ...theory.serial import Reached, best_rule, best_subset, mixture
from .arms import BUDGETS, TOLERANCE, rankings
from .settings import PRICES

FINE = tuple(np.geomspace(0.001, 0.6, 60))  # prices whose policies are mixed


@cache
def best(world: World) -> dict[str, float]:
    """Of the rules ``best_adaptive``, ``best_static`` (the best ranking for each price),
    ``best_random`` and ``best_subset``: ``heads`` and ``area``, by the names of `run`; of the first
    also the points of its curve.

    Example:
        >>> found = best(World())  # 2.2125 heads lose 0.0125, 2.7125 lose nothing
        >>> round(found["best_adaptive_heads"], 4)
        2.3125
    """
    codes = joint(world)
    ends = [best_subset(codes, 0), best_subset(codes, HEADS)]
    orders = rankings(HEADS)

    def static(price: float) -> Reached:
        tried = (best_rule(codes, price, "static", order) for order in orders)
        return min(tried, key=lambda one: one.error + price * one.heads)

    rules = {
        "best_adaptive": lambda price: best_rule(codes, price, "adaptive"),
        "best_static": static,
        "best_random": lambda price: best_rule(codes, price, "random"),
    }
    found = {}
    for name, rule in rules.items():
        found |= _measured(name, list(map(rule, FINE)) + ends)
    found |= _measured("best_subset", [best_subset(codes, count) for count in range(HEADS + 1)])
    for number, one in enumerate(map(rules["best_adaptive"], PRICES)):
        found[f"best_adaptive_heads_{number}"] = one.heads
        found[f"best_adaptive_accuracy_{number}"] = 1 - one.error
    return found


def _measured(name: str, points: list[Reached]) -> dict[str, float]:
    heads, errors = np.array(points).T
    least = min(errors)  # with all heads
    shares = mixture(errors, heads, least + TOLERANCE)
    areas = [1 - mixture(heads, errors, budget) @ errors for budget in BUDGETS]
    return {f"{name}_heads": float(shares @ heads), f"{name}_area": float(np.mean(areas))}
