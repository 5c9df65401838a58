"""The order task against naive computations and the sizes the public notebooks print."""

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.tasks import order
from abstractor_lib.tasks.randomness import generator


@pytest.mark.parametrize(
    ("count", "diagonal", "sizes"),
    [
        (32, False, (495, 149, 348)),  # printed in the public notebooks, v1 and v3
        (64, False, (2015, 605, 1412)),  # printed in the later public notebook
        (32, True, (511, 154, 359)),
    ],
)
def test_split_sizes(count, diagonal, sizes):
    pairs = order.pairs(count, diagonal)
    split = order.split(generator(0, "split"), len(pairs), 0.35, 0.15)
    assert tuple(map(len, split)) == sizes
    assert sorted(np.concatenate(split).tolist()) == list(range(len(pairs)))


@pytest.mark.parametrize("shares", [(1.5, 0.1), (1.0, 0.1), (-0.1, 0.5), (0.5, np.nan)])
def test_shares_that_leave_no_pairs_to_train_are_refused(shares):
    message = f"test is {shares[0]} and validation is {shares[1]}; expected shares of at least 0"
    with pytest.raises(ValueError, match=message):
        order.split(generator(0, "split"), 100, *shares)


def test_pairs_and_labels_against_naive_loops():
    naive = [(i, j) for i in range(5) for j in range(5) if i != j]
    pairs = order.pairs(5)
    assert [tuple(pair) for pair in pairs.tolist()] == naive
    assert order.precedes(pairs).tolist() == [int(i < j) for i, j in naive]


def naive_closure(pairs, labels, count):
    """Reachability by networkx."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(count))
    for (i, j), label in zip(pairs.tolist(), labels.tolist(), strict=True):
        if i != j:
            graph.add_edge(*((i, j) if label else (j, i)))
    return np.array(
        [[networkx.has_path(graph, i, j) and i != j for j in range(count)] for i in range(count)]
    )


@given(
    count=st.integers(2, 9),
    share=st.floats(0.05, 1.0),
    seed=st.integers(0, 99),
    cyclic=st.booleans(),
)
def test_against_naive_closure(count, share, seed, cyclic):
    random = generator(seed, "test")
    pairs = order.pairs(count)
    labels = order.beats(random, pairs, count) if cyclic else order.precedes(pairs)
    chosen = random.permutation(len(pairs))[: max(1, round(share * len(pairs)))]
    found = order.closure(pairs[chosen], labels[chosen], count)
    assert (found == naive_closure(pairs[chosen], labels[chosen], count)).all()
    if not cyclic:  # nothing false follows from a true order
        assert not np.tril(found).any()


@given(seed=st.integers(0, 99), shown=st.integers(1, 40))
def test_inference_parts_exclude_each_other_and_cover_distinct_pairs(seed, shown):
    pairs = order.pairs(8, diagonal=True)
    labels = order.precedes(pairs)
    chosen = generator(seed, "test").permutation(len(pairs))[:shown]
    found = order.inference(pairs, pairs[chosen], labels[chosen], 8)
    total = sum(part.astype(int) for part in found)
    assert (total == (pairs[:, 0] != pairs[:, 1])).all()


def test_tournament_is_antisymmetric_and_not_an_order():
    pairs = order.pairs(32)
    wins = np.zeros((32, 32), dtype=int)
    wins[tuple(pairs.T)] = order.beats(generator(0, "tournament"), pairs, 32)
    upper = np.triu_indices(32, k=1)
    assert (wins[upper] + wins.T[upper] == 1).all()
    triangles = np.trace(np.linalg.matrix_power(wins, 3)) // 3
    assert triangles > 0  # A beats B beats C beats A


def test_objects_are_standard_normal_and_repeat():
    x = order.objects(generator(0, "objects"), 2000, 8)
    assert x.dtype == np.float32
    np.testing.assert_allclose(x.mean(), 0, atol=4 / 16000**0.5)
    np.testing.assert_allclose(x.std(), 1, atol=0.02)
    assert (order.objects(generator(0, "objects"), 2000, 8) == x).all()
    assert (order.objects(generator(1, "objects"), 2000, 8) != x).any()
    with pytest.raises(ValueError, match="count is 1 and dim is 8"):
        order.objects(generator(0, "objects"), 1, 8)


@pytest.mark.parametrize(("count", "shares"), [(3, (0.4, 0.4)), (1, (0.3, 0.3)), (-3, (0.1, 0.1))])
def test_one_pair_at_least_is_left_to_train_on(count, shares):
    with pytest.raises(ValueError, match=f"count is {count}; expected more pairs"):
        order.split(np.random.default_rng(0), count, *shares)
