"""Validation in chunks against validation at once."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.training.examples import Examples
from abstractor_lib.training.objectives import IGNORED, OBJECTIVES
from abstractor_lib.training.validation import validate


@pytest.mark.parametrize("name", OBJECTIVES)
@given(chunk=st.integers(1, 12))
def test_against_all_at_once(name, chunk):
    """In float64 to 1e-12, whatever the size of a chunk; the masked loss is a mean over targets
    that count, of which chunks hold different numbers."""
    generator = torch.Generator().manual_seed(chunk)
    outputs = torch.randn(2, 11, 3, 1 if name in ("mse", "binary_cross_entropy") else 4,
                          generator=generator, dtype=torch.float64)  # fmt: skip
    targets = torch.randint(2, (2, 11, 3), generator=generator)
    if name == "masked_cross_entropy":
        targets[torch.rand(targets.shape, generator=generator) < 0.6] = IGNORED
    data = [Examples(outputs, targets)]
    whole = validate(lambda given: given, data, OBJECTIVES[name])
    parts = validate(lambda given: given, data, OBJECTIVES[name], chunk)
    assert set(whole) == set(parts)
    for score, value in whole.items():
        torch.testing.assert_close(
            parts[score].double(), value.double(), rtol=1e-6 if score == "accuracy" else 1e-12,
            atol=1e-12,
        )  # fmt: skip
    plain = OBJECTIVES[name].scores(outputs, targets)
    assert all(torch.equal(whole[score], plain[score]) for score in whole)  # bitwise


def test_a_trial_without_targets_that_count_has_the_loss_zero():
    outputs, targets = torch.randn(2, 4, 3, 4), torch.zeros(2, 4, 3, dtype=torch.long)
    targets[1] = IGNORED
    given = [Examples(outputs, targets)], OBJECTIVES["masked_cross_entropy"]
    whole, parts = (validate(lambda one: one, *given, chunk) for chunk in (None, 2))
    torch.testing.assert_close(parts["loss"], whole["loss"])
    assert whole["loss"][1] == 0


def test_examples_of_several_shapes():
    """Sequences of two lengths, six and two of them."""
    long, short = torch.randn(2, 6, 5, 3), torch.randn(2, 2, 4, 3)
    data = [Examples(some, torch.zeros(some.shape[:3], dtype=torch.long)) for some in (long, short)]
    found = validate(lambda given: given, data, OBJECTIVES["cross_entropy"])
    scores = [OBJECTIVES["cross_entropy"].scores(one.inputs, one.targets)["loss"] for one in data]
    wanted = (30 * scores[0] + 8 * scores[1]) / 38
    torch.testing.assert_close(found["loss"], wanted, rtol=1e-6, atol=1e-6)
