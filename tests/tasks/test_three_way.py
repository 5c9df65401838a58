"""Relations of three objects against loops over triples, and what they promise."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from abstractor_lib.tasks import three_way

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(3, 7), st.integers(2, 9))
def test_match3_against_a_loop_over_triples(seed, objects, modulus):
    numbers, labels = three_way.match3(np.random.default_rng(seed), 3, objects, modulus)
    assert numbers.min() >= 0 and numbers.max() < modulus
    for row, found in zip(numbers, labels, strict=True):
        expected = np.zeros(objects, dtype=int)
        for three in combinations(range(objects), 3):
            if sum(int(row[k]) for k in three) % modulus == 0:
                expected[list(three)] = 1
        assert found.tolist() == expected.tolist()


def test_match3_is_about_as_often_true_as_not():
    """21 pairs of others, each right with probability 1/32: 1 - (31/32)^21 were they independent,
    which they nearly are."""
    _, labels = three_way.match3(np.random.default_rng(0), 20_000)
    assert labels.mean() == pytest.approx(1 - (31 / 32) ** 21, abs=0.01)


@given(SEEDS, st.integers(3, 8), st.integers(4, 7))
def test_the_planted_three_are_the_only_coplanar_ones(seed, objects, dim):
    vectors, labels = three_way.coplanar(np.random.default_rng(seed), 2, objects, dim)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-1), 1)
    for row, found in zip(vectors, labels, strict=True):
        flat = {
            three
            for three in combinations(range(objects), 3)
            if np.linalg.svd(row[list(three)], compute_uv=False)[2] < 1e-9
        }
        assert flat == {tuple(np.flatnonzero(found).tolist())}


def test_two_objects_tell_of_planted_triples():
    """So a model that finds them need not look at three objects."""
    vectors, labels = three_way.coplanar(np.random.default_rng(2), 3000)
    score = three_way.closest(vectors)
    assert roc_auc_score(labels.ravel(), score.ravel()) == pytest.approx(0.78, abs=0.015)


@given(SEEDS, st.integers(1, 4), st.integers(4, 7))
def test_the_labelled_three_are_the_only_coplanar_ones(seed, triples, dim):
    vectors, labels = three_way.coplanar_decoys(np.random.default_rng(seed), 2, triples, dim)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-1), 1)
    for row, found in zip(vectors, labels, strict=True):
        least = {
            three: np.linalg.svd(row[list(three)], compute_uv=False)[2]
            for three in combinations(range(3 * triples), 3)
        }
        assert min(least, key=least.get) == tuple(np.flatnonzero(found).tolist())
        assert sum(value < 1e-7 for value in least.values()) == 1


def test_decoys_have_the_cosines_of_the_plane_up_to_signs():
    """Lines in a plane by their angles, in place of a Cholesky factor: cosines of three angles of
    a triangle without an obtuse one, whose product is negative (printed signs of the lines)."""
    vectors, labels = three_way.coplanar_decoys(np.random.default_rng(1), 500, triples=1)
    assert labels.all()
    cosines = np.stack(
        [(vectors[:, i] * vectors[:, j]).sum(-1) for i, j in ((0, 1), (1, 2), (2, 0))]
    )
    assert (cosines.prod(axis=0) < 0).all()
    np.testing.assert_allclose(np.arccos(np.abs(cosines)).sum(axis=0), np.pi, atol=1e-7)


def test_two_objects_tell_nothing_and_three_tell_all():
    vectors, labels = three_way.coplanar_decoys(np.random.default_rng(2), 3000)
    score = three_way.closest(vectors)
    for k in range(9):
        others = [abs(vectors[0, k] @ vectors[0, j]) for j in range(9) if j != k]
        assert score[0, k] == pytest.approx(max(others))
    assert roc_auc_score(labels.ravel(), score.ravel()) == pytest.approx(0.5, abs=0.015)
    cosines = np.abs(vectors @ vectors.swapaxes(1, 2)) * (1 - np.eye(9))
    for power in (1, 2, 8):  # other functions of the cosines to one object
        score = (cosines**power).sum(axis=-1)
        assert roc_auc_score(labels.ravel(), score.ravel()) == pytest.approx(0.5, abs=0.015)
    for k in (0, 1):  # each vector is uniform on the sphere: squares are Beta(1/2, 5/2)
        found = stats.kstest(vectors[labels == k][::9, 0] ** 2, stats.beta(0.5, 2.5).cdf)
        assert found.pvalue > 1e-3


def test_bad_sizes_are_told():
    random = np.random.default_rng(0)
    with pytest.raises(ValueError, match="objects is 2; expected at least 3"):
        three_way.match3(random, 4, objects=2)
    with pytest.raises(ValueError, match="objects is 2; expected at least 3"):
        three_way.coplanar(random, 4, objects=2)
    with pytest.raises(ValueError, match="modulus is 1; expected at least 2"):
        three_way.match3(random, 4, modulus=1)
    with pytest.raises(ValueError, match="triples is 0; expected at least 1"):
        three_way.coplanar_decoys(random, 4, triples=0)
    with pytest.raises(ValueError, match="dim is 2; expected at least 3"):
        three_way.coplanar_decoys(random, 4, dim=2)
