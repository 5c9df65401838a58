"""Relations by a network of two objects' features together."""

import pytest
import torch

from abstractor_lib.nn import MLP, PairwiseMLPRelation


def test_against_a_network_of_concatenated_pairs():
    torch.manual_seed(0)
    relation = PairwiseMLPRelation(5, 3, 7, activation="linear").double()
    plain = MLP([10, 7, 3]).double()
    plain[0].load_state_dict(relation.pair.state_dict())
    plain[2].load_state_dict(relation.output.state_dict())
    x = torch.randn(2, 4, 5, dtype=torch.float64)
    found = relation(x)
    assert sum(p.numel() for p in relation.parameters()) == sum(
        p.numel() for p in plain.parameters()
    )
    for i in range(4):
        for j in range(4):
            expected = plain(torch.cat([x[:, i], x[:, j]], dim=-1))  # (b, r)
            torch.testing.assert_close(found[:, :, i, j], expected, rtol=0, atol=1e-12)


def test_a_relation_can_be_a_feature_of_one_object_without_the_diagonal():
    """Draft 003: nothing makes the network compare its arguments."""
    relation = PairwiseMLPRelation(1, 1, 2, activation="linear", diagonal=False)
    with torch.no_grad():
        relation.pair.weight.copy_(torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
        relation.pair.bias.zero_()
        relation.output.weight.copy_(torch.tensor([[1.0, -1.0]]))
        relation.output.bias.zero_()
    found = relation(torch.tensor([[3.0], [-5.0]]))[0]
    assert found.tolist() == [[0.0, 3.0], [-5.0, 0.0]]  # R_ij = x_i


@pytest.mark.parametrize("activation", ["softmax", "sigmoid", "linear"])
def test_masks_leave_relations_out(activation):
    relation = PairwiseMLPRelation(5, 2, 3, activation=activation, diagonal=False)
    x = torch.randn(4, 3, 5)
    padding = torch.tensor([[False, False, True]]).expand(4, 3)
    found = relation(x, key_padding_mask=padding)
    assert (found.diagonal(dim1=-2, dim2=-1) == 0).all()
    assert (found[..., 2] == 0).all() and (found[..., 2, :] == 0).all()
    torch.testing.assert_close(found[..., :2, :2], relation(x[:, :2]))


def test_bad_input_gets_one_sentence():
    with pytest.raises(ValueError, match="hidden is 0"):
        PairwiseMLPRelation(5, 2, 0)
    with pytest.raises(ValueError, match="objects"):
        PairwiseMLPRelation(5, 2, 3)(torch.zeros(2, 4, 6))
