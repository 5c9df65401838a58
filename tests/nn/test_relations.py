"""Relations against naive loops, values and gradients, in float64."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from abstractor_lib.nn import InnerProductRelation, MultiHeadRelation, PlainRelation, activate

TOLERANCE = {"rtol": 1e-12, "atol": 1e-12}
ELEMENTWISE = {
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "tanh": math.tanh,
    "relu": lambda x: max(x, 0.0),
    "linear": lambda x: x,
}


def naive_activate(scores, activation, over):
    """Entry by entry, with Python's own functions."""
    b, r, m, n = scores.shape
    result = torch.zeros_like(scores)
    for s in range(b):
        for k in range(r):
            for i in range(m):
                for j in range(n):
                    x = scores[s, k, i, j].item()
                    if activation != "softmax":
                        result[s, k, i, j] = ELEMENTWISE[activation](x)
                        continue
                    rivals = scores[s, k, i, :] if over == "right" else scores[s, k, :, j]
                    result[s, k, i, j] = math.exp(x) / sum(math.exp(y) for y in rivals.tolist())
    return result


def naive_scores(left, right, objects, scale=1.0):
    """R[k, i, j] = scale <left_k(x_i), right_k(x_j)>, one inner product at a time."""
    b, m, _ = objects.shape
    rows = []
    for s in range(b):
        for phi, psi in zip(left, right, strict=True):
            for i in range(m):
                for j in range(m):
                    rows.append(scale * torch.dot(phi(objects[s, i]), psi(objects[s, j])))
    return torch.stack(rows).view(b, len(left), m, m)


@pytest.mark.parametrize("activation", ["softmax", *ELEMENTWISE])
@pytest.mark.parametrize("over", ["left", "right"])
def test_against_naive_activation(activation, over):
    scores = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    expected = naive_activate(scores, activation, over)
    torch.testing.assert_close(activate(scores, activation, over), expected, **TOLERANCE)
    scores.requires_grad_()
    assert torch.autograd.gradcheck(lambda s: activate(s, activation, over), scores)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("scale", [None, 0.25])
def test_against_naive_multi_head_relation(double, assert_same, symmetric, bias, scale):
    """v1 Algorithm 2: loops over i, j and the relation dimensions; the embedder is shared."""
    embedder = nn.Sequential(nn.Linear(3, 6), nn.Tanh())
    relation = MultiHeadRelation(
        6, 2, 4, embedder=embedder, symmetric=symmetric, bias=bias, scale=scale, activation="tanh"
    )
    objects = torch.randn(2, 5, 3, requires_grad=True)

    def head(side, k):
        rows = slice(4 * k, 4 * k + 4)
        offset = side.bias[rows] if bias else 0.0
        return lambda x: side.weight[rows] @ embedder(x) + offset

    left = [head(relation.left, k) for k in range(2)]
    right = [head(relation.left if symmetric else relation.right, k) for k in range(2)]
    expected = torch.tanh(naive_scores(left, right, objects, scale or 1.0))
    found = relation(objects)
    assert_same(found, expected, [objects, *relation.parameters()])


def test_against_naive_separate_encoders(double, assert_same):
    """v1 eq. 2.3 with different maps for each dimension and side."""
    left = [nn.Linear(3, 4), nn.Sequential(nn.Linear(3, 4), nn.Tanh())]
    right = [nn.Sequential(nn.Linear(3, 4), nn.ReLU()), nn.Linear(3, 4)]
    objects = torch.randn(2, 5, 3, requires_grad=True)
    relation = InnerProductRelation(left, right)
    expected = naive_scores(left, right, objects)
    assert_same(relation(objects), expected, [objects, *relation.parameters()])


def test_against_naive_plain_relation():
    objects = torch.randn(2, 4, 3, dtype=torch.float64)
    expected = naive_activate(
        naive_scores([nn.Identity()], [nn.Identity()], objects), "softmax", "left"
    )
    torch.testing.assert_close(PlainRelation("softmax", "left")(objects), expected, **TOLERANCE)


@given(m=st.integers(1, 6), r=st.integers(1, 3), seed=st.integers(0, 99))
def test_symmetric_relations_are_symmetric_and_follow_a_permutation(m, r, seed):
    torch.manual_seed(seed)
    objects = torch.randn(2, m, 5, dtype=torch.float64)
    relation = MultiHeadRelation(5, r, 3, symmetric=True, activation="sigmoid").double()
    found = relation(objects)
    torch.testing.assert_close(found, found.transpose(-2, -1), **TOLERANCE)
    order = torch.randperm(m)
    moved = relation(objects[:, order])
    torch.testing.assert_close(moved, found[..., order, :][..., :, order], **TOLERANCE)


@given(seed=st.integers(0, 99), activation=st.sampled_from(["softmax", "sigmoid", "linear"]))
def test_only_inner_products_matter(seed, activation):
    """Objects turned by an orthogonal matrix keep their inner products and so their relations."""
    torch.manual_seed(seed)
    objects = torch.randn(3, 4, 6, dtype=torch.float64)
    turn, _ = torch.linalg.qr(torch.randn(6, 6, dtype=torch.float64))
    relation = PlainRelation(activation)
    torch.testing.assert_close(relation(objects @ turn), relation(objects), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"relations": 0}, "relations is 0; expected an integer of at least 1"),
        ({"key_dim": -3}, "key_dim is -3; expected an integer of at least 1"),
        ({"activation": "swish"}, "activation is 'swish'; allowed: softmax, sigmoid, tanh"),
        ({"over": "up"}, "over is 'up'; allowed: left, right"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadRelation(**{"dim": 4, "relations": 2, "key_dim": 3, **arguments})


@pytest.mark.parametrize("activation", ["softmax", "sigmoid", "linear"])
def test_against_naive_relation_without_its_diagonal(double, assert_same, activation):
    """An object's relation to itself is zero; softmax runs over the others, entry by entry."""
    relation = MultiHeadRelation(5, 2, 3, activation=activation, diagonal=False)
    objects = torch.randn(2, 4, 5, requires_grad=True)
    left, right = relation.left(objects), relation.right(objects)
    rows = []
    for s in range(2):
        for k in range(2):
            for i in range(4):
                scores = {j: left[s, k, i] @ right[s, k, j] for j in range(4) if j != i}
                total = sum(score.exp() for score in scores.values())
                one = {
                    "softmax": lambda score, total=total: score.exp() / total,
                    "sigmoid": torch.sigmoid,
                    "linear": lambda score: score,
                }[activation]
                zero = objects.new_zeros(())
                rows += [one(scores[j]) if j != i else zero for j in range(4)]
    expected = torch.stack(rows).view(2, 2, 4, 4)
    assert_same(relation(objects), expected, [objects, *relation.parameters()])


def test_a_symmetric_relation_without_its_diagonal_cannot_tell_a_pairs_order():
    """Exactly: both orders of a pair give the same relations, so no head can tell them apart."""
    pair = torch.randn(6, 2, 5, dtype=torch.float64)
    for diagonal, same in ((False, True), (True, False)):
        relation = MultiHeadRelation(
            5, 1, 3, symmetric=True, activation="linear", diagonal=diagonal
        ).double()
        assert torch.allclose(relation(pair), relation(pair.flip(-2))) == same


def test_bad_objects():
    with pytest.raises(
        ValueError, match=r"objects has shape \(2, 5, 3\); expected \(..., objects, 4\)"
    ):
        MultiHeadRelation(4, 2, 3)(torch.zeros(2, 5, 3))
    with pytest.raises(ValueError, match="right holds 1 encoders; left holds 2"):
        InnerProductRelation([nn.Identity(), nn.Identity()], [nn.Identity()])


def test_unknown_words_are_errors_where_they_are_given():
    """``over="up"`` meant left; a relation of no such activation failed at its first call."""
    with pytest.raises(ValueError, match="over is 'up'; allowed: left, right"):
        activate(torch.zeros(1, 1, 2, 2), over="up")
    with pytest.raises(ValueError, match="activation is 'gelu'; allowed: softmax, sigmoid, tanh"):
        activate(torch.zeros(1, 1, 2, 2), "gelu")
    with pytest.raises(ValueError, match="activation is 'gelu'; allowed: softmax, sigmoid, tanh"):
        PlainRelation("gelu")
    with pytest.raises(ValueError, match="over is 'up'; allowed: left, right"):
        PlainRelation(over="up")


RELATIONS = {
    "multi-head": lambda activation: MultiHeadRelation(5, 2, 3, activation=activation),
    "encoders": lambda activation: InnerProductRelation(
        [nn.Linear(5, 3), nn.Linear(5, 3)], activation=activation
    ),
    "plain": lambda activation: PlainRelation(activation),
}


@pytest.mark.parametrize("activation", ["softmax", "tanh"])
@pytest.mark.parametrize("name", RELATIONS)
def test_masked_relations(name, activation):
    """``attn_mask`` leaves relations out: zero, and no rival in a softmax. Padding both ways."""
    relation, x = RELATIONS[name](activation), torch.randn(2, 4, 5)
    later = torch.ones(4, 4, dtype=torch.bool).triu(1)
    found = relation(x, attn_mask=later)
    for size in range(1, 5):  # causal: what comes later changes nothing
        torch.testing.assert_close(
            found[..., :size, :size], relation(x[:, :size], attn_mask=later[:size, :size])
        )
    assert not found[..., later].any()
    padding = torch.tensor([[False] * 3 + [True]] * 2)
    both = relation(x, padding, later)
    torch.testing.assert_close(both[..., :3, :3], relation(x[:, :3], attn_mask=later[:3, :3]))
    assert not both[..., 3, :].any() and not both[..., :, 3].any()
    by_head = torch.stack([later, later.T]).unsqueeze(0)  # (1, r, m, m)
    if found.shape[1] == 2:
        twice = relation(x, attn_mask=by_head)
        torch.testing.assert_close(twice[:, 0], found[:, 0])
        torch.testing.assert_close(twice[:, 1], relation(x, attn_mask=later.T)[:, 1])
    with pytest.raises(ValueError, match=r"attn_mask has shape \(4, 1\); expected \(4, 4\)"):
        relation(x, attn_mask=later[:, :1])
