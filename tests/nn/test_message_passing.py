"""Message-passing and the Abstractor against naive loops, in float64."""

import pytest
import torch

from abstractor_lib.nn import (
    AbstractorLayer,
    AbstractorStack,
    FeedForward,
    LearnedSymbols,
    MultiHeadRelation,
    RelationalMessagePassing,
    SetMessagePassing,
    SymbolicMessagePassing,
    symbolic_message_passing,
)

TOLERANCE = {"rtol": 1e-11, "atol": 1e-12}


def naive_messages(relations, symbols):
    """s_i <- sum_j R[i, j] s_j for each relation dimension, v1 eq. 2.2."""
    b, r, m, _ = relations.shape
    rows = [
        sum(relations[s, k, i, j] * symbols[j] for j in range(m))
        for s in range(b)
        for k in range(r)
        for i in range(m)
    ]
    return torch.stack(rows).view(b, r, m, -1)


def test_against_naive_message_passing():
    relations = torch.rand(2, 3, 4, 4, dtype=torch.float64)
    symbols = torch.randn(4, 5, dtype=torch.float64)
    found = symbolic_message_passing(relations, symbols)
    torch.testing.assert_close(found, naive_messages(relations, symbols), **TOLERANCE)


def test_identity_symbols_return_the_relations():
    relations = torch.rand(2, 3, 4, 4)
    assert torch.equal(symbolic_message_passing(relations, torch.eye(4)), relations)


@pytest.mark.parametrize("combine", ["concatenate", "mix"])
def test_against_naive_linear_map_of_messages(double, assert_same, combine):
    """The map applied to the symbols first equals the map applied to the messages."""
    layer = SymbolicMessagePassing(6, 3, combine=combine)
    torch.nn.init.normal_(layer.bias)
    relations = torch.rand(2, 3, 4, 4, requires_grad=True)
    symbols = torch.randn(4, 6, requires_grad=True)
    messages = naive_messages(relations, symbols)  # (b, r, m, d)
    blocks = layer.values.weight.view(3, -1, 6)  # (r, out, d)
    if combine == "mix":
        whole = torch.cat(list(blocks), dim=1)  # (out, r d)
        joined = torch.cat([messages[:, k] for k in range(3)], dim=-1)  # (b, m, r d)
        expected = joined @ whole.T + layer.bias
    else:
        parts = [messages[:, k] @ blocks[k].T for k in range(3)]
        expected = torch.cat(parts, dim=-1) + layer.bias
    found = layer(relations, symbols)
    assert_same(found, expected, [relations, symbols, *layer.parameters()])


def v3_abstractor(objects=4, layers=2, norm=True):
    return AbstractorStack(
        LearnedSymbols(objects, 6),
        [
            AbstractorLayer(
                RelationalMessagePassing(
                    MultiHeadRelation(5, 2, 3, activation="sigmoid"),
                    SymbolicMessagePassing(6, 2),
                ),
                FeedForward(6, 7, residual=norm, norm=norm, dropout=0.1),
                dropout=0.1,
            )
            for _ in range(layers)
        ],
    ).eval()


def test_against_naive_abstractor(double, assert_same):
    """v3 Algorithm 1 written out: relations from X, messages between states, feed-forward."""
    module = v3_abstractor()
    objects = torch.randn(3, 4, 5, requires_grad=True)
    states = [[module.symbols.vectors[i] for i in range(4)] for _ in range(3)]
    for layer in module.layers:
        messages, network = layer.relational, layer.feedforward
        relation, passing = messages.relation, messages.message_passing
        new = []
        for s in range(3):
            row = []
            for i in range(4):
                parts = []
                for k in range(2):
                    w1, w2 = (
                        relation.left.weight.view(2, 3, 5)[k],
                        relation.right.weight.view(2, 3, 5)[k],
                    )
                    message = 0.0
                    for j in range(4):
                        score = torch.dot(w1 @ objects[s, i], w2 @ objects[s, j])
                        message = message + torch.sigmoid(score) * states[s][j]
                    parts.append(passing.values.weight.view(2, 3, 6)[k] @ message)
                a = torch.cat(parts) + passing.bias
                first, second = network.network[0], network.network[2]
                y = a + second.weight @ torch.relu(first.weight @ a + first.bias) + second.bias
                centred = y - y.mean()
                norm = network.norm
                row.append(
                    centred / (centred.square().mean() + norm.eps).sqrt() * norm.weight + norm.bias
                )
            new.append(row)
        states = new
    expected = torch.stack([torch.stack(row) for row in states])
    assert_same(module(objects), expected, [objects, *module.parameters()])


@pytest.mark.parametrize("turned", [True, False])
def test_abstract_states_depend_on_inner_products_alone(double, turned):
    """Without a projection bias, replacing objects but keeping the projected inner products leaves
    the states as they were; changing the inner products changes them."""
    module = v3_abstractor(layers=1)
    relation = module.layers[0].relational.relation
    objects = torch.randn(3, 4, 5)
    before = module(objects)
    if turned:  # x -> Ux with W1 -> W1 U^T, W2 -> W2 U^T keeps every <W1 x, W2 y>
        turn, _ = torch.linalg.qr(torch.randn(5, 5))
        for side in (relation.left, relation.right):
            side.weight.data = side.weight.data @ turn.T
        objects = objects @ turn.T
        torch.testing.assert_close(module(objects), before, rtol=1e-9, atol=1e-9)
    else:
        assert not torch.allclose(module(2 * objects), before)


@pytest.mark.parametrize("layer", [SymbolicMessagePassing(6, 3), SetMessagePassing(6, 3, 8)])
def test_relative_symbols_by_pair_are_those_by_offset(layer):
    """Of as many objects as relation dimensions, where a wrong order of axes fits, too."""
    relations, symbols, offsets = torch.rand(2, 3, 3, 3), torch.randn(3, 6), torch.randn(5, 6)
    pairs = torch.stack([offsets[torch.arange(3) - i + 2] for i in range(3)])  # s_{j - i}
    expected = layer(relations, symbols, relative=offsets)
    found = layer(relations, symbols, relative=pairs)
    torch.testing.assert_close(found, expected)


def test_bad_arguments():
    with pytest.raises(ValueError, match="out_dim is 6; expected a multiple of relations, 4"):
        SymbolicMessagePassing(6, 4)
    with pytest.raises(ValueError, match="combine is 'add'; allowed: concatenate, mix"):
        SymbolicMessagePassing(6, 3, combine="add")
    with pytest.raises(ValueError, match="objects holds 3 objects; there are symbols for 2"):
        LearnedSymbols(2, 4)(torch.zeros(1, 3, 8))
    with pytest.raises(ValueError, match="layers is empty"):
        AbstractorStack(LearnedSymbols(2, 4), [])
