"""Intervals against scipy, statsmodels, closed forms and simulated coverage."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from abstractor_lib.findings.statistics import (
    Interval,
    Region,
    difference_interval,
    mean_interval,
    rate_interval,
    share_interval,
    size_to_reach,
    verdict,
)


@pytest.mark.parametrize("comparisons", [1, 11])
def test_against_scipy_t_interval(comparisons):
    values = np.random.default_rng(0).normal(size=10)
    level = 1 - 0.05 / comparisons
    expected = stats.t.interval(level, 9, loc=values.mean(), scale=stats.sem(values))
    found = mean_interval(values, comparisons)
    np.testing.assert_allclose(found[1:3], expected, rtol=1e-12)
    assert found.n == 10


def test_against_scipy_paired_test():
    random = np.random.default_rng(1)
    a, b = random.normal(size=(2, 12))
    expected = stats.ttest_rel(a, b).confidence_interval(0.95)
    np.testing.assert_allclose(difference_interval(a, b)[1:3], expected, rtol=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (47, 50)])
def test_against_statsmodels_wilson(k, n):
    expected = proportion_confint(k, n, method="wilson")
    np.testing.assert_allclose(rate_interval(k, n)[1:3], expected, atol=1e-12)


def test_simultaneous_intervals_cover():
    """Eleven means of ten values each: all are covered in at least 95 % of 2,000 simulations, less
    three standard errors of that share."""
    random = np.random.default_rng(2)
    inside = 0
    for _ in range(2000):
        found = [mean_interval(random.normal(size=10), 11) for _ in range(11)]
        inside += all(one.low <= 0 <= one.high for one in found)
    assert inside / 2000 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 2000)


def test_missing_values_are_left_out_and_too_few_are_refused():
    assert mean_interval([1.0, math.nan, 3.0]).n == 2
    with pytest.raises(ValueError, match="values holds 1 numbers; expected at least 2"):
        mean_interval([1.0, math.nan])


def test_shares_take_the_wider_of_trials_and_problems():
    alike = share_interval([1.0] * 5, [20] * 5)
    expected = proportion_confint(100, 100, method="wilson")
    np.testing.assert_allclose(alike[1:3], expected)
    apart, plain = [0.3, 0.7, 0.4, 0.6], mean_interval([0.3, 0.7, 0.4, 0.6])
    assert share_interval(apart, [1000] * 4) == plain
    assert share_interval([0.0, 1.0, 0.0, 1.0], [1000] * 4)[1:3] == (0.0, 1.0)


def test_size_to_reach_against_a_known_curve():
    """Accuracy that grows linearly in log n crosses 0.5 half-way; a level never reached is inf."""
    sizes = [100, 1000, 10000]
    trials = np.array([[0.0, 0.45, 0.9], [0.0, 0.55, 1.1]])
    assert size_to_reach(0.5, sizes, trials).estimate == pytest.approx(1000)
    assert size_to_reach(2.0, sizes, trials).estimate == math.inf
    dip = np.array([[0.1, 0.6, 0.4, 0.9]] * 2)  # not monotone: the isotonic fit pools 0.6 and 0.4
    assert size_to_reach(0.5, [1, 10, 100, 1000], dip).estimate == pytest.approx(10)


def test_differences_are_paired_by_trial_not_by_position():
    first = pd.Series([1.0, 2.0, 3.0], index=[0, 1, 2])
    shuffled = pd.Series([3.5, 2.0, 1.0, 9.0], index=[2, 1, 0, 3])  # trial 3 has no partner
    found = difference_interval(first, shuffled)
    assert (found.estimate, found.n) == (pytest.approx(-0.5 / 3), 3)


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(-1, 1), st.floats(0, 1))
def test_verdicts(centre, half, target, tolerance):
    interval = Interval(centre, centre - half, centre + half, 10)
    region = Region(target - tolerance, target + tolerance)
    found = verdict(interval, region)
    inside = interval.low >= region.low and interval.high <= region.high
    apart = interval.high < region.low or interval.low > region.high
    assert found == ("holds" if inside else "fails" if apart else "undecided")
