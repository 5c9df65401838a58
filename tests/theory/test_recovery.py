"""The estimators of robust recovery: scikit-learn's checks, recovery, penalties."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import QuantileRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from abstractor_lib.theory.recovery import (
    RobustRelationRecovery,
    SparseRobustRelationRecovery,
    pivotal_penalty,
)


@parametrize_with_checks([RobustRelationRecovery(), SparseRobustRelationRecovery()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def sparse(seed, d=120, m=200, k=3, states=4, errors=0.05):
    random = np.random.default_rng(seed)
    symbols = random.standard_normal((d, m))
    relations = np.zeros((states, m))
    for row in relations:
        row[random.choice(m, k, replace=False)] = random.dirichlet(np.full(k, 30.0))
    given = symbols @ relations.T
    gross = random.random(given.shape) < errors
    return symbols, relations, given + gross * random.standard_cauchy(given.shape) * 5


def test_corrupted_states_give_their_relations():
    random = np.random.default_rng(0)
    symbols, relations = random.standard_normal((120, 8)), random.dirichlet(np.ones(8), 5)
    states = symbols @ relations.T
    states[random.random(states.shape) < 0.2] *= -50
    found = RobustRelationRecovery().fit(symbols, states)
    np.testing.assert_allclose(found.coef_, relations, atol=1e-10)
    assert found.gap_.max() <= 1e-9 and found.dual_.shape == (5, 120)
    one = RobustRelationRecovery().fit(symbols, states[:, 0])
    np.testing.assert_allclose(one.coef_, relations[0], atol=1e-10)
    assert one.predict(symbols).shape == (120,)


def test_sparse_relations_over_more_symbols_than_dimensions():
    symbols, relations, states = sparse(0)
    found = SparseRobustRelationRecovery(penalty="cv").fit(symbols, states)
    plain = SparseRobustRelationRecovery().fit(symbols, states)
    for coef in (found.coef_, plain.coef_):
        largest = np.argsort(-np.abs(coef), axis=1)[:, :3]
        assert [set(row) for row in largest] == [set(np.flatnonzero(row)) for row in relations]
    assert np.abs(found.coef_ - relations).max() < 0.05
    assert found.penalty_ < plain.penalty_


def test_against_scikit_learn_at_the_penalty_it_chose():
    symbols, _, states = sparse(1, d=40, m=60, states=1)
    found = SparseRobustRelationRecovery().fit(symbols, states[:, 0])
    alpha = found.penalty_ / (2 * len(symbols))
    known = QuantileRegressor(quantile=0.5, alpha=alpha, fit_intercept=False)
    known.fit(symbols, states[:, 0])
    np.testing.assert_allclose(found.coef_, known.coef_, atol=1e-6)


def test_the_pivotal_penalty_covers_signs():
    symbols = np.random.default_rng(0).standard_normal((50, 30))
    penalty = pivotal_penalty(symbols, factor=1.0, draws=4000)
    fresh = np.random.default_rng(1).choice([-1.0, 1.0], (4000, 50))
    covered = (np.abs(fresh @ symbols).max(axis=1) <= penalty).mean()
    assert covered == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"level": 2}, "level is 2; expected a number above 0, below 1"),
        ({"factor": -1}, "factor is -1; expected a number above 0"),
        ({"draws": 0}, "draws is 0; expected an integer of at least 1"),
    ],
)
def test_bad_parameters_of_the_pivotal_penalty(given, message):
    with pytest.raises(ValueError, match=message):
        pivotal_penalty(np.ones((10, 2)), **given)


def test_too_few_rows_to_cross_validate_take_the_pivotal_penalty():
    symbols, _, states = sparse(4)
    for rows, same in ((4, True), (40, False)):
        both = [
            SparseRobustRelationRecovery(penalty).fit(symbols[:rows], states[:rows]).penalty_
            for penalty in ("cv", "pivotal")
        ]
        assert (both[0] == both[1]) == same


def test_bad_parameters():
    symbols, _, states = sparse(2)
    for estimator, message in [
        (SparseRobustRelationRecovery("lasso"), "penalty is 'lasso'; allowed: pivotal, cv"),
        (SparseRobustRelationRecovery(-1.0), "penalty is -1.0; expected a number above 0"),
        (SparseRobustRelationRecovery(1.0, tolerance=2), "tolerance is 2; expected a number above"),
        (RobustRelationRecovery(max_iter=0), "max_iter is 0; expected an integer of at least 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator.fit(symbols, states)


@pytest.mark.parametrize(
    "estimator",
    [RobustRelationRecovery(max_iter=1), SparseRobustRelationRecovery(1.0, max_iter=1)],
)
def test_what_is_not_solved_is_told(estimator):
    random = np.random.default_rng(3)
    symbols, states = random.standard_normal((300, 60)), random.standard_normal((300, 2))
    with pytest.warns(ConvergenceWarning, match="of 2 problems have a relative duality gap above"):
        estimator.fit(symbols, states)


def test_a_perfect_recovery_has_a_good_score():
    """What is left are the errors, a fifth of the entries: R^2 would be about zero or below."""
    random = np.random.default_rng(0)
    symbols, relations = random.standard_normal((200, 8)), random.standard_normal(8)
    clean = symbols @ relations
    states = clean + (random.random(200) < 0.2) * random.standard_normal(200)
    found = RobustRelationRecovery().fit(symbols, states)
    np.testing.assert_allclose(found.coef_, relations, atol=1e-10)
    left = np.abs(states - clean).sum() / np.abs(states - np.median(states)).sum()
    assert found.score(symbols, states) == pytest.approx(1 - left)
    assert found.score(symbols, clean) == pytest.approx(1)
