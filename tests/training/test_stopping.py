"""Early stopping against Keras 2's."""

import math
from dataclasses import replace

import pytest
import torch

from abstractor_lib.training.stopping import Stopping


def keras_early_stopping(losses, patience, min_delta, baseline, start_from_epoch=0):
    """Keras 2's EarlyStopping(restore_best_weights=True) as its documentation describes it.

    Returns the epoch it stopped at (None if it did not) and the epoch whose weights remain.
    """
    best, best_epoch, wait = math.inf, None, 0
    for epoch, loss in enumerate(losses):
        if epoch < start_from_epoch:
            continue
        wait += 1
        if loss + min_delta < best:
            best, best_epoch = loss, epoch
            if baseline is None or loss + min_delta < baseline:
                wait = 0
        if wait >= patience:
            return epoch, best_epoch
    return None, len(losses) - 1


@pytest.mark.parametrize("ignored", [0, 8])
@pytest.mark.parametrize("baseline", [None, 0.6])
@pytest.mark.parametrize("min_delta", [0.0, 0.01])
def test_against_keras_early_stopping(rules, baseline, min_delta, ignored):
    """Forty trials with random validation losses, at once and one by one."""
    generator = torch.Generator().manual_seed(0)
    steps = torch.randn(40, 30, generator=generator) * 0.05 - 0.03
    curves = 0.69 + steps.cumsum(dim=1)  # (t, epochs)
    rules = replace(
        rules, patience=5, min_delta=min_delta, baseline=baseline, restore="best_if_stopped"
    )
    rules = replace(rules, ignored=ignored)
    weight = torch.zeros(40, 1)
    stopping = Stopping(rules, {"w": weight})
    ended = torch.full((40,), -1)
    for epoch in range(30):
        weight = torch.full((40, 1), float(epoch))
        ended[stopping.validated(curves[:, epoch], {"w": weight})] = epoch
    kept = stopping.chosen({"w": weight})["w"][:, 0]
    settings = (5, min_delta, baseline, ignored)
    expected = [keras_early_stopping(curve, *settings) for curve in curves.tolist()]
    assert ended.tolist() == [-1 if stop is None else stop for stop, _ in expected]
    assert kept.tolist() == [float(epoch) for _, epoch in expected]
    assert 0 < sum(stop is None for stop, _ in expected) < 40  # both endings occur


def goal_reached(losses, accuracies, goal, patience, restore):
    """One trial, epoch by epoch: where it ended (None: it did not), and whose weights remain."""
    best, kept, wait = math.inf, None, 0
    for epoch, (loss, accuracy) in enumerate(zip(losses, accuracies, strict=True)):
        if accuracy >= goal:
            return epoch, epoch
        wait = 0 if loss < best else wait + 1
        if loss < best:
            best, kept = loss, epoch
        if patience is not None and wait >= patience:
            return epoch, kept
    return None, kept if restore == "best" else len(losses) - 1


@pytest.mark.parametrize("restore", ["best", "best_if_stopped"])
@pytest.mark.parametrize("patience", [None, 4])
def test_a_trial_that_reaches_the_goal_keeps_the_weights_that_it_has_then(rules, patience, restore):
    """Sixty trials with random losses and accuracies, at once and one by one."""
    generator = torch.Generator().manual_seed(0)
    losses = torch.rand(60, 12, generator=generator)
    accuracies = torch.rand(60, 12, generator=generator)
    rules = replace(rules, goal=0.9, patience=patience, restore=restore)
    weight = torch.zeros(60, 1)
    stopping = Stopping(rules, {"w": weight})
    ended = torch.full((60,), -1)
    for epoch in range(12):
        weight = torch.full((60, 1), float(epoch))
        now = stopping.validated(losses[:, epoch], {"w": weight}, accuracies[:, epoch])
        ended[now] = epoch
    pairs = zip(losses.tolist(), accuracies.tolist(), strict=True)
    expected = [goal_reached(*pair, 0.9, patience, restore) for pair in pairs]
    assert ended.tolist() == [-1 if stop is None else stop for stop, _ in expected]
    assert stopping.stopped.tolist() == [stop is not None for stop, _ in expected]
    kept = stopping.chosen({"w": weight})["w"][:, 0]
    assert kept.tolist() == [float(epoch) for _, epoch in expected]
    lowest = losses.argmin(dim=1).tolist()
    reached = [epoch for stop, epoch in expected if stop is not None]
    assert 0 < len(reached) < 60 and any(
        epoch != lowest[index] for index, (_, epoch) in enumerate(expected)
    )


def test_a_goal_without_accuracies_is_an_error(rules):
    stopping = Stopping(replace(rules, goal=0.5), {"w": torch.zeros(2, 1)})
    with pytest.raises(ValueError, match=r"goal is 0\.5, but no accuracy is validated"):
        stopping.validated(torch.ones(2), {"w": torch.zeros(2, 1)})


def test_ignored_looks_alone_leave_the_last_weights(rules):
    stopping = Stopping(replace(rules, ignored=2), {"w": torch.zeros(3, 1)})
    for epoch in (1.0, 2.0):
        stopping.validated(torch.full((3,), -epoch), {"w": torch.full((3, 1), epoch)})
    assert stopping.chosen({"w": torch.full((3, 1), 2.0)})["w"].flatten().tolist() == [2, 2, 2]
    stopping.validated(torch.tensor([1.0, 2.0, 3.0]), {"w": torch.full((3, 1), 3.0)})
    assert stopping.chosen({"w": torch.full((3, 1), 9.0)})["w"].flatten().tolist() == [3, 3, 3]
