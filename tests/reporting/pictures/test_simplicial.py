"""Pictures of 2-simplicial attention show what they are given."""

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib.nn import simplicial_logits
from abstractor_lib.reporting.pictures import geometry, simplicial
from abstractor_lib.theory.simplices import triple_product


def test_keys_lie_at_the_equator_and_their_product_falls_towards_the_pole():
    keys = geometry.keys_apart(60)
    values = triple_product(geometry.sphere_grid()[0], *keys)
    figure, points = geometry.around_keys({"one": values}, {"one": keys})
    assert points["latitude"].tolist() == [0, 15, 30, 45, 60, 75, 90]
    assert points["one"].iloc[[0, -1]].tolist() == pytest.approx([1, 0.5])  # |key 1 . key 2|
    assert len(figure.axes[0].texts) == 2


def test_residuals_are_the_largest_of_all_trials():
    rows = {name: [1e-16, 3e-16] for name in simplicial.RESIDUALS}
    found = simplicial.residuals(pd.DataFrame({"model": "algebra", "size": 3, **rows}))
    assert found.columns.tolist() == ["3 dimensions"]
    assert set(found["3 dimensions"]) == {"3e-16"}


def test_who_reads_whom_names_virtual_entities():
    one = np.eye(3, dtype=int)
    figure, points = simplicial.who_reads_whom(one, 2 * one, virtual=1)
    assert points["reads"].tolist() == 2 * ["1", "2", "V1"]
    assert points[["1", "2", "V1"]].to_numpy().tolist() == [*one.tolist(), *(2 * one).tolist()]
    assert [text.get_text() for text in figure.legends[0].texts] == simplicial.READS


def test_pairs_that_hold_two_vectors_alike_are_hatched_and_the_other_greatest_ones_framed():
    axes = torch.eye(3)
    keys = torch.cat([axes, (axes[:1] + axes[1:2]) / 2**0.5])  # x, y, z and half-way from x to y
    alike = simplicial.alike(axes[:1], keys, keys)
    assert alike[0].all() and alike[:, 0].all() and alike.diagonal().all()
    assert not alike[1, 2] and not alike[1, 3]
    logits = simplicial_logits(axes[:1], keys, keys)[0].numpy()
    figure, _ = simplicial.pairs({"x": logits}, ["x", "y", "z", "xy"], {"x": alike})
    patches = figure.axes[0].patches
    framed = {(round(p.get_y()), round(p.get_x())) for p in patches if not p.get_hatch()}
    assert framed == {(1, 3), (3, 1)}  # x, y and xy lie in one plane
    assert len(patches) == alike.sum() + 2


def test_start_has_a_dot_for_each_trial_of_pairs_of_virtual_entities():
    rows = [
        {"model": "start", "variant": variant, "scale": scale, "virtual": virtual, "size": 48}
        | {"trial": trial, "top_1": 0.5, "top_2": 0.9}
        for variant, scale, virtual in (("unsigned", 1, 2), ("pairs", 0.1, 2), ("unsigned", 1, 0))
        for trial in (0, 1)
    ]
    _, points = simplicial.start(pd.DataFrame(rows))
    assert len(points) == 2 * 2 * 2
    assert set(points["model"]) == {"unsigned, no scale", "sum of dot products, scaled"}


def test_nodes_near_one_pattern_are_cleaned():
    patterns = np.ones((6, 4))
    draws, right = simplicial.cleaned(patterns, 3)
    assert len(draws) == len(right) == 3 and right.shape[1] == 4
    assert (right[3] == patterns.size).all()
    assert right[0].tolist() == [(nodes[0] > 0).sum() for nodes in draws]
    _, points = simplicial.hopfield(draws[0])
    assert points["panel"].unique().tolist() == ["start", "after one update", "after three updates"]
