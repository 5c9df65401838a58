"""Relatives of the Abstractor against loops over objects, written apart from the modules."""

import math

import pytest
import torch

from abstractor_lib.nn import (
    MLP,
    DualAttention,
    EncoderLayer,
    LearnedSymbols,
    RelationNetwork,
    SymbolBindingNetwork,
    TemporalContextNorm,
    initialise,
)


@pytest.mark.parametrize(("reduction", "share"), [("sum", 1), ("mean", 1 / 16)])
def test_against_naive_relation_network(double, assert_same, reduction, share):
    network = RelationNetwork(MLP([6, 5, 4]), reduction)
    x = torch.randn(2, 4, 3, requires_grad=True)
    rows = []
    for sequence in x:
        pairs = [network.pair(torch.cat([a, b])) for a in sequence for b in sequence]
        rows.append(share * sum(pairs))
    assert_same(network(x), torch.stack(rows), [x, *network.parameters()])


def test_a_relation_network_names_its_reductions():
    with pytest.raises(ValueError, match="reduction is 'max'; expected 'sum' or 'mean'"):
        RelationNetwork(MLP([6, 5]), "max")


def test_a_relation_network_does_not_see_the_order(double):
    network, x = RelationNetwork(MLP([6, 5, 4])), torch.randn(2, 4, 3)
    torch.testing.assert_close(network(x), network(x[:, [2, 0, 3, 1]]))


def test_against_naive_dual_attention(double, assert_same):
    m, dim, sensory, relational, relations, k = 3, 6, 2, 1, 2, 2
    attention = DualAttention(
        dim, sensory, relational, symbols=LearnedSymbols(m, dim), relations=relations
    )
    x = torch.randn(2, m, dim, requires_grad=True)

    def head(part, h):
        return part.weight[h * k : (h + 1) * k]

    rows = []
    for objects in x:
        for i in range(m):
            heads = []
            for h in range(sensory + relational):
                query = head(attention.query, h) @ objects[i]
                scores = [query @ (head(attention.key, h) @ one) / math.sqrt(k) for one in objects]
                share = torch.stack(scores).exp()
                share = share / share.sum()
                mixed = torch.zeros(k)
                for j in range(m):
                    if h < sensory:
                        message = head(attention.value, h) @ objects[j]
                    else:
                        r = torch.stack(
                            [
                                (head(attention.left, n) @ objects[i])
                                @ (head(attention.right, n) @ objects[j])
                                / math.sqrt(k)
                                for n in range(relations)
                            ]
                        )
                        symbol = attention.symbols.vectors[j]
                        message = head(attention.relate, h - sensory) @ r
                        message = message + head(attention.symbolise, h - sensory) @ symbol
                    mixed = mixed + share[j] * message
                heads.append(mixed)
            rows.append(attention.output.weight @ torch.cat(heads))
    expected = torch.stack(rows).view(2, m, dim)
    assert_same(attention(x, x, x), expected, [x, *attention.parameters()])


def test_relational_heads_see_relations_alone(double):
    """An orthogonal map of all objects, undone in what compares them, changes no relational head;
    sensory heads, without such a map of their values, see it."""
    attention = DualAttention(4, 1, 1, symbols=LearnedSymbols(3, 4), relations=2)
    turn = torch.linalg.qr(torch.randn(4, 4))[0]
    x = torch.randn(2, 3, 4)
    before = attention(x, x, x)
    with torch.no_grad():
        for part in (attention.query, attention.key, attention.left, attention.right):
            part.weight.copy_(part.weight @ turn.T)
    y = x @ turn.T
    turned = attention(y, y, y)
    assert (turned - before).abs().max() > 1e-3
    with torch.no_grad():
        attention.value.weight.zero_()
    felt_nothing = attention(y, y, y)
    with torch.no_grad():
        for part in (attention.query, attention.key, attention.left, attention.right):
            part.weight.copy_(part.weight @ turn)
    torch.testing.assert_close(attention(x, x, x), felt_nothing)


def test_against_naive_symbol_binding(double, assert_same):
    network = SymbolBindingNetwork(3, key_dim=2, hidden=4)
    x = torch.randn(2, 4, 3, requires_grad=True)
    into, recur = network.read, network.recur
    rows = []
    for sequence in x:
        h, c, memory, read = torch.zeros(4), torch.zeros(4), [], torch.zeros(3)
        for z in [*sequence, None]:
            raw = into.weight @ read + into.bias + recur.weight @ h + recur.bias
            let_in, forget, new, out = raw.view(4, 4)  # torch's order of an LSTM's gates
            c = torch.sigmoid(forget) * c + torch.sigmoid(let_in) * torch.tanh(new)
            h = torch.sigmoid(out) * torch.tanh(c)
            if z is None:  # the last step reads what was retrieved for the last object
                break
            read = torch.zeros(3)
            if memory:
                likeness = torch.stack([z @ other for other, _ in memory])
                share = likeness.exp() / likeness.exp().sum()
                for one, score, (_, key) in zip(share, likeness, memory, strict=True):
                    sure = 1 / (1 + torch.exp(-(network.slope * score + network.offset)))
                    read = read + one * torch.cat([key, sure])
                read = torch.sigmoid(network.gate.weight @ h + network.gate.bias) * read
            memory.append((z, (network.write.weight @ h + network.write.bias).clamp(min=0)))
        rows.append(h)
    used = [p for name, p in network.named_parameters()]
    assert_same(network(x), torch.stack(rows), [x, *used])


def test_against_torchs_lstm(double):
    network, cell = SymbolBindingNetwork(3, key_dim=2, hidden=4), torch.nn.LSTMCell(3, 4)
    with torch.no_grad():
        cell.weight_ih.copy_(network.read.weight)
        cell.bias_ih.copy_(network.read.bias)
        cell.weight_hh.copy_(network.recur.weight)
        cell.bias_hh.copy_(network.recur.bias)
    read, state, kept = torch.randn(5, 3), torch.randn(5, 4), torch.randn(5, 4)
    found, expected = network.control(read, state, kept), cell(read, (state, kept))
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-12)


def test_a_symbol_binding_network_sees_likeness_alone(double):
    network, x = SymbolBindingNetwork(3, key_dim=2, hidden=4), torch.randn(2, 4, 3)
    turn = torch.linalg.qr(torch.randn(3, 3))[0]
    torch.testing.assert_close(network(x @ turn.T), network(x))
    assert (network(x[:, [1, 0, 2, 3]]) - network(x)).abs().max() > 1e-6


def test_against_naive_temporal_context_norm(double, assert_same):
    norm = TemporalContextNorm(3, eps=0.1)
    with torch.no_grad():
        norm.gain.normal_()
        norm.shift.normal_()
    x = torch.randn(2, 4, 3, requires_grad=True)
    rows = []
    for sequence in x:
        columns = []
        for d in range(3):
            column = sequence[:, d]
            mean = sum(column) / 4
            variance = sum((one - mean) ** 2 for one in column) / 4
            scaled = (column - mean) / torch.sqrt(variance + 0.1)
            columns.append(norm.gain[d] * scaled + norm.shift[d])
        rows.append(torch.stack(columns, dim=1))
    expected = torch.stack(rows)
    assert_same(norm(x), expected, [x, norm.gain, norm.shift])


def test_the_norm_forgets_shift_and_scale_of_a_sequence(double):
    norm, x = TemporalContextNorm(3, eps=1e-12), torch.randn(2, 4, 3)
    torch.testing.assert_close(norm(5 * x + torch.randn(2, 1, 3)), norm(x))


def test_parts_of_a_sequence_are_normalised_by_themselves(double):
    whole, pairs = TemporalContextNorm(3), TemporalContextNorm(3, parts=(2, 1, 2))
    x = torch.randn(4, 5, 3)
    expected = torch.cat([whole(x[:, :2]), whole(x[:, 2:3]), whole(x[:, 3:])], dim=1)
    torch.testing.assert_close(pairs(x), expected)
    assert (pairs(x) - whole(x)).abs().max() > 0.1


@pytest.mark.parametrize("scheme", ["keras", "torch"])
def test_relatives_can_start_anew(scheme):
    symbols = LearnedSymbols(3, 8)
    for module in (
        TemporalContextNorm(8),
        RelationNetwork(MLP([16, 4])),
        SymbolBindingNetwork(8, key_dim=4, hidden=4),
        EncoderLayer(8, DualAttention(8, 1, 1, symbols=symbols, relations=2)),
    ):
        assert initialise(module, scheme)(torch.randn(2, 3, 8)).isfinite().all()


def test_errors_name_the_argument():
    with pytest.raises(ValueError, match="relational is 0; expected an integer of at least 1"):
        DualAttention(8, 1, 0, symbols=LearnedSymbols(3, 8), relations=2)
    with pytest.raises(ValueError, match="dim is 8; expected a multiple of heads, 3"):
        DualAttention(8, 1, 2, symbols=LearnedSymbols(3, 8), relations=2)
    attention = DualAttention(8, 1, 1, symbols=LearnedSymbols(3, 8), relations=2)
    x = torch.zeros(1, 3, 8)
    with pytest.raises(ValueError, match=r"value has shape \(1, 3, 7\)"):
        attention(x, x, x[..., :7])
    with pytest.raises(ValueError, match="key_dim is 0; expected an integer of at least 1"):
        SymbolBindingNetwork(8, key_dim=0, hidden=4)
    with pytest.raises(ValueError, match=r"objects has shape \(1, 3, 7\)"):
        SymbolBindingNetwork(8, key_dim=2, hidden=4)(x[..., :7])
    with pytest.raises(ValueError, match=r"objects has shape \(1, 3, 7\)"):
        TemporalContextNorm(8)(x[..., :7])
    with pytest.raises(ValueError, match=r"parts\[1\] is 0; expected an integer of at least 1"):
        TemporalContextNorm(8, parts=(2, 0))
    with pytest.raises(ValueError, match="objects has 5 objects; parts has 6 in all"):
        TemporalContextNorm(8, parts=(2, 4))(torch.randn(1, 5, 8))
