"""Predictions under uniform noise against naive Monte Carlo: draw curves from the prior, keep those
that are within the noise of every value, take their mean."""

import numpy as np
import pytest

from abstractor_lib.theory.curve_prediction import bayes, families, gaussian, truncated


def by_rejection(values, clean, wide, noise):
    """Posterior mean and standard deviation of what follows, from many curves of the prior; a level
    is uniform on an interval of half-width ``wide`` around zero."""
    random, half = np.random.default_rng(0), np.sqrt(3) * noise
    every = clean + random.uniform(-wide, wide, (len(clean), 1))
    observed = len(values)
    near = every[(abs(every[:, :observed] - values) <= half).all(axis=1), observed:]
    assert len(near) > 500
    return near.mean(axis=0), np.sqrt(near.var(axis=0) + noise**2), near.std(axis=0).max()


def agree(found, values, clean, wide, noise):
    for index, one in enumerate(values):
        mean, sd, apart = by_rejection(one, clean, wide, noise)
        np.testing.assert_allclose(found.mean[index], mean, atol=0.12 * apart)
        np.testing.assert_allclose(found.sd[index], sd, rtol=0.04)


def noisy(clean, noise, seed=3):
    half = np.sqrt(3) * noise
    return clean + np.random.default_rng(seed).uniform(-half, half, clean.shape)


@pytest.mark.parametrize("slopes", [(0.0, 0.1), (0.1, 0.2)])
@pytest.mark.parametrize("intercept", [0.0, 0.5, None])
def test_lines(slopes, intercept):
    random, x = np.random.default_rng(1), np.arange(1.0, 9)
    size = random.uniform(*slopes, (1_000_000, 1)) * random.choice([-1.0, 1.0], (1_000_000, 1))
    values = noisy(size[:3] * x, 0.2)[:, :6]
    found = bayes.lines(values, 2, slopes, intercept, 0.2)
    agree(found, values, size * x, 1.5 if intercept is None else intercept, 0.2)


@pytest.mark.first(1)
@pytest.mark.parametrize("level", [False, True])
@pytest.mark.parametrize("periods", [((5.0, 12.0),), ((3.0, 5.0), (12.0, 20.0))])
def test_sinusoids(level, periods):
    random, x, count = np.random.default_rng(2), np.arange(1.0, 10), 2_000_000
    ends = np.array(periods)
    length = ends[:, 1] - ends[:, 0]
    which = random.choice(len(ends), count, p=length / length.sum())
    period = random.uniform(ends[which, 0], ends[which, 1])[:, None]
    phase = random.uniform(0, 2 * np.pi, (count, 1))
    waves = random.uniform(0.8, 1.2, (count, 1)) * np.sin(2 * np.pi * x / period + phase)
    values = noisy(waves[:3], 0.4)[:, :7]
    found = bayes.sinusoids(values, 2, periods, unknown_level=level, noise=0.4)
    agree(found, values, waves, 2.0 * level, 0.4)


@pytest.mark.first(1)
@pytest.mark.parametrize("level", [False, True])
def test_gaussian_processes(level):
    random, covariance = np.random.default_rng(4), gaussian.rbf(6)
    root = np.linalg.cholesky(covariance + 1e-9 * np.eye(6))
    curves = random.standard_normal((1_000_000, 6)) @ root.T
    values = noisy(curves[:3], 0.2)[:, :4]
    found = truncated.predict(values, covariance, 0.2, level, sweeps=4000)
    agree(found, values, curves, 4.0 * level, 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("level", [False, True])
def test_least_squares_is_no_floor_under_uniform_noise(level):
    """The paper's task: the posterior mean is better than least squares on lines and on sinusoids,
    and its error is the one that it states."""
    random, x = np.random.default_rng(5), np.arange(1.0, 31)
    period, phase = random.uniform(5, 12, (300, 1)), random.uniform(0, 2 * np.pi, (300, 1))
    waves = random.uniform(0.8, 1.2, (300, 1)) * np.sin(2 * np.pi * x / period + phase)
    lines = random.uniform(-0.1, 0.1, (1500, 1)) * x
    curves = {"lines": noisy(lines, 0.1), "sinusoids": noisy(waves, 0.1)}
    seen = {name: some[:, :20] for name, some in curves.items()}
    best = {
        "lines": bayes.lines(seen["lines"], 10, intercept=None if level else 0.0),
        "sinusoids": bayes.sinusoids(seen["sinusoids"], 10, unknown_level=level),
    }
    least = {
        "lines": families.fit_lines(seen["lines"], 10, level),
        "sinusoids": families.fit_sinusoids(seen["sinusoids"], 10, level),
    }
    for name, some in curves.items():
        errors = [np.square(one[name].mean - some[:, 20:]).mean() for one in (best, least)]
        assert errors[0] < 0.95 * errors[1], name
        assert errors[0] == pytest.approx(np.square(best[name].sd).mean(), rel=0.05), name


FREE = {
    "lines": lambda values: bayes.lines(values, 3, intercept=None),
    "sinusoids": lambda values: bayes.sinusoids(values, 3, unknown_level=True),
    "processes": lambda values: truncated.predict(values, gaussian.rbf(23), 0.1, True),
}


@pytest.mark.parametrize("name", FREE)
def test_a_level_is_followed(name):
    x = np.arange(1.0, 21)
    values = noisy((0.05 * x if name == "lines" else np.sin(x))[None], 0.1)
    first, moved = FREE[name](values), FREE[name](values + 4.0)
    close = 0.06 if name == "processes" else 1e-6  # of what is sampled, rounding changes the draws
    np.testing.assert_allclose(moved.mean, first.mean + 4.0, atol=close)
    np.testing.assert_allclose(moved.sd, first.sd, atol=close)
    assert FREE[name](np.zeros((0, 20))).mean.shape == (0, 3)


@pytest.mark.parametrize("name", FREE)
def test_curves_of_another_family_are_named(name):
    x = np.arange(1.0, 21)
    jumps = np.stack([0.05 * x if name == "lines" else np.sin(x), 9.0 * (-1) ** x])
    with pytest.raises(ValueError, match=r"values\[1\] is within the noise of no curve of th"):
        FREE[name](jumps)
