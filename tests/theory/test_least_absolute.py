"""Least absolute deviations against other solvers, brute force and its own invariances."""

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.linear_model import QuantileRegressor
from statsmodels.regression.quantile_regression import QuantReg

from abstractor_lib.theory.least_absolute import least_absolute_deviations

seeds = st.integers(0, 2**32 - 1)


def data(seed, rows, columns, problems, errors=0.2, noise=0.0):
    random = np.random.default_rng(seed)
    x, u = random.standard_normal((rows, columns)), random.standard_normal((problems, columns))
    y = u @ x.T + noise * random.standard_normal((problems, rows))
    gross = random.random(y.shape) < errors
    return x, y + gross * 10 * random.standard_cauchy(y.shape), u


def solve(x, y, penalty=0.0, **options):
    found = least_absolute_deviations(torch.from_numpy(x), torch.from_numpy(y), penalty, **options)
    return type(found)(*(part.numpy() for part in found))


def highs(x, y):
    """The optimum, from the dual linear program."""
    rows, columns = x.shape
    found = linprog(-y, A_eq=x.T, b_eq=np.zeros(columns), bounds=[(-1, 1)] * rows, method="highs")
    return -found.fun


def check_certificates(found, x, y):
    """Nothing of the solver's is trusted but u and v."""
    objective = np.abs(y - found.coefficients @ x.T).sum(axis=1)
    size = np.abs(y).sum(axis=1)
    assert (np.abs(found.dual) <= 1 + 1e-12).all()
    assert (np.abs(found.dual @ x) <= 1e-9 * np.abs(x).sum()).all()
    np.testing.assert_allclose(found.objective, objective, rtol=1e-9, atol=1e-12 * size.max())
    gap = objective - (found.dual * y).sum(axis=1)
    assert (gap <= 1e-9 * np.maximum(objective, 1e-3 * size)).all()


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize(("rows", "columns"), [(60, 5), (200, 20), (120, 60)])
def test_against_highs(rows, columns, noise):
    x, y, _ = data(0, rows, columns, 6, noise=noise)
    found = solve(x, y)
    for one, objective in zip(y, found.objective, strict=True):
        assert objective == pytest.approx(highs(x, one), rel=1e-8)
    assert found.relative_gap.max() <= 1e-9
    check_certificates(found, x, y)


def test_against_scikit_learn():
    x, y, _ = data(1, 80, 6, 4, noise=0.5)
    found = solve(x, y)
    for one, u in zip(y, found.coefficients, strict=True):
        known = QuantileRegressor(quantile=0.5, alpha=0, fit_intercept=False).fit(x, one)
        np.testing.assert_allclose(u, known.coef_, atol=1e-7)


def test_against_scikit_learn_with_a_penalty():
    """Theirs is the mean pinball loss, half of ours over n, plus alpha ||u||_1."""
    x, y, _ = data(2, 60, 20, 4, noise=0.5)
    for penalty in (0.5, 5.0, 30.0):
        found = solve(x, y, penalty)
        for one, u, objective in zip(y, found.coefficients, found.objective, strict=True):
            alpha = penalty / (2 * len(x))
            known = QuantileRegressor(quantile=0.5, alpha=alpha, fit_intercept=False).fit(x, one)
            value = np.abs(one - x @ known.coef_).sum() + penalty * np.abs(known.coef_).sum()
            assert objective == pytest.approx(value, rel=1e-8)
            np.testing.assert_allclose(u, known.coef_, atol=1e-6)


def test_against_statsmodels():
    x, y, _ = data(3, 100, 4, 3, noise=0.5)
    found = solve(x, y)
    for one, u in zip(y, found.coefficients, strict=True):
        known = QuantReg(one, x).fit(q=0.5, p_tol=1e-10, max_iter=5000)
        np.testing.assert_allclose(u, known.params, atol=1e-4)  # it iterates least squares


@settings(deadline=None, max_examples=30)
@given(seeds, st.integers(1, 3), st.integers(0, 6))
def test_against_every_vertex(seed, columns, more):
    """An optimum meets p rows: the best of all choices of p rows is the optimum."""
    x, y, _ = data(seed, columns + more, columns, 2, noise=1.0)
    found = solve(x, y)
    for one, objective in zip(y, found.objective, strict=True):
        vertices = [
            np.abs(one - x @ np.linalg.solve(x[list(rows)], one[list(rows)])).sum()
            for rows in combinations(range(len(x)), columns)
            if np.linalg.cond(x[list(rows)]) < 1e8
        ]
        assert objective <= min(vertices) * (1 + 1e-8) + 1e-9 * np.abs(one).sum()
    check_certificates(found, x, y)


def test_the_median_and_weighted_medians():
    y = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, -1.0]])
    assert solve(np.ones((3, 1)), y).coefficients[:, 0] == pytest.approx([2.0, 5.0])
    weighted = solve(np.array([[1.0], [1.0], [4.0]]), np.array([[3.0, 1.0, 8.0]]))
    assert weighted.coefficients[0, 0] == pytest.approx(2.0)  # the third row weighs most


@settings(deadline=None, max_examples=20)
@given(seeds)
def test_invariances(seed):
    """Rows in another order, another scale of y, y shifted by X c, columns recombined."""
    random = np.random.default_rng(seed)
    x, y, _ = data(seed, 40, 4, 3, noise=0.5)
    u, c, mix = solve(x, y).coefficients, random.standard_normal(4), random.standard_normal((4, 4))
    mix += 3 * np.eye(4)
    order = random.permutation(40)
    np.testing.assert_allclose(solve(x[order], y[:, order]).coefficients, u, atol=1e-7)
    np.testing.assert_allclose(solve(x, 1e6 * y).coefficients, 1e6 * u, rtol=1e-6, atol=1e-1)
    np.testing.assert_allclose(solve(x, y + x @ c).coefficients, u + c, atol=1e-6)
    np.testing.assert_allclose(solve(x @ mix, y).coefficients @ mix.T, u, atol=1e-6)


@pytest.mark.parametrize("errors", [0.05, 0.2])
def test_clean_rows_are_recovered_to_rounding(errors):
    x, y, u = data(4, 200, 10, 50, errors=errors)
    found = solve(x, y)
    np.testing.assert_allclose(found.coefficients, u, atol=1e-9)
    assert found.exact.mean() > 0.9


def test_problems_that_are_met_fully_or_zero():
    x, _, u = data(5, 30, 4, 3)
    y = np.concatenate([u @ x.T, np.zeros((1, 30)), 1e-200 * (u @ x.T)])
    found = solve(x, y)
    np.testing.assert_allclose(found.coefficients[:3], u, atol=1e-10)
    assert np.abs(found.coefficients[3:]).max() < 1e-150
    assert found.relative_gap.max() <= 1e-9


def test_as_many_rows_as_columns_and_more_columns_with_a_penalty():
    x, y, u = data(6, 8, 8, 3, errors=0)
    np.testing.assert_allclose(solve(x, y).coefficients, u, atol=1e-8)
    wide, y, _ = data(7, 10, 25, 3)
    found = solve(wide, y, penalty=0.1)
    assert found.dual.shape == (3, 35) and found.relative_gap.max() <= 1e-9


def test_chunks_change_nothing(monkeypatch):
    x, y, _ = data(8, 50, 5, 20, noise=0.3)
    whole = solve(x, y)
    monkeypatch.setattr("abstractor_lib.theory.together.WORKING_SET", 200)
    parts = solve(x, y)
    np.testing.assert_allclose(parts.coefficients, whole.coefficients, atol=1e-9)
    np.testing.assert_allclose(parts.objective, whole.objective, rtol=1e-12)


def test_few_iterations_are_told_by_the_gap():
    x, y, _ = data(9, 200, 40, 3, noise=0.5)
    found = solve(x, y, iterations=2)
    assert found.iterations.tolist() == [2, 2, 2] and not found.exact.all()
    assert found.relative_gap.max() > 1e-6
    best = np.array([highs(x, one) for one in y])
    assert (found.objective - found.gap <= best * (1 + 1e-12)).all()  # a bound all the same
    assert (found.objective >= best * (1 - 1e-12)).all()


def test_bad_input():
    x, y, _ = data(10, 20, 3, 2)
    gap, hole = y.copy(), x.copy()
    gap[0, 3], hole[2, 1] = np.nan, np.inf
    for given_x, given_y, options, message in [
        (x, gap, {}, "y holds values that are not finite"),
        (hole, y, {}, "x holds values that are not finite"),
        (x, y[:0], {}, r"y has shape \(0, 20\); expected \(R, d\), none of them zero"),
        (x[:0], y[:, :0], {}, r"x has shape \(0, 3\)"),
        (x, y[:, 1:], {}, r"y has shape \(2, 19\); expected \(R, 20\), as x has rows"),
        (x.astype(np.float32), y, {}, "x has dtype torch.float32; expected torch.float64"),
        (x, y, {"penalty": -1.0}, "penalty is -1.0; expected a finite number of at least 0"),
        (x, y, {"tolerance": 0.0}, "tolerance is 0.0; expected a number between 0 and 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            solve(given_x, given_y, **options)
