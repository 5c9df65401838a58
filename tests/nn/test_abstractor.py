"""The Abstractor's settings against the papers' algorithms written out in loops, in float64."""

from copy import deepcopy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from abstractor_lib.nn import (
    MLP,
    Abstractor,
    AbstractorLayer,
    AbstractorStack,
    FeedForward,
    GivenRelation,
    Heads,
    InnerProductRelation,
    LearnedSymbols,
    MultiHeadAttention,
    MultiHeadRelation,
    PairwiseAbstractor,
    RelationalCrossAttention,
    RelationalMessagePassing,
    RelativeSymbols,
    SetMessagePassing,
    SinusoidalSymbols,
    SymbolicMessagePassing,
)


def messages(dim=5, symbol_dim=6, relations=2, **options):
    return RelationalMessagePassing(
        MultiHeadRelation(dim, relations, 3, **options),
        SymbolicMessagePassing(symbol_dim, relations, combine="mix"),
    )


def randomised(module):
    for part in module.parameters():
        nn.init.normal_(part, std=0.5)
    return module


def naive_attention(module, query, key, value):
    """Attention(Q, K, V), row by row: (n, d), (m, d), (m, d) -> (n, d)."""
    h, k = module.query.heads, module.query.width

    def project(part, vector):
        return F.linear(vector, part.weight, part.bias).view(h, -1)

    rows = []
    for x in query:
        mixed = []
        for head in range(h):
            scores = torch.stack(
                [project(module.query, x)[head] @ project(module.key, y)[head] for y in key]
            )
            weights = (scores / k**0.5).softmax(dim=0)
            mixed.append(
                sum(w * project(module.value, z)[head] for w, z in zip(weights, value, strict=True))
            )
        rows.append(F.linear(torch.cat(mixed), module.output.weight, module.output.bias))
    return torch.stack(rows)


def test_against_naive_v1_algorithm_3(double, assert_same):
    """R <- sigma(MHR(X)); a_i <- sum_j R[i, j] a_j, concatenated; a_i <- phi(a_i)."""
    layers = [AbstractorLayer(messages(activation="tanh"), MLP([6, 7, 6])) for _ in range(2)]
    module = randomised(AbstractorStack(LearnedSymbols(4, 6), layers))
    objects = torch.randn(3, 4, 5, requires_grad=True)
    result = []
    for x in objects:
        states = list(module.symbols.vectors)
        for layer in module.layers:
            relation, passing = layer.relational.relation, layer.relational.message_passing
            w1, w2 = (part.weight.view(2, 3, 5) for part in (relation.left, relation.right))
            mix = torch.cat(list(passing.values.weight.view(2, 6, 6)), dim=1)  # (out, r d_s)
            new = []
            for i in range(4):
                concatenated = []
                for k in range(2):
                    concatenated.append(
                        sum(
                            torch.tanh((w1[k] @ x[i]) @ (w2[k] @ x[j])) * states[j]
                            for j in range(4)
                        )
                    )
                new.append(layer.feedforward(mix @ torch.cat(concatenated) + passing.bias))
            states = new
        result.append(torch.stack(states))
    assert_same(module(objects), torch.stack(result), [objects, *module.parameters()])


def test_against_naive_v1_algorithm_4(double, assert_same):
    """As printed: A <- SelfAttention(A); A <- RelationalCrossAttention(X, S); A <- phi(A)."""
    layers = [
        AbstractorLayer(
            RelationalCrossAttention(6, Heads(2, 3)),
            MLP([6, 7, 6]),
            self_attention=MultiHeadAttention(6, Heads(2, 3)),
        )
        for _ in range(2)
    ]
    module = randomised(AbstractorStack(LearnedSymbols(4, 6), layers, values="symbols"))
    objects = torch.randn(3, 4, 6, requires_grad=True)
    result = []
    for x in objects:
        symbols = states = module.symbols.vectors
        for layer in module.layers:
            states = naive_attention(layer.self_attention, states, states, states)
            states = naive_attention(layer.relational, x, x, symbols)
            states = layer.feedforward(states)
        result.append(states)
    inputs = [objects, module.symbols.vectors, *module.layers[1].relational.parameters()]
    assert_same(module(objects), torch.stack(result), inputs)


def test_v1_algorithm_4_as_printed_drops_the_states():
    """Each layer mixes the symbols again, so no layer but the last matters."""
    layers = [
        AbstractorLayer(
            RelationalCrossAttention(6, Heads(2, 3)),
            self_attention=MultiHeadAttention(6, Heads(2, 3)),
        )
        for _ in range(2)
    ]
    module = AbstractorStack(LearnedSymbols(4, 6), layers, values="symbols")
    objects = torch.randn(3, 4, 6)
    alone = AbstractorStack(module.symbols, [layers[1]], values="symbols")
    torch.testing.assert_close(module(objects), alone(objects))
    assert not torch.allclose(AbstractorStack(module.symbols, layers)(objects), alone(objects))


@pytest.mark.parametrize("first", [True, False])
def test_against_naive_v3_algorithm_1(double, assert_same, first):
    """A <- LN(A + RCA(X, A)); A <- FF(A), with self-attention before or after, or without."""
    options = {"residual": True, "norm": 6, "self_attention_first": first}
    layers = [
        AbstractorLayer(
            RelationalCrossAttention(6, Heads(2, 3)),
            FeedForward(6, 7, dropout=0.0),
            self_attention=MultiHeadAttention(6, Heads(2, 3)) if index else None,
            **options,
        )
        for index in range(2)
    ]
    module = randomised(AbstractorStack(SinusoidalSymbols(6), layers))
    objects = torch.randn(3, 4, 6, requires_grad=True)
    result = []
    for x in objects:
        states = module.symbols(objects)
        for index, layer in enumerate(module.layers):
            if index and first:
                own = naive_attention(layer.self_attention, states, states, states)
                states = layer.self_norm(states + own)
            states = layer.norm(states + naive_attention(layer.relational, x, x, states))
            if index and not first:
                own = naive_attention(layer.self_attention, states, states, states)
                states = layer.self_norm(states + own)
            states = layer.feedforward(states)
        result.append(states)
    assert_same(module(objects), torch.stack(result), [objects, *module.parameters()])


def test_against_naive_set_update(double, assert_same):
    """v1 eq. 2.1: a function of s_i and of the set of (R[i, j], s_j)."""
    layer = randomised(SetMessagePassing(4, relations=3, hidden=7, out_dim=5))
    relations = torch.randn(2, 3, 4, 4, requires_grad=True)
    symbols = torch.randn(4, 4, requires_grad=True)
    rows = []
    for s in range(2):
        for i in range(4):
            pairs = [torch.cat([relations[s, :, i, j], symbols[j]]) for j in range(4)]
            total = sum(layer.message(pair) for pair in pairs)
            rows.append(layer.update(torch.cat([symbols[i], total])))
    expected = torch.stack(rows).view(2, 4, 5)
    assert_same(layer(relations, symbols), expected, [relations, symbols, *layer.parameters()])


def test_a_set_update_can_be_linear_message_passing(double):
    """Weights with which eq. 2.1 gives eq. 2.2, for one-hot symbols and relations in [0, 1]."""
    relations, symbols = torch.rand(2, 1, 4, 4), torch.eye(4)
    layer = SetMessagePassing(4, relations=1, hidden=8, out_dim=4)
    # message: relu(R + s - 1) picks R[i, j] where s is 1; update: the sum, as it is
    for part in layer.parameters():
        nn.init.zeros_(part)
    layer.message[0].weight.data[:4] = torch.cat([torch.ones(4, 1), torch.eye(4)], dim=1)
    layer.message[0].bias.data[:4] = -1.0
    layer.message[2].weight.data[:4, :4] = torch.eye(4)
    layer.update[0].weight.data[:4, 4:8] = torch.eye(4)
    layer.update[2].weight.data[:, :4] = torch.eye(4)
    expected = relations[:, 0] @ symbols
    torch.testing.assert_close(layer(relations, symbols), expected, rtol=1e-12, atol=1e-12)


def test_set_update_with_relative_symbols(double):
    """What object j sends to i is message(R[i, j], s_j + s_{j-i})."""
    layer = randomised(SetMessagePassing(4, relations=1, hidden=7))
    relations, symbols, offsets = torch.rand(1, 1, 3, 3), torch.randn(3, 4), torch.randn(5, 4)
    rows = []
    for i in range(3):
        pairs = [
            torch.cat([relations[0, :, i, j], symbols[j] + offsets[j - i + 2]]) for j in range(3)
        ]
        rows.append(layer.update(torch.cat([symbols[i], sum(map(layer.message, pairs))])))
    found = layer(relations, symbols, relative=offsets)
    torch.testing.assert_close(found[0], torch.stack(rows))


def test_against_naive_v1_algorithm_1(double, assert_same):
    """A given relation tensor; a_i <- sum_j R[i, j] a_j, concatenated; a_i <- phi(a_i); L times."""
    layers = [
        AbstractorLayer(
            RelationalMessagePassing(GivenRelation(), SymbolicMessagePassing(6, 2, combine="mix")),
            MLP([6, 7, 6]),
        )
        for _ in range(2)
    ]
    module = randomised(AbstractorStack(LearnedSymbols(4, 6), layers))
    relations = torch.randn(3, 2, 4, 4, requires_grad=True)
    result = []
    for one in relations:
        states = list(module.symbols.vectors)
        for layer in module.layers:
            passing = layer.relational.message_passing
            mix = torch.cat(list(passing.values.weight.view(2, 6, 6)), dim=1)
            states = [
                layer.feedforward(
                    mix
                    @ torch.cat([sum(one[k, i, j] * states[j] for j in range(4)) for k in range(2)])
                    + passing.bias
                )
                for i in range(4)
            ]
        result.append(torch.stack(states))
    assert_same(module(relations), torch.stack(result), [relations, *module.parameters()])
    padding = torch.tensor([[False, False, False, True]]).expand(3, 4)
    shorter = module(relations[..., :3, :3])
    torch.testing.assert_close(module(relations, padding)[:, :3], shorter)


def test_eq_2_4_contains_eq_2_3(double):
    """A shared embedder that concatenates all encoders, with projections that pick one of them,
    gives exactly the relations of separate encoders (v1 after eq. 2.4)."""
    left = [nn.Sequential(nn.Linear(5, 3), nn.Tanh()) for _ in range(2)]
    right = [nn.Sequential(nn.Linear(5, 3), nn.Tanh()) for _ in range(2)]

    class Concatenated(nn.Module):
        def forward(self, x):
            return torch.cat([encoder(x) for encoder in (*left, *right)], dim=-1)

    shared = MultiHeadRelation(12, 2, 3, embedder=Concatenated(), activation="linear")
    for k in range(2):
        for side, first in ((shared.left, 3 * k), (shared.right, 6 + 3 * k)):
            block = torch.zeros(3, 12)
            block[:, first : first + 3] = torch.eye(3)
            side.weight.data.view(2, 3, 12)[k] = block
    objects = torch.randn(4, 6, 5)
    expected = InnerProductRelation(left, right)(objects)
    torch.testing.assert_close(shared(objects), expected, rtol=1e-13, atol=1e-13)


def test_padding_changes_nothing_for_the_others():
    layer = AbstractorLayer(
        RelationalCrossAttention(6, Heads(2, 3)),
        self_attention=MultiHeadAttention(6, Heads(2, 3)),
        residual=True,
        norm=6,
    )
    relation = MultiHeadRelation(6, 2, 3)
    general = RelationalMessagePassing(relation, SetMessagePassing(6, relations=2, hidden=5))
    for core in (layer, AbstractorLayer(messages(dim=6)), AbstractorLayer(general)):
        module = AbstractorStack(LearnedSymbols(5, 6), [core, deepcopy(core)])
        objects = torch.randn(2, 5, 6)
        padding = torch.tensor([[False] * 3 + [True] * 2] * 2)
        found = module(objects, key_padding_mask=padding)
        torch.testing.assert_close(found[:, :3], module(objects[:, :3]))


def test_dropout_of_symbols_differs_between_examples():
    module = AbstractorStack(
        LearnedSymbols(4, 6), [AbstractorLayer(messages(activation="linear"))], dropout=0.5
    )
    objects = torch.randn(1, 4, 5).expand(2, 4, 5)
    first, second = module(objects)
    assert not torch.allclose(first, second)
    first, second = module.eval()(objects)
    torch.testing.assert_close(first, second)


@pytest.mark.parametrize("relations", [1, 3])
def test_given_relations_under_dropout_keep_their_shape(relations):
    """Symbols got the relation dimensions for batch dimensions: with one, a wrong shape."""
    given = RelationalMessagePassing(GivenRelation(), SymbolicMessagePassing(6, relations))
    module = AbstractorStack(LearnedSymbols(4, 6), [AbstractorLayer(given)], dropout=0.5)
    tensor = torch.rand(5, relations, 4, 4)
    whole = module(tensor)
    assert whole.shape == (5, 4, 6)
    module.dropout.p = 1e-12  # nothing is dropped: what evaluation gives
    torch.testing.assert_close(module(tensor), module.eval()(tensor))


def test_an_abstractor_of_sizes_is_the_composed_one(double):
    """`Abstractor(dim, heads, layers)` by hand: v3 Algorithm 1 with residuals and norms."""
    heads = Heads(3, activation="tanh", strict=True)
    sizes = {"symbol_dim": 8, "self_attention": True}
    module = randomised(Abstractor(12, heads, 2, symbols=5, **sizes)).eval()
    layers = [
        AbstractorLayer(
            RelationalCrossAttention(12, Heads(3, 4, activation="tanh", strict=True), symbol_dim=8),
            FeedForward(8, 32),
            self_attention=MultiHeadAttention(8, Heads(3, 4, activation="tanh")),
            residual=True,
            norm=8,
        )
        for _ in range(2)
    ]
    composed = AbstractorStack(LearnedSymbols(5, 8), layers).eval()
    composed.load_state_dict(module.state_dict())
    objects = torch.randn(3, 5, 12)
    assert torch.equal(module(objects), composed(objects))
    assert isinstance(module, AbstractorStack) and module(objects).shape == (3, 5, 8)


@pytest.mark.parametrize("v1", [True, False])
def test_a_pairwise_abstractor_is_the_composed_one(v1):
    """v1's mixes relations and has no network; v3's concatenates them, with one."""
    options = {"combine": "mix", "hidden": None} if v1 else {"hidden": 7, "norm": False}
    sizes = {"relations": 2, "symbols": 4, "symbol_dim": 6, "layers": 2, "dropout": 0.3}
    module = PairwiseAbstractor(lambda: MultiHeadRelation(5, 2, 3), **sizes, **options)
    layers = [
        AbstractorLayer(
            RelationalMessagePassing(
                MultiHeadRelation(5, 2, 3),
                SymbolicMessagePassing(6, 2, combine="mix" if v1 else "concatenate"),
            ),
            None if v1 else FeedForward(6, 7, residual=False, norm=False, dropout=0.3),
            dropout=0.3,
        )
        for _ in range(2)
    ]
    composed = AbstractorStack(LearnedSymbols(4, 6), layers)
    composed.load_state_dict(module.state_dict())
    objects = torch.randn(3, 4, 5)
    for seed in range(2):
        outputs = []
        for one in (module, composed):
            torch.manual_seed(seed)
            outputs.append(one(objects))  # the same dropout
        assert torch.equal(*outputs)
    with pytest.raises(ValueError, match="out_dim is 7; expected a multiple of relations, 2"):
        PairwiseAbstractor(nn.Identity, relations=2, symbols=4, symbol_dim=7, hidden=6)


@pytest.mark.parametrize(
    "symbols",
    [lambda: LearnedSymbols(5, 8), lambda: SinusoidalSymbols(8), lambda: RelativeSymbols(8, 2)],
)
def test_an_abstractor_of_sizes_takes_any_symbols(symbols):
    module = Abstractor(12, 3, 2, symbols=symbols(), symbol_dim=8, hidden=6).eval()
    objects = torch.randn(3, 5, 12)
    padding = torch.tensor([[False] * 3 + [True] * 2] * 3)
    found = module(objects, key_padding_mask=padding)
    torch.testing.assert_close(found[:, :3], module(objects[:, :3]))


@pytest.mark.parametrize("values", ["states", "symbols"])
@pytest.mark.parametrize("first", [True, False])
def test_against_naive_norm_first(double, assert_same, first, values):
    """A <- A + RCA(X, LN(A)), self-attention likewise; a norm after the last layer."""
    options = {"residual": True, "norm": 6, "norm_first": True, "layer_norm_eps": 1e-5}
    layers = [
        AbstractorLayer(
            RelationalCrossAttention(6, Heads(2, 3)),
            FeedForward(6, 7, dropout=0.0, norm_first=True, layer_norm_eps=1e-5),
            self_attention=MultiHeadAttention(6, Heads(2, 3)),
            self_attention_first=first,
            **options,
        )
        for _ in range(2)
    ]
    symbols = LearnedSymbols(4, 6)
    last = nn.LayerNorm(6)
    module = randomised(AbstractorStack(symbols, layers, values=values, norm=last))
    objects = torch.randn(3, 4, 6, requires_grad=True)
    result = []
    for x in objects:
        states = symbols.vectors

        def attend(layer, states):
            read = layer.self_norm(states)
            return states + naive_attention(layer.self_attention, read, read, read)

        for layer in module.layers:
            if first:
                states = attend(layer, states)
            mixed = layer.norm(states if values == "states" else symbols.vectors)
            states = states + naive_attention(layer.relational, x, x, mixed)
            if not first:
                states = attend(layer, states)
            network = layer.feedforward
            states = states + network.network(network.norm(states))
        result.append(last(states))
    assert_same(module(objects), torch.stack(result), [objects, *module.parameters()])


def test_a_causal_abstractor_sees_no_later_object():
    """``attn_mask`` reaches relations, messages and the self-attention of the states."""
    layer = AbstractorLayer(
        RelationalCrossAttention(6, Heads(2, 3)),
        self_attention=MultiHeadAttention(6, Heads(2, 3)),
        residual=True,
        norm=6,
    )
    linear = AbstractorLayer(messages(dim=6))
    relation = MultiHeadRelation(6, 2, 3, activation="tanh")
    general = RelationalMessagePassing(relation, SetMessagePassing(6, relations=2, hidden=5))
    later = torch.ones(5, 5, dtype=torch.bool).triu(1)
    for core in (layer, linear, AbstractorLayer(general)):
        module = AbstractorStack(LearnedSymbols(5, 6), [core, deepcopy(core)])
        objects = torch.randn(2, 5, 6)
        found = module(objects, attn_mask=later)
        shorter = module(objects[:, :3], attn_mask=later[:3, :3])
        torch.testing.assert_close(found[:, :3], shorter)
        assert not torch.allclose(found, module(objects))


def test_a_set_update_sends_nothing_where_all_relations_are_left_out():
    layer = randomised(SetMessagePassing(4, relations=2, hidden=7))
    relations, symbols = torch.rand(1, 2, 3, 3), torch.randn(3, 4)
    mask = torch.zeros(1, 2, 3, 3, dtype=torch.bool)
    mask[:, 0, 0, 1] = True  # one of two dimensions: object 1 still sends to object 0
    torch.testing.assert_close(layer(relations, symbols, attn_mask=mask), layer(relations, symbols))
    mask[:, 1, 0, 1] = True
    kept = torch.cat([relations[0, :, 0, [0, 2]].T, symbols[[0, 2]]], dim=1)
    expected = layer.update(torch.cat([symbols[0], layer.message(kept).sum(dim=0)]))
    torch.testing.assert_close(layer(relations, symbols, attn_mask=mask)[0, 0], expected)


def test_a_set_update_checks_its_masks():
    layer = SetMessagePassing(4, relations=2, hidden=7)
    relations, symbols = torch.rand(5, 2, 3, 3), torch.randn(3, 4)
    for name, mask, message in (
        ("key_padding_mask", torch.zeros(3, dtype=torch.bool), r"shape \(3,\); expected \(5, 3\)"),
        ("key_padding_mask", torch.zeros(5, 3), "dtype torch.float32; expected torch.bool"),
        ("attn_mask", torch.zeros(3, 1, dtype=torch.bool), r"shape \(3, 1\); expected \(3, 3\)"),
        ("attn_mask", torch.zeros(3, 3), "dtype torch.float32; expected torch.bool"),
    ):
        with pytest.raises(ValueError, match=f"{name} has {message}"):
            layer(relations, symbols, **{name: mask})


def test_linear_message_passing_leaves_masks_to_the_relations():
    """Masks are accepted and not used; zero relations say the same."""
    layer = randomised(SymbolicMessagePassing(4, relations=2))
    relations, symbols = torch.rand(1, 2, 3, 3), torch.randn(3, 4)
    padding = torch.tensor([[False, False, True]])
    plain = layer(relations, symbols)
    assert torch.equal(layer(relations, symbols, key_padding_mask=padding), plain)
    zeroed = layer(GivenRelation()(relations, padding), symbols)
    torch.testing.assert_close(zeroed[:, :2], layer(relations[..., :2, :2], symbols[:2]))


def test_bad_arguments():
    with pytest.raises(ValueError, match="values is 'both'; allowed: states, symbols"):
        AbstractorStack(LearnedSymbols(4, 6), [AbstractorLayer(messages())], values="both")
    with pytest.raises(ValueError, match="layers is empty"):
        AbstractorStack(LearnedSymbols(4, 6), [])
    with pytest.raises(ValueError, match="norm is -6; expected an integer of at least 1"):
        AbstractorLayer(messages(), norm=-6)
    with pytest.raises(ValueError, match=r"symbols has shape \(4, 5\); expected \(..., objects, 6"):
        SymbolicMessagePassing(6, 2)(torch.zeros(1, 2, 4, 4), torch.zeros(4, 5))
    with pytest.raises(ValueError, match=r"relations has shape \(1, 3, 4, 4\); expected \(..., 2"):
        SymbolicMessagePassing(6, 2)(torch.zeros(1, 3, 4, 4), torch.zeros(4, 6))
    with pytest.raises(ValueError, match="expected one for each of the 4 objects"):
        SetMessagePassing(6, 2, 5)(torch.zeros(1, 2, 4, 4), torch.zeros(3, 6))
    with pytest.raises(ValueError, match="left is empty; expected at least one encoder"):
        InnerProductRelation([])
    with pytest.raises(ValueError, match=r"symbols has dtype torch.float64; expected"):
        SymbolicMessagePassing(6, 2)(torch.zeros(1, 2, 4, 4), torch.zeros(4, 6).double())
    with pytest.raises(ValueError, match=r"objects has dtype torch.int64; expected torch.float32"):
        MultiHeadRelation(6, 2, 3)(torch.zeros(1, 4, 6, dtype=torch.long))
    with pytest.raises(ValueError, match="dim is 8; expected a multiple of heads, 3, or a key_dim"):
        Abstractor(8, 3, 1, symbols=4)
    with pytest.raises(ValueError, match="layers is 0; expected an integer of at least 1"):
        Abstractor(8, 2, 0, symbols=4)
    with pytest.raises(ValueError, match="symbols is 0; expected an integer of at least 1"):
        Abstractor(8, 2, 1, symbols=0)
