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


def test_ignored_looks_alone_leave_the_last_weights(rules):
    stopping = Stopping(replace(rules, ignored=2), {"w": torch.zeros(3, 1)})
    for epoch in (1.0, 2.0):
        stopping.validated(torch.full((3,), -epoch), {"w": torch.full((3, 1), epoch)})
    assert stopping.chosen({"w": torch.full((3, 1), 2.0)})["w"].flatten().tolist() == [2, 2, 2]
    stopping.validated(torch.tensor([1.0, 2.0, 3.0]), {"w": torch.full((3, 1), 3.0)})
    assert stopping.chosen({"w": torch.full((3, 1), 9.0)})["w"].flatten().tolist() == [3, 3, 3]
