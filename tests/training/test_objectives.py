"""Objectives against torch's own losses, one trial at a time."""

import pytest
import torch
from torch.nn import functional as F

from abstractor_lib.training.objectives import (
    IGNORED,
    OBJECTIVES,
    Objective,
    all_correct,
    correct,
    objective,
)

PLAIN = {
    "cross_entropy": lambda outputs, targets: F.cross_entropy(outputs.flatten(0, -2), targets),
    "masked_cross_entropy": lambda outputs, targets: F.cross_entropy(
        outputs.flatten(0, -2), targets, ignore_index=IGNORED
    ),
    "sequence_cross_entropy": lambda outputs, targets: F.cross_entropy(
        outputs.flatten(0, -2), targets
    ),
    "binary_cross_entropy": lambda outputs, targets: F.binary_cross_entropy_with_logits(
        outputs.flatten(), targets.to(outputs.dtype)
    ),
    "mse": lambda outputs, targets: F.mse_loss(outputs.flatten(), targets.to(outputs.dtype)),
}


@pytest.mark.parametrize("shape", [(3, 6), (3, 6, 4)])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_against_torch(double, name, shape):
    """Mean losses and their gradients, to 1e-12 in float64."""
    classes = 5 if "cross_entropy" in name and name != "binary_cross_entropy" else 1
    outputs = torch.randn(*shape, classes, requires_grad=True)
    targets = torch.randint(max(classes, 2), shape)
    if name == "masked_cross_entropy":
        targets[torch.rand(shape) < 0.5] = IGNORED
        targets[:, 0] = 0  # each trial has some
    found = OBJECTIVES[name](outputs, targets)
    pairs = zip(outputs, targets, strict=True)
    expected = [PLAIN[name](one, some.flatten()) for one, some in pairs]
    torch.testing.assert_close(found, torch.stack(expected), rtol=1e-12, atol=1e-12)
    ours, theirs = (
        torch.autograd.grad(loss, outputs, retain_graph=True)[0]
        for loss in (found.sum(), sum(expected))
    )
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


def test_accuracy_counts_what_the_loss_counts():
    outputs = F.one_hot(torch.tensor([[0, 1, 1, 0]]), 2).float()
    targets = torch.tensor([[0, 1, 0, IGNORED]])
    scores = OBJECTIVES["masked_cross_entropy"].scores(outputs, targets)
    assert scores["accuracy"].tolist() == pytest.approx([2 / 3])
    assert OBJECTIVES["masked_cross_entropy"].weight(targets).tolist() == [3]
    assert OBJECTIVES["cross_entropy"].weight(targets).tolist() == [4]
    assert set(OBJECTIVES["mse"].scores(outputs, outputs)) == {"loss"}


def test_right_answers_of_yes_or_no_and_of_classes():
    yes = torch.tensor([[[0.5], [-0.5]]])
    assert correct(yes, torch.tensor([[1, 1]])).tolist() == [[True, False]]
    classes = torch.tensor([[[0.5, 0.1], [0.0, 1.0]]])
    assert correct(classes, torch.tensor([[0, 0]])).tolist() == [[True, False]]


def test_a_sequence_is_right_if_all_of_its_positions_are():
    """Counted in Python; the loss is that of the positions."""
    outputs = torch.randn(3, 40, 2, 2)
    targets = torch.randint(2, (3, 40, 2))
    wanted = [
        sum(
            all(scores[k].argmax() == answer for k, answer in enumerate(answers.tolist()))
            for scores, answers in zip(*trial, strict=True)
        )
        / 40
        for trial in zip(outputs, targets, strict=True)
    ]
    found = OBJECTIVES["sequence_cross_entropy"].scores(outputs, targets)
    assert found["accuracy"].tolist() == pytest.approx(wanted)
    single = OBJECTIVES["cross_entropy"].scores(outputs, targets)
    assert torch.equal(found["loss"], single["loss"])
    assert (found["accuracy"] < single["accuracy"]).all()
    assert all_correct(outputs[:, :, 0], targets[:, :, 0]).shape == (3, 40)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_targets_of_another_shape_are_an_error(name):
    """Broadcasting would compare every output with every target."""
    with pytest.raises(ValueError, match=r"targets have the shape \(3, 1, 6\); expected \(3, 6"):
        OBJECTIVES[name](torch.randn(3, 6, 1), torch.zeros(3, 1, 6, dtype=torch.long))


@pytest.mark.parametrize(
    "name", ["cross_entropy", "masked_cross_entropy", "sequence_cross_entropy"]
)
def test_targets_that_are_no_classes_are_an_error(name):
    outputs, targets = torch.randn(3, 6, 4), torch.zeros(3, 6, dtype=torch.long)
    for dtype in (torch.float32, torch.int32, torch.bool):
        with pytest.raises(ValueError, match=f"targets have the dtype {dtype}; expected"):
            OBJECTIVES[name](outputs, targets.to(dtype))
    for wrong in (4, -1):
        with pytest.raises(ValueError, match=r"targets hold a class without an output; .* 0 to 3"):
            OBJECTIVES[name](outputs, targets + wrong)


def test_objectives_are_asked_for_by_name():
    assert objective("mse") is OBJECTIVES["mse"]
    assert isinstance(objective("custom", lambda outputs, targets: outputs), Objective)
    with pytest.raises(ValueError, match="loss is 'squares'; allowed: cross_entropy, masked"):
        objective("squares")
    with pytest.raises(ValueError, match="objective is None with loss 'custom'"):
        objective("custom")
    with pytest.raises(ValueError, match="objective is given with loss 'mse'"):
        objective("mse", OBJECTIVES["mse"])


def test_an_objective_gives_one_loss_per_trial():
    own = Objective(lambda outputs, targets: outputs.mean())
    with pytest.raises(ValueError, match=r"returned the shape \(\); expected .* \(3,\)"):
        own(torch.randn(3, 6, 1), torch.zeros(3, 6))
