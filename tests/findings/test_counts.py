"""Exact intervals of counts against scipy, statsmodels and enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from abstractor_lib.findings.counts import (
    rate_difference_interval,
    rate_interval,
    share_interval,
)
from abstractor_lib.findings.statistics import mean_interval

COUNTS = st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (47, 50)])
def test_against_statsmodels_clopper_pearson(k, n):
    expected = proportion_confint(k, n, method="beta")
    np.testing.assert_allclose(rate_interval(k, n)[1:3], expected, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(COUNTS, COUNTS)
def test_against_barnards_test(first, second):
    """The interval is above zero just where Barnard's one-sided test rejects at 2.5 %."""
    (x, n), (y, m) = first, second
    table = [[x, y], [n - x, m - y]]
    p = stats.barnard_exact(table, alternative="greater", pooled=True, n=256).pvalue
    found = rate_difference_interval(first, second)
    if abs(p - 0.025) > 1e-4:
        assert (found.low > 0) == (p < 0.025)
    assert -1 <= found.low <= found.estimate <= found.high <= 1


@settings(max_examples=20, deadline=None)
@given(COUNTS, COUNTS)
def test_a_difference_turned_round_has_the_interval_turned_round(first, second):
    one, other = rate_difference_interval(first, second), rate_difference_interval(second, first)
    np.testing.assert_allclose([one.low, one.high], [-other.high, -other.low], atol=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ((0, 0), (1, 5), r"first is \(0, 0\); expected successes and trials, at least 1 trial"),
        ((6, 5), (1, 5), r"first is \(6, 5\); .* at most as many successes"),
        ((1, 5), (-1, 5), r"second is \(-1, 5\)"),
    ],
)
def test_impossible_counts_are_refused(first, second, message):
    with pytest.raises(ValueError, match=message):
        rate_difference_interval(first, second)


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (6, 5), (-1, 5)])
def test_a_share_of_impossible_counts_is_refused(successes, n):
    with pytest.raises(ValueError, match=rf"successes, n is \({successes}, {n}\); expected"):
        rate_interval(successes, n)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        pytest.param(0.5, 0.5, marks=pytest.mark.slow),
        pytest.param(0.9, 0.2, marks=pytest.mark.slow),
        (0.97, 0.9),
        (0.05, 0.0),
    ],
)
def test_differences_are_covered_by_enumeration(p, q):
    """Of five and six trials: the chance of all outcomes whose interval holds the truth."""
    covered = 0.0
    for x, y in product(range(6), range(7)):
        found = rate_difference_interval((x, 5), (y, 6))
        if found.low - 1e-9 <= p - q <= found.high + 1e-9:
            covered += stats.binom.pmf(x, 5, p) * stats.binom.pmf(y, 6, q)
    assert covered >= 0.95


def test_shares_take_the_wider_of_trials_and_problems():
    alike = share_interval([1.0] * 5, [20] * 5)
    expected = proportion_confint(100, 100, method="beta")
    np.testing.assert_allclose(alike[1:3], expected)
    apart, plain = [0.3, 0.7, 0.4, 0.6], mean_interval([0.3, 0.7, 0.4, 0.6])
    assert share_interval(apart, [1000] * 4) == plain
    assert share_interval([0.0, 1.0, 0.0, 1.0], [1000] * 4)[1:3] == (0.0, 1.0)


@pytest.mark.parametrize("share", [-0.5, 1.5, float("nan")])
def test_a_share_lies_between_zero_and_one(share):
    with pytest.raises(ValueError, match=r"shares holds \[.*\]; expected numbers from 0 to 1"):
        share_interval([share, 0.5], [10, 10])


def test_shares_of_problems_that_have_much_in_common_are_covered_less():
    """As docs/statistics.md says: thirty trials of ten problems, of which two correlate."""
    random, held = np.random.default_rng(0), {}
    for correlation in (0.0001, 0.14, 0.3):
        a, b = (share * (1 / correlation - 1) for share in (0.95, 0.05))
        drawn = (random.binomial(10, random.beta(a, b, 30)) / 10 for _ in range(400))
        found = [share_interval(shares, [10] * 30) for shares in drawn]
        held[correlation] = np.mean([one.low <= 0.95 <= one.high for one in found])
    assert held[0.0001] > 0.95
    assert 0.89 < held[0.14] < 0.95
    assert 0.81 < held[0.3] < 0.90
