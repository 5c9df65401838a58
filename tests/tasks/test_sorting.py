"""The sorting task against naive sorting, and its sampling."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from abstractor_lib.tasks import sorting

seeds = st.integers(0, 2**31 - 1)


@given(seeds, st.integers(1, 30), st.integers(2, 9))
def test_argsort_against_sorting_by_attributes(seed, count, length):
    """Selection sort by (first rank, second rank); the answer lists positions in that order."""
    generator = np.random.default_rng(seed)
    objects = sorting.objects(generator, (3, 5), (2, 2))
    sequences = sorting.sequences(generator, count, length, 15)
    for sequence, found in zip(sequences, sorting.argsort(sequences), strict=True):
        left, expected = list(range(length)), []
        while left:
            best = min(left, key=lambda place: tuple(objects.attributes[sequence[place]]))
            expected.append(best)
            left.remove(best)
        assert found.tolist() == expected


def test_objects_are_products_of_attributes():
    objects = sorting.objects(np.random.default_rng(0), (4, 12), (4, 8))
    for one, other in itertools.combinations(range(48), 2):
        same = objects.attributes[one] == objects.attributes[other]
        assert np.array_equal(objects.vectors[one, :4], objects.vectors[other, :4]) == same[0]
        assert np.array_equal(objects.vectors[one, 4:], objects.vectors[other, 4:]) == same[1]
    order = [tuple(ranks) for ranks in objects.attributes]
    assert order == sorted(order) and len(set(order)) == 48


@given(seeds)
def test_parts_share_no_sequence(seed):
    """Nearly all 60 sequences of 3 of 5 objects are drawn, so a careless split would collide."""
    parts = sorting.split(np.random.default_rng(seed), (30, 15, 14), 3, 5)
    every = [tuple(row) for part in parts for row in part]
    assert len(every) == len(set(every)) == 59
    assert all(len(set(row)) == 3 for row in every)


def test_sequences_are_uniform():
    found = sorting.sequences(np.random.default_rng(0), 20_000, 10, 48)
    counts = np.bincount(found.ravel(), minlength=48)
    assert stats.chisquare(counts).pvalue > 1e-3
    assert stats.chisquare(np.bincount(found[:, 3], minlength=48)).pvalue > 1e-3


@given(seeds)
def test_relations_determine_the_argsort(seed):
    """An object's place is the number of objects that come before it."""
    sequences = sorting.sequences(np.random.default_rng(seed), 20, 6, 12)
    before = sorting.relations(sequences).sum(axis=1)  # (n, m): how many come before each
    assert np.array_equal(before.argsort(axis=1), sorting.argsort(sequences))


def test_bad_sizes():
    generator = np.random.default_rng(0)
    with pytest.raises(ValueError, match="length is 49; allowed: 2 to 48"):
        sorting.sequences(generator, 1, 49, 48)
    with pytest.raises(ValueError, match="count is 7; there are not as many sequences of 2"):
        sorting.sequences(generator, 7, 2, 3)
    with pytest.raises(ValueError, match=r"counts is \(0, 3\)"):
        sorting.objects(generator, (0, 3))
    with pytest.raises(ValueError, match=r"counts is \(5, -2, 4\); expected three numbers"):
        sorting.split(generator, (5, -2, 4), 3, 10)
    with pytest.raises(ValueError, match=r"counts is \(5, 4\); expected three numbers"):
        sorting.split(generator, (5, 4), 3, 10)
