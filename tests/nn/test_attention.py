"""Attention against torch's own and against naive loops."""

import math

import pytest
import torch
from torch import nn

from abstractor_lib.nn import (
    AblationCrossAttention,
    EncoderLayer,
    Heads,
    MultiHeadAttention,
    RelationalCrossAttention,
    SymbolicCrossAttention,
)


def copy_weights(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    projections = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([part.weight for part in projections])
    theirs.in_proj_bias.data = torch.cat([part.bias for part in projections])
    theirs.out_proj.weight.data = ours.output.weight.data
    theirs.out_proj.bias.data = ours.output.bias.data


@pytest.mark.parametrize("masked", [False, True])
def test_against_torch_multihead_attention(double, assert_same, masked):
    """With key_dim = dim / heads and softmax it is torch's, masks included."""
    ours, theirs = (
        MultiHeadAttention(12, Heads(3, 4)),
        nn.MultiheadAttention(12, 3, batch_first=True),
    )
    for part in ours.parameters():
        nn.init.normal_(part, std=0.5)
    copy_weights(ours, theirs)
    inputs = [torch.randn(2, n, 12, requires_grad=True) for n in (5, 6, 6)]
    query, key, value = inputs
    masks = {}
    if masked:
        padding = torch.zeros(2, 6, dtype=torch.bool)
        padding[0, 4:] = True
        masks = {
            "key_padding_mask": padding,
            "attn_mask": torch.triu(torch.ones(5, 6, dtype=torch.bool), diagonal=2),
        }
    expected, weights = theirs(query, key, value, average_attn_weights=False, **masks)
    found, relations = ours(query, key, value, need_weights=True, **masks)
    assert_same(found, expected, inputs)
    assert_same(relations, weights, inputs[:2])


@pytest.mark.parametrize("activation", ["softmax", "sigmoid", "linear"])
def test_against_naive_relational_cross_attention(double, assert_same, activation):
    """v3 eq. 5: A_i = sum_j R_ij W_v s_j, R_ij = sigma(<W_q x_i, W_k x_j> / sqrt(k))."""
    attention = RelationalCrossAttention(6, Heads(2, 5, activation=activation))
    x, symbols = torch.randn(3, 4, 6, requires_grad=True), torch.randn(4, 6, requires_grad=True)

    def head(part, k, vector):
        return part.weight.view(2, 5, 6)[k] @ vector + part.bias.view(2, 5)[k]

    rows = []
    for s in range(3):
        for i in range(4):
            mixed = []
            for k in range(2):
                scores = torch.stack(
                    [
                        torch.dot(
                            head(attention.query, k, x[s, i]), head(attention.key, k, x[s, j])
                        )
                        / math.sqrt(5)
                        for j in range(4)
                    ]
                )
                relations = {
                    "softmax": lambda t: t.exp() / t.exp().sum(),
                    "sigmoid": lambda t: 1 / (1 + (-t).exp()),
                    "linear": lambda t: t,
                }[activation](scores)
                mixed.append(
                    sum(relations[j] * head(attention.value, k, symbols[j]) for j in range(4))
                )
            rows.append(attention.output.weight @ torch.cat(mixed) + attention.output.bias)
    expected = torch.stack(rows).view(3, 4, 6)
    found = attention(x, symbols)
    assert_same(found, expected, [x, symbols, *attention.parameters()])


def test_ignored_keys_carry_nothing_under_elementwise_activations():
    attention = RelationalCrossAttention(6, Heads(2, 5, activation="sigmoid"))
    x, symbols = torch.randn(1, 4, 6), torch.randn(4, 6)
    padding = torch.tensor([[False, False, True, True]])
    whole = attention(x, symbols, key_padding_mask=padding)[:, :2]
    other = torch.cat([symbols[:2], torch.randn(2, 6)])
    torch.testing.assert_close(attention(x, other, key_padding_mask=padding)[:, :2], whole)


def test_against_torch_encoder_layer(double, assert_same):
    """A post-norm layer of torch's with the same weights and no dropout."""
    ours = EncoderLayer(12, Heads(3, 4), hidden=20).eval()
    theirs = nn.TransformerEncoderLayer(
        12, 3, 20, dropout=0.0, batch_first=True, layer_norm_eps=1e-3
    ).eval()
    copy_weights(ours.attention, theirs.self_attn)
    for mine, other in (
        (ours.feedforward.network[0], theirs.linear1),
        (ours.feedforward.network[2], theirs.linear2),
        (ours.norm, theirs.norm1),
        (ours.feedforward.norm, theirs.norm2),
    ):
        other.load_state_dict(mine.state_dict())
    x = torch.randn(2, 5, 12, requires_grad=True)
    assert_same(ours(x), theirs(x), [x])


def test_bad_inputs():
    attention = RelationalCrossAttention(6, Heads(2, 5))
    with pytest.raises(
        ValueError, match=r"symbols has shape \(3, 6\); expected one symbol for each"
    ):
        attention(torch.zeros(1, 4, 6), torch.zeros(3, 6))
    with pytest.raises(ValueError, match=r"x has shape \(1, 4, 5\)"):
        attention(torch.zeros(1, 4, 5), torch.zeros(4, 6))
    with pytest.raises(ValueError, match=r"attn_mask has dtype torch.float32; expected torch.bool"):
        attention(torch.zeros(1, 4, 6), torch.zeros(4, 6), attn_mask=torch.zeros(4, 4))
    with pytest.raises(
        ValueError, match=r"attn_mask has shape \(2, 4, 4\); expected \(2, 2, 4, 4\)"
    ):
        mask = torch.zeros(2, 4, 4, dtype=torch.bool)
        attention(torch.zeros(2, 4, 6), torch.zeros(4, 6), attn_mask=mask)
    with pytest.raises(ValueError, match="attn_mask has no meaning with softmax over='left'"):
        left = MultiHeadAttention(6, Heads(2, 5, over="left"))
        x = torch.zeros(1, 4, 6)
        left(x, x, x, attn_mask=torch.zeros(4, 4, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"dropout is 1.5; expected a number in \[0, 1\)"):
        MultiHeadAttention(6, Heads(2, 5), dropout=1.5)


@pytest.mark.parametrize("kind", [MultiHeadAttention, RelationalCrossAttention])
@pytest.mark.parametrize("symmetric", [False, True])
def test_fused_against_explicit(double, assert_same, kind, symmetric):
    """scaled_dot_product_attention and the explicit path compute one function, masks included."""
    explicit = kind(12, Heads(3, 5, symmetric=symmetric, diagonal=False, fused=False))
    fused = kind(12, Heads(3, 5, symmetric=symmetric, diagonal=False))
    fused.load_state_dict(explicit.state_dict())
    x, symbols = torch.randn(2, 6, 12, requires_grad=True), torch.randn(6, 12, requires_grad=True)
    given = (x, symbols) if kind is RelationalCrossAttention else (x, x, symbols)
    padding = torch.zeros(2, 6, dtype=torch.bool)
    padding[0, 4:] = True
    for masks in (
        {},
        {"key_padding_mask": padding},
        {"attn_mask": torch.ones(6, 6, dtype=torch.bool).triu(1)},  # row 0: nothing is left
        {"key_padding_mask": padding, "attn_mask": torch.rand(2, 3, 6, 6) < 0.3},
    ):
        assert_same(fused(*given, **masks), explicit(*given, **masks), [x, symbols])


def test_short_sequences_with_dropout_against_explicit(double, assert_same):
    """In training on a CPU: the same function and the same share of relations dropped."""
    explicit = RelationalCrossAttention(12, Heads(3, 5, fused=False), dropout=1e-12)
    short = RelationalCrossAttention(12, Heads(3, 5), dropout=1e-12)  # training, nothing is dropped
    short.load_state_dict(explicit.state_dict())
    x, symbols = torch.randn(2, 6, 12, requires_grad=True), torch.randn(6, 12, requires_grad=True)
    later = torch.ones(6, 6, dtype=torch.bool).triu(1)
    padding = torch.zeros(2, 6, dtype=torch.bool)
    padding[0, 4:] = True
    for masks in ({}, {"attn_mask": later}, {"attn_mask": later, "key_padding_mask": padding}):
        assert_same(short(x, symbols, **masks), explicit(x, symbols, **masks), [x, symbols], 1e-9)
    for part in (explicit, short):
        part.dropout.p = 0.5
    many = torch.randn(4000, 6, 12)
    spread = [part(many, symbols).var(dim=0).mean() for part in (explicit, short)]
    assert (spread[0] / spread[1]).item() == pytest.approx(1, abs=0.05)


def test_need_weights_gives_the_relations_of_the_same_output():
    attention = RelationalCrossAttention(12, Heads(3, 5))
    x, symbols = torch.randn(2, 6, 12), torch.randn(6, 12)
    output, relations = attention(x, symbols, need_weights=True)
    torch.testing.assert_close(output, attention(x, symbols))
    torch.testing.assert_close(relations.sum(dim=-1), torch.ones(2, 3, 6))
    torch.testing.assert_close(attention.output(relations @ attention.value(symbols)), output)


@pytest.mark.parametrize("kind", [AblationCrossAttention, SymbolicCrossAttention])
def test_against_attention_with_the_stated_inputs(kind):
    """Ablation: Q <- A, K, V <- X. Symbolic: Q <- S, K <- X, V <- S."""
    module = kind(12, Heads(3, 5))
    x, states = torch.randn(2, 6, 12), torch.randn(6, 12)
    plain = MultiHeadAttention(12, Heads(3, 5))
    plain.load_state_dict(module.state_dict())
    expected = plain(states, x, x if kind is AblationCrossAttention else states)
    torch.testing.assert_close(module(x, states), expected)


def test_v3_eq_6_itself(double):
    """Without biases and scale: W_o concat_k(W_v^k S softmax((W_1^k X)^T (W_2^k X)))."""
    attention = RelationalCrossAttention(6, Heads(2, 5, bias=False, scale=1.0))
    x, symbols = torch.randn(3, 4, 6), torch.randn(4, 6)
    w1, w2, wv = (
        part.weight.view(2, 5, 6) for part in (attention.query, attention.key, attention.value)
    )
    heads = []
    for k in range(2):
        scores = torch.stack([(one @ w1[k].T) @ (one @ w2[k].T).T for one in x])  # (b, i, j)
        heads.append(scores.softmax(dim=-1) @ (symbols @ wv[k].T))
    expected = torch.cat(heads, dim=-1) @ attention.output.weight.T
    torch.testing.assert_close(attention(x, symbols), expected)


@pytest.mark.parametrize("fused", [True, False])
def test_rows_without_keys_have_no_nan_anywhere(fused):
    """All keys padded, one object without its diagonal: zeros, and clean gradients on the way."""
    padding = torch.tensor([[True] * 4, [False] * 4])
    modules = [
        (RelationalCrossAttention(6, Heads(2, 5, fused=fused)), 4, padding),
        (RelationalCrossAttention(6, Heads(2, 5, fused=fused, strict=True)), 1, None),
    ]
    for module, count, mask in modules:
        x = torch.randn(2, count, 6, requires_grad=True)
        with torch.autograd.set_detect_anomaly(True):
            output = module(x, torch.randn(count, 6), key_padding_mask=mask)
            output.square().sum().backward()
        assert output.isfinite().all() and x.grad.isfinite().all()
        torch.testing.assert_close(output[0], module.output.bias.expand(count, 6))


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ({"key_padding_mask": (3, 5)}, r"key_padding_mask has shape \(3, 5\); expected \(3, 4\)"),
        ({"key_padding_mask": (3, 1)}, r"key_padding_mask has shape \(3, 1\); expected \(3, 4\)"),
        ({"key_padding_mask": (7, 4)}, r"key_padding_mask has shape \(7, 4\); expected \(3, 4\)"),
        ({"attn_mask": (4, 1)}, r"attn_mask has shape \(4, 1\); expected \(4, 4\)"),
        ({"attn_mask": (3, 4, 4)}, r"attn_mask has shape \(3, 4, 4\); expected \(3, 2, 4, 4\)"),
        ({"attn_mask": (2, 1, 4, 4)}, r"attn_mask has shape \(2, 1, 4, 4\); expected \(3, 1, 4"),
    ],
)
def test_masks_of_another_shape(masks, message):
    attention = RelationalCrossAttention(6, Heads(2, 5))
    given = {name: torch.zeros(shape, dtype=torch.bool) for name, shape in masks.items()}
    with pytest.raises(ValueError, match=message):
        attention(torch.zeros(3, 4, 6), torch.zeros(4, 6), **given)


def test_more_bad_inputs():
    attention = MultiHeadAttention(6, Heads(2, 5))
    x = torch.zeros(1, 4, 6)
    with pytest.raises(ValueError, match="heads is -2; expected an integer of at least 1"):
        MultiHeadAttention(6, Heads(-2, 5))
    with pytest.raises(ValueError, match=r"key_dim is 2\.5; expected an integer of at least 1"):
        MultiHeadAttention(6, Heads(2, 2.5))
    with pytest.raises(
        ValueError, match=r"query has dtype torch\.float64; expected torch\.float32"
    ):
        attention(x.double(), x, x)
    with pytest.raises(ValueError, match="value holds 3 objects; expected one for each of the 4"):
        attention(x, x, x[:, :3])
    with pytest.raises(ValueError, match=r"key has dtype torch\.int64"):
        attention(x, x.long(), x)
    with pytest.raises(ValueError, match="query holds 3 objects and key 4; expected as many"):
        MultiHeadAttention(6, Heads(2, 5, diagonal=False))(x[:, :3], x, x)
    with pytest.raises(ValueError, match=r"relative has shape \(7, 5\)"):
        attention(x, x, x, relative=torch.zeros(7, 5))


def test_against_torch_with_inputs_of_other_widths(double, assert_same):
    """torch's kdim and vdim are key_features and value_features."""
    ours = MultiHeadAttention(12, Heads(3, 4), key_features=5, value_features=7)
    theirs = nn.MultiheadAttention(12, 3, kdim=5, vdim=7, batch_first=True)
    for part in ours.parameters():
        nn.init.normal_(part, std=0.5)
    theirs.q_proj_weight.data = ours.query.weight.data
    theirs.k_proj_weight.data = ours.key.weight.data
    theirs.v_proj_weight.data = ours.value.weight.data
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_bias.data = torch.cat([part.bias for part in parts])
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    inputs = [torch.randn(2, 4, width, requires_grad=True) for width in (12, 5, 7)]
    assert_same(ours(*inputs), theirs(*inputs)[0], inputs)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize(
    "kind", [RelationalCrossAttention, AblationCrossAttention, SymbolicCrossAttention]
)
def test_objects_and_symbols_of_different_widths(double, assert_same, kind, fused):
    """The same as with both widened by zeros, which no projection of a zero weight sees."""
    d, s = 5, 8
    module = kind(d, Heads(2, 3, fused=fused), symbol_dim=s)
    wide = kind(s, Heads(2, 3, fused=fused))
    state = module.state_dict()
    for name, value in state.items():
        if value.dim() == 2 and value.shape[1] == d:  # read objects
            state[name] = torch.cat([value, torch.zeros(len(value), s - d)], dim=1)
    wide.load_state_dict(state)
    x, symbols = torch.randn(2, 4, d, requires_grad=True), torch.randn(4, s, requires_grad=True)
    padded = torch.cat([x, torch.zeros(2, 4, s - d)], dim=-1)
    found = module(x, symbols)
    assert found.shape == (2, 4, s)
    assert_same(found, wide(padded, symbols), [x, symbols])


def test_strict_and_its_opposite_are_an_error():
    """``strict`` was stronger than what was asked for beside it, without a word."""
    for name in ("diagonal", "relation_bias"):
        with pytest.raises(ValueError, match=f"{name} is True; with strict expected False"):
            Heads(2, strict=True, **{name: True})
    both = RelationalCrossAttention(
        6, Heads(2, 5, strict=True, diagonal=False, relation_bias=False)
    )
    assert not both.diagonal and both.query.bias is None and both.value.bias is not None
    open_ = RelationalCrossAttention(6, Heads(2, 5, diagonal=True))
    assert open_.diagonal and open_.query.bias is not None


def test_strict_softmax_says_nothing_about_pairs():
    """Of two objects each has one relation left, and softmax over one number is 1."""
    attention = RelationalCrossAttention(6, Heads(2, 5, strict=True))
    symbols, (x, other) = torch.randn(2, 6), torch.randn(2, 1, 2, 6)
    torch.testing.assert_close(attention(x, symbols), attention(other, symbols))
    sigmoid = RelationalCrossAttention(6, Heads(2, 5, strict=True, activation="sigmoid"))
    assert not torch.allclose(sigmoid(x, symbols), sigmoid(other, symbols))


def test_v3_eq_5_as_printed_is_the_transpose_of_eq_4(double):
    """With objects and symbols as columns, S softmax(phi(X)^T psi(X)) mixes R_ji, not R_ij."""
    attention = RelationalCrossAttention(6, Heads(1, 6, bias=False, scale=1.0, activation="tanh"))
    nn.init.eye_(attention.value.weight)
    nn.init.eye_(attention.output.weight)
    x, symbols = torch.randn(4, 6), torch.randn(4, 6)
    phi, psi = attention.query.weight @ x.T, attention.key.weight @ x.T  # (k, m)
    relations = torch.tanh(phi.T @ psi)  # R_ij
    printed = symbols.T @ relations  # eq. 5, column i
    torch.testing.assert_close(attention(x, symbols).T, symbols.T @ relations.T)  # eq. 4
    assert not torch.allclose(printed, symbols.T @ relations.T)


@pytest.mark.parametrize("name", ["key_features", "value_features", "out_features"])
def test_a_bad_width_is_named_as_it_was_given(name):
    with pytest.raises(ValueError, match=f"{name} is 0; expected an integer of at least 1"):
        MultiHeadAttention(8, Heads(2, 4), **{name: 0})


@pytest.mark.parametrize(
    "kind", [RelationalCrossAttention, AblationCrossAttention, SymbolicCrossAttention]
)
def test_bad_widths_of_objects_and_symbols_are_told_apart(kind):
    for sizes, name in (({"symbol_dim": 0}, "symbol_dim"), ({}, "dim"), ({"symbol_dim": 8}, "dim")):
        with pytest.raises(ValueError, match=f"^{name} is 0; expected an integer of at least 1"):
            kind(0 if name == "dim" else 8, Heads(2, 4), **sizes)


def test_bad_widths():
    with pytest.raises(ValueError, match="key_features is 5; with symmetric expected those of the"):
        MultiHeadAttention(6, Heads(2, 3, symmetric=True), key_features=5)
    with pytest.raises(ValueError, match=r"symbols has shape \(4, 6\); expected \(..., objects, 8"):
        RelationalCrossAttention(6, Heads(2, 3), symbol_dim=8)(
            torch.zeros(1, 4, 6), torch.zeros(4, 6)
        )
