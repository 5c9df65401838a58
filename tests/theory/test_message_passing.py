"""Message-passing undone, and second-order relations by construction."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib import nn
from abstractor_lib.tasks import relations as functions
from abstractor_lib.theory import message_passing as exact

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 6))
def test_symbols_of_the_identity_reproduce_the_relations(seed, objects):
    """v1 section 3.2, through the library's own message-passing."""
    relations = np.random.default_rng(seed).standard_normal((objects, objects))
    states = nn.symbolic_message_passing(
        torch.from_numpy(relations)[None, None], torch.eye(objects, dtype=torch.float64)
    )
    assert np.array_equal(states[0, 0].numpy(), relations)


def test_dependent_symbols_amplify_without_bound():
    symbols = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert exact.amplification(symbols) == float("inf")
    assert exact.amplification(np.array([[1.0, 1.0], [2.0, 2.0]])) == float("inf")


def test_amplification_against_noise():
    random = np.random.default_rng(0)
    symbols = random.standard_normal((5, 7))
    noise = random.standard_normal((20_000, 5, 7))
    error = noise @ np.linalg.pinv(symbols)  # of relations that are zero
    assert np.sqrt((error**2).mean()) == pytest.approx(exact.amplification(symbols), rel=0.01)


def test_expected_amplification_against_draws():
    random = np.random.default_rng(0)
    draws = [exact.amplification(random.normal(0, 20**-0.5, (8, 20))) ** 2 for _ in range(4000)]
    assert np.sqrt(np.mean(draws)) == pytest.approx(exact.expected_amplification(8, 20), rel=0.02)
    assert exact.expected_amplification(8, 9) == float("inf")


@pytest.mark.parametrize("target", functions.SECOND_ORDER)
@given(seed=seeds, objects=st.integers(2, 6))
def test_a_chain_of_two_computes_second_order_relations(target, seed, objects):
    tensors = functions.binary(np.random.default_rng(seed), 5, objects)
    found = exact.second_order(tensors, target)
    assert np.array_equal(found, functions.TARGETS[target](tensors))


@given(seed=seeds, objects=st.integers(2, 6))
def test_chains_of_two_and_of_three_compute_the_common_degree(seed, objects):
    tensors = functions.binary(np.random.default_rng(seed), 5, objects)
    assert np.array_equal(exact.in_two_steps(tensors), functions.common_degree(tensors))
    assert np.array_equal(exact.in_three_steps(tensors), functions.common_degree(tensors))


def test_bad_targets():
    with pytest.raises(ValueError, match="target is 'parity'; allowed: equal_degree"):
        exact.second_order(np.zeros((1, 2, 2)), "parity")
