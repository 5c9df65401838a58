"""The best rules of serial evaluation, against closed forms, enumeration and plays."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from abstractor_lib.tasks.set_heads import World, joint
from abstractor_lib.theory import serial

EXACT = joint(World())


def random_joint(seed, heads=2, codes=2):
    found = np.random.default_rng(seed).dirichlet(np.full(2 * codes**heads, 0.5))
    return found.reshape(2, *(codes,) * heads)


def test_who_never_errs_on_set_against_the_closed_form():
    """SETs need all heads but where three times all cards agree, 1 of 40 SETs: then the fourth
    attribute differs, as cards do. Others are refused at the first broken attribute: after k valid
    ones (3^(4 - k) - 1) / 80 are left."""
    others = sum((3 ** (4 - k) - 1) / 80 for k in range(4))
    found = serial.best_rule(EXACT, 1e-3)
    assert found == pytest.approx(((4 - 1 / 40 + others) / 2, 0.0), abs=1e-12)
    assert others == pytest.approx(1.45)


@pytest.mark.parametrize(("price", "valid"), [(0.05, 3), (0.1, 2), (0.25, 1)])
def test_who_calls_a_set_early_against_the_closed_form(price, valid):
    left = [(3 ** (4 - k) - 1) / 80 for k in range(5)]
    found = serial.best_rule(EXACT, price)
    assert found == pytest.approx(((valid + sum(left[:valid])) / 2, left[valid] / 2), abs=1e-12)


def test_no_order_is_better_than_another_where_heads_are_exchangeable():
    for price in (0.01, 0.05, 0.1):
        best = serial.best_rule(EXACT, price)
        orders = [serial.best_rule(EXACT, price, "static", one) for one in permutations(range(4))]
        assert np.allclose([*orders, serial.best_rule(EXACT, price, "random")], [best] * 25)


def policies(heads, codes):
    """All certain rules of two heads: what to do first, and then for each code."""
    for first in range(heads + 1):
        for then in product((False, True), repeat=codes if first < heads else 0):
            yield first, then


@given(st.integers(0, 10_000), st.floats(0.01, 0.5))
@settings(max_examples=25, deadline=None)
def test_backward_induction_against_enumeration(seed, price):
    known = random_joint(seed)
    costs = []
    for first, then in policies(2, 2):
        if first == 2:
            costs.append(known.sum(axis=(1, 2)).min())
            continue
        by_first = np.moveaxis(known, first + 1, 1)  # (2, a, a)
        cost = price
        for code, goes in enumerate(then):
            part = by_first[:, code]
            cost += part.min(axis=0).sum() + price * part.sum() if goes else part.sum(axis=1).min()
        costs.append(cost)
    found = serial.best_rule(known, price)
    assert found.error + price * found.heads == pytest.approx(min(costs), abs=1e-9)


@given(st.integers(0, 10_000), st.floats(0.01, 0.5))
@settings(max_examples=15, deadline=None)
def test_more_freedom_never_costs_more(seed, price):
    known = random_joint(seed, heads=3, codes=2)

    def cost(*arguments):
        found = serial.best_rule(known, price, *arguments)
        return found.error + price * found.heads

    orders = [cost("static", one) for one in permutations(range(3))]
    fixed = [serial.best_subset(known, k) for k in range(4)]
    assert cost("adaptive") <= min(orders) + 1e-9
    assert cost("adaptive") <= cost("random") + 1e-9
    assert min(orders) <= min(one.error + price * one.heads for one in fixed) + 1e-9


@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
@settings(max_examples=25, deadline=None)
def test_mixtures_against_linear_programming(seed, where):
    random = np.random.default_rng(seed)
    cost, loss = random.random((2, 7))
    budget = cost.min() + where
    shares = serial.mixture(cost, loss, budget)
    ones = np.ones((1, 7))
    wanted = linprog(loss, A_ub=cost[None], b_ub=[budget], A_eq=ones, b_eq=[1.0], bounds=(0, 1))
    assert shares.min() >= 0 and shares.sum() == pytest.approx(1.0)
    assert shares @ cost <= budget + 1e-9
    assert shares @ loss == pytest.approx(wanted.fun, abs=1e-7)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: serial.best_rule(EXACT, 0.0), "price is 0.0"),
        (lambda: serial.best_rule(EXACT, 0.1, "greedy"), "rule is 'greedy'"),
        (lambda: serial.best_rule(EXACT, 0.1, "static"), r"order is \[\]"),
        (lambda: serial.best_rule(2 * EXACT, 0.1), "the sum 2"),
        (lambda: serial.best_rule(np.ones((3, 2)) / 6, 0.1), r"joint has shape \(3, 2\)"),
        (lambda: serial.best_subset(EXACT, 5), "count is 5"),
        (lambda: serial.mixture([1.0], [0.0], 0.5), "budget is 0.5"),
        (lambda: serial.mixture([1.0], [0.0, 1.0], 0.5), "expected as many"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
