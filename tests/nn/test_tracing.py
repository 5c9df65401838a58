"""Arrows and states are what the modules do."""

import pytest
import torch
from torch import nn

from abstractor_lib.nn import (
    Abstractor,
    RetrievedSymbols,
    SinusoidalSymbols,
    sequence_to_sequence,
    tracing,
)

SIZES = {"dim": 8, "heads": 2, "hidden": 6, "layers": 2}
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
    sized = architecture != "transformer" and "abstractor" not in changes
    symbols = {"symbols": 7} if sized else {}
    sizes = {**SIZES, **symbols, **changes}
    return sequence_to_sequence(architecture, nn.Linear(5, 8), nn.Embedding(6, 8), 5, **sizes)


INPUTS = torch.randn(1, 7, 5), torch.zeros(1, 3, dtype=torch.long)


@pytest.mark.parametrize("architecture", PAPER)
def test_arrows_are_those_of_the_paper(architecture):
    found = tracing.arrows(model(architecture), *INPUTS)
    assert {(one.start, one.end) for one in found} == PAPER[architecture] | DECODER
    assert len(found) == len(PAPER[architecture]) + 1


@pytest.mark.parametrize(
    ("changes", "carried"),
    [
        ({}, "relations"),
        ({"abstractor": lambda dim: Abstractor(dim, 2, 2, symbols=7, kind="ablation")}, "both"),
        (
            {"abstractor": lambda dim: Abstractor(dim, 2, 2, symbols=7, kind="symbolic")},
            "relations",
        ),
        ({"symbols": lambda: RetrievedSymbols(8, 8, 5, 2)}, "both"),
        ({"symbols": lambda: SinusoidalSymbols(8)}, "relations"),
    ],
)
def test_models_without_the_bottleneck_are_shown_as_such(changes, carried):
    """The ablation mixes objects, and retrieved symbols depend on them."""
    found = {
        (one.start, one.end): one.carries for one in tracing.arrows(model("b", **changes), *INPUTS)
    }
    assert found["abstractor", "decoder"] == carried
    assert found["input", "encoder"] == "features" and found["encoder", "abstractor"] == "both"
    assert found["symbols", "abstractor"] == (
        "both" if "symbols" in changes and carried == "both" else "symbols"
    )


@pytest.mark.parametrize("architecture", PAPER)
def test_what_arrows_carry_is_what_changes(architecture):
    """With relations that see nothing (zero projections) other objects change what an encoder
    hands on, and nothing that an Abstractor does."""
    module = model(architecture).eval()
    arrows = [one for one in tracing.arrows(module, *INPUTS) if one.end == "decoder"]
    carried = {one.start.split()[0]: one.carries for one in arrows}
    for abstractor in module.abstractors:
        for layer in abstractor.layers:
            nn.init.zeros_(layer.relational.query.weight)
            nn.init.zeros_(layer.relational.key.weight)
    blind = [one for one in tracing.arrows(module, *INPUTS) if one.end == "decoder"]
    contexts, others = (module.encode(torch.randn(1, 7, 5)) for _ in range(2))
    for name, one, other in zip(module.attends, contexts, others, strict=True):
        changes = not torch.allclose(one, other)
        assert changes == (name == "encoder")
        assert carried[name] == ("both" if changes else "relations")
    assert {one.carries for one in blind if one.start.startswith("abstractor")} <= {"symbols"}


def test_a_joined_context_is_shown():
    found = tracing.arrows(model("d", sensory="concatenate"), *INPUTS)
    pairs = {(one.start, one.end) for one in found}
    assert {("encoder", "concatenate"), ("abstractor", "concatenate")} <= pairs
    assert ("concatenate", "decoder") in pairs and ("encoder", "decoder") not in pairs


def test_tracing_leaves_no_hooks():
    module = model("b")
    tracing.arrows(module, *INPUTS)
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in module.modules())


def test_states_are_those_of_the_forward_pass():
    """Taken apart or in one call, the model computes the same; the bottleneck's relations are what
    mixes the symbols."""
    module = model("b").eval()
    found = {name: torch.from_numpy(one) for name, one in tracing.states(module, *INPUTS).items()}
    expected = module(*INPUTS)[0]
    torch.testing.assert_close(module.output(found["D"]), expected)
    torch.testing.assert_close(module.abstractors[0](found["E"][None])[0], found["A"])
    assert found["R"].shape == (7, 7)
    torch.testing.assert_close(found["R"].sum(dim=1), torch.ones(7))
