"""Corruptions of objects against naive loops, and their moments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.tasks.corruption import KINDS, corrupt

seeds = st.integers(0, 2**31 - 1)
levels = st.floats(0, 3)


@given(seeds, levels, st.sampled_from(KINDS))
def test_against_a_loop_over_objects_and_features(seed, level, kind):
    objects = np.random.default_rng(seed).standard_normal((5, 3))
    found = corrupt(objects, kind, level, np.random.default_rng(seed + 1))
    shape = (3, 3) if kind in ("linear", "near_identity") else (5, 3)
    noise = np.random.default_rng(seed + 1).standard_normal(shape)
    for i in range(5):
        for k in range(3):
            mapped = sum(level * noise[k % shape[0], j] * objects[i, j] for j in range(3))
            expected = {
                "additive": lambda i=i, k=k: objects[i, k] + level * noise[i, k],
                "linear": lambda mapped=mapped: mapped,
                "near_identity": lambda i=i, k=k, mapped=mapped: objects[i, k] + mapped,
                "elementwise": lambda i=i, k=k: objects[i, k] * (1 + level * noise[i, k]),
            }[kind]()
            assert found[i, k] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_level_zero_is_clean_or_the_zero_map(kind):
    objects = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)
    found = corrupt(objects, kind, 0.0, np.random.default_rng(1))
    assert found.dtype == np.float32
    assert np.array_equal(found, 0 * objects if kind == "linear" else objects)


@pytest.mark.parametrize("kind", KINDS)
def test_moments_of_a_corrupted_object(kind):
    """Over 20,000 draws: mean x (0 for the linear map), and the variance of each feature."""
    x, level = np.array([[1.0, -2.0, 0.5]]), 0.3
    generator = np.random.default_rng(2)
    drawn = np.stack([corrupt(x, kind, level, generator)[0] for _ in range(20_000)])
    mean = 0 * x[0] if kind == "linear" else x[0]
    size = (x**2).sum()
    variance = {
        "additive": np.ones(3),
        "linear": np.full(3, size),
        "near_identity": np.full(3, size),
        "elementwise": x[0] ** 2,
    }[kind] * level**2
    assert np.abs(drawn.mean(axis=0) - mean).max() < 5 * np.sqrt(variance.max() / 20_000)
    assert drawn.var(axis=0) == pytest.approx(variance, rel=0.06)


def test_one_map_for_all_objects_and_one_draw_of_noise_for_each():
    objects = np.ones((2, 4))
    for kind in KINDS:
        one, other = corrupt(objects, kind, 1.0, np.random.default_rng(3))
        assert np.array_equal(one, other) == (kind in ("linear", "near_identity"))


def test_bad_arguments():
    objects, generator = np.ones((2, 4)), np.random.default_rng(0)
    with pytest.raises(ValueError, match="kind is 'rotation'; allowed: additive, linear"):
        corrupt(objects, "rotation", 0.1, generator)
    for level in (-0.1, np.nan, np.inf):
        with pytest.raises(
            ValueError, match=r"level is .*; expected a finite number of at least 0"
        ):
            corrupt(objects, "additive", level, generator)
