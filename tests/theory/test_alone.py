"""One quantile regression by itself, sparse designs, and designs whose columns are dependent."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import LinAlgWarning
from scipy.optimize import linprog, lsq_linear
from sklearn.linear_model import QuantileRegressor

from abstractor_lib.theory import quantile_programs as programs
from abstractor_lib.theory.quantile_programs import quantile_programs
from abstractor_lib.theory.quantile_regression import (
    BatchedQuantileRegressor,
    bootstrapped_quantiles,
)
from abstractor_lib.theory.recovery import (
    RobustRelationRecovery,
    SparseRobustRelationRecovery,
    pivotal_penalty,
)

FORMATS = [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array]
wider = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1)
quantiles = st.sampled_from([0.07, 0.31, 0.5, 0.83])


def design(seed, n, p, filled=0.4):
    """Features of which most are zero, and targets without ties."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, p)) * (random.random((n, p)) < filled)
    return x, random.standard_normal(n) + (random.random(n) < 0.2) * random.standard_cauchy(n)


def optimum(x, y, quantile):
    """The least cost, by HiGHS on the dual."""
    bounds = [(quantile - 1, quantile)] * len(x)
    found = linprog(-y, A_eq=x.T, b_eq=np.zeros(x.shape[1]), bounds=bounds, method="highs")
    return -found.fun


def cost(x, y, u, quantile):
    left = y - x @ u
    return np.maximum(quantile * left, (quantile - 1) * left).sum()


def lacks(x, y, u, quantile):
    """How far zero is from the subgradients of the cost at u. Rows that are met may have any dual
    within the bounds, others have it at one."""
    left = y - x @ u
    met = np.abs(left) <= 1e-9 * (np.abs(y) + np.abs(x) @ np.abs(u))
    fixed = x[~met].T @ np.where(left[~met] > 0, quantile, quantile - 1)
    if not met.any():
        return np.abs(fixed).max()
    best = lsq_linear(x[met].T, -fixed, bounds=(quantile - 1, quantile), tol=1e-14)
    return np.abs(x[met].T @ best.x + fixed).max()


def model(quantile=0.5, **options):
    return BatchedQuantileRegressor(quantile=quantile, alpha=0, fit_intercept=False, **options)


@wider
@given(seeds, st.integers(12, 60), st.integers(1, 6), quantiles, st.sampled_from(FORMATS))
def test_sparse_equals_dense(seed, n, p, quantile, form):
    x, y = design(seed, n, p)
    x[:p] += 3 * np.eye(p)  # independent columns
    dense, found = model(quantile).fit(x, y), model(quantile).fit(form(x), y)
    np.testing.assert_allclose(found.coef_, dense.coef_, atol=1e-8)
    np.testing.assert_allclose(found.predict(form(x)), dense.predict(x), atol=1e-8)
    assert max(found.gap_, dense.gap_) <= 1e-9
    assert lacks(x, y, found.coef_, quantile) < 1e-7 * np.abs(x).sum()


@pytest.mark.parametrize("form", FORMATS)
def test_sparse_targets_weights_penalties_and_intercept(form):
    x, y = design(0, 80, 5)
    y = np.stack([y, y[::-1], y**2, -y, np.roll(y, 3)], axis=1)
    weights = np.random.default_rng(1).integers(0, 3, 80)
    for alpha in (0.0, 0.02):
        one = BatchedQuantileRegressor(quantile=0.31, alpha=alpha)
        dense = [one.fit(x, y, weights).coef_, one.intercept_, one.score(x, y)]
        found = [one.fit(form(x), y, weights).coef_, one.intercept_, one.score(form(x), y)]
        for mine, other in zip(found, dense, strict=True):
            np.testing.assert_allclose(mine, other, atol=1e-8)


@pytest.mark.first(2)
@pytest.mark.parametrize("form", FORMATS)
def test_sparse_recovery_and_bootstrap(form):
    x, y = design(2, 60, 4)
    wide, target = design(3, 20, 40)
    for estimator, symbols, states in (
        (RobustRelationRecovery(), x, y),
        (SparseRobustRelationRecovery(), wide, target),
        (SparseRobustRelationRecovery("cv"), x, np.stack([y, -y], axis=1)),
    ):
        dense, found = (estimator.fit(given, states).coef_ for given in (symbols, form(symbols)))
        np.testing.assert_allclose(found, dense, atol=1e-8)
    assert pivotal_penalty(form(x)) == pytest.approx(pivotal_penalty(x))
    draws = [bootstrapped_quantiles(given, y, [0.31], samples=5) for given in (x, form(x))]
    np.testing.assert_allclose(*draws, atol=1e-8)


@wider
@given(seeds, st.integers(1, 30), st.integers(1, 8), quantiles, st.sampled_from(["csr", "dense"]))
def test_any_rank_is_optimal(seed, n, p, quantile, form):
    """Repeated columns, columns of zeros, more columns than rows."""
    x, y = design(seed, n, p)
    random = np.random.default_rng(seed)
    x = x[:, random.integers(0, p, p)]
    given_x = sparse.csr_array(x) if form == "csr" else x
    if np.linalg.matrix_rank(x) < p:
        with pytest.warns(LinAlgWarning, match=f"{np.linalg.matrix_rank(x)} are independent"):
            found = model(quantile).fit(given_x, y)
    else:
        found = model(quantile).fit(given_x, y)
    assert found.gap_ <= 1e-9
    assert cost(x, y, found.coef_, quantile) == pytest.approx(optimum(x, y, quantile), abs=1e-9)
    assert lacks(x, y, found.coef_, quantile) < 1e-7 * max(np.abs(x).sum(), 1)


@wider
@given(seeds, st.integers(0, 4), st.floats(-5, 5).filter(lambda k: abs(k) > 0.01))
def test_a_multiple_of_a_column(seed, column, factor):
    """The answer is one of those without that column, to which it gives the coefficient 0."""
    x, y = design(seed, 50, 5)
    x[:5] += 3 * np.eye(5)
    more = np.column_stack([factor * x[:, column], x])
    for given_x in (more, sparse.csr_array(more)):
        with pytest.warns(LinAlgWarning, match="have the coefficient 0: 0"):
            found = model(0.31).fit(given_x, y)
        np.testing.assert_allclose(found.coef_, [0, *model(0.31).fit(x, y).coef_], atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, *FORMATS])
def test_the_dummy_variable_trap_and_a_constant_column(form):
    random = np.random.default_rng(4)
    trap = np.eye(4)[random.integers(0, 4, 90)]
    constant = np.column_stack([random.standard_normal(90), np.full(90, 7.0)])
    y = random.standard_normal(90)
    for x, left in ((trap, 0), (constant, 1)):
        with pytest.warns(LinAlgWarning, match=f"have the coefficient 0: {left}"):
            found = BatchedQuantileRegressor(quantile=0.31, alpha=0).fit(form(x), y)
        theirs = QuantileRegressor(quantile=0.31, alpha=0).fit(x, y)
        assert found.coef_[left] == 0 and found.exact_
        np.testing.assert_allclose(found.predict(form(x)), theirs.predict(x), atol=1e-7)


def test_dependent_columns_without_a_penalty_beside_some_with_one():
    x, y = design(5, 40, 3)
    x = torch.from_numpy(np.column_stack([x, x[:, 0], x[:, 1]]))
    penalty = torch.tensor([0.3, 0.3, 0.0, 0.3, 0.3], dtype=torch.float64)
    found = quantile_programs(x, torch.from_numpy(y[None]), penalty=penalty)  # no warning
    assert found.relative_gap.item() <= 1e-9
    some = torch.tensor([0.0, 0.3, 0.3, 0.0, 0.3], dtype=torch.float64)
    with pytest.warns(LinAlgWarning, match="have the coefficient 0: 0"):
        first = quantile_programs(x, torch.from_numpy(y[None]), penalty=some)
    without = quantile_programs(x[:, 1:], torch.from_numpy(y[None]), penalty=some[1:])
    assert first.objective.item() == pytest.approx(without.objective.item(), rel=1e-9)


def test_a_sparse_design_stays_sparse(monkeypatch):
    """No more than blocks of its rows, and the normal matrix, are ever dense."""
    made = []

    def toarray(self, *given, **options):
        made.append(self.shape)
        return dense(self, *given, **options)

    dense = sparse.csr_array.toarray
    monkeypatch.setattr(sparse.csr_array, "toarray", toarray)
    monkeypatch.setattr("abstractor_lib.theory.rank.BLOCK", 1000)
    monkeypatch.setattr(programs, "together", None)  # what takes dense designs is not called
    random = np.random.default_rng(6)
    x = sparse.random_array((4000, 12), density=0.1, rng=random, format="csr")
    x = sparse.hstack([x, x[:, :1]], format="csr")
    y = torch.from_numpy(random.standard_normal((2, 4000)))
    with pytest.warns(LinAlgWarning, match="12 are independent"):
        found = quantile_programs(x, y, 0.31)
    assert found.exact.all()
    assert max(rows for rows, _ in made) <= 1000 // 13


def test_a_sparse_design_is_left_as_it_was():
    twice = sparse.csr_array((np.ones(5), [0, 0, 1, 0, 1], [0, 2, 3, 5]), shape=(3, 2))
    before = [part.copy() for part in (twice.data, twice.indices, twice.indptr)]
    y = torch.tensor([[2.0, 3.0, 4.0]], dtype=torch.float64)
    found = quantile_programs(twice, y)
    dense = quantile_programs(torch.from_numpy(twice.toarray()), y)
    torch.testing.assert_close(found.coefficients, dense.coefficients, rtol=1e-12, atol=0)
    for part, old in zip((twice.data, twice.indices, twice.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_bad_input():
    x, y = design(7, 20, 3)
    given_y = torch.from_numpy(y[None])
    hole = x.copy()
    hole[2, 1] = np.nan
    for given_x, message in [
        (sparse.csr_array(hole), "x holds values that are not finite"),
        (sparse.csr_array(x.astype(np.float32)), "x has dtype float32; expected float64"),
        (sparse.csr_array(x[:19]), r"y has shape \(1, 20\); expected \(R, 19\)"),
        (sparse.csr_array((0, 3)), r"x has shape \(0, 3\); expected \(d, p\)"),
        (torch.from_numpy(x).to_sparse(), "x is a sparse tensor; expected a dense one"),
        (x, "x is of type ndarray; expected a tensor or a sparse matrix or array of scipy"),
    ]:
        with pytest.raises(ValueError, match=message):
            quantile_programs(given_x, given_y)
