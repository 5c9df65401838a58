"""Measures of the bottleneck against closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.theory.bottleneck import read_out, self_relations, unseen_directions


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 12), st.integers(0, 999))
def test_unseen_directions_are_the_common_null_space(p, q, d, seed):
    generator = np.random.default_rng(seed)
    left, right = generator.normal(size=(p, d)), generator.normal(size=(q, d))
    found = unseen_directions(left, right)
    assert found.shape == (max(d - p - q, 0), d)
    np.testing.assert_allclose(found @ found.T, np.eye(len(found)), atol=1e-12)
    np.testing.assert_allclose(left @ found.T, 0, atol=1e-12)
    np.testing.assert_allclose(right @ found.T, 0, atol=1e-12)


def test_read_out_against_the_share_of_noise():
    """States are the features plus independent noise of variance v: R^2 tends to 1 / (1 + v)."""
    generator = np.random.default_rng(0)
    features = generator.normal(size=(20_000, 2))
    for variance in (0.0, 0.5, 2.0):
        states = features + np.sqrt(variance) * generator.normal(size=features.shape)
        assert read_out(states, features) == pytest.approx(1 / (1 + variance), abs=0.02)
    assert abs(read_out(generator.normal(size=(20_000, 2)), features)) < 0.01


def test_bad_shapes():
    with pytest.raises(ValueError, match=r"states has shape \(8, 3\) and features \(9, 2\)"):
        read_out(np.zeros((8, 3)), np.zeros((9, 2)))
    with pytest.raises(ValueError, match="expected as many rows in both, at least 10"):
        read_out(np.zeros((9, 3)), np.zeros((9, 2)))
    some = np.random.default_rng(0).normal(size=(10, 3))
    assert read_out(some, some) == pytest.approx(1)


def test_constant_features_are_an_error_and_one_among_others_does_not_count():
    states = np.random.default_rng(0).normal(size=(200, 3))
    noisy = states[:, :1] + np.random.default_rng(1).normal(size=(200, 1))
    constant = np.full((200, 1), 0.1)
    with pytest.raises(ValueError, match="features is constant on the last half of its rows"):
        read_out(states, constant)
    constant[:100] = states[:100, :1]  # on the last half alone
    assert read_out(states, np.hstack([noisy, constant])) == read_out(states, noisy)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 6), st.integers(0, 999))
def test_self_relations_against_the_diagonal_of_all_relations(r, p, d, seed):
    generator = np.random.default_rng(seed)
    left, right = generator.normal(size=(2, r, p, d))
    objects = generator.normal(size=(5, d))
    every = np.stack(
        [(objects @ a.T) @ (objects @ b.T).T for a, b in zip(left, right, strict=True)]
    )
    found = self_relations(left, right, objects)
    np.testing.assert_allclose(found, np.einsum("rnn->nr", every), atol=1e-12)
    np.testing.assert_allclose(found, self_relations(right, left, -objects), atol=1e-12)


def test_self_relations_name_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"left has shape \(1, 2, 3\)"):
        self_relations(np.zeros((1, 2, 3)), np.zeros((1, 2, 3)), np.zeros((5, 4)))
