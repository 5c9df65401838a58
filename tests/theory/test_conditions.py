"""Conditions A and B against brute force on small symbols and closed forms on large ones."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from abstractor_lib.theory.conditions import (
    Bounds,
    Conditions,
    conditions,
    lower_kappa,
    sigma,
    theorem_left_side,
    worst_sigma,
)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_worst_signs_against_all_signs(seed, m):
    random = np.random.default_rng(seed)
    symbols = random.standard_normal((8, m))
    every = np.array(list(product([-1.0, 1.0], repeat=8)))
    worst = sigma(symbols, every).max()
    found = worst_sigma(symbols, random.choice([-1.0, 1.0], (64, 8)))
    assert found.low <= worst * (1 + 1e-12) and worst <= found.high * (1 + 1e-12)
    assert found.low > 0.9 * worst


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_lower_kappa_holds_the_least_found_by_search(seed, m):
    random = np.random.default_rng(seed)
    symbols = random.standard_normal((12, m))
    found = lower_kappa(symbols)

    def value(direction):
        return np.abs(symbols @ direction).sum() / np.linalg.norm(direction) / 12

    draws = random.standard_normal((2000, m))
    start = min(draws, key=value)
    least = minimize(value, start, method="Nelder-Mead").fun
    assert found.low <= found.high * (1 + 1e-9)
    assert found.low <= least * (1 + 1e-9)


def test_no_direction_near_the_upper_bound_is_better():
    """Each of many starts is improved by steps along subgradients; none gets below the bound."""
    random = np.random.default_rng(0)
    symbols = random.standard_normal((60, 8))
    found = lower_kappa(symbols)
    units = random.standard_normal((2000, 8))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    plain = min(np.abs(symbols @ unit).sum() for unit in units) / 60
    for step in np.geomspace(0.3, 1e-3, 300):
        slope = np.sign(units @ symbols.T) @ symbols / 60
        units = units - step * slope
        units /= np.linalg.norm(units, axis=1, keepdims=True)
    best = np.abs(units @ symbols.T).sum(axis=1).min() / 60
    assert found.high <= 1.02 * best
    assert found.high < plain


def test_gaussian_symbols_have_their_known_constants():
    """For N(0, 1) rows: E|s'D| = sqrt(2 / pi), largest singular value 1 + sqrt(m / d), and
    ||(1/d) sum c_i s_i||^2 is m / d on average."""
    symbols = np.random.default_rng(0).standard_normal((2000, 5))
    found = conditions(symbols)
    assert found.kappa_low.low < (2 / np.pi) ** 0.5 < 1.1 * found.kappa_low.high
    assert found.kappa_low.high == pytest.approx((2 / np.pi) ** 0.5, rel=0.06)
    assert found.kappa_high == pytest.approx(1 + (5 / 2000) ** 0.5, rel=0.03)
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (4000, 2000))
    assert (sigma(symbols, signs) ** 2).mean() == pytest.approx(1, rel=0.1)
    assert found.sigma_fixed < found.sigma.low <= found.sigma.high


def test_one_column_is_known_exactly():
    column = np.array([[1.0], [-3.0], [2.0]])
    assert lower_kappa(column) == Bounds(2.0, 2.0)


def test_the_left_side_grows_with_errors_and_falls_with_rows():
    given = Conditions(1.0, Bounds(1.5, 2.0), Bounds(0.4, 0.8), 1.1)
    values = [theorem_left_side(given, 1000, 10, errors) for errors in (0.0, 0.2, 0.4)]
    assert values == sorted(values)
    assert theorem_left_side(given, 4000, 10, 0.2) < values[1]
    assert theorem_left_side(given, 1000, 10, 0.2, worst=True) > values[1]


@pytest.mark.parametrize("errors", [1.5, 1.0, -0.1, np.nan])
def test_the_left_side_is_of_shares_of_errors_below_one(errors):
    given = Conditions(1.0, Bounds(1.5, 2.0), Bounds(0.4, 0.8), 1.1)
    with pytest.raises(ValueError, match=r"errors is .*; expected a number in \[0, 1\)"):
        theorem_left_side(given, 1000, 10, errors)


@pytest.mark.parametrize("columns", [0, 5, 11])
def test_the_left_side_is_of_as_many_rows_as_columns_at_least(columns):
    given = Conditions(1.0, Bounds(1.5, 2.0), Bounds(0.4, 0.8), 1.1)
    with pytest.raises(ValueError, match=f"columns is {columns}; expected 1 to rows, 4"):
        theorem_left_side(given, 4, columns, 0.1)


def test_bad_symbols():
    with pytest.raises(ValueError, match="symbols is not a matrix of finite numbers"):
        conditions(np.array([[1.0], [np.nan]]))
    wide, column = np.random.default_rng(0).normal(size=(3, 4)), np.arange(5.0)[:, None]
    for dependent in (wide, np.hstack([column, 1 - column, column + 2])):
        with pytest.raises(ValueError, match=r"symbols has . columns and rank .; expected indep"):
            conditions(dependent)
