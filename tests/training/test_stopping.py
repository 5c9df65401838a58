"""Early stopping against Keras 2's."""

import math
from dataclasses import replace

import pytest
import torch

from abstractor_lib.training.stopping import Stopping


def keras_early_stopping(losses, patience, min_delta, baseline):
    """Keras 2's EarlyStopping(restore_best_weights=True) as its documentation describes it.

    Returns the epoch it stopped at (None if it did not) and the epoch whose weights remain.
    """
    best, best_epoch, wait = math.inf, None, 0
    for epoch, loss in enumerate(losses):
        wait += 1
        if loss + min_delta < best:
            best, best_epoch = loss, epoch
            if baseline is None or loss + min_delta < baseline:
                wait = 0
        if wait >= patience:
            return epoch, best_epoch
    return None, len(losses) - 1


@pytest.mark.parametrize("baseline", [None, 0.6])
@pytest.mark.parametrize("min_delta", [0.0, 0.01])
def test_against_keras_early_stopping(rules, baseline, min_delta):
    """Forty trials with random validation losses, at once and one by one."""
    generator = torch.Generator().manual_seed(0)
    steps = torch.randn(40, 30, generator=generator) * 0.05 - 0.03
    curves = 0.69 + steps.cumsum(dim=1)  # (t, epochs)
    rules = replace(
        rules, patience=5, min_delta=min_delta, baseline=baseline, restore="best_if_stopped"
    )
    weight = torch.zeros(40, 1)
    stopping = Stopping(rules, {"w": weight})
    ended = torch.full((40,), -1)
    for epoch in range(30):
        weight = torch.full((40, 1), float(epoch))
        ended[stopping.validated(curves[:, epoch], {"w": weight})] = epoch
    kept = stopping.chosen({"w": weight})["w"][:, 0]
    expected = [keras_early_stopping(curve, 5, min_delta, baseline) for curve in curves.tolist()]
    assert ended.tolist() == [-1 if stop is None else stop for stop, _ in expected]
    assert kept.tolist() == [float(epoch) for _, epoch in expected]
    assert 0 < sum(stop is None for stop, _ in expected) < 40  # both endings occur
