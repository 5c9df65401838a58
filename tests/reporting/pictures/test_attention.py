"""v3 Figure 1: what its layers compute, by the equations."""

import numpy as np
import torch

from abstractor_lib.reporting.pictures import attention


def relations(example, objects):
    """softmax(<W_q x_i, W_k x_j> / sqrt(key width))"""
    query, key = (part.weight.detach() for part in (example.attention.query, example.attention.key))
    scores = objects @ query.T @ key @ objects.T / len(query) ** 0.5
    return torch.softmax(scores, dim=-1)


def test_moved_objects_keep_their_relations_and_reach_self_attention_alone():
    torch.manual_seed(0)
    example = attention.example(m=6, d=8)
    objects, others = example.objects, example.others
    assert (others - objects).norm(dim=-1).min() > 0.5
    before, after = relations(example, objects), relations(example, others)
    torch.testing.assert_close(before, after)
    with torch.no_grad():
        torch.testing.assert_close(example.attention(objects, objects, objects), before @ objects)
        torch.testing.assert_close(
            example.relational(objects, example.symbols), before @ example.symbols
        )
    found = attention.changes(example)
    moved = (others - objects).norm(dim=-1).numpy()
    np.testing.assert_allclose(found["self"], before.numpy() * moved)  # a change of R_ij x_j
    np.testing.assert_allclose(found["relational"], 0, atol=1e-12)


def test_the_picture_has_a_point_for_each_pair_and_layer():
    torch.manual_seed(0)
    example = attention.example(m=6, d=8)
    figure, points = attention.both(example)
    assert len(figure.axes) >= 10 and len(points) == 2 * 36
    row = points.query("layer == 'self' and i == 1 and j == 4")
    assert row["change"].item() == attention.changes(example)["self"][1, 4].round(6)
