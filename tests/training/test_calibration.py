"""Coverage and CRPS against numerical integration, pairs one by one, and what is known."""

import numpy as np
import pytest
from scipy import integrate, stats

from abstractor_lib.training.calibration import (
    covered,
    crps_normal,
    normal_interval,
)


def integral(outcome, cdf, low, high):
    """The definition of the CRPS, by quadrature on both sides of the outcome."""
    below, _ = integrate.quad(lambda x: cdf(x) ** 2, low, outcome, limit=200)
    above, _ = integrate.quad(lambda x: (1 - cdf(x)) ** 2, outcome, high, limit=200)
    return below + above


@pytest.mark.parametrize("outcome", [-2.0, 0.0, 0.3, 4.0])
@pytest.mark.parametrize(("mean", "sd"), [(0.0, 1.0), (0.5, 0.1), (-1.0, 2.5)])
def test_normal_crps_against_quadrature(outcome, mean, sd):
    cdf = stats.norm(mean, sd).cdf
    wanted = integral(outcome, cdf, min(outcome, mean - 10 * sd), max(outcome, mean + 10 * sd))
    assert crps_normal(outcome, mean, sd) == pytest.approx(wanted, abs=1e-6)


def test_a_sure_prediction_has_its_absolute_error():
    np.testing.assert_allclose(crps_normal(np.array([1.0, -2.0]), 0.5, 0.0), [0.5, 2.5])
    np.testing.assert_allclose(crps_normal(1.0, 0.5, 1e-9), 0.5, atol=1e-8)
    assert covered(np.array([0.5, 0.6]), 0.5, 0.0, 0.5).tolist() == [True, False]


def test_the_true_distribution_has_the_least_crps_and_the_right_coverage():
    outcome = np.random.default_rng(0).normal(1.0, 2.0, size=200_000)
    scores = {
        (mean, sd): crps_normal(outcome, mean, sd).mean()
        for mean in (0.5, 1.0, 1.5)
        for sd in (1.0, 2.0, 4.0)
    }
    assert min(scores, key=scores.get) == (1.0, 2.0)
    for level in (0.5, 0.8, 0.95):
        assert covered(outcome, 1.0, 2.0, level).mean() == pytest.approx(level, abs=0.005)
        low, high = normal_interval(1.0, 2.0, level)
        assert (low, high) == pytest.approx(stats.norm(1.0, 2.0).interval(level))


def test_bad_input():
    with pytest.raises(ValueError, match=r"sd holds -0.1; expected no negative number"):
        crps_normal(np.zeros(2), 0.0, np.array([1.0, -0.1]))
    with pytest.raises(ValueError, match="sd holds nan"):
        covered(np.zeros(1), 0.0, np.array([np.nan]), 0.5)
    with pytest.raises(ValueError, match="level is 95; expected a number between 0 and 1"):
        normal_interval(np.zeros(1), np.ones(1), 95)
