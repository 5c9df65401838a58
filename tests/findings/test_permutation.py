"""Exact intervals of a shift against scipy's permutation test, and how often they hold it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from abstractor_lib.findings.permutation import paired_interval, shift_interval

groups = st.lists(st.integers(-50, 50).map(float), min_size=4, max_size=5, unique=True)


def p_value(first, second, shift, side):
    found = stats.permutation_test(
        (np.asarray(first) - shift, np.asarray(second)),
        lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        vectorized=True,
        alternative=side,
        n_resamples=np.inf,
    )
    return found.pvalue


@settings(deadline=None, max_examples=25)
@given(groups, groups)
def test_the_interval_holds_what_the_test_does_not_reject(first, second):
    found = shift_interval(first, second)
    scale = 1e-6
    for end, side, sign in ((found.low, "greater", 1), (found.high, "less", -1)):
        assert p_value(first, second, end + sign * scale, side) > 0.025
        assert p_value(first, second, end - sign * scale, side) <= 0.025


@pytest.mark.parametrize(("count", "decided"), [(3, False), (4, True), (5, True)])
def test_what_a_few_values_can_decide(count, decided):
    above, below = np.arange(count) + 10.0, np.arange(float(count))
    assert (shift_interval(above, below).low > 0) == decided
    assert (shift_interval(below, above).high < 0) == decided
    assert math.isinf(shift_interval(above, below, comparisons=count).low) == (count < 5)


def sign_p_value(differences, centre, side):
    found = stats.permutation_test(
        (np.asarray(differences) - centre,),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        alternative=side,
        n_resamples=np.inf,
    )
    return found.pvalue


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(-50, 50).map(float), min_size=6, max_size=8, unique=True))
def test_a_paired_interval_holds_what_changing_signs_does_not_reject(differences):
    found = paired_interval(differences)
    for end, side, sign in ((found.low, "greater", 1), (found.high, "less", -1)):
        assert sign_p_value(differences, end + sign * 1e-6, side) > 0.025
        assert sign_p_value(differences, end - sign * 1e-6, side) <= 0.025


def test_what_a_few_pairs_can_decide():
    for count, decided in ((5, False), (6, True), (10, True)):
        ahead = np.arange(count) + 1.0
        assert (paired_interval(ahead).low > 0) == decided
        assert (paired_interval(-ahead).high < 0) == decided
    assert paired_interval([0.9] * 6 + [math.nan], within=(-1, 0.5)).high == 0.5
    with pytest.raises(ValueError, match="differences holds 16 numbers; allowed: 1 to 15"):
        paired_interval(range(16))


def test_coverage_of_a_paired_interval():
    random = np.random.default_rng(0)
    found = [
        paired_interval(random.uniform(size=10) ** 0.5 * random.choice([-1, 1], 10) + 1)
        for _ in range(400)
    ]
    assert 0.93 <= np.mean([one.low <= 1 <= one.high for one in found]) <= 0.98


def test_an_interval_stays_within_what_the_shift_can_be():
    low = np.linspace(0, 0.2, 5)
    assert shift_interval(low[:3] + 0.75, low[:3], within=(-1, 1))[1:3] == (-1, 1)
    found = shift_interval(low + 0.75, low, within=(-1, 0.8))
    assert found.low == shift_interval(low + 0.75, low).low > 0 and found.high == 0.8


def test_coverage_and_the_other_way_round():
    random = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        first, second = random.exponential(size=5) + 1.5, random.exponential(size=5)
        found, other = shift_interval(first, second), shift_interval(second, first)
        assert (found.low, found.high) == pytest.approx((-other.high, -other.low))
        held += found.low <= 1.5 <= found.high
    assert 0.93 <= held / 400 <= 0.99  # 2 * 6 / 252 is 4.8 %


def test_bad_input():
    with pytest.raises(ValueError, match="second holds 0 numbers; allowed: 1 to 10"):
        shift_interval([1.0], [math.nan])
    with pytest.raises(ValueError, match="first holds 11 numbers"):
        shift_interval(np.zeros(11), [1.0])
