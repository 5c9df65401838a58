"""Functions of relations against plain loops, and what a row alone can decide against counting."""

from collections import Counter, defaultdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.tasks import relations as functions

seeds = st.integers(0, 2**32 - 1)


def others(m, *these):
    return [k for k in range(m) if k not in these]


def naive(target, r):
    """The answer of each object of one tensor, said in words."""
    m = len(r)
    degree = [sum(r[i][j] == 1 for j in others(m, i)) for i in range(m)]
    if target == "parity":
        return [d % 2 for d in degree]
    if target == "degree":
        return degree
    if target == "strongest":
        return [max(range(m), key=lambda j: r[i][j]) for i in range(m)]
    if target == "median":
        return [sorted(range(m), key=lambda j: r[i][j])[(m - 1) // 2] for i in range(m)]
    if target == "popular":
        return [
            sum(r[i][j] == 1 and degree[j] > (m - 1) / 2 for j in others(m, i)) for i in range(m)
        ]
    if target == "equal_degree":
        return [int(any(degree[j] == degree[i] for j in others(m, i))) for i in range(m)]
    if target == "same_row":
        return [
            int(any(all(r[i][k] == r[j][k] for k in others(m, i, j)) for j in others(m, i)))
            for i in range(m)
        ]
    if target == "common_degree":
        alike = Counter(degree)
        return [int(alike[degree[i]] == max(alike.values())) for i in range(m)]
    chains = permutations(range(m), 3)
    broken = {i for i, j, k in chains if r[i][j] == 1 and r[j][k] == 1 and r[i][k] == 0}
    return [int(i not in broken) for i in range(m)]


@pytest.mark.parametrize("target", functions.TARGETS)
@given(seed=seeds, objects=st.integers(2, 6))
def test_against_naive_loops(target, seed, objects):
    make = functions.graded if target in functions.GRADED else functions.binary
    tensors = make(np.random.default_rng(seed), 4, objects)
    found = functions.TARGETS[target](tensors)
    assert found.tolist() == [naive(target, one.tolist()) for one in tensors]
    assert found.max() < functions.outputs(target, objects)


@pytest.mark.parametrize(
    "target", ["popular", "parity", *functions.SECOND_ORDER, *functions.THREE_STEPS]
)
def test_best_from_a_row_against_counting_draws(target):
    tensors = functions.binary(np.random.default_rng(0), 60_000, 4)
    answers = functions.TARGETS[target](tensors)
    seen = defaultdict(Counter)
    for row, answer in zip(tensors[:, 0].tolist(), answers[:, 0].tolist(), strict=True):
        seen[tuple(row)][answer] += 1
    counted = sum(max(some.values()) for some in seen.values()) / len(tensors)
    assert functions.best_from_row(target, 4) == pytest.approx(counted, abs=0.01)


def test_relations_hold_with_probability_one_half():
    tensors = functions.binary(np.random.default_rng(0), 5000, 4)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((tensors == 1).mean(axis=0)[off], 0.5, atol=0.03)
    assert (np.diagonal(tensors, axis1=1, axis2=2) == functions.SELF).all()


def test_bad_targets():
    with pytest.raises(ValueError, match="target is 'cube'; allowed: parity"):
        functions.outputs("cube", 3)
    for target in ("median", "nope"):
        with pytest.raises(ValueError, match=f"target is '{target}'; allowed: parity, degree, pop"):
            functions.best_from_row(target, 3)
    with pytest.raises(ValueError, match="objects is 6; allowed: 2 to 5"):
        functions.best_from_row("degree", 6)
