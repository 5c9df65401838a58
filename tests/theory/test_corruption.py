"""Corrupted states: how many entries, where, and how bad an adversary is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from abstractor_lib.theory.conditions import chosen_positions_threshold, gaussian_threshold
from abstractor_lib.theory.corruption import (
    INDEPENDENT,
    KINDS,
    corrupt,
    resize,
    worst_direction,
    worst_positions,
)
from abstractor_lib.theory.recovery import RobustRelationRecovery


def problem(seed, rows=60, columns=4, count=5):
    random = np.random.default_rng(seed)
    return (
        random.standard_normal((rows, columns)),
        random.dirichlet(np.ones(columns), count),
        random,
    )


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(KINDS), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_so_many_entries_are_wrong_and_no_more(kind, errors, seed):
    symbols, relations, random = problem(seed)
    states = corrupt(kind, symbols, relations, errors, random)
    wrong = (np.abs(states - relations @ symbols.T) > 0).sum(axis=1)
    assert (wrong == round(errors * 60)).all()


def test_what_entries_become():
    symbols, relations, _ = problem(0)
    clean = relations @ symbols.T
    for kind, becomes in (("dropout", 0 * clean), ("sign_flip", -clean)):
        states = corrupt(kind, symbols, relations, 0.3, np.random.default_rng(1))
        assert np.array_equal(states, np.where(states == clean, clean, becomes))
    states = corrupt("one_sided", symbols, relations, 0.3, np.random.default_rng(1))
    assert (states >= clean).all()
    # adversarial entries are those of other relations: they agree with each other
    states = corrupt("adversarial_values", symbols, relations, 0.3, np.random.default_rng(1))
    for state, r in zip(states, relations, strict=True):
        where = np.abs(state - symbols @ r) > 1e-9
        _, left, *_ = np.linalg.lstsq(symbols[where], state[where], rcond=None)
        assert left.item() < 1e-20


def comes_back(symbols, state, relation):
    """Whether least absolute deviations gives the relation back, by HiGHS: min 1'(p + q) for
    S u + p - q = a, p >= 0, q >= 0."""
    rows, columns = symbols.shape
    cost = np.r_[np.zeros(columns), np.ones(2 * rows)]
    equal = np.hstack([symbols, np.eye(rows), -np.eye(rows)])
    limits = [(None, None)] * columns + [(0, None)] * (2 * rows)
    found = optimize.linprog(cost, A_eq=equal, b_eq=state, bounds=limits, method="highs-ds")
    return bool(np.abs(found.x[:columns] - relation).max() < 1e-6)


@settings(deadline=None, max_examples=15)
@given(st.floats(0.2, 0.7), st.integers(0, 2**32 - 1))
def test_recovery_depends_on_positions_and_signs_alone(share, seed):
    """Errors of other sizes change nothing; nor does a new sign of rows of the symbols together
    with the entries of the state, so that for symmetric symbols signs do not matter either."""
    symbols, relations, random = problem(seed, rows=30, count=1)
    clean = relations @ symbols.T
    errors = corrupt("gaussian", symbols, relations, share, random) - clean
    flips = random.choice([-1.0, 1.0], 30)
    found = {comes_back(flips[:, None] * symbols, flips * (clean + errors)[0], relations[0])}
    for kind in INDEPENDENT:
        other = resize(errors, kind, random)
        assert np.array_equal(np.sign(other), np.sign(errors))
        found.add(comes_back(symbols, (clean + other)[0], relations[0]))
        ours = RobustRelationRecovery().fit(symbols, (clean + other).T).coef_
        found.add(bool(np.abs(ours - relations).max() < 1e-6))
    assert len(found) == 1


def test_some_of_these_come_back_and_some_do_not():
    """Or else the test above would say nothing."""
    found = []
    for seed in range(20):
        symbols, relations, random = problem(seed, rows=30, count=1)
        state = corrupt("gaussian", symbols, relations, 0.6, random)[0]
        found.append(comes_back(symbols, state, relations[0]))
    assert 4 < sum(found) < 16


def test_unknown_sizes():
    with pytest.raises(ValueError, match="kind is 'dropout'; allowed: gaussian, heavy_tailed"):
        resize(np.zeros((1, 3)), "dropout", np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(4))
def test_worst_direction_against_a_search(seed):
    """In two dimensions all directions can be tried."""
    symbols, _, random = problem(seed, rows=30, columns=2)
    where = random.random(30) < 0.4
    angles = np.linspace(0, np.pi, 20_000)
    reach = np.abs(np.stack([np.cos(angles), np.sin(angles)], axis=1) @ symbols.T)
    best = (reach[:, where].sum(axis=1) / reach.sum(axis=1)).max()
    mean = (reach[:, where].sum(axis=1) / reach.sum(axis=1)).mean()
    found = np.abs(symbols @ worst_direction(symbols, where))
    share = found[where].sum() / found.sum()
    assert (best + mean) / 2 < share <= best + 1e-6


def test_chosen_positions_are_worse_than_random_ones():
    symbols, _, random = problem(1, rows=100)
    where, direction = worst_positions(symbols, 24, random)
    assert where.sum() == 24
    reach = np.abs(symbols @ direction)
    assert reach[where].min() >= reach[~where].min()
    assert reach[where].sum() / reach.sum() > 0.45  # of a random quarter: 0.24


def test_an_adversary_wins_with_more_than_half_the_weight():
    """And the answer then is the adversary's: r plus its direction."""
    symbols, relations, random = problem(2, rows=100, columns=3)
    states = corrupt("adversarial_values", symbols, relations, 0.6, random)
    found = RobustRelationRecovery().fit(symbols, states.T).coef_
    assert np.abs(found - relations).max(axis=1).min() > 0.1
    clean = np.abs(states - relations @ symbols.T).sum(axis=1)
    assert (np.abs(states - found @ symbols.T).sum(axis=1) < clean).all()


def test_gaussian_threshold_against_its_minimax_form():
    """The transition again, from min over t of the expected soft-threshold risk (Donoho, Maleki &
    Montanari 2009): delta = min_t rho delta (1 + t^2) + (1 - rho delta) 2 [(1 + t^2) Q - t phi]."""
    for ratio in (0.1, 0.3, 0.6):
        share, delta = gaussian_threshold(ratio), 1 - ratio

        def risk(t, share=share):
            rest = 2 * ((1 + t * t) * stats.norm.cdf(-t) - t * stats.norm.pdf(t))
            return share * (1 + t * t) + (1 - share) * rest

        least = optimize.minimize_scalar(risk, bounds=(0, 5), method="bounded").fun
        assert least == pytest.approx(delta, abs=1e-6)


def test_chosen_positions_threshold_against_sampling():
    sizes = np.sort(np.abs(np.random.default_rng(0).standard_normal(200_000)))[::-1]
    count = np.searchsorted(sizes.cumsum(), sizes.sum() / 2)
    assert count / len(sizes) == pytest.approx(chosen_positions_threshold(), abs=2e-3)


def test_bad_input():
    symbols, relations, random = problem(0)
    with pytest.raises(ValueError, match="kind is 'worst'; allowed: gaussian"):
        corrupt("worst", symbols, relations, 0.1, random)
    with pytest.raises(ValueError, match=r"errors is 1\.5; expected a share"):
        corrupt("dropout", symbols, relations, 1.5, random)
    with pytest.raises(ValueError, match=r"symbols has dependent columns, .* adversarial_values"):
        corrupt("adversarial_values", np.eye(4, 6), np.ones((1, 6)) / 6, 0.5, random)
    with pytest.raises(ValueError, match="ratio is 1; expected"):
        gaussian_threshold(1)
