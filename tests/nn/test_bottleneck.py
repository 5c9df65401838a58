"""What the relational bottleneck lets through, and what it does not."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from abstractor_lib.nn import (
    AbstractorLayer,
    AbstractorStack,
    FeedForward,
    Heads,
    LearnedSymbols,
    MultiHeadAttention,
    MultiHeadRelation,
    RelationalCrossAttention,
    RelationalMessagePassing,
    SymbolicMessagePassing,
)

ACTIVATIONS = ["softmax", "sigmoid", "tanh", "relu", "linear"]
sizes = st.integers(2, 7)
seeds = st.integers(0, 2**31 - 1)


def normal(generator, *shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def randomised(module, generator):
    module = module.double().eval()
    for part in module.parameters():
        part.data = 0.5 * normal(generator, *part.shape)
    return module


def layers(dim, activation, strict=False):
    """Both ways to compute relations: as attention, and as a relation module."""
    return [
        AbstractorLayer(
            RelationalCrossAttention(dim, Heads(2, 3, activation=activation, strict=strict)),
            FeedForward(dim, 5),
            residual=True,
            norm=dim,
        ),
        AbstractorLayer(
            RelationalMessagePassing(
                MultiHeadRelation(dim, 2, 3, activation=activation, diagonal=not strict),
                SymbolicMessagePassing(dim, 2),
            ),
            FeedForward(dim, 5),
        ),
    ]


def projections(layer):
    """W_1 and W_2 of all heads, (h k, d) each."""
    core = layer.relational
    if isinstance(core, MultiHeadAttention):
        return core.query.weight, core.key.weight
    return core.relation.left.weight, core.relation.right.weight


@given(m=sizes, seed=seeds, activation=st.sampled_from(ACTIVATIONS), form=st.integers(0, 1))
def test_states_are_unchanged_where_inner_products_are_kept(m, seed, activation, form):
    """Other objects with the same <W_1 x_i, W_2 x_j> for all i, j give the same states: x moves
    along directions that neither projection sees. Biases may stay."""
    generator = torch.Generator().manual_seed(seed)
    dim = 16  # more than the 2 x 2 x 3 rows of the projections
    layer = randomised(layers(dim, activation)[form], generator)
    module = AbstractorStack(LearnedSymbols(m, dim).double(), [layer])
    seen = torch.cat(projections(layer)).detach()  # (12, d)
    unseen = torch.linalg.svd(seen).Vh[12:]  # (4, d)
    objects = normal(generator, 2, m, dim)
    other = objects + 10 * normal(generator, 2, m, 4) @ unseen
    torch.testing.assert_close(module(other), module(objects), rtol=1e-8, atol=1e-8)


@given(m=sizes, seed=seeds, activation=st.sampled_from(ACTIVATIONS), form=st.integers(0, 1))
def test_permuting_objects_with_their_symbols_permutes_states(m, seed, activation, form):
    generator = torch.Generator().manual_seed(seed)
    layer = randomised(layers(6, activation)[form], generator)
    module = AbstractorStack(LearnedSymbols(m, 6).double(), [layer])
    objects = normal(generator, 2, m, 6)
    states = module(objects)
    order = torch.randperm(m, generator=generator)
    module.symbols.vectors.data = module.symbols.vectors.data[order]
    torch.testing.assert_close(module(objects[:, order]), states[:, order], rtol=1e-8, atol=1e-8)


@given(m=st.integers(3, 7), seed=seeds, activation=st.sampled_from(ACTIVATIONS))
def test_swapping_the_features_of_equivalent_objects_keeps_the_strict_states(m, seed, activation):
    """Two objects with equal relations to all others and to each other, but different features and
    norms: exchanging them is invisible through the strict bottleneck, visible through the other."""
    generator = torch.Generator().manual_seed(seed)
    dim = 2 * m + 4
    objects = normal(generator, 1, m, dim)
    strict, loose = (
        RelationalCrossAttention(
            dim, Heads(1, dim, activation=activation, symmetric=True, strict=one)
        )
        for one in (True, False)
    )
    for module in (strict, loose):
        randomised(module, generator)
        module.query.weight.data = torch.eye(dim, dtype=torch.float64)  # R_ij = <x_i, x_j>
    # x_1 = x_0 + something orthogonal to every object: the same inner products, a larger norm
    others = torch.linalg.svd(objects[0]).Vh[m:]
    objects[0, 1] = objects[0, 0] + 3 * others[0]
    swapped = objects[:, [1, 0, *range(2, m)]]
    symbols = normal(generator, m, dim)
    torch.testing.assert_close(strict(swapped, symbols), strict(objects, symbols))
    if activation in ("linear", "tanh"):
        difference = loose(swapped, symbols) - loose(objects, symbols)
        assert difference.abs().max() > 1e-6


def test_a_query_bias_leaks_features_through_a_masked_diagonal(double):
    """v3 footnote 2: masking the diagonal is not enough. With W_1 = 0 every inner product without
    bias is zero, so a bottleneck passes nothing; a query bias b makes R_ij = <b, W_2 x_j>, and the
    states give that feature of each object exactly."""
    m, dim = 5, 6
    masked = RelationalCrossAttention(
        dim, Heads(1, dim, activation="linear", diagonal=False, scale=1.0)
    )
    strict = RelationalCrossAttention(
        dim, Heads(1, dim, activation="linear", strict=True, scale=1.0)
    )
    assert strict.query.bias is None and strict.key.bias is None
    for module in (masked, strict):
        for part in module.parameters():
            nn.init.normal_(part)
        nn.init.zeros_(module.query.weight)
        module.value.weight.data, module.output.weight.data = torch.eye(dim), torch.eye(dim)
        nn.init.zeros_(module.value.bias)
        nn.init.zeros_(module.output.bias)
    symbols = torch.eye(m, dim)
    x, other = torch.randn(2, 1, m, dim)
    torch.testing.assert_close(strict(x, symbols), strict(other, symbols))  # nothing passes
    states = masked(x, symbols)[0]  # row i: R_ij for j other than i
    keys = x[0] @ masked.key.weight.T + masked.key.bias
    feature = keys @ masked.query.bias  # <b, W_2 x_j + b'>
    assert (masked(other, symbols) - masked(x, symbols)).abs().max() > 0.1
    for j in range(m):
        i = (j + 1) % m
        torch.testing.assert_close(states[i, j], feature[j])


def test_the_diagonal_leaks_norms(double):
    """R_ii = <W_1 x_i, W_2 x_i> is a feature of x_i alone, and the strict bottleneck removes it."""
    loose = MultiHeadRelation(6, 1, 6, symmetric=True, activation="linear")
    strict = MultiHeadRelation(6, 1, 6, symmetric=True, activation="linear", diagonal=False)
    for module in (loose, strict):
        module.left.weight.data = torch.eye(6)
    x = torch.randn(1, 4, 6)
    norms = x.square().sum(dim=-1)
    torch.testing.assert_close(loose(x)[:, 0].diagonal(dim1=-2, dim2=-1), norms)
    assert torch.equal(strict(x)[:, 0].diagonal(dim1=-2, dim2=-1), torch.zeros(1, 4))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_self_attention_does_not_have_the_bottleneck(double, activation):
    """The same change of the objects that relational cross-attention cannot see shows in what
    self-attention mixes: the objects themselves."""
    attention = MultiHeadAttention(16, Heads(2, 3, activation=activation))
    seen = torch.cat([attention.query.weight, attention.key.weight]).detach()
    unseen = torch.linalg.svd(seen).Vh[12:]
    x = torch.randn(2, 5, 16)
    other = x + torch.randn(2, 5, 4) @ unseen
    assert (attention(other, other, other) - attention(x, x, x)).abs().max() > 1e-3
