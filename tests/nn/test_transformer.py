"""Encoder and decoders against torch's own and against v3 Algorithm 2 written out."""

import pytest
import torch
from torch import nn

from abstractor_lib.nn import Decoder, DecoderLayer, Encoder, EncoderLayer

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
    ours = randomised(Decoder(DecoderLayer(12, 3, 4, 20) for _ in range(2)))
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
    assert_same(ours(y, [context], context_masks=[padding]), expected, [y])


def test_against_torch_encoder(double, assert_same):
    ours = randomised(Encoder(EncoderLayer(12, 3, 4, 20) for _ in range(2)))
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
    decoder = randomised(Decoder(DecoderLayer(8, 2, 3, 10, contexts=3) for _ in range(2)))
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
    layers = [DecoderLayer(8, 2, 3, 10) for _ in range(4)]
    decoder = randomised(Decoder(layers, [(0,), (1,)] * 2))
    y, first, second = torch.randn(2, 4, 8), torch.randn(2, 3, 8), torch.randn(2, 5, 8)
    states = y
    for layer, context in zip(layers, [first, second, first, second], strict=True):
        states = layer(states, [context])
    torch.testing.assert_close(decoder(y, [first, second]), states)


def test_no_position_sees_a_later_one():
    decoder = randomised(Decoder(DecoderLayer(8, 2, 3, 10) for _ in range(2)))
    y, context = torch.randn(1, 6, 8), torch.randn(1, 3, 8)
    changed = torch.cat([y[:, :4], torch.randn(1, 2, 8)], dim=1)
    found, other = decoder(y, [context]), decoder(changed, [context])
    torch.testing.assert_close(found[:, :4], other[:, :4])
    assert not torch.allclose(found[:, 4:], other[:, 4:])


def test_bad_arguments():
    layer = DecoderLayer(8, 2, 3, 10, contexts=2)
    with pytest.raises(ValueError, match="contexts holds 1 sequences; expected 2"):
        layer(torch.zeros(1, 4, 8), [torch.zeros(1, 3, 8)])
    with pytest.raises(ValueError, match=r"reads is \(\(0,\),\); expected .* \[2\]"):
        Decoder([layer], [(0,)])
    with pytest.raises(ValueError, match="contexts is 0; expected an integer of at least 1"):
        DecoderLayer(8, 2, 3, 10, contexts=0)
