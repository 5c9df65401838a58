"""Attentions that know offsets: against loops, and what they may not depend on."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from abstractor_lib.nn import (
    DecoderLayer,
    EncoderLayer,
    Heads,
    MultiHeadAttention,
    RelativeBiasAttention,
    RotaryAttention,
    relative_buckets,
    rotated,
)
from abstractor_lib.nn.decoder import LayerCache


def randomised(module):
    for part in module.parameters():
        nn.init.normal_(part, std=0.5)
    return module


def naive(module, x, score):
    """Attention of one sequence, an output at a time; ``score(head, i, j, query, key)``."""
    queries, keys, values = (part(x) for part in (module.query, module.key, module.value))
    rows = []
    for i in range(len(x)):
        heads = []
        for h in range(module.heads):
            scores = [score(h, i, j, queries[h, i], keys[h, j]) for j in range(len(x))]
            weights = torch.stack(scores).softmax(dim=0)
            heads.append(sum(weights[j] * values[h, j] for j in range(len(x))))
        rows.append(module.output.weight @ torch.cat(heads) + module.output.bias)
    return torch.stack(rows)


def test_against_naive_relative_bias(double, assert_same):
    module = randomised(RelativeBiasAttention(6, Heads(2, 3), buckets=8, farthest=5))
    x = torch.randn(7, 6, requires_grad=True)

    def score(h, i, j, query, key):
        distance = abs(j - i)
        # one each for 0 and 1; then 2 .. and, as log(3/2)/log(5/2) < 1/2 <= log(4/2)/log(5/2), 4 ..
        bucket = distance if distance < 2 else 2 if distance < 4 else 3
        return query @ key / 3**0.5 + module.biases[h, bucket + 4 * (j > i)]

    expected = naive(module, x, score)
    assert_same(module(x[None], x[None], x[None])[0], expected, [x, *module.parameters()])


def test_against_naive_rotary(double, assert_same):
    """Each pair of features as a complex number, turned by its position."""
    module = randomised(RotaryAttention(6, Heads(2, 4)))
    x = torch.randn(7, 6, requires_grad=True)

    def turned(vector, position):
        found = torch.zeros(4)
        for pair, rate in enumerate((1.0, 0.01)):
            a, b = vector[pair], vector[pair + 2]
            c, s = math.cos(position * rate), math.sin(position * rate)
            index = torch.tensor([pair, pair + 2])
            found = found.index_add(0, index, torch.stack([a * c - b * s, a * s + b * c]))
        return found

    def score(h, i, j, query, key):
        return turned(query, i) @ turned(key, j) / 2

    expected = naive(module, x, score)
    assert_same(
        module(x[None], x[None], x[None])[0], expected, [x, *module.parameters()], 1e-6, 1e-7
    )


@given(shift=st.integers(-50, 50), seed=st.integers(0, 99))
def test_rotary_scores_depend_on_the_offset_alone(shift, seed):
    random = torch.Generator().manual_seed(seed)
    query, key = torch.randn(2, 5, 8, generator=random, dtype=torch.float64)
    here, there = torch.randint(0, 40, (2, 5), generator=random)

    def scores(by):
        return rotated(query, here + by) @ rotated(key, there + by).transpose(0, 1)

    torch.testing.assert_close(scores(shift), scores(0), rtol=1e-4, atol=1e-4)


def test_rotation_keeps_lengths_and_other_offsets_change_scores():
    x = torch.randn(6, 8, dtype=torch.float64)
    turned = rotated(x, torch.arange(6))
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1), rtol=1e-6, atol=1e-6)
    assert not torch.allclose(turned[1:], x[1:], atol=1e-3)


@pytest.mark.parametrize(("buckets", "farthest"), [(32, 128), (16, 8), (8, 6), (4, 20)])
def test_against_t5_buckets(buckets, farthest):
    """The published formula, one offset at a time, in Python's floats."""
    half, exact = buckets // 2, buckets // 4

    def bucket(offset):
        distance = abs(offset)
        if distance >= exact:
            grown = math.log(distance / exact) / math.log(farthest / exact)
            distance = min(exact + int(grown * (half - exact)), half - 1)
        return distance + half * (offset > 0)

    offsets = torch.arange(-200, 201)
    found = relative_buckets(offsets, buckets, farthest)
    assert found.tolist() == [bucket(int(one)) for one in offsets]
    assert (found.max(), found.min()) == (buckets - 1, 0)


def test_biases_begin_at_none_and_depend_on_offsets_alone(double):
    """At first an attention without positions; later the same for objects moved together."""
    module, plain = RelativeBiasAttention(8, 2), MultiHeadAttention(8, 2)
    plain.load_state_dict({k: v for k, v in module.state_dict().items() if k != "biases"})
    x = torch.randn(2, 9, 8)
    torch.testing.assert_close(module(x, x, x), plain(x, x, x), rtol=1e-10, atol=1e-11)
    randomised(module)
    assert not torch.allclose(module(x, x, x), module(x.flip(1), x.flip(1), x.flip(1)).flip(1))
    padding = torch.ones(2, 9, dtype=torch.bool)
    padding[:, 4:7] = False
    moved, place = x.roll(-4, dims=1), padding.roll(-4, dims=1)
    one = module(x, x, x, key_padding_mask=padding)[:, 4:7]
    other = module(moved, moved, moved, key_padding_mask=place)[:, :3]
    torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(
    "attention", [lambda: RelativeBiasAttention(8, 2), lambda: RotaryAttention(8, 2)]
)
def test_a_cache_gives_what_the_whole_gives(attention, double):
    layer = randomised(DecoderLayer(8, attention(), contexts=0, dropout=0.0)).eval()
    y = torch.randn(3, 6, 8)
    whole = layer(y)
    cache = LayerCache()
    steps = [layer(y[:, :2], cache=cache)]
    steps += [layer(y[:, k : k + 1], cache=cache) for k in range(2, 6)]
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    "attention", [lambda: RelativeBiasAttention(8, 2), lambda: RotaryAttention(8, 2)]
)
def test_a_cache_knows_where_queries_of_a_context_stand(attention, double):
    layer = randomised(DecoderLayer(8, 2, cross_attention=[attention()], dropout=0.0)).eval()
    y, context = torch.randn(3, 6, 8), torch.randn(3, 4, 8)
    cache = LayerCache()
    steps = [layer(y[:, :2], [context], cache=cache)]
    steps += [layer(y[:, k : k + 1], [context], cache=cache) for k in range(2, 6)]
    whole = layer(y, [context])
    torch.testing.assert_close(torch.cat(steps, dim=1), whole, rtol=1e-8, atol=1e-9)


def test_what_they_refuse():
    with pytest.raises(ValueError, match="buckets is 6; expected a multiple of 4"):
        RelativeBiasAttention(8, 2, buckets=6)
    with pytest.raises(ValueError, match="farthest is 4; expected more than a quarter of the 16"):
        RelativeBiasAttention(8, 2, buckets=16, farthest=4)
    with pytest.raises(ValueError, match="key_dim is 3; expected an even number"):
        RotaryAttention(6, 2)


def test_they_stand_in_an_encoder_layer_with_masks():
    x, padding = torch.randn(2, 5, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    for attention in (RelativeBiasAttention(8, 2), RotaryAttention(8, 2)):
        layer = EncoderLayer(8, randomised(attention), 8, dropout=0.0).eval()
        short = layer(x[1:, :3])
        found = layer(x, key_padding_mask=padding)[1:, :3]
        torch.testing.assert_close(found, short, rtol=1e-5, atol=1e-5)


def test_what_cannot_be_rotated_or_sorted_is_refused():
    with pytest.raises(ValueError, match="x has 3 features; expected an even number"):
        rotated(torch.randn(2, 3), torch.arange(2))
    with pytest.raises(ValueError, match=r"positions has shape \(1,\)"):
        rotated(torch.randn(2, 4), torch.arange(1))
    with pytest.raises(ValueError, match="buckets is 6; expected a multiple of 4"):
        relative_buckets(torch.tensor([1, 200]), 6, 3)
    with pytest.raises(ValueError, match=r"offsets has dtype torch.float32; expected integers"):
        relative_buckets(torch.tensor([1.5]), 8, 6)


@pytest.mark.parametrize("base", [0.0, -2.0, "a", float("inf")])
def test_a_base_is_a_number_above_zero(base):
    with pytest.raises(ValueError, match=r"base is .*; expected a number above 0"):
        RotaryAttention(8, 2, base=base)
