"""Quantile regression against scikit-learn's, one problem at a time, and its checks."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.linalg import LinAlgWarning
from scipy.sparse import csr_array
from scipy.stats import norm
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from abstractor_lib.theory.quantile_programs import quantile_programs
from abstractor_lib.theory.quantile_regression import (
    BatchedQuantileRegressor,
    bootstrapped_quantiles,
)


@parametrize_with_checks([BatchedQuantileRegressor()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def objective(model, X, y, weights):
    loss = mean_pinball_loss(y, model.predict(X), alpha=model.quantile, sample_weight=weights)
    return loss + model.alpha * np.abs(model.coef_).sum()


@pytest.mark.parametrize("quantile", [0.07, 0.53, 0.81])  # no interval of quantiles
@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_against_scikit_learn(quantile, alpha, fit_intercept):
    random = np.random.default_rng(0)
    X, y = random.standard_normal((80, 5)), random.standard_cauchy(80)
    weights = random.integers(0, 3, 80).astype(float)
    settings = {"quantile": quantile, "alpha": alpha, "fit_intercept": fit_intercept}
    for given in (None, weights):
        ours = BatchedQuantileRegressor(**settings).fit(X, y, given)
        theirs = QuantileRegressor(**settings).fit(X, y, given)
        assert objective(ours, X, y, given) == pytest.approx(
            objective(theirs, X, y, given), rel=1e-9
        )
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-7)


def test_many_targets_are_the_same_as_one_by_one():
    random = np.random.default_rng(1)
    X, y = random.standard_normal((60, 4)), random.standard_normal((60, 7))
    whole = BatchedQuantileRegressor(quantile=0.31, alpha=0.05).fit(X, y)
    assert whole.coef_.shape == (7, 4) and whole.predict(X).shape == (60, 7)
    for k, target in enumerate(y.T):
        one = BatchedQuantileRegressor(quantile=0.31, alpha=0.05).fit(X, target)
        np.testing.assert_allclose(whole.coef_[k], one.coef_, atol=1e-10)
        assert whole.intercept_[k] == pytest.approx(one.intercept_, abs=1e-10)


def test_weights_and_quantiles_of_each_problem():
    """A row of weight k is the row k times; a row of weight 0 is none."""
    random = np.random.default_rng(2)
    x, y = random.standard_normal((50, 3)), random.standard_normal(50)
    counts = random.integers(0, 4, (6, 50))
    quantiles = np.linspace(0.1, 0.9, 6)
    found = quantile_programs(
        torch.from_numpy(x),
        torch.from_numpy(np.tile(y, (6, 1))),
        torch.from_numpy(quantiles),
        weights=torch.from_numpy(counts.astype(float)),
    )
    assert found.relative_gap.max() <= 1e-9
    for k, (count, quantile) in enumerate(zip(counts, quantiles, strict=True)):
        rows = np.repeat(np.arange(50), count)
        alone = QuantileRegressor(quantile=quantile, alpha=0, fit_intercept=False)
        alone.fit(x[rows], y[rows])
        cost = len(rows) * mean_pinball_loss(y[rows], alone.predict(x[rows]), alpha=quantile)
        assert found.objective[k].item() == pytest.approx(cost, rel=1e-9)
        v = found.dual[k].numpy()
        assert np.abs(v @ x).max() < 1e-12
        assert (v <= count * quantile + 1e-12).all() and (v >= count * (quantile - 1) - 1e-12).all()


def test_bootstrapped_median_has_its_known_spread():
    """The sample median of n normal numbers has a standard deviation of sqrt(pi / 2 n)."""
    y = norm.ppf((np.arange(400) + 0.5) / 400)
    draws = bootstrapped_quantiles(np.zeros((400, 0)), y, [0.5], samples=400)[:, 0, 0]
    assert draws.std() == pytest.approx(np.sqrt(np.pi / 800), rel=0.2)


def test_bootstrap_on_a_shipped_data_set():
    X, y = load_diabetes(return_X_y=True)
    draws = bootstrapped_quantiles(X, y, [0.1, 0.5, 0.9], samples=20)
    whole = BatchedQuantileRegressor(alpha=0).fit(X, y)
    assert draws.shape == (20, 3, 11)
    low, high = np.quantile(draws[:, 1], [0, 1], axis=0)
    assert (low[:-1] <= whole.coef_).all() and (whole.coef_ <= high[:-1]).all()


def test_what_is_not_solved_is_told():
    random = np.random.default_rng(3)
    X, y = random.standard_normal((300, 60)), random.standard_normal(300)
    with pytest.warns(ConvergenceWarning, match="1 of 1 problems have a relative duality gap"):
        BatchedQuantileRegressor(alpha=0, max_iter=1).fit(X, y)


def test_the_score_of_a_perfect_answer():
    random = np.random.default_rng(4)
    X = random.standard_normal((60, 3))
    y = X @ [1.0, 2.0, 3.0] + 4
    assert BatchedQuantileRegressor(alpha=0).fit(X, y).score(X, y) == pytest.approx(1)


def test_bad_parameters():
    X, y = np.eye(4), np.arange(4.0)
    for settings, message in [
        ({"quantile": 1.0}, "quantile is 1.0; expected a number above 0, below 1"),
        ({"alpha": -1.0}, "alpha is -1.0; expected a number of at least 0"),
        ({"max_iter": 0}, "max_iter is 0; expected an integer of at least 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            BatchedQuantileRegressor(**settings).fit(X, y)


def test_weights_that_leave_a_coefficient_open():
    x = torch.tensor([[1.0, 0], [1, 0], [1, 0], [1, 1], [1, 1]], dtype=torch.float64)
    y = torch.arange(5, dtype=torch.float64)[None]
    few = torch.tensor([1.0, 1, 1, 0, 0], dtype=torch.float64)
    enough = torch.tensor([1.0, 1, 1, 0, 2], dtype=torch.float64)
    expected = torch.tensor([[1.0, 3.0]], dtype=torch.float64)
    for given in (x, csr_array(x.numpy())):
        with pytest.raises(ValueError, match="too few rows of a problem"):
            quantile_programs(given, y, weights=few[None])
        with pytest.warns(LinAlgWarning, match="have the coefficient 0: 1"):  # the same for all
            found = quantile_programs(given, y, weights=few).coefficients
        assert found.round(decimals=12).tolist() == [[1.0, 0.0]]
        for weights in (enough, enough[None]):
            found = quantile_programs(given, y, weights=weights).coefficients
            torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)


def test_bootstrap_of_data_that_do_not_fit():
    with pytest.raises(ValueError, match=r"expected \(n, p\) and \(n,\)"):
        bootstrapped_quantiles(np.zeros((5, 1)), np.zeros(4), [0.5])
    with pytest.raises(ValueError, match="y holds no value"):
        bootstrapped_quantiles(np.zeros((0, 1)), np.zeros(0), [0.5])
    rare = np.eye(50)[:, :1]  # one patient alone has it
    with pytest.raises(ValueError, match="too few rows"):
        bootstrapped_quantiles(rare, np.arange(50.0), [0.5], samples=50)


def test_the_page_says_what_was_measured():
    """docs/library.md: solvers of one problem at a time take more than twenty times as long."""
    root = Path(__file__).parents[2]
    assert "more than twenty times as long" in (root / "docs" / "library.md").read_text()
    table = (root / "tests" / "benchmarks" / "least_absolute.txt").read_text()
    rows = re.findall(r"^(?:HiGHS|scikit-learn).*, times ours +([\d. ]+)$", table, re.MULTILINE)
    assert len(rows) == 3
    assert min(float(number) for row in rows for number in row.split()) > 20
    assert float(re.search(r"statsmodels: .* (\d+\.\d) times ours", table)[1]) > 20


def test_the_page_says_what_was_measured_of_one_problem():
    """docs/library.md: more than twice, four times, ten times and fifty times as long."""
    root = Path(__file__).parents[2]
    page = " ".join((root / "docs" / "library.md").read_text(encoding="utf-8").split())
    assert (
        "HiGHS takes more than twice as long, and scikit-learn's estimator more than four" in page
    )
    assert "At 1,000 x 128, each takes more than ten times as long" in page
    assert "with 10,000 rows, scikit-learn takes more than fifty times as long" in page
    table = (root / "tests" / "benchmarks" / "quantile_regression_alone.txt").read_text()
    rows = re.findall(
        r"^(HiGHS|scikit-learn).* times ours.* ([\d.e+]+) +[\d.e+]+ +([\d.e+]+)$", table, re.M
    )
    assert [name for name, *_ in rows] == ["HiGHS", "HiGHS", "scikit-learn"]
    least = {"HiGHS": 2, "scikit-learn": 4}
    assert all(float(small) > least[name] and float(large) > 10 for name, small, large in rows)
    assert float(re.search(r"scikit-learn \(HiGHS\): .* (\d+\.\d) times ours", table)[1]) > 50
