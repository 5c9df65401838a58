"""Symbols and positions against loops and closed forms."""

import math

import pytest
import torch

from abstractor_lib.nn import (
    AbstractorLayer,
    AbstractorStack,
    AddPositions,
    FeedForward,
    Heads,
    LearnedSymbols,
    MultiHeadRelation,
    PairwiseAbstractor,
    RelationalCrossAttention,
    RelationalMessagePassing,
    RelativeSymbols,
    RetrievedSymbols,
    SinusoidalSymbols,
    SymbolicMessagePassing,
    relative_message_passing,
    sinusoids,
)


def test_against_naive_sinusoids(double):
    """First half sines, second half cosines, angle = position / 10000^(i / (d / 2))."""
    found = sinusoids(torch.tensor([-3, 0, 7]), 6)
    for row, position in zip(found.tolist(), [-3, 0, 7], strict=True):
        angles = [position / 10000 ** (i / 3) for i in range(3)]
        expected = [math.sin(a) for a in angles] + [math.cos(a) for a in angles]
        assert row == pytest.approx(expected, abs=1e-14)


@pytest.fixture
def half():
    """New parameters and numbers are bfloat16, which has eight bits of precision."""
    torch.set_default_dtype(torch.bfloat16)
    yield
    torch.set_default_dtype(torch.float32)


def test_neighbouring_positions_differ_in_bfloat16(half):
    """Computed in bfloat16, positions 256 and 257 were one."""
    found = sinusoids(torch.arange(250, 520), 64)
    assert found.dtype == torch.bfloat16
    assert not (found[1:] == found[:-1]).all(dim=-1).any()
    torch.set_default_dtype(torch.float32)
    expected = sinusoids(torch.arange(250, 520), 64)
    torch.testing.assert_close(found.float(), expected, rtol=0, atol=2**-8)


def test_positions_of_float32_keep_their_bits():
    """Records hold losses of models with positions: the angles are those of float32 arithmetic."""
    positions = torch.arange(600)
    half = torch.arange(32) / 32
    angles = positions.float()[:, None] / 10000.0**half
    expected = torch.cat([angles.sin(), angles.cos()], dim=-1)
    assert torch.equal(sinusoids(positions, 64), expected)


def test_positions_can_start_anywhere(double):
    add, x = AddPositions(6), torch.randn(2, 5, 6)
    whole = add(x)
    torch.testing.assert_close(add(x[:, 3:], start=3), whole[:, 3:])
    torch.testing.assert_close(whole - sinusoids(torch.arange(5), 6), math.sqrt(6) * x)


def naive_relative(relations, symbols):
    b, r, m, _ = relations.shape
    result = torch.zeros(b, r, m, symbols.shape[-1], dtype=relations.dtype)
    for s in range(b):
        for k in range(r):
            for i in range(m):
                for j in range(m):
                    result[s, k, i] += relations[s, k, i, j] * symbols[j - i + m - 1]
    return result


def test_against_naive_relative_message_passing(double, assert_same):
    """A_i = sum_j R_ij s_{j-i}, v3 eq. 7."""
    relations = torch.rand(2, 3, 5, 5, requires_grad=True)
    symbols = torch.randn(9, 4, requires_grad=True)
    expected = naive_relative(relations, symbols)
    found = relative_message_passing(relations, symbols)
    assert_same(found, expected, [relations, symbols])


def test_relative_symbols_reach_and_share():
    symbols = RelativeSymbols(4, reach=2)
    found = symbols(torch.zeros(1, 5, 3))  # offsets -4 .. 4
    assert torch.equal(found[:3], symbols.vectors[:1].expand(3, 4))  # -4, -3, -2 share
    assert torch.equal(found[4], symbols.vectors[2])
    assert torch.equal(found[6:], symbols.vectors[4:].expand(3, 4))


@pytest.mark.parametrize("form", ["attention", "message passing"])
def test_against_naive_relative_abstractor(double, assert_same, form):
    """The stated rule: A^0 = 0, A^l_i = sum_j R_ij W (a_j + s_{j-i}) + b, layer after layer."""
    m, d = 4, 6

    def relational():
        if form == "attention":
            return RelationalCrossAttention(d, Heads(2, 3, activation="sigmoid"))
        return RelationalMessagePassing(
            MultiHeadRelation(d, 2, 3, activation="tanh"), SymbolicMessagePassing(d, 2)
        )

    layers = [AbstractorLayer(relational(), FeedForward(d, 5, dropout=0.0)) for _ in range(2)]
    module = AbstractorStack(RelativeSymbols(d, reach=2), layers)
    for part in module.parameters():
        torch.nn.init.normal_(part, std=0.5)
    x = torch.randn(3, m, d, requires_grad=True)
    offsets = module.symbols(x)
    states = torch.zeros(3, m, d)
    for layer in module.layers:
        core, rows = layer.relational, []
        for s in range(3):
            for i in range(m):
                values = states[s] + torch.stack([offsets[j - i + m - 1] for j in range(m)])
                if form == "attention":  # one query i at a time, its own values
                    relations = core(x[s], states[s], need_weights=True)[1]
                    heads = core.value(values)  # (h, m, v)
                    mixed = torch.stack([relations[k, i] @ heads[k] for k in range(2)])
                    rows.append(core.output(mixed[:, None])[0])
                else:
                    relations = core.relation(x[s])
                    rows.append(core.message_passing(relations, values)[i])
        states = layer.feedforward(torch.stack(rows).view(3, m, d))
    parameters = [part for part in module.parameters()]
    assert_same(module(x), states, [x, *parameters])


def test_relative_states_move_with_the_objects(double):
    """Objects far from both ends: a shift of the sequence shifts the states, whatever the place."""
    layer = RelationalMessagePassing(
        MultiHeadRelation(5, 2, 3, activation="linear"), SymbolicMessagePassing(4, 2)
    )
    module = AbstractorStack(RelativeSymbols(4), [AbstractorLayer(layer)])
    objects = torch.zeros(1, 12, 5)
    objects[:, 3:6] = torch.randn(1, 3, 5)  # the others are zero and have no relations
    shifted = objects.roll(4, dims=1)
    torch.testing.assert_close(module(shifted), module(objects).roll(4, dims=1))


def test_against_naive_retrieved_symbols(double, assert_same):
    """Per head: softmax over the library of <W x, B> / sqrt(k), then a mixture of its symbols."""
    module = RetrievedSymbols(5, 6, entries=7, heads=2, key_dim=3)
    for part in module.parameters():
        torch.nn.init.normal_(part)
    x = torch.randn(2, 4, 5, requires_grad=True)
    rows = []
    for s in range(2):
        for i in range(4):
            parts = []
            for h in range(2):
                query = module.query.weight.view(2, 3, 5)[h] @ x[s, i]
                weights = torch.stack([query @ module.bindings[h, e] for e in range(7)])
                weights = (weights / math.sqrt(3)).exp()
                weights = weights / weights.sum()
                parts.append(sum(weights[e] * module.vectors[h, e] for e in range(7)))
            rows.append(torch.cat(parts))
    expected = torch.stack(rows).view(2, 4, 6)
    assert_same(module(x), expected, [x, *module.parameters()])


def test_symbols_read_nothing_but_the_number_of_objects():
    for symbols in (LearnedSymbols(6, 4), SinusoidalSymbols(4), RelativeSymbols(4, reach=3)):
        assert torch.equal(symbols(torch.zeros(2, 5, 3)), symbols(torch.randn(7, 5, 3)))


def test_bad_arguments():
    with pytest.raises(ValueError, match="dim is 5; expected an even number"):
        SinusoidalSymbols(5)
    with pytest.raises(ValueError, match="dim is 5; expected an even number"):
        AddPositions(5)
    with pytest.raises(ValueError, match="symbol_dim is 6; expected a multiple of heads, 4"):
        RetrievedSymbols(5, 6, entries=7, heads=4)
    with pytest.raises(ValueError, match="reach is -1; expected an integer of at least 1"):
        RelativeSymbols(4, reach=-1)
    with pytest.raises(ValueError, match=r"symbols has shape \(8, 4\); .* 9 offsets between 5"):
        relative_message_passing(torch.zeros(1, 1, 5, 5), torch.zeros(8, 4))
    with pytest.raises(ValueError, match=r"relations has shape \(1, 1, 4, 5\)"):
        relative_message_passing(torch.zeros(1, 1, 4, 5), torch.zeros(9, 4))


POSITIONED = {
    "learned": lambda: LearnedSymbols(20, 6),
    "sinusoidal": lambda: SinusoidalSymbols(6),
    "relative": lambda: RelativeSymbols(6),
    "relative, learned": lambda: RelativeSymbols(6, reach=4),
    "positions": lambda: AddPositions(6),
}


@pytest.mark.parametrize("name", POSITIONED)
def test_positions_given_as_0_1_2_change_nothing(name):
    """Relative symbols are then given by pair: that of j - i at [i, j]."""
    module, x = POSITIONED[name](), torch.randn(2, 5, 6)
    plain, found = module(x), module(x, positions=torch.arange(5))
    if name.startswith("relative"):
        places = torch.arange(5)
        plain = plain[places - places[:, None] + 4]
    assert torch.equal(found, plain)


@pytest.mark.parametrize("name", POSITIONED)
def test_symbols_are_those_of_the_positions_given(name):
    """A subset of the positions of a longer sequence has the symbols that it has there."""
    module, x = POSITIONED[name](), torch.randn(2, 12, 6)
    chosen = torch.tensor([1, 4, 5, 11])
    whole = module(x, positions=torch.arange(12))
    found = module(x[:, chosen], positions=chosen)
    if name.startswith("relative"):
        assert torch.equal(found, whole[chosen][:, chosen])
    else:
        assert torch.equal(found, whole[..., chosen, :])


@pytest.mark.parametrize("name", POSITIONED)
def test_another_number_of_positions_is_refused(name):
    with pytest.raises(ValueError, match=r"positions has shape \(2,\); expected one for each of"):
        POSITIONED[name]()(torch.randn(2, 5, 6), positions=torch.arange(2))


@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_an_abstractor_hands_positions_to_its_symbols(count, dropout, double):
    """By pair and by offset the same states; with dropout a mask of its own for each example."""
    layers = [AbstractorLayer(RelationalCrossAttention(6, Heads(2, 3)), norm=6) for _ in range(2)]
    module = AbstractorStack(RelativeSymbols(6), layers, dropout=dropout)
    x, places = torch.randn(1, count, 6).expand(30, -1, -1), torch.arange(count)
    module.eval()
    found, plain = module(x, positions=places), module(x)
    torch.testing.assert_close(found, plain, rtol=1e-10, atol=1e-11)
    module.train()
    again = module(x, positions=places)
    assert torch.allclose(again, again[:1].expand_as(again)) == (dropout == 0.0)


def test_against_naive_relative_positions_of_any_kind(double, assert_same):
    """A_i = sum_j R_ij s_{p_j - p_i}: v3 eq. 7 with positions p."""
    relations = torch.rand(2, 3, 5, 5, requires_grad=True)
    module, positions = RelativeSymbols(4, reach=19), torch.tensor([0, 2, 3, 11, 19])
    pairs = module(torch.zeros(1, 5, 1), positions=positions)
    expected = torch.stack(
        [
            sum(
                relations[..., i, j, None] * module.vectors[positions[j] - positions[i] + 19]
                for j in range(5)
            )
            for i in range(5)
        ],
        dim=-2,
    )
    found = relative_message_passing(relations, pairs)
    assert_same(found, expected, [relations, module.vectors])


def test_against_naive_relative_symbols_in_two_layers_of_a_pairwise_abstractor():
    """To 1e-5: the first layer mixes s_{j-i}; the second the states, plus s_{j-i} (v3 eq. 7)."""
    torch.manual_seed(0)
    symbols = RelativeSymbols(8, reach=2)
    sizes = {"relations": 2, "symbols": symbols, "symbol_dim": 8, "hidden": None, "layers": 2}
    model = PairwiseAbstractor(lambda: MultiHeadRelation(4, 2, 3), **sizes).eval()
    x = torch.randn(1, 3, 4)
    states = [torch.zeros(8)] * 3
    for layer in model.layers:
        relations = layer.relational.relation(x)[0]  # (2, 3, 3)
        passing = layer.relational.message_passing
        new = []
        for i in range(3):
            heads = []
            for k in range(2):
                received = [
                    relations[k, i, j] * (states[j] + symbols.vectors[j - i + 2]) for j in range(3)
                ]
                alone = torch.zeros(1, 2, 3, 3)
                alone[0, k, 0, 0] = 1.0  # one relation that passes the mixture on as it is
                mixed = torch.zeros(3, 8)
                mixed[0] = sum(received)
                part = passing(alone, mixed)[0, 0] - passing.bias
                heads.append(part)
            new.append(sum(heads) + passing.bias)
        states = new
    torch.testing.assert_close(model(x)[0], torch.stack(states), rtol=1e-5, atol=1e-5)


def test_positions_are_a_tensor():
    with pytest.raises(ValueError, match=r"positions is a list; expected a tensor of shape \(2,\)"):
        LearnedSymbols(6, 8)(torch.zeros(2, 8), positions=[0, 1])
