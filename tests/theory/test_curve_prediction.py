"""Predictions of curves against scikit-learn, statsmodels, scipy, simulation and what is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LinearRegression, Ridge
from statsmodels.tsa.ar_model import AutoReg

from abstractor_lib.theory.curve_prediction import autoregression, families, gaussian, mixture

N, T = 20, 10
X = np.arange(1.0, N + T + 1)
HALF = 0.1 * np.sqrt(3)


def noisy(clean, seed=0):
    return clean + np.random.default_rng(seed).uniform(-HALF, HALF, clean.shape)


def rbf_curves(count, seed=0):
    random = np.random.default_rng(seed)
    return random.multivariate_normal(np.zeros(N + T), gaussian.rbf(N + T), count, method="eigh")


def waves(count, seed=0):
    random = np.random.default_rng(seed)
    low, high = [5, 0.8, 0], [12, 1.2, 2 * np.pi]
    period, amplitude, phase = random.uniform(low, high, (count, 3)).T[:, :, None]
    return amplitude * np.sin(2 * np.pi * X / period + phase)


def test_the_paper_optimum_to_three_digits():
    """Table 2 prints .802; without the noise of the predicted value it would be .794."""
    _, sd = gaussian.posterior(N, gaussian.rbf(N + T))
    assert round(sd.mean(), 3) == 0.802
    assert round(np.sqrt(sd**2 - 0.01).mean(), 3) == 0.794


@given(st.integers(0, 10**6), st.floats(-50, 50))
def test_the_standard_deviation_does_not_depend_on_the_values(seed, scale):
    values = scale * np.random.default_rng(seed).normal(size=(2, N))
    found = gaussian.predict(values, gaussian.rbf(N + T))
    assert found.sd.shape == (T,) and found.mean.shape == (2, T)
    np.testing.assert_array_equal(found.sd, gaussian.posterior(N, gaussian.rbf(N + T))[1])
    np.testing.assert_allclose(
        found.mean, scale * gaussian.predict(values / (scale or 1), gaussian.rbf(N + T)).mean,
        rtol=1e-9, atol=1e-9,
    )  # linear  # fmt: skip


@pytest.mark.parametrize("level", [0.0, 1e3])
def test_against_sklearn(level):
    """A known level, and one whose prior is as wide as numbers allow."""
    values = noisy(rbf_curves(3))[:, :N]
    kernel = RBF(3.0, "fixed")
    if level:
        kernel = kernel + ConstantKernel(level**2, "fixed")
    oracle = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None)
    found = gaussian.predict(values, gaussian.rbf(N + T), unknown_level=bool(level))
    for curve, mean in zip(values, found.mean, strict=True):
        wanted, sd = oracle.fit(X[:N, None], curve).predict(X[N:, None], return_std=True)
        np.testing.assert_allclose(mean, wanted, atol=1e-4)
        np.testing.assert_allclose(found.sd, np.sqrt(sd**2 + 0.01), atol=1e-4)


def test_evidence_against_the_density_of_a_normal_vector():
    values = noisy(rbf_curves(3))[:, :N]
    covariances = [gaussian.rbf(N), gaussian.sinusoid(N, 7.0), gaussian.line(N, 0.06, 1.0)]
    found = np.array([gaussian.log_evidence(values, one) for one in covariances])
    wanted = np.array(
        [stats.multivariate_normal(np.zeros(N), one + 0.01 * np.eye(N)).logpdf(values)
         for one in covariances]
    )  # fmt: skip
    np.testing.assert_allclose(found - found[0], wanted - wanted[0], rtol=1e-9)
    apart = np.diff(np.eye(N), axis=0)  # all differences of neighbours
    found = np.array([gaussian.log_evidence(values, k, unknown_level=True) for k in covariances])
    wanted = np.array(
        [stats.multivariate_normal(np.zeros(N - 1), apart @ (one + 0.01 * np.eye(N)) @ apart.T)
         .logpdf(values @ apart.T) for one in covariances]
    )  # fmt: skip
    np.testing.assert_allclose(found - found[0], wanted - wanted[0], rtol=1e-7)


def test_with_an_unknown_level_predictions_follow_the_curve_and_are_less_sure():
    values, covariance = noisy(rbf_curves(4))[:, :N], gaussian.rbf(N + T)
    known = gaussian.predict(values, covariance)
    free = gaussian.predict(values, covariance, unknown_level=True)
    moved = gaussian.predict(values + 7.5, covariance, unknown_level=True)
    np.testing.assert_allclose(moved.mean, free.mean + 7.5, atol=1e-9)
    assert (free.sd > known.sd).all()
    kinds = mixture.curve_kinds(N + T)
    free = mixture.predict(values, kinds, unknown_level=True)
    moved = mixture.predict(values + 7.5, kinds, unknown_level=True)
    np.testing.assert_allclose(moved.mean, free.mean + 7.5, atol=1e-6)
    np.testing.assert_allclose(moved.sd, free.sd, atol=1e-6)


@pytest.mark.parametrize("unknown_level", [False, True])
def test_predictions_have_the_error_that_they_state(unknown_level):
    curves = noisy(rbf_curves(20_000, seed=1), seed=2)
    found = gaussian.predict(curves[:, :N], gaussian.rbf(N + T), unknown_level=unknown_level)
    error = np.square(found.mean - curves[:, N:]).mean(axis=0)
    np.testing.assert_allclose(error, found.sd**2, rtol=0.04)


def test_one_step_after_the_other_gives_the_same_mean():
    """The best prediction, taken as an observation, changes no later prediction. So extrapolation
    step by step costs the mean nothing; the standard deviation of each step is that of one step."""
    values, covariance = noisy(rbf_curves(5))[:, :N], gaussian.rbf(N + T)
    grown = values
    for n in range(N, N + T):
        part = gaussian.predict(grown, covariance[: n + 1, : n + 1])
        grown = np.concatenate([grown, part.mean], axis=1)
        assert part.sd == pytest.approx(gaussian.next_sd(N, covariance)[n - N])
    np.testing.assert_allclose(grown[:, N:], gaussian.predict(values, covariance).mean, atol=1e-8)


@pytest.mark.parametrize("intercept", [False, True])
def test_lines_against_sklearn_and_their_error(intercept):
    clean = np.random.default_rng(0).uniform(-0.1, 0.1, (20_000, 1)) * X + 3.0 * intercept
    curves = noisy(clean)
    found = families.fit_lines(curves[:, :N], T, intercept)
    oracle = LinearRegression(fit_intercept=intercept)
    oracle.fit(X[:N, None], curves[:50, :N].T)
    np.testing.assert_allclose(found.mean[:50], oracle.predict(X[N:, None]).T, atol=1e-10)
    error = np.square(found.mean - curves[:, N:]).mean(axis=0)
    np.testing.assert_allclose(error, found.sd**2, rtol=0.04)


@pytest.mark.parametrize("level", [False, True])
def test_sinusoids_against_scipy_and_their_error(level):
    curves = noisy(waves(3000) + 2.0 * level)
    found = families.fit_sinusoids(curves[:, :N], T, level)
    error = np.square(found.mean - curves[:, N:])
    assert error.mean() == pytest.approx(np.square(found.sd).mean(), rel=0.05)
    assert error.mean() < 0.0165

    def wave(x, period, cosine, sine, constant=0.0):
        angle = 2 * np.pi * x / period
        return cosine * np.cos(angle) + sine * np.sin(angle) + constant

    for curve, mean in zip(curves[:5], found.mean[:5], strict=True):
        fits = [
            optimize.curve_fit(wave, X[:N], curve[:N], [start, 1, 1, *[0.0] * level])
            for start in np.linspace(5, 12, 15)
        ]
        best = min(fits, key=lambda fit: np.square(wave(X[:N], *fit[0]) - curve[:N]).sum())
        np.testing.assert_allclose(mean, wave(X[N:], *best[0]), atol=1e-4)


def test_the_fitted_period_does_not_leave_its_range():
    wave = np.sin(2 * np.pi * X / 20)[None]
    wider = families.fit_sinusoids(wave[:, :N], T, periods=(5.0, 30.0))
    np.testing.assert_allclose(wider.mean, wave[:, N:], atol=1e-6)
    assert np.abs(families.fit_sinusoids(wave[:, :N], T).mean - wave[:, N:]).max() > 0.1


def test_a_mixture_of_one_kind_is_that_kind():
    values, covariance = noisy(rbf_curves(4))[:, :N], gaussian.rbf(N + T)
    one = mixture.predict(values, [mixture.Kind("rbf", 1.0, covariance)])
    wanted = gaussian.predict(values, covariance)
    np.testing.assert_allclose(one.mean, wanted.mean)
    np.testing.assert_allclose(one.sd, np.broadcast_to(wanted.sd, one.mean.shape))


def test_without_being_told_the_class_hardly_anything_is_lost():
    random = np.random.default_rng(3)
    kinds, covariance = mixture.curve_kinds(N + T), gaussian.rbf(N + T)
    for name, clean, known in (
        ("line", random.uniform(-0.1, 0.1, (500, 1)) * X,
         lambda seen: families.fit_lines(seen, T, intercept=False)),
        ("sine", waves(500), lambda seen: families.fit_sinusoids(seen, T)),
        ("rbf", rbf_curves(500), lambda seen: gaussian.predict(seen, covariance)),
    ):  # fmt: skip
        curves = noisy(clean)
        found = mixture.predict(curves[:, :N], kinds)
        assert found.classes[name].mean() > 0.98
        np.testing.assert_allclose(sum(found.classes.values()), 1, atol=1e-9)
        told = np.square(known(curves[:, :N]).mean - curves[:, N:]).mean()
        assert np.square(found.mean - curves[:, N:]).mean() < 1.05 * told


@pytest.mark.parametrize("order", [1, 2, 4])
def test_autoregression_against_statsmodels(order):
    values = noisy(waves(6))[:, :N]
    found = autoregression.predict(values, T, order, ridge=0.0)
    for curve, mean, sd in zip(values, found.mean, found.sd, strict=True):
        fit = AutoReg(curve, order, trend="n").fit()
        np.testing.assert_allclose(mean, fit.forecast(T), rtol=1e-6, atol=1e-8)
        oracle = fit.get_prediction(N, N + T - 1).se_mean
        unbiased = np.sqrt(len(fit.resid) / (len(fit.resid) - order))
        np.testing.assert_allclose(sd, unbiased * oracle, rtol=1e-6)


def test_ridge_against_sklearn():
    values = noisy(waves(3))[:, :N]
    found = autoregression.predict(values, 1, order=3, ridge=0.7)
    for curve, mean in zip(values, found.mean, strict=True):
        past = np.lib.stride_tricks.sliding_window_view(curve, 3)
        fit = Ridge(0.7, fit_intercept=False).fit(past[:-1], curve[3:])
        assert mean[0] == pytest.approx(fit.predict(past[-1:])[0])


@settings(deadline=None)
@given(st.floats(-0.1, 0.1), st.floats(-2, 2), st.floats(5, 12), st.floats(0, 6.28))
def test_lines_and_sinusoids_without_noise_are_autoregressions(slope, intercept, period, phase):
    curves = np.stack([slope * X + intercept, np.sin(2 * np.pi * X / period + phase)])
    line, wave = [2.0, -1.0], [2 * np.cos(2 * np.pi / period), -1.0]
    found = autoregression.continued(curves[:, N - 2 : N], np.array([line, wave]), T)
    np.testing.assert_allclose(found, curves[:, N:], atol=1e-9)


def test_bad_input():
    values = np.zeros((2, N))
    with pytest.raises(ValueError, match=r"covariance has shape \(10, 10\); expected a square"):
        gaussian.predict(values, gaussian.rbf(10))
    with pytest.raises(ValueError, match="noise is 0; expected a positive number"):
        gaussian.predict(values, gaussian.rbf(30), noise=0)
    with pytest.raises(ValueError, match="scale is -1; expected a positive number"):
        gaussian.rbf(3, scale=-1)
    with pytest.raises(ValueError, match=r"periods is \(12.0, 5.0\); expected two increasing"):
        families.fit_sinusoids(values, T, periods=(12.0, 5.0))
    with pytest.raises(ValueError, match="values has 1 a curve; expected at least 2"):
        families.fit_lines(values[:, :1], T)
    for level, least in ((False, 3), (True, 4)):
        families.fit_sinusoids(noisy(waves(2))[:, :least], T, level)
        with pytest.raises(ValueError, match=f"values has . a curve; expected at least {least}"):
            families.fit_sinusoids(values[:, : least - 1], T, level)
    with pytest.raises(ValueError, match="kinds holds shares"):
        mixture.predict(values, [])
    with pytest.raises(ValueError, match="order is 12; allowed with 20 values: 1 to 9"):
        autoregression.predict(values, T, order=12)
    with pytest.raises(ValueError, match="ridge is -1; expected a number of 0 or more"):
        autoregression.predict(values, T, ridge=-1)
