"""Randomised positions: ordered, distinct, every subset as likely."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.tasks.positions import randomised_positions


@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 99))
def test_they_are_distinct_and_ascend(length, more, seed):
    found = randomised_positions(np.random.default_rng(seed), length, length + more)
    assert len(found) == length and (np.diff(found) > 0).all()
    assert found[0] >= 0 and found[-1] < length + more


def test_every_subset_is_as_likely():
    random = np.random.default_rng(0)
    counts = Counter(tuple(randomised_positions(random, 2, 4)) for _ in range(6000))
    assert len(counts) == 6
    assert all(abs(count - 1000) < 150 for count in counts.values())  # five standard errors


@pytest.mark.parametrize("length", [0, 5])
def test_a_length_that_does_not_fit_is_refused(length):
    with pytest.raises(ValueError, match=f"length is {length}; allowed: 1 to 4, the span"):
        randomised_positions(np.random.default_rng(0), length, 4)
