"""An update that is recorded and replayed: on a GPU the same training, elsewhere no recording."""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from abstractor_lib.training.examples import Examples
from abstractor_lib.training.outcome import FIRST_LOSSES
from abstractor_lib.training.replay import Replay
from abstractor_lib.training.settings import Training
from abstractor_lib.training.sources import Generated
from abstractor_lib.training.trainer import Trainer

RULES = Training(
    "mse", 0.01, 4, None, 24, 8, None, 0.0, None, "best_if_stopped", monitor="training"
)


def trainer_of(device, replay, **other):
    """Of three models, for 24 updates."""

    def draw(generator, update):
        x = generator.standard_normal((4, 3)).astype(np.float32)
        return x, x.sum(axis=1, keepdims=True)

    torch.manual_seed(0)
    source = Generated(draw, [np.random.default_rng(n) for n in range(3)], device)
    rules = replace(RULES, **other)
    return Trainer(lambda: nn.Linear(3, 1), source, None, rules, replay=replay)


def losses(device, replay, **other):
    """Of all updates; the trainer too."""
    trainer = trainer_of(device, replay, **other)
    return torch.stack([trainer.step() for _ in range(trainer.budget)]).cpu(), trainer


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("other", [{}, {"clip": 0.1}, {"average": 0.9, "also": ("averaged",)}])
def test_against_updates_that_are_launched_one_by_one(other):
    launched, replayed = losses("cuda", False, **other), losses("cuda", True, **other)
    assert replayed[1]._recorded is not None and launched[1]._recorded is None
    torch.testing.assert_close(replayed[0], launched[0], rtol=1e-4, atol=1e-6)
    for name, value in launched[1].result().state.items():
        torch.testing.assert_close(replayed[1].result().state[name], value, rtol=1e-4, atol=1e-6)


def test_on_a_cpu_nothing_is_recorded():
    plain, asked = losses("cpu", False), losses("cpu", True)
    assert torch.equal(plain[0], asked[0]) and asked[1]._recorded is None


class Graph:
    """Stands for a CUDA graph, which this machine may not have: replaying does ``work``."""

    work: Callable[[], object]

    def replay(self):
        self.work()


def test_a_replay_reads_each_batch_and_gives_losses_that_stay(monkeypatch):
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)
    made = []

    @contextmanager
    def recording(graph, pool):
        """What the update computes from now on, at each replay of the graph."""
        yield
        graph.work = made[-1]

    monkeypatch.setattr(torch.cuda, "graph", recording)

    def update(batch):
        found = torch.zeros(2)  # where a recorded update leaves its losses
        made.append(lambda: found.copy_(batch.inputs.sum(dim=(1, 2))))
        return found

    def batch(value, examples=4):
        return Examples(torch.full((2, examples, 3), value), torch.zeros(2, examples))

    replayed = Replay(update)
    assert [replayed(batch(value)).tolist() for value in (1.0, 2.0)] == [[12.0] * 2, [24.0] * 2]
    first = replayed(batch(1.0))
    assert replayed(batch(2.0, examples=5)).tolist() == [30.0, 30.0]  # recorded by itself
    assert replayed(batch(3.0)).tolist() == [36.0, 36.0]
    assert first.tolist() == [12.0, 12.0] and len(made) == 2


def test_a_resumed_fit_launches_its_first_updates_before_it_records(monkeypatch):
    """What a recorded update uses has to be laid out in the process that records it."""
    recorded, done = [], []

    def replay(update):
        recorded.append(len(done))
        return update

    monkeypatch.setattr("abstractor_lib.training.trainer.Replay", replay)
    first, second = (trainer_of("cpu", False) for _ in range(2))
    for trainer, updates in ((first, FIRST_LOSSES + 2), (second, FIRST_LOSSES + 1)):
        trainer.replay = True  # as on a GPU
        if trainer is second:
            trainer.load_state_dict(first.state_dict())
        done.clear()
        for _ in range(updates):
            done.append(trainer.step())
    assert recorded == [FIRST_LOSSES, FIRST_LOSSES]
