"""A decoder that points: against its steps one by one, and what it may not depend on."""

import pytest
import torch
from torch import nn

from abstractor_lib.nn import Decoder, DecoderLayer, PointerDecoder


def pointer(dim=8):
    layers = [DecoderLayer(dim, 2, 12, dropout=0.0) for _ in range(2)]
    module = PointerDecoder(Decoder(layers, dropout=0.0), dim)
    for part in module.parameters():
        nn.init.normal_(part, std=0.5)
    return module.eval()


def test_against_naive_steps(double):
    """Each step alone: what was read so far, and a logit for each object that is left."""
    module, states = pointer(), torch.randn(1, 5, 8)
    chosen = torch.tensor([[3, 0, 4, 1]])
    found = module(states, chosen)
    for step in range(5):
        before = chosen[0, :step].tolist()
        read = torch.stack([module.start, *(states[0, one] for one in before)])[None]
        last = module.decoder(read, [states])[0, -1]
        for i in range(5):
            logit = (module.query.weight @ last) @ (module.key.weight @ states[0, i]) / 8**0.5
            expected = torch.tensor(-torch.inf) if i in before else logit
            torch.testing.assert_close(found[0, step, i], expected, rtol=1e-10, atol=1e-11)


def test_greedy_is_the_likeliest_at_each_step(double):
    """With a cache, what the whole sequence says without one; each object once, at any length."""
    module = pointer()
    for length in (1, 2, 5, 23):
        states = torch.randn(4, length, 8)
        found = module.greedy(states)
        assert found.sort(dim=1).values.tolist() == [list(range(length))] * 4
        assert torch.equal(module(states, found[:, :-1]).argmax(dim=-1), found)


def test_objects_in_another_order_are_pointed_at_in_it(double):
    module, states = pointer(), torch.randn(3, 6, 8)
    order = torch.randperm(6)
    assert torch.equal(order[module.greedy(states[:, order])], module.greedy(states))


def test_states_of_another_width_are_refused():
    with pytest.raises(ValueError, match="states"):
        pointer()(torch.randn(2, 4, 6), torch.zeros(2, 3, dtype=torch.long))
