"""Curves: moments, ranges and covariances against what the paper's words say."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abstractor_lib.tasks import curves

N = 30


def drawn(name, count=4000, ranges=None, seed=0, points=N):
    kinds = np.full(count, curves.CLASSES.index(name))
    return curves.draw(np.random.default_rng(seed), kinds, points, ranges)


@pytest.mark.parametrize("name", curves.CLASSES)
def test_noise_is_uniform_with_standard_deviation_a_tenth(name):
    found = drawn(name)
    noise = found.noisy - found.clean
    assert noise.std() == pytest.approx(0.1, rel=0.01) and abs(noise.mean()) < 0.002
    half = 0.1 * np.sqrt(3)
    assert abs(noise).max() == pytest.approx(half, rel=1e-3)
    counts, _ = np.histogram(noise, bins=10, range=(-half, half))
    assert counts == pytest.approx(np.full(10, noise.size / 10), rel=0.05)
    neighbours = np.corrcoef(noise[:, 0], noise[:, 1])[0, 1]
    assert abs(neighbours) < 0.06


def test_lines_have_slopes_of_either_sign_and_pass_through_the_intercept():
    found = drawn("line").clean
    slopes = np.diff(found, axis=1)
    assert np.ptp(slopes, axis=1).max() < 1e-12
    slope = slopes[:, 0]
    assert abs(slope).max() <= 0.1 and slope.std() == pytest.approx(0.1 / np.sqrt(3), rel=0.03)
    assert abs(slope.mean()) < 0.004
    assert found[:, 0] - slope == pytest.approx(0, abs=1e-12)
    shifted = drawn("line", ranges=curves.Ranges(intercept=2.0)).clean
    intercept = shifted[:, 0] - np.diff(shifted, axis=1)[:, 0]
    assert abs(intercept).max() <= 2 and intercept.std() == pytest.approx(2 / np.sqrt(3), rel=0.03)


def sinusoid(found):
    """Period and amplitude from the values: y_{i+1} + y_{i-1} = 2 cos(w) y_i, and
    y_i^2 - y_{i-1} y_{i+1} = (amplitude sin w)^2."""
    before, middle, after = found[:, :-2], found[:, 1:-1], found[:, 2:]
    cosine = ((before + after) * middle).sum(axis=1) / (2 * middle**2).sum(axis=1)
    speed = np.arccos(cosine)
    constant = middle**2 - before * after
    assert constant == pytest.approx(np.repeat(constant[:, :1], N - 2, axis=1), abs=1e-9)
    return 2 * np.pi / speed, np.sqrt(constant[:, 0]) / np.sin(speed)


def test_sinusoids_have_the_periods_and_amplitudes_of_the_text():
    found = drawn("sine").clean
    period, amplitude = sinusoid(found)
    for values, low, high in ((period, 5, 12), (amplitude, 0.8, 1.2)):
        assert low - 1e-9 <= values.min() < low + 0.01 and high - 0.01 < values.max() <= high + 1e-9
        assert values.mean() == pytest.approx((low + high) / 2, rel=0.02)
    assert found[:, 0].mean() == pytest.approx(0, abs=0.05)  # a uniform phase
    assert (found[:, 0] ** 2).mean() == pytest.approx((0.8**2 + 0.8 * 1.2 + 1.2**2) / 6, rel=0.05)


def test_rbf_curves_have_the_covariance_of_the_text():
    found = drawn("rbf", 20_000).clean
    wanted = [[np.exp(-0.5 * (i - j) ** 2 / 9) for j in range(N)] for i in range(N)]
    np.testing.assert_allclose(found.T @ found / len(found), wanted, atol=0.045)
    assert found.mean() == pytest.approx(0, abs=0.02)


def test_curves_outside_the_ranges_share_nothing_with_those_inside():
    slope = abs(np.diff(drawn("line", ranges=curves.OUTSIDE).clean, axis=1)[:, 0])
    assert slope.min() >= 0.1 and slope.max() <= 0.2 and slope.mean() == pytest.approx(0.15, 0.02)
    period, _ = sinusoid(drawn("sine", ranges=curves.OUTSIDE).clean)
    short, long = period < 5 + 1e-9, period > 12 - 1e-9
    assert (short | long).all() and period.min() >= 3 - 1e-9 and period.max() <= 20 + 1e-9
    assert short.mean() == pytest.approx(2 / 10, abs=0.02)  # as long as the interval is


def test_classes_are_a_third_each_at_random_or_in_turn():
    found = curves.mixed(np.random.default_rng(0), 30_000)
    assert np.bincount(found) / 30_000 == pytest.approx([1 / 3] * 3, abs=0.01)
    assert sorted(np.bincount(curves.even(2500))) == [833, 833, 834]
    assert set(curves.even(10, ("line", "sine"))) == {0, 2}


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 40))
def test_curves_are_of_their_class_and_repeat(seed, count, points):
    kinds = curves.mixed(np.random.default_rng(seed + 1), count)
    first, again = (curves.draw(np.random.default_rng(seed), kinds, points) for _ in range(2))
    assert (first.kinds == kinds).all() and first.clean.shape == (count, points)
    np.testing.assert_array_equal(first.noisy, again.noisy)
    if points > 2:
        bent = abs(np.diff(first.clean, n=2, axis=1)).max(axis=1) > 1e-9
        assert (bent == (kinds > 0)).all()


def test_fixed_periods_are_equally_likely():
    period, _ = sinusoid(drawn("sine", ranges=curves.Ranges(period=((7.0, 7.0), (9.0, 9.0)))).clean)
    seven = abs(period - 7) < 1e-6
    assert (seven | (abs(period - 9) < 1e-6)).all() and seven.mean() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"length": 0.0}, "length is 0.0; expected a finite number above 0"),
        ({"length": np.nan}, "length is nan; expected a finite number above 0"),
        ({"noise": np.nan}, "noise is nan; expected a finite number of at least 0"),
        ({"slope": (0.0, np.inf)}, r"slope is \(0.0, inf\); expected .* <= largest < inf"),
        ({"period": ((0.0, 0.0),)}, r"period is \(\(0.0, 0.0\),\); expected intervals that reach"),
        ({"period": ()}, r"period is \(\); expected intervals that reach above 0"),
    ],
)
def test_ranges_that_no_curve_has(given, message):
    with pytest.raises(ValueError, match=message):
        curves.Ranges(**given)


def test_unknown_classes():
    with pytest.raises(ValueError, match=r"classes is \('cubic',\); expected some of line, rbf"):
        curves.even(3, ("cubic",))
    with pytest.raises(ValueError, match=r"classes is \(\); expected some of line"):
        curves.even(3, ())
    with pytest.raises(ValueError, match="kinds holds -1; allowed: 0 to 2"):
        curves.draw(np.random.default_rng(0), np.array([-1, 0]), N)


def test_a_curve_without_noise_or_of_no_class():
    bare = drawn("sine", 5, replace(curves.Ranges(), noise=0.0))
    np.testing.assert_array_equal(bare.clean, bare.noisy)
    with pytest.raises(ValueError, match="kinds holds 3; allowed: 0 to 2"):
        curves.draw(np.random.default_rng(0), np.array([0, 3]), N)
    with pytest.raises(ValueError, match="points is 0; expected at least 1"):
        curves.draw(np.random.default_rng(0), np.array([0]), 0)
    with pytest.raises(ValueError, match=r"period\[0\] is \(5.0, 3.0\); expected 0 <= smallest"):
        curves.Ranges(period=((5.0, 3.0),))
    with pytest.raises(ValueError, match="noise is -1; expected a finite number of at least 0"):
        curves.Ranges(noise=-1)
