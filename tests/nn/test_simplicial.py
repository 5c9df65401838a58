"""2-simplicial attention and its blocks against loops over entities, and their promises."""

import math
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from abstractor_lib.nn import (
    Heads,
    JointProjection,
    MultiHeadAttention,
    OneSimplicialAttention,
    PairValues,
    SimplicialBlock,
    SimplicialTransformer,
    TwoSimplicialAttention,
    initialise,
    simplicial_logits,
    unsigned_triple_product,
)
from abstractor_lib.nn.simplicial_logits import LOGITS
from abstractor_lib.theory import recurrent
from abstractor_lib.theory.clifford import product

SEEDS = st.integers(0, 2**32 - 1)
D, H, K, V, N, M = 7, 2, 6, 4, 5, 3


def one_logit(a, b, c, logits):
    """Of three vectors, each formula as its paper writes it."""
    if logits == "unsigned":
        return torch.linalg.norm((a @ b) * c - (a @ c) * b + (b @ c) * a)  # eq. 7
    if logits == "trilinear":
        return sum(x * y * z for x, y, z in zip(a, b, c, strict=True))
    if logits == "determinant":
        thirds = zip(*(vector.split(3) for vector in (a, b, c)), strict=True)
        return sum(torch.linalg.det(torch.stack(three)) for three in thirds)
    if logits == "uniform":
        return torch.zeros((), dtype=a.dtype)
    return a @ b + a @ c + b @ c


def naive(attention, x, y):
    """Eq. 10 for one example, an entity, a head and a pair at a time; B is expanded."""
    k, v, h = attention.key_dim, attention.value_dim, attention.heads
    p, l1, l2, u = (x @ w.T if i == 0 else y @ w.T for i, w in enumerate(
        attention.project.weight.split([h * k, h * k, h * k, h * v])
    ))  # fmt: skip
    rows = []
    for i in range(len(x)):
        heads = []
        for head in range(h):
            key = slice(head * k, (head + 1) * k)
            value = slice(head * v, (head + 1) * v)
            scores, values = [], []
            for j in range(len(y)):
                for other in range(len(y)):
                    vectors = p[i, key], l1[j, key], l2[other, key]
                    scores.append(attention.scale * one_logit(*vectors, attention.logits))
                    tensor = attention.values.weight[head]
                    values.append(torch.einsum("qrs,r,s->q", tensor, u[j, value], u[other, value]))
            heads.append(torch.stack(scores).softmax(0) @ torch.stack(values))
        rows.append(torch.cat(heads))
    return torch.stack(rows)


@pytest.mark.parametrize("virtual", [False, True])
@pytest.mark.parametrize("logits", LOGITS)
def test_against_naive_attention(logits, virtual, double, assert_same):
    attention = TwoSimplicialAttention(D, H, K, V, logits=logits)
    x, y = torch.randn(2, N, D), torch.randn(2, M, D)
    found = attention(x, y) if virtual else attention(x)
    expected = torch.stack(
        [naive(attention, a, b) for a, b in zip(x, y if virtual else x, strict=True)]
    )
    assert_same(found, expected, attention.parameters(), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("logits", LOGITS)
def test_blocks_of_queries_change_nothing(logits, double, assert_same):
    attention = TwoSimplicialAttention(D, H, K, V, logits=logits)
    x = torch.randn(2, N, D)
    mask = torch.zeros(2, N, dtype=torch.bool)
    mask[0, 1] = True
    expected, weights = attention(x, key_padding_mask=mask, need_weights=True)
    attention.block = 2
    assert_same(attention(x, key_padding_mask=mask), expected, attention.parameters())
    found, in_blocks = attention(x, key_padding_mask=mask, need_weights=True)
    torch.testing.assert_close((found, in_blocks), (expected, weights))
    with torch.no_grad():
        torch.testing.assert_close(attention(x, key_padding_mask=mask), expected)


@given(SEEDS, st.integers(3, 7))
def test_logits_against_the_clifford_algebra(seed, width):
    random = np.random.default_rng(seed)
    p, l1, l2 = (random.standard_normal((2, count, width)) for count in (3, 2, 2))
    every = p[:, :, None, None], l1[:, None, :, None], l2[:, None, None]
    expected = product(*np.broadcast_arrays(*every)).grade(1).magnitude()
    found = simplicial_logits(*map(torch.from_numpy, (p, l1, l2)))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-9)
    a, b, c = (torch.from_numpy(one[:, 0]) for one in (p, l1, l2))
    np.testing.assert_allclose(unsigned_triple_product(a, b, c), expected[:, 0, 0, 0], rtol=1e-9)


@pytest.mark.parametrize("logits", ["unsigned", "determinant", "pairs"])
def test_rotations_of_queries_and_keys_change_nothing(logits, double):
    """So is it with dot products; the trilinear form knows its axes."""
    turn = torch.linalg.qr(torch.randn(3, 3))[0]
    turn = turn * torch.linalg.det(turn).sign()
    vectors = [torch.randn(4, 3) for _ in range(3)]
    turned = [vector @ turn for vector in vectors]
    expected = simplicial_logits(*vectors, logits)
    torch.testing.assert_close(simplicial_logits(*turned, logits), expected)
    assert not torch.allclose(
        simplicial_logits(*turned, "trilinear"), simplicial_logits(*vectors, "trilinear")
    )


def test_single_precision_against_the_vector_form():
    """Eq. 8 has a difference in it; still it loses nothing to eq. 7."""
    for width in (3, 8, 48):
        a, b, c = torch.randn(3, 20_000, width)
        c[:5_000] = a[:5_000] - 2 * b[:5_000] + 1e-4 * c[:5_000]
        exact = one_by_one(*(vector.double() for vector in (a, b, c)))
        error = (unsigned_triple_product(a, b, c).double() / exact - 1).abs().max()
        assert error < 5e-6
        assert (one_by_one(a, b, c).double() / exact - 1).abs().max() < 5e-6


def one_by_one(a, b, c):
    def dot(x, y):
        return (x * y).sum(-1, keepdim=True)

    return torch.linalg.norm(dot(a, b) * c - dot(a, c) * b + dot(b, c) * a, dim=-1)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e-12, 1e-20, 0.0])
def test_gradients_are_finite_where_the_product_is_zero(scale):
    """Orthogonal keys and zero vectors, in single precision."""
    vectors = [(scale * torch.eye(3)).requires_grad_() for _ in range(3)]
    for found in (simplicial_logits(*vectors), unsigned_triple_product(*vectors)):
        gradients = torch.autograd.grad(found.sum(), vectors, retain_graph=True)
        assert found.isfinite().all()
        assert all(one.isfinite().all() for one in gradients)
    frame = torch.eye(3, requires_grad=True)
    value = unsigned_triple_product(*frame)
    (gradient,) = torch.autograd.grad(value, frame)
    assert value == 0 and not gradient.any()
    zeros = TwoSimplicialAttention(D, H, K)(torch.zeros(N, D, requires_grad=True))
    assert zeros.isfinite().all()


def test_gradients_of_attention_to_zero_entities_are_finite():
    attention = TwoSimplicialAttention(D, H, K)
    x = torch.zeros(N, D, requires_grad=True)
    attention(x).square().sum().backward()
    assert x.grad.isfinite().all()
    assert all(one.grad.isfinite().all() for one in attention.parameters())


@pytest.mark.parametrize("logits", LOGITS)
def test_gradients_against_finite_differences(logits, double):
    vectors = [torch.randn(2, count, 3, requires_grad=True) for count in (3, 2, 2)]
    assert torch.autograd.gradcheck(lambda *x: simplicial_logits(*x, logits), vectors)


@pytest.mark.parametrize("given_in", [torch.float32, torch.bfloat16])
def test_logits_are_in_single_precision_under_autocast(given_in):
    """Logits of several hundreds: bfloat16 would be off by more than one."""
    attention = TwoSimplicialAttention(64, 1, 48)
    x = (4 * torch.randn(10, 64)).to(given_in)
    _, expected = attention(x.float(), need_weights=True)
    p, l1, l2, _ = attention.vectors(x.float())
    assert simplicial_logits(p, l1, l2).max() > 200
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, found = attention(x, need_weights=True)
    assert found.dtype == torch.float32 and output.dtype == torch.bfloat16
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


def test_shapes_are_known_without_computing():
    """On the device ``meta``, which has no autocast."""
    attention = TwoSimplicialAttention(D, H, K, device="meta")
    assert attention(torch.empty(2, N, D, device="meta")).shape == (2, N, H * K)


def test_a_half_precision_module_keeps_its_logits_in_single_precision():
    attention = TwoSimplicialAttention(64, 1, 48, dtype=torch.bfloat16)
    output, weights = attention(torch.randn(10, 64, dtype=torch.bfloat16), need_weights=True)
    assert (output.dtype, weights.dtype) == (torch.bfloat16, torch.float32)
    torch.testing.assert_close(weights.sum((-1, -2)), torch.ones(1, 10))


class Largest(TorchDispatchMode):
    """The most numbers that a tensor made in the meantime holds."""

    def __init__(self):
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        for one in tree_leaves(found):
            if isinstance(one, torch.Tensor):
                self.numbers = max(self.numbers, one.numel())
        return found


def test_b_is_never_expanded_for_each_entity():
    """No tensor holds B, or vectors of pairs, once for each query; forwards and backwards."""
    n, m, v = 200, 3, 12
    attention = TwoSimplicialAttention(8, 1, 3, v)
    x, y = torch.randn(n, 8), torch.randn(m, 8)
    with Largest() as largest:
        attention(x, y).sum().backward()
    assert max(n * v, n * m * m, m * v * v) <= largest.numbers <= max(n * v, v**3) < n * m * m * v


def test_blocks_hold_fewer_numbers():
    attention = TwoSimplicialAttention(8, 1, 3, 2, block=4)
    x = torch.randn(30, 8)
    with Largest() as largest:
        attention(x).sum().backward()
    assert largest.numbers <= 4 * 30 * 30
    attention.block = None
    with Largest() as largest:
        attention(x).sum().backward()
    assert largest.numbers == 30 * 30 * 30


def test_a_padded_entity_is_in_no_pair(double):
    attention = TwoSimplicialAttention(D, H, K)
    x = torch.randn(2, N, D)
    mask = torch.zeros(2, N, dtype=torch.bool)
    mask[:, -1] = True
    found, weights = attention(x, key_padding_mask=mask, need_weights=True)
    torch.testing.assert_close(found, attention(x, x[:, :-1]))
    assert not weights[..., -1].any() and not weights[..., -1, :].any()
    plain = OneSimplicialAttention(D, H, K)
    torch.testing.assert_close(plain(x, key_padding_mask=mask), plain(x, x[:, :-1]))


def test_pair_values_are_bilinear_and_know_left_from_right(double):
    """Each left value is a linear operator on right values, as in a second-order network."""
    values = PairValues(H, V)
    left, right = torch.randn(H, N, V), torch.randn(H, N, V)
    found = values(left, right)
    operators = torch.einsum("hqrs,hjr->hjqs", values.weight, left)
    for j in range(N):
        for k in range(N):
            expected = torch.einsum("hqs,hs->hq", operators[:, j], right[:, k])
            torch.testing.assert_close(found[:, j, k], expected)
    torch.testing.assert_close(values(2 * left, right), 2 * found)
    assert not torch.allclose(values(right, left), found.transpose(1, 2))
    assert values.weight.abs().max() <= 3**0.5 / V


def test_one_simplicial_attention_against_multi_head_attention(double):
    """The library's, without biases and with an output map that does nothing."""
    plain = OneSimplicialAttention(D, H, K, V)
    other = MultiHeadAttention(D, Heads(H, K, value_dim=V, bias=False), out_features=H * V)
    parts = plain.project.weight.split([H * K, H * K, H * V])
    for module, part in zip((other.query, other.key, other.value), parts, strict=True):
        module.weight.data = part
    other.output.weight.data = torch.eye(H * V)
    x, y = torch.randn(2, N, D), torch.randn(2, M, D)
    torch.testing.assert_close(plain(x, y), other(x, y, y))
    torch.testing.assert_close(plain(x), other(x, x, x))
    _, weights = plain(x, y, need_weights=True)
    torch.testing.assert_close(weights, other(x, y, y, need_weights=True)[1])


def test_a_part_of_a_projection_is_part_of_the_whole(double):
    project = JointProjection(D, H, (K, K, V))
    x = torch.randn(2, N, D)
    whole = project(x)
    for first in range(3):
        for last in range(first + 1, 4):
            for one, other in zip(
                project(x, first=first, last=last), whole[first:last], strict=True
            ):
                torch.testing.assert_close(one, other)
    norm = nn.LayerNorm(H * (2 * K + V))
    expected = norm(F.linear(x, project.weight)).split([H * K, H * K, H * V], dim=-1)
    for one, other in zip(project(x, first=1, norm=norm), expected[1:], strict=True):
        torch.testing.assert_close(one.transpose(-3, -2).flatten(-2), other)


# --- Blocks ---


def written_out(block, e, virtual=0):
    """The pseudo-code of section 4 with eq. 11 or 13 and 14, one example, one head each."""
    norms, n = block.norms, len(e) - virtual
    x = norms.entities(e) if norms.entities else e

    def vectors(attention, norm):
        y = x @ attention.project.weight.T
        widths = [attention.heads * width for width in attention.project.widths]
        return (y if norm is None else norm(y)).split(widths, dim=-1)

    q, k, v = vectors(block.one, norms.one)
    a1 = []
    for i in range(len(e)):
        seen = len(e) if i >= n else n
        a1.append((block.one.scale * (q[i] @ k[:seen].T)).softmax(0) @ v[:seen])
    ac = torch.stack(a1)
    if block.two is not None:
        p, l1, l2, u = vectors(block.two, norms.two)
        keys = range(n, len(e)) if virtual else range(len(e))
        a2 = []
        for i in range(len(e)):
            if i >= n:
                a2.append(u[i])
                continue
            pairs = [(j, m) for j in keys for m in keys]
            scores = torch.stack([one_logit(p[i], l1[j], l2[m], "unsigned") for j, m in pairs])
            tensor = block.two.values.weight[0]
            values = [torch.einsum("qrs,r,s->q", tensor, u[j], u[m]) for j, m in pairs]
            a2.append(scores.softmax(0) @ torch.stack(values))
        ac = torch.cat([ac, norms.pairs(torch.stack(a2))], dim=-1)
    first, _, second = block.network
    return norms.output(e + second(torch.relu(first(ac))))


@pytest.mark.parametrize("virtual", [0, 2])
@pytest.mark.parametrize("norm", ["entities", "projections", "none"])
@pytest.mark.parametrize("simplicial_heads", [0, 1])
def test_blocks_against_the_pseudo_code(simplicial_heads, norm, virtual, double, assert_same):
    if virtual and not simplicial_heads:
        return
    pairs = {"simplicial_heads": 1, "simplicial_dim": 3} if simplicial_heads else {}
    block = SimplicialBlock(D, 1, K, 9, **pairs, norm=norm)
    for part in block.norms.children():
        nn.init.normal_(part.weight)
        nn.init.normal_(part.bias)
    e = torch.randn(N, D)
    expected = written_out(block, e, virtual)
    assert_same(block(e, virtual=virtual), expected, block.parameters(), rtol=1e-8, atol=1e-9)
    found, weights = block(e, virtual=virtual, need_weights=True)
    torch.testing.assert_close(found, expected)
    assert (weights.virtual is None) == (not virtual)
    assert (weights.pairs is None) == (not simplicial_heads)


def test_a_block_of_several_heads_concatenates_them(double):
    """Two heads of each kind are two attentions of one head side by side."""
    block = SimplicialBlock(D, 2, K, simplicial_heads=2, simplicial_dim=3)
    x = torch.randn(N, D)
    found = block.two(x)
    for head in range(2):
        alone = TwoSimplicialAttention(D, 1, 3)
        weight = block.two.project.weight.unflatten(0, (4, 2, 3))[:, head]
        alone.project.weight.data = weight.flatten(0, 1)
        alone.values.weight.data = block.two.values.weight[head : head + 1]
        torch.testing.assert_close(alone(x), found[:, 3 * head : 3 * head + 3])


def test_who_sees_whom_with_virtual_entities(double):
    """By gradients: standard entities see virtual ones through pairs alone; virtual ones see all,
    and no pairs (eq. 13, 14)."""
    block = SimplicialBlock(D, 1, K, simplicial_heads=1, simplicial_dim=3, norm="none")
    x, virtual = torch.randn(N + 2, D), 2

    def sees(function):
        jacobian = torch.autograd.functional.jacobian(function, x)  # (i, d, j, d)
        return jacobian.abs().sum((1, 3)) > 1e-12

    one = sees(lambda e: block._one(e, None, virtual, None)[0])
    assert one[:N, :N].all() and not one[:N, N:].any() and one[N:].all()
    two = sees(lambda e: block._two(e, None, virtual, None, False)[0])
    assert torch.equal(two[:N, :N], torch.eye(N).bool()) and two[:N, N:].all()  # p_i, and pairs
    assert torch.equal(two[N:], torch.eye(N + 2)[N:].bool())  # u_i alone


@pytest.mark.parametrize("virtual", [0, 2])
def test_the_order_of_standard_entities_does_not_matter(virtual, double):
    block = SimplicialBlock(D, 2, K, simplicial_heads=2, simplicial_dim=3)
    model = SimplicialTransformer(block, 2, virtual=virtual)
    x, order = torch.randn(2, N, D), torch.randperm(N)
    torch.testing.assert_close(model(x[:, order]), model(x)[:, order])


def test_padded_entities_of_a_transformer_send_nothing(double):
    block = SimplicialBlock(D, 2, K, simplicial_heads=1, simplicial_dim=3)
    mask = torch.tensor([[False] * (N - 1) + [True]] * 2)
    x = torch.randn(2, N, D)
    for virtual in (0, 2):
        model = SimplicialTransformer(block, 2, virtual=virtual)
        found = model(x, mask)[:, :-1]
        torch.testing.assert_close(found, model(x[:, :-1]))


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [("weights", 147_392), ("all", 147_392 - 352), ("none", 2 * (146_560 + 352) + 128)],
)
def test_parameters_of_the_simplicial_agent(sharing, expected):
    """146,560 are 12,288 + 12,288 + 48^3 + 7,232 + 4,160, a block without its layer norms."""
    block = SimplicialBlock(64, 2, 32, 64, simplicial_heads=1, simplicial_dim=48)
    model = SimplicialTransformer(block, 2, virtual=2, sharing=sharing)
    assert sum(one.numel() for one in model.parameters()) == expected


def test_parameters_of_the_relational_agent():
    """12,288 + 4,160 + 4,160 + 2 (128 + 128)."""
    model = SimplicialTransformer(SimplicialBlock(64, 2, 32, 64), 2)
    assert sum(one.numel() for one in model.parameters()) == 21_120
    deeper = SimplicialTransformer(SimplicialBlock(64, 2, 32, 64), 4)
    assert sum(one.numel() for one in deeper.parameters()) == 21_120 + 512


def test_iterations_share_what_they_should(double):
    """With norms of their own, gains differ after an update of one; weights do not."""
    x = torch.randn(2, N, D)

    def model(sharing):
        torch.manual_seed(1)
        block = SimplicialBlock(D, 1, K, simplicial_heads=1, simplicial_dim=3)
        return SimplicialTransformer(block, 2, virtual=2, sharing=sharing)

    shared, everything, apart = (model(sharing) for sharing in ("weights", "all", "none"))
    torch.testing.assert_close(shared(x), everything(x))  # norms start alike
    assert not torch.allclose(apart(x), shared(x))
    nn.init.constant_(shared.further_norms[0].output.bias, 3.0)
    torch.testing.assert_close(shared(x), everything(x) + 3)
    first, second = apart.blocks
    assert not torch.equal(first.one.project.weight, second.one.project.weight)


def test_the_papers_initial_weights():
    block = SimplicialBlock(64, 2, 32, 64, simplicial_heads=1, simplicial_dim=48)
    model = initialise(SimplicialTransformer(block, 2, virtual=2))
    limits = {
        "blocks.0.one.project.weight": (6 / (64 + 192)) ** 0.5,
        "blocks.0.two.project.weight": (6 / (64 + 192)) ** 0.5,
        "blocks.0.two.values.weight": (6 / 4608) ** 0.5,
        "entities.weight": 0.05,
    }
    for name, limit in limits.items():
        largest = model.get_parameter(name).abs().max().item()
        assert 0.9 * limit < largest <= limit, name


@pytest.mark.parametrize("shape", [(N,), (2, N), (2, 3, N)])
def test_any_batch_dimensions(shape, double):
    block = SimplicialBlock(D, 2, K, simplicial_heads=2, simplicial_dim=3)
    model = SimplicialTransformer(block, 2, virtual=2)
    x = torch.randn(*shape, D)
    found, weights = model(x, need_weights=True)
    one_by_one = torch.stack([model(one) for one in x.reshape(-1, N, D)])
    torch.testing.assert_close(found, one_by_one.reshape(x.shape))
    assert weights[1].standard.shape == (*shape[:-1], 2, N, N)
    assert weights[1].virtual.shape == (*shape[:-1], 2, 2, N + 2)
    assert weights[1].pairs.shape == (*shape[:-1], 2, N, 2, 2)
    torch.testing.assert_close(weights[1].pairs.sum((-1, -2)).unique().mean(), torch.tensor(1.0))


# --- Appendices A and B: other models as special cases ---


def test_reading_a_memory_is_one_simplicial_attention(double):
    """Eq. 16: unit queries and keys make dot products cosines; values are the slots."""
    random = np.random.default_rng(0)
    memory, query = random.standard_normal((6, D)), random.standard_normal(D)
    attention = OneSimplicialAttention(D, 1, D, scale=1.0)
    slots, q = torch.from_numpy(memory)[None], torch.from_numpy(query)[None, None]
    keys, unit = F.normalize(slots, dim=-1), F.normalize(q, dim=-1)
    found = attention.attend(unit, keys, slots)[0]
    np.testing.assert_allclose(found.numpy(), recurrent.read_head(query, memory), rtol=1e-10)


def test_a_controller_is_attention_and_a_feedforward_layer(double):
    """Eq. 15: M, h and x in one vector, one linear layer, relu."""
    random = np.random.default_rng(0)
    memory, state, symbol = (random.standard_normal(size) for size in ((6, 4), 4, 3))
    shapes = {"query": (4, 4), "recurrent": (4, 4), "read_in": (4, 3), "bias": (4,)}
    weights = {name: random.standard_normal(shape) for name, shape in shapes.items()}
    read = recurrent.read_head(weights["query"] @ state, memory)
    layer = nn.Linear(4 + 4 + 3, 4)
    parts = (np.eye(4), weights["recurrent"], weights["read_in"])
    layer.weight.data = torch.from_numpy(np.concatenate(parts, axis=1))
    layer.bias.data = torch.from_numpy(weights["bias"])
    found = torch.relu(layer(torch.from_numpy(np.concatenate([read, state, symbol]))))
    expected = recurrent.controller_step(state, symbol, memory, **weights)
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-10)
    assert (expected > 0).any()


def test_a_hopfield_update_is_linear_attention(double):
    """Eq. 19: queries, keys and values are the nodes; no softmax; tanh in place of the network."""
    nodes, eta = torch.randn(6, D), 0.05
    attention = MultiHeadAttention(D, Heads(1, D, bias=False, activation="linear", scale=eta))
    for part in (attention.query, attention.key, attention.value, attention.output):
        part.weight.data = torch.eye(D)
    found = torch.tanh(attention(nodes, nodes, nodes)).detach().numpy()
    np.testing.assert_allclose(found, recurrent.hopfield_step(nodes.numpy(), eta), rtol=1e-9)


# --- Errors ---


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TwoSimplicialAttention(D, 1, 2), "key_dim is 2; expected at least 3"),
        (
            lambda: TwoSimplicialAttention(D, 1, 4, logits="determinant"),
            "key_dim is 4; expected a multiple of 3 with determinant",
        ),
        (
            lambda: TwoSimplicialAttention(D, 1, 3, logits="signed"),
            "logits is 'signed'; allowed: unsigned, trilinear, determinant, pairs",
        ),
        (lambda: TwoSimplicialAttention(D, 1, 3, block=0), "block is 0; expected an integer"),
        (
            lambda: SimplicialBlock(D, 1, 3, simplicial_dim=3),
            "simplicial_dim is 3; expected nothing, since a block without 2-simplicial heads does",
        ),
        (lambda: SimplicialBlock(D, 1, 3, logits="pairs"), "logits is 'pairs'; expected nothing"),
        (lambda: SimplicialBlock(D, 1, 3, norm="first"), "norm is 'first'; allowed: entities"),
        (
            lambda: SimplicialBlock(D, 1, 3)(torch.zeros(4, D), virtual=1),
            "virtual is 1; expected 0 without 2-simplicial attention",
        ),
        (
            lambda: SimplicialBlock(D, 1, 3, simplicial_heads=1)(torch.zeros(4, D), virtual=4),
            "virtual is 4; expected 0 to 3",
        ),
        (
            lambda: SimplicialTransformer(SimplicialBlock(D, 1, 3), sharing="some"),
            "sharing is 'some'; allowed: weights, all, none",
        ),
        (
            lambda: TwoSimplicialAttention(D, 1, 3)(torch.zeros(4, D + 1)),
            r"x has shape \(4, 8\); expected \(..., objects, 7\)",
        ),
        (
            lambda: TwoSimplicialAttention(D, 1, 3)(
                torch.zeros(4, D), key_padding_mask=torch.zeros(3, dtype=torch.bool)
            ),
            r"key_padding_mask has shape \(3,\); expected \(4,\)",
        ),
        (
            lambda: simplicial_logits(*torch.zeros(3, 2, 4), "determinant"),
            "left has width 4; expected a multiple of 3",
        ),
        (
            lambda: unsigned_triple_product(torch.zeros(3), torch.zeros(4), torch.zeros(3)),
            "a, b, c have widths 3, 4, 3; expected one width",
        ),
    ],
)
def test_errors_name_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_scales():
    assert TwoSimplicialAttention(D, 1, 48).scale == 1
    assert TwoSimplicialAttention(D, 1, 48, logits="pairs").scale == pytest.approx(
        1 / math.sqrt(48)
    )
    assert TwoSimplicialAttention(D, 1, 48, scale=0.5).scale == 0.5
    assert OneSimplicialAttention(D, 1, 32).scale == pytest.approx(1 / math.sqrt(32))


@pytest.mark.parametrize("given", ["no", 2, None])
def test_whether_pairs_are_normalised_is_yes_or_no(given):
    make = partial(SimplicialBlock, 8, 2, 4, simplicial_heads=1)
    if given is None:
        without, with_ = make(pair_norm=np.bool_(False)), make()
        assert len(without.state_dict()) < len(with_.state_dict())
    else:
        with pytest.raises(ValueError, match=f"pair_norm is {given!r}; expected True or False"):
            make(pair_norm=given)
