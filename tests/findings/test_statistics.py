"""Intervals against scipy, statsmodels, closed forms and simulated coverage."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from abstractor_lib.findings.statistics import (
    Interval,
    Region,
    difference_interval,
    mean_interval,
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


@pytest.mark.slow
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


def test_bounded_means_stay_within_their_bounds():
    values = [0.0, 0.9, 1.0, 1.0, 1.0]
    assert mean_interval(values).high > 1
    assert mean_interval(values, within=(0.0, 1.0))[1:3] == (mean_interval(values).low, 1.0)
    assert difference_interval(values, [0.0] * 5, within=(-1.0, 1.0)).high == 1.0


def test_a_number_without_a_partner_is_refused():
    with pytest.raises(ValueError, match="holds 3 numbers and second 1; expected equally many"):
        difference_interval([1.0, 2.0, 3.0], [1.0])


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


def test_what_is_computed_has_no_interval():
    exact = Interval(1.994, 1.994, 1.994, 7)
    assert exact.exact and f"{exact}" == "1.99" and f"{exact:.3f}" == "1.994"
    narrow = Interval(1.994, 1.9939, 1.9941, 7)
    assert not narrow.exact and f"{narrow}" == "1.99 [1.99, 1.99]"
    bracket = Interval(math.nan, 2.0, 2.0, 7)
    assert not bracket.exact and f"{bracket}" == "between 2 and 2"


def test_limits_in_the_other_order_and_no_comparison_are_refused():
    with pytest.raises(ValueError, match=r"within is \(6, 0\); expected the lower limit first"):
        mean_interval([1.0, 2.0, 3.0], within=(6, 0))
    with pytest.raises(ValueError, match="comparisons is 0; expected a number of at least 1"):
        mean_interval([1.0, 2.0, 3.0], comparisons=0)
