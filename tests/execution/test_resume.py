"""A run that was killed goes on from its checkpoint and ends as if nothing had happened."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from abstractor_lib import experiments
from abstractor_lib.execution import compute, job
from abstractor_lib.experiments import context
from abstractor_lib.training.actor_learner import ActorLearner
from abstractor_lib.training.reinforcement import Reinforcement
from abstractor_lib.training.trainer import Trainer

KILLED = """
import json, os, signal, sys
from pathlib import Path
from abstractor_lib import experiments
from abstractor_lib.execution import job
from abstractor_lib.experiments import context
from abstractor_lib.training.checkpoint import Checkpoint

context.CHECKPOINT_SECONDS = 0.0  # after every update
save, saved = Checkpoint.save, []

def killed(self, state):
    save(self, state)
    saved.append(1)
    if len(saved) == {updates}:
        os.kill(os.getpid(), signal.SIGKILL)

Checkpoint.save = killed
spec = experiments.get({name!r}).spec(json.loads({plain!r}))
job.perform(job.Job(spec, scratch=Path({scratch!r})))
"""


@pytest.mark.parametrize(
    ("name", "protocol", "model", "updates"),
    [
        ("order", "sound", "abstractor", 7),
        pytest.param("sorting", "described", "transformer", 1, marks=pytest.mark.slow),
        pytest.param("mathematics", "described", "abstractor", 1, marks=pytest.mark.slow),
        pytest.param("agents", "sound", "simplicial", 1, marks=pytest.mark.slow),
    ],
)
def test_a_killed_run_ends_with_the_same_record(
    name, protocol, model, updates, tmp_path, monkeypatch
):
    experiment = experiments.get(name)
    spec = next(one for one in experiment.grid("smoke", protocol) if one.model.name == model)
    expected, _ = compute.record(spec)
    script = KILLED.format(
        updates=updates, name=name, plain=json.dumps(spec.canonical()), scratch=str(tmp_path)
    )
    ended = subprocess.run([sys.executable, "-c", script], timeout=120)
    assert ended.returncode == -signal.SIGKILL
    assert (Path(tmp_path) / "checkpoint").is_file()

    by_reward = isinstance(spec.training, Reinforcement)
    learns, steps = ActorLearner if by_reward else Trainer, []
    step = learns.step
    monkeypatch.setattr(learns, "step", lambda self: (steps.append(1), step(self))[1])
    monkeypatch.setattr(context, "CHECKPOINT_SECONDS", 1e9)
    found = job.perform(job.Job(spec, scratch=tmp_path)).record
    planned = spec.training.updates if by_reward else expected["metrics"]["updates"][0]
    assert len(steps) == planned - updates
    for part in ("metrics", "first_losses", "curve", "artifacts"):
        assert found.get(part) == expected.get(part)


def test_a_checkpoint_of_another_run_is_not_gone_on_from(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(context, "CHECKPOINT_SECONDS", 0.0)
    one, other = experiments.get("order").grid("smoke", "sound")[:2]
    job.perform(job.Job(one, scratch=tmp_path))
    found = job.perform(job.Job(other, scratch=tmp_path)).record
    assert "checkpoint" in capsys.readouterr().err
    assert found["metrics"] == compute.record(other)[0]["metrics"]
