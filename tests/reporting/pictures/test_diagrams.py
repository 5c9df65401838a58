"""Diagrams show what was traced."""

import numpy as np
import pytest
import torch
from torch import nn

from abstractor_lib.nn import Heads, sequence_to_sequence, tracing
from abstractor_lib.reporting.pictures import diagrams

SIZES = {"dim": 8, "heads": Heads(2, key_dim=4), "hidden": 6, "layers": 2}
ARCHITECTURES = ("transformer", *"abcde")
INPUTS = torch.randn(1, 7, 5), torch.zeros(1, 3, dtype=torch.long)


def model(architecture):
    symbols = {} if architecture == "transformer" else {"symbols": 7}
    parts = nn.Linear(5, 8), nn.Embedding(6, 8), 5
    return sequence_to_sequence(architecture, *parts, **symbols, **SIZES)


def test_the_framework_needs_its_arrows():
    module = model("b")
    found = tracing.states(module, *INPUTS)
    assert diagrams.framework(found, tracing.arrows(module, *INPUTS)).axes
    with pytest.raises(ValueError, match="drawn has no arrow from encoder to abstractor"):
        diagrams.framework(found, tracing.arrows(model("c"), *INPUTS))


def test_rows_of_a_computation_may_be_of_different_length():
    steps = [("a", np.ones((2, 2)), "viridis"), ("b", np.zeros((2, 3)), "viridis")]
    for rows in ({"one": steps}, {"one": steps, "two": steps[:1]}):
        drawn = diagrams.computation(rows)
        assert sum(bool(axis.images) for axis in drawn.axes) == sum(map(len, rows.values()))


def test_steps_share_a_scale_which_a_colour_bar_shows():
    rows = {"one": [("a", np.full((2, 3), 0.123), "Blues")], "two": [("a", -np.eye(2), "Blues")]}
    upper, lower = diagrams.computation(rows, between=["="]).axes[:2]
    assert upper.images[0].get_clim() == (0.0, 1.0)  # no negative numbers
    assert lower.images[0].get_clim() == (-1.0, 1.0)
    for axis in (upper, lower):
        (bar,) = axis.child_axes
        low, high = (float(label.get_text()) for label in bar.get_xticklabels())
        assert (low, high) == axis.images[0].get_clim()


def test_blocks_do_not_overlap():
    for architecture in ARCHITECTURES:
        found = diagrams.places(tracing.arrows(model(architecture), *INPUTS))
        assert len(set(found.values())) == len(found)
