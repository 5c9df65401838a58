"""Encoder and decoders against torch's own and against v3 Algorithm 2 written out."""

import pytest
import torch
from torch import nn

from abstractor_lib.nn import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    Heads,
    MultiHeadAttention,
    RelationalCrossAttention,
)

EPS = 1e-3


def copy_attention(ours, theirs):
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([part.weight for part in parts])
    theirs.in_proj_bias.data = torch.cat([part.bias for part in parts])
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def randomised(module):
    for part in module.parameters():
        nn.init.normal_(part, std=0.5)
    return module.eval()


def test_against_torch_decoder(double, assert_same):
    """A post-norm decoder of torch's with the same weights, causal mask and padding."""
    ours = randomised(Decoder(DecoderLayer(12, Heads(3, 4), 20) for _ in range(2)))
    theirs = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(12, 3, 20, 0.0, batch_first=True, layer_norm_eps=EPS), 2
    ).eval()
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        copy_attention(mine.self_attention, other.self_attn)
        copy_attention(mine.cross_attention[0], other.multihead_attn)
        for left, right in (
            (mine.self_norm, other.norm1),
            (mine.cross_norm[0], other.norm2),
            (mine.feedforward.norm, other.norm3),
            (mine.feedforward.network[0], other.linear1),
            (mine.feedforward.network[2], other.linear2),
        ):
            right.load_state_dict(left.state_dict())
    y, context = torch.randn(2, 5, 12, requires_grad=True), torch.randn(2, 6, 12)
    padding = torch.zeros(2, 6, dtype=torch.bool)
    padding[1, 3:] = True
    expected = theirs(
        y,
        context,
        tgt_mask=torch.ones(5, 5, dtype=torch.bool).triu(1),
        memory_key_padding_mask=padding,
    )
    assert_same(ours(y, [context], context_key_padding_masks=[padding]), expected, [y])


def test_against_torch_encoder(double, assert_same):
    ours = randomised(Encoder(EncoderLayer(12, Heads(3, 4), 20) for _ in range(2)))
    theirs = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(12, 3, 20, 0.0, batch_first=True, layer_norm_eps=EPS),
        2,
        enable_nested_tensor=False,
    ).eval()
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        copy_attention(mine.attention, other.self_attn)
        for left, right in (
            (mine.norm, other.norm1),
            (mine.feedforward.norm, other.norm2),
            (mine.feedforward.network[0], other.linear1),
            (mine.feedforward.network[2], other.linear2),
        ):
            right.load_state_dict(left.state_dict())
    x = torch.randn(2, 6, 12, requires_grad=True)
    padding = torch.zeros(2, 6, dtype=torch.bool)
    padding[1, 3:] = True
    found, expected = ours(x, padding), theirs(x, src_key_padding_mask=padding)
    assert_same(found[:, :3], expected[:, :3], [x])


def norm(module, x):
    x = x - x.mean(dim=-1, keepdim=True)
    return x / (x.square().mean(dim=-1, keepdim=True) + EPS).sqrt() * module.weight + module.bias


def test_against_v3_algorithm_2(double, assert_same):
    """One causal self-attention, one cross-attention for each context in turn, one feed-forward;
    causality by recomputing every prefix instead of by a mask."""
    decoder = randomised(Decoder(DecoderLayer(8, Heads(2, 3), 10, contexts=3) for _ in range(2)))
    y = torch.randn(2, 4, 8, requires_grad=True)
    contexts = [torch.randn(2, m, 8) for m in (3, 5, 2)]
    states = y
    for layer in decoder.layers:
        own = torch.cat(
            [
                layer.self_attention(states[:, t : t + 1], *[states[:, : t + 1]] * 2)
                for t in range(4)
            ],
            dim=1,
        )
        states = norm(layer.self_norm, states + own)
        for k, context in enumerate(contexts):
            crossed = layer.cross_attention[k](states, context, context)
            states = norm(layer.cross_norm[k], states + crossed)
        network = layer.feedforward.network
        states = norm(layer.feedforward.norm, states + network(states))
    assert_same(decoder(y, contexts), states, [y])


def test_whole_layers_attend_in_turn(double):
    """As the public code has it: a complete decoder layer for each context."""
    layers = [DecoderLayer(8, Heads(2, 3), 10) for _ in range(4)]
    decoder = randomised(Decoder(layers, [(0,), (1,)] * 2))
    y, first, second = torch.randn(2, 4, 8), torch.randn(2, 3, 8), torch.randn(2, 5, 8)
    states = y
    for layer, context in zip(layers, [first, second, first, second], strict=True):
        states = layer(states, [context])
    torch.testing.assert_close(decoder(y, [first, second]), states)


def test_no_position_sees_a_later_one():
    decoder = randomised(Decoder(DecoderLayer(8, Heads(2, 3), 10) for _ in range(2)))
    y, context = torch.randn(1, 6, 8), torch.randn(1, 3, 8)
    changed = torch.cat([y[:, :4], torch.randn(1, 2, 8)], dim=1)
    found, other = decoder(y, [context]), decoder(changed, [context])
    torch.testing.assert_close(found[:, :4], other[:, :4])
    assert not torch.allclose(found[:, 4:], other[:, 4:])


def encoders(norm_first, eps=1e-5):
    """Ours and torch's of the same weights; where norms come first, with one after the last."""
    last = nn.LayerNorm(12) if norm_first else None
    options = {"norm_first": norm_first, "layer_norm_eps": eps}
    ours = randomised(Encoder([EncoderLayer(12, 3, 20, **options) for _ in range(2)], norm=last))
    theirs = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(12, 3, 20, 0.0, batch_first=True, **options),
        2,
        norm=last,
        enable_nested_tensor=False,
    ).eval()
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        copy_attention(mine.attention, other.self_attn)
        for left, right in (
            (mine.norm, other.norm1),
            (mine.feedforward.norm, other.norm2),
            (mine.feedforward.network[0], other.linear1),
            (mine.feedforward.network[2], other.linear2),
        ):
            right.load_state_dict(left.state_dict())
    return ours, theirs


@pytest.mark.parametrize("norm_first", [False, True])
def test_against_torch_encoder_with_norm_first_and_masks(double, assert_same, norm_first):
    """key_dim is dim / heads by default; ``attn_mask`` and epsilon mean what they mean in torch."""
    ours, theirs = encoders(norm_first)
    x = torch.randn(2, 6, 12, requires_grad=True)
    later = torch.ones(6, 6, dtype=torch.bool).triu(1)
    padding = torch.tensor([[False] * 6, [False] * 3 + [True] * 3])
    found = ours(x, key_padding_mask=padding, attn_mask=later)
    expected = theirs(x, mask=later, src_key_padding_mask=padding)
    assert_same(found, expected, [x])
    other, _ = encoders(norm_first, eps=1.0)
    other.load_state_dict(ours.state_dict())
    assert not torch.allclose(other(x), ours(x))


@pytest.mark.parametrize("norm_first", [False, True])
def test_against_torch_encoder_without_a_context(double, assert_same, norm_first):
    """A decoder of no context continues a sequence. In torch it is a causal encoder."""
    ours, theirs = encoders(norm_first)
    layers = [
        DecoderLayer(12, 3, 20, contexts=0, norm_first=norm_first, layer_norm_eps=1e-5)
        for _ in range(2)
    ]
    decoder = Decoder(layers, norm=ours.norm).eval()
    for mine, other in zip(decoder.layers, ours.layers, strict=True):
        mine.self_attention.load_state_dict(other.attention.state_dict())
        mine.self_norm.load_state_dict(other.norm.state_dict())
        mine.feedforward.load_state_dict(other.feedforward.state_dict())
    y = torch.randn(2, 6, 12, requires_grad=True)
    later = torch.ones(6, 6, dtype=torch.bool).triu(1)
    assert_same(decoder(y), theirs(y, mask=later), [y])
    near = torch.ones(6, 6, dtype=torch.bool).tril(-3)  # at most two positions back
    assert_same(decoder(y, attn_mask=near), theirs(y, mask=later | near), [y])


def test_against_torch_decoder_with_norm_first(double, assert_same):
    options = {"norm_first": True, "layer_norm_eps": 1e-5}
    last = nn.LayerNorm(12)
    ours = randomised(Decoder([DecoderLayer(12, 3, 20, **options)], norm=last))
    theirs = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(12, 3, 20, 0.0, batch_first=True, **options), 1, norm=last
    ).eval()
    mine, other = ours.layers[0], theirs.layers[0]
    copy_attention(mine.self_attention, other.self_attn)
    copy_attention(mine.cross_attention[0], other.multihead_attn)
    for left, right in (
        (mine.self_norm, other.norm1),
        (mine.cross_norm[0], other.norm2),
        (mine.feedforward.norm, other.norm3),
        (mine.feedforward.network[0], other.linear1),
        (mine.feedforward.network[2], other.linear2),
    ):
        right.load_state_dict(left.state_dict())
    y, context = torch.randn(2, 5, 12, requires_grad=True), torch.randn(2, 6, 12)
    expected = theirs(y, context, tgt_mask=torch.ones(5, 5, dtype=torch.bool).triu(1))
    assert_same(ours(y, [context]), expected, [y])


class Average(nn.Module):
    """An attention of another kind: the mean of a map of the keys that no mask hides."""

    def __init__(self, dim):
        super().__init__()
        self.map = nn.Linear(dim, dim)

    def forward(self, query, key, value, key_padding_mask=None, attn_mask=None):
        seen = torch.ones(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
        if attn_mask is not None:
            seen = seen * ~attn_mask
        if key_padding_mask is not None:
            seen = seen * ~key_padding_mask.unsqueeze(-2)
        return query + seen @ self.map(value) / seen.sum(dim=-1, keepdim=True)


def test_a_layer_takes_the_attention_it_is_given(double):
    """One like its own changes nothing; one of another kind is called with the layer's states."""
    plain = randomised(EncoderLayer(8, Heads(2, 3), 10))
    attention = MultiHeadAttention(8, Heads(2, 3))
    given = EncoderLayer(8, attention, hidden=10).eval()
    given.load_state_dict(plain.state_dict())
    x = torch.randn(2, 4, 8)
    assert torch.equal(given(x), plain(x))
    layer = randomised(EncoderLayer(8, Average(8)))
    mean = x + layer.attention.map(x).mean(dim=1, keepdim=True)
    expected = layer.feedforward(norm(layer.norm, x + mean))
    torch.testing.assert_close(layer(x), expected)
    padding = torch.tensor([[False, False, False, True]] * 2)
    torch.testing.assert_close(layer(x, padding)[:, :3], layer(x[:, :3]))


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_a_decoder_with_a_cache_is_the_decoder(double, given, norm_first):
    """Step by step with a cache and at once without, whatever the attention; masks cover both."""
    own = (lambda: Average(8)) if given else (lambda: 2)
    crossing = (lambda: [Average(8)]) if given else (lambda: None)
    layers = [
        DecoderLayer(8, own(), cross_attention=crossing(), norm_first=norm_first) for _ in "ab"
    ]
    decoder = randomised(Decoder(layers))
    y, context = torch.randn(2, 5, 8), torch.randn(2, 3, 8)
    near = torch.ones(5, 5, dtype=torch.bool).tril(-2)
    whole = decoder(y, [context], attn_mask=near)
    cache = decoder.new_cache()
    steps = [
        decoder(y[:, t : t + 1], [context], attn_mask=near[t : t + 1, : t + 1], cache=cache)
        for t in range(5)
    ]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)
    changed = torch.cat([y[:, :3], torch.randn(2, 2, 8)], dim=1)
    torch.testing.assert_close(decoder(changed, [context])[:, :3], decoder(y, [context])[:, :3])


def test_contexts_of_other_widths(double):
    layer = randomised(DecoderLayer(8, 2, contexts=[5, 8]))
    y, first, second = torch.randn(2, 4, 8), torch.randn(2, 3, 5), torch.randn(2, 6, 8)
    assert layer.cross_attention[0].key.in_features == 5
    states = layer(y, [first, second])
    assert not torch.allclose(states, layer(y, [first + 1, second]))
    with pytest.raises(ValueError, match=r"key has shape \(2, 6, 8\); expected \(..., objects, 5"):
        layer(y, [second, first])


def test_a_tensor_is_no_list_of_contexts():
    """Two examples in a batch, two contexts: the batch was taken for the contexts."""
    layer = DecoderLayer(8, 2, contexts=2)
    y, context = torch.randn(2, 4, 8), torch.randn(2, 3, 8)
    padding = torch.zeros(2, 3, dtype=torch.bool)
    for module in (layer, Decoder([layer])):
        with pytest.raises(ValueError, match="contexts is a tensor; expected a list, of one for"):
            module(y, context)
        with pytest.raises(ValueError, match="context_key_padding_masks is a tensor; expected a"):
            module(y, [context] * 2, context_key_padding_masks=padding)
        with pytest.raises(ValueError, match="masks holds 1; expected one for each of the 2 cont"):
            module(y, [context] * 2, context_key_padding_masks=[padding])


def test_bad_arguments():
    layer = DecoderLayer(8, Heads(2, 3), 10, contexts=2)
    with pytest.raises(ValueError, match="contexts holds 1 sequences; expected 2"):
        layer(torch.zeros(1, 4, 8), [torch.zeros(1, 3, 8)])
    with pytest.raises(ValueError, match=r"reads is \(\(0,\),\); expected .* \[2\]"):
        Decoder([layer], [(0,)])
    with pytest.raises(ValueError, match="contexts is -1; expected an integer of at least 0"):
        DecoderLayer(8, Heads(2, 3), 10, contexts=-1)
    with pytest.raises(ValueError, match="heads is None; expected an integer of at least 1"):
        EncoderLayer(8, None)
    with pytest.raises(ValueError, match="dim is 8; expected a multiple of heads, 3, or a key_dim"):
        EncoderLayer(8, 3)
    with pytest.raises(
        ValueError, match="cross_attention holds 1 modules; expected heads, or a mo"
    ):
        DecoderLayer(8, 2, contexts=2, cross_attention=[MultiHeadAttention(8, 2)])
    with pytest.raises(
        ValueError, match="cross_attention holds 0 modules; expected heads, or a mo"
    ):
        DecoderLayer(8, MultiHeadAttention(8, 2))
    with pytest.raises(ValueError, match=r"attn_mask has shape \(4, 1\); expected \(4, 4\)"):
        mask = torch.zeros(4, 1, dtype=torch.bool)
        DecoderLayer(8, 2, contexts=0)(torch.zeros(1, 4, 8), attn_mask=mask)
    with pytest.raises(TypeError):  # relations between objects that mix symbols: no self-attention
        EncoderLayer(8, RelationalCrossAttention(8, Heads(2, 3)))(torch.zeros(1, 4, 8))


def test_attention_to_a_context_has_no_diagonal_to_leave_out():
    heads = Heads(2, diagonal=False)
    with pytest.raises(ValueError, match="cross_attention leaves out the diagonal; expected diag"):
        DecoderLayer(8, Heads(2), cross_attention=heads)


@pytest.mark.parametrize("name", ["key_padding_mask", "attn_mask"])
def test_masks_of_a_decoder_are_tensors(name):
    layer, x = DecoderLayer(8, 2), torch.randn(2, 5, 8)
    with pytest.raises(ValueError, match=f"{name} is a list; expected a tensor of torch.bool"):
        layer(x, [x], **{name: [[False] * 5] * 2})
    with pytest.raises(ValueError, match="contexts is None; expected a list"):
        layer(x, None)
