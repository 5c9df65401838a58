"""CoRelNet, PrediNet, MLP and initial weights against independent computations."""

import pytest
import torch
from torch import nn

from abstractor_lib.nn import (
    MLP,
    CoRelNet,
    HeadLinear,
    Heads,
    HeadsToOutput,
    LearnedSymbols,
    MultiHeadAttention,
    MultiHeadRelation,
    PrediNet,
    SymbolicMessagePassing,
    initialise,
)


def test_against_naive_predinet(double, assert_same):
    network = PrediNet(objects=3, dim=5, heads=2, key_dim=4, relations=6)
    x = torch.randn(2, 3, 5, requires_grad=True)
    rows = []
    for s in range(2):
        flat = x[s].reshape(-1)
        parts = []
        for h in range(2):
            attended = []
            for query in (network.query_1, network.query_2):
                q = query.weight.view(2, 4, 15)[h] @ flat
                scores = torch.stack([torch.dot(q, network.key.weight @ x[s, i]) for i in range(3)])
                share = scores.exp() / scores.exp().sum()
                attended.append(sum(share[i] * x[s, i] for i in range(3)))
            parts.append(
                network.compare.weight @ attended[0] - network.compare.weight @ attended[1]
            )
        rows.append(torch.cat(parts))
    assert_same(network(x), torch.stack(rows), [x, *network.parameters()])


def test_predinet_knows_its_number_of_objects():
    with pytest.raises(ValueError, match="objects holds 3; expected 2"):
        PrediNet(objects=2, dim=8)(torch.zeros(1, 3, 8))
    with pytest.raises(ValueError, match=r"objects has shape \(1, 2, 7\)"):
        PrediNet(objects=2, dim=8)(torch.zeros(1, 2, 7))


def test_corelnet_is_the_flattened_relation():
    relation = MultiHeadRelation(5, 2, 3)
    x = torch.randn(4, 3, 5)
    assert torch.equal(CoRelNet(relation)(x), relation(x).reshape(4, 18))


def test_against_naive_mlp(double, assert_same):
    network = MLP([3, 4, 2])
    x = torch.randn(6, 3, requires_grad=True)
    hidden = (x @ network[0].weight.T + network[0].bias).clamp(min=0)
    expected = hidden @ network[2].weight.T + network[2].bias
    assert_same(network(x), expected, [x, *network.parameters()])
    with pytest.raises(ValueError, match="sizes is \\[3\\]; expected an input and an output width"):
        MLP([3])


@pytest.mark.parametrize(
    ("module", "name", "limit"),
    [
        (nn.Linear(12, 64), "weight", (6 / 76) ** 0.5),
        # separate dense layers 64 -> 16, one a relation
        (HeadLinear(64, 4, 16), "weight", (6 / 80) ** 0.5),
        # Keras' attention kernels; the limits that reference networks print for d = 64, H = 2
        (HeadLinear(64, 2, 64, fans="einsum"), "weight", 0.0377),
        (HeadsToOutput(2, 64, 64), "weight", 0.153),
        # v1: one dense layer from 4 x 64 to 64
        (SymbolicMessagePassing(64, 4, combine="mix").values, "weight", (6 / 320) ** 0.5),
    ],
)
def test_keras_limits(module, name, limit):
    """Uniform on +-limit: the largest of many draws comes within 1 % of it and not above."""
    weight = getattr(initialise(module), name)
    assert weight.abs().max().item() <= limit * 1.005
    assert weight.abs().max().item() >= limit * 0.99
    assert abs(weight.mean().item()) < 4 * limit / 3**0.5 / weight.numel() ** 0.5


def test_initialise_draws_everything_anew_and_checks_its_scheme():
    module = nn.ModuleList(
        [
            MultiHeadAttention(8, Heads(2, 4)),
            LearnedSymbols(3, 8),
            nn.Embedding(5, 8),
            SymbolicMessagePassing(8, 2),
        ]
    )
    nn.init.ones_(module[3].bias)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    initialise(module)
    for name, value in module.state_dict().items():
        if name.endswith("bias"):
            assert torch.equal(value, torch.zeros_like(value))
        else:
            assert not torch.equal(value, before[name]), name
    assert module[2].weight.abs().max() <= 0.05
    with pytest.raises(ValueError, match="scheme is 'jax'; allowed: keras, torch"):
        initialise(module, "jax")


def test_torch_scheme_is_torchs_own():
    ours, theirs = nn.Linear(4, 4), nn.Linear(4, 4)
    torch.manual_seed(3)
    initialise(ours, "torch")
    torch.manual_seed(3)
    theirs.reset_parameters()
    assert torch.equal(ours.weight, theirs.weight)


def test_initialise_leaves_nothing_as_it_was():
    """Every weight of a module is drawn anew; one that no rule covers is an error."""
    module = nn.Sequential(nn.Conv2d(4, 8, (3, 5)), nn.MultiheadAttention(8, 2), nn.Linear(8, 3))
    before = {name: part.detach().clone() for name, part in module.named_parameters()}
    for scheme in ("keras", "torch"):
        initialise(module, scheme)
        for name, part in module.named_parameters():
            if part.dim() > 1:
                assert not torch.equal(part, before[name])
    initialise(module)
    limit = (6 / (4 * 15 + 8 * 15)) ** 0.5  # Glorot with a receptive field of 15
    assert 0.9 * limit < module[0].weight.abs().max() <= limit and not module[0].bias.any()
    bare = nn.Module()
    bare.weight = nn.Parameter(torch.ones(3))
    with pytest.raises(ValueError, match="module holds a Module with parameters of its own"):
        initialise(nn.Sequential(bare))


def test_a_padding_row_stays_zero():
    found = initialise(nn.Embedding(5, 3, padding_idx=2)).weight
    assert found[2].eq(0).all() and found[[0, 1, 3, 4]].ne(0).all()


def test_nothing_is_drawn_where_a_part_has_no_rule():
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = nn.Parameter(torch.ones(1))

    module = nn.Sequential(nn.Linear(2, 2), Scale())
    before = module[0].weight.clone()
    with pytest.raises(ValueError, match="module holds a Scale with parameters of its own"):
        initialise(module)
    assert module[0].weight.equal(before)
