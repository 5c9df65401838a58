"""Diagrams show what the modules do."""

import pytest
import torch
from torch import nn

from abstractor_lib.nn import sequence_to_sequence
from abstractor_lib.reporting import diagrams

SIZES = {"dim": 8, "heads": 2, "key_dim": 4, "hidden": 6, "layers": 2, "length": 7}
DECODER = {("target", "decoder")}
PAPER = {  # v3 Figure 2, by hand
    "transformer": {("input", "encoder"), ("encoder", "decoder")},
    "a": {("input", "abstractor"), ("symbols", "abstractor"), ("abstractor", "decoder")},
    "b": {
        ("input", "encoder"),
        ("encoder", "abstractor"),
        ("symbols", "abstractor"),
        ("abstractor", "decoder"),
    },
    "c": {
        ("input", "encoder"),
        ("input", "abstractor"),
        ("symbols", "abstractor"),
        ("encoder", "decoder"),
        ("abstractor", "decoder"),
    },
    "d": {
        ("input", "encoder"),
        ("encoder", "abstractor"),
        ("symbols", "abstractor"),
        ("encoder", "decoder"),
        ("abstractor", "decoder"),
    },
    "e": {
        ("input", "encoder"),
        ("encoder", "abstractor 1"),
        ("symbols 1", "abstractor 1"),
        ("abstractor 1", "abstractor 2"),
        ("symbols 2", "abstractor 2"),
        ("abstractor 2", "decoder"),
    },
}


def model(architecture, **changes):
    sizes = {**SIZES, **changes}
    return sequence_to_sequence(architecture, nn.Linear(5, 8), nn.Embedding(6, 8), 5, **sizes)


INPUTS = torch.randn(1, 7, 5), torch.zeros(1, 3, dtype=torch.long)


@pytest.mark.parametrize("architecture", PAPER)
def test_arrows_are_those_of_the_paper(architecture):
    found = diagrams.arrows(model(architecture), *INPUTS)
    assert {(one.start, one.end) for one in found} == PAPER[architecture] | DECODER
    assert len(found) == len(PAPER[architecture]) + 1


@pytest.mark.parametrize("architecture", PAPER)
def test_what_arrows_carry_is_what_gradients_say(architecture):
    """An arrow into the decoder carries nothing but relations exactly where, with all relations
    held fixed, the decoder's input does not depend on the source."""
    module = model(architecture).eval()
    for abstractor in module.abstractors:
        for layer in abstractor.layers:  # relations that see nothing: fixed
            nn.init.zeros_(layer.relational.query.weight)
            nn.init.zeros_(layer.relational.key.weight)
    source = INPUTS[0].clone().requires_grad_()
    contexts = module.encode(source)
    carried = {one.carries for one in diagrams.arrows(module, *INPUTS) if one.end == "decoder"}
    carried.discard("symbols")  # the target's
    for context, name in zip(contexts, module.attends, strict=True):
        (gradient,) = torch.autograd.grad(
            context.square().sum(), source, allow_unused=True, retain_graph=True
        )
        passes = gradient is not None and bool(gradient.abs().max() > 1e-9)
        assert passes == (name == "encoder")
    assert carried == {"both" if name == "encoder" else "relations" for name in module.attends}


def test_a_joined_context_is_shown():
    found = diagrams.arrows(model("d", sensory="concatenate"), *INPUTS)
    pairs = {(one.start, one.end) for one in found}
    assert {("encoder", "concatenate"), ("abstractor", "concatenate")} <= pairs
    assert ("concatenate", "decoder") in pairs and ("encoder", "decoder") not in pairs


def test_tracing_leaves_no_hooks():
    module = model("b")
    diagrams.arrows(module, *INPUTS)
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in module.modules())


def test_states_are_those_of_the_forward_pass():
    """Taken apart or in one call, the model computes the same; the bottleneck's relations are what
    mixes the symbols."""
    module = model("b").eval()
    found = {name: torch.from_numpy(one) for name, one in diagrams.states(module, *INPUTS).items()}
    expected = module(*INPUTS)[0]
    torch.testing.assert_close(module.output(found["D"]), expected)
    torch.testing.assert_close(module.abstractors[0](found["E"][None])[0], found["A"])
    assert found["R"].shape == (7, 7)
    torch.testing.assert_close(found["R"].sum(dim=1), torch.ones(7))


def test_blocks_do_not_overlap():
    for architecture in PAPER:
        found = diagrams.places(diagrams.arrows(model(architecture), *INPUTS))
        assert len(set(found.values())) == len(found)
