"""A training that was interrupted ends exactly as one that was not."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from abstractor_lib import paths
from abstractor_lib.training.checkpoint import Checkpoint
from abstractor_lib.training.examples import Examples
from abstractor_lib.training.fit import fit
from abstractor_lib.training.sources import Bucketed, Generated
from abstractor_lib.training.trainer import Trainer


def assert_same_end(one, other):
    """Weights, losses, history and ends, bit for bit."""
    assert one.first_losses == other.first_losses
    assert torch.equal(one.updates, other.updates)
    assert torch.equal(one.stopped, other.stopped)
    assert list(one.state) == list(other.state)
    for name, value in one.state.items():
        assert torch.equal(value, other.state[name]), name
    assert len(one.history) == len(other.history)
    for here, there in zip(one.history, other.history, strict=True):
        assert list(here) == list(there)
        assert here["update"] == there["update"]
        for name in set(here) - {"update"}:
            torch.testing.assert_close(here[name], there[name], rtol=0, atol=0, equal_nan=True)


def normed():
    return nn.Sequential(
        nn.Flatten(-2), nn.Linear(10, 6), nn.BatchNorm1d(6), nn.Dropout(0.3), nn.Linear(6, 2)
    )


def drawn(generator, update):
    x = generator.standard_normal((6, 2, 5), dtype=np.float32)
    return x, (x.sum(axis=(1, 2)) > 0).astype(np.int64)


def sequences():
    """Sequences of random lengths, told apart by whether their sum is positive."""
    x = torch.randn(3, 21, 7, 5)
    lengths = torch.randint(1, 8, (3, 21))
    x = x * (torch.arange(7) < lengths.unsqueeze(-1)).unsqueeze(-1)
    return Examples(x, (x.sum(dim=(2, 3)) > 0).long()), lengths


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Dropout(0.2))
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x).sum(dim=1))


CASES = {
    "dropout and batch norm": {},
    "trials that stop": {"patience": 1, "learning_rate": 0.3, "restore": "best_if_stopped"},
    "all but the last": {"monitor": "training", "epochs": None, "updates": 12, "validate_every": 5},
    "schedule and clipping": {"schedule": "cosine", "warmup": 4, "clip": 0.1, "optimiser": "adamw"},
    "momentum": {"optimiser": "sgd", "momentum": 0.9},
    "squares": {"optimiser": "rmsprop", "together": False},
    "no momentum": {"optimiser": "sgd"},
    "by length": {"validation_chunk": 4},
    "generated": {"epochs": None, "updates": 13, "validate_every": 4},
    "trials that reach a goal": {"goal": 0.6, "loss": "sequence_cross_entropy"},
}


def trainer(case, rules):
    """The same trainer every time."""
    torch.manual_seed(11)
    changed = replace(rules, **({"loss": "cross_entropy", "epochs": 4} | CASES[case]))
    if case == "by length":
        data, lengths = sequences()
        return Trainer(Pooled, Bucketed(data, (lengths, None), 8, pool=2), data, changed)
    if case == "generated":
        source = Generated(drawn, [np.random.default_rng(number) for number in range(3)])
        return Trainer(normed, source, Examples(*sample()), changed, watch=largest_bias)
    source = Examples(torch.randn(3, 21, 2, 5), torch.randint(2, (3, 21)))
    return Trainer(normed, source, Examples(*sample()), changed)


def largest_bias(state):
    return {"bias": state["1.bias"].abs().amax(dim=1)}


def sample():
    return torch.randn(3, 9, 2, 5), torch.randint(2, (3, 9))


def test_what_is_watched_is_taken_down_at_each_look(rules):
    training = trainer("generated", rules)
    while not training.finished:
        training.step()
        if training.update % 4 == 0 or training.finished:
            last = training.result().history[-1]
            assert last["update"] == training.update
            torch.testing.assert_close(
                last["bias"], largest_bias(training.ensemble.state())["bias"]
            )
    assert [len(entry["bias"]) for entry in training.result().history] == [3, 3, 3, 3]


def finished(training):
    while not training.finished:
        training.step()
    return training.result()


@pytest.mark.parametrize("case", CASES)
def test_a_training_goes_on_as_if_it_had_not_been_interrupted(case, rules, tmp_path):
    """Interrupted after 0, 1, 2, 3, 7 and 12 updates: within an epoch, at its end, between two
    validations; saved to disk, loaded by new objects with another random state."""
    wanted = finished(trainer(case, rules))
    interrupted = trainer(case, rules)
    checkpoint = Checkpoint(tmp_path, case)
    for update in (0, 1, 2, 3, 7, 12):
        while interrupted.update < update and not interrupted.finished:
            interrupted.step()
        checkpoint.save(interrupted.state_dict())
        fresh = trainer(case, rules)
        torch.manual_seed(99)
        fresh.load_state_dict(checkpoint.load())
        assert_same_end(finished(fresh), wanted)
        # what goes on in the fresh one does not reach the first one
        interrupted = trainer(case, rules)
        interrupted.load_state_dict(checkpoint.load())
    assert case.startswith("trials that") == bool(wanted.stopped.any())


def test_a_state_is_a_copy(rules):
    """Going on changes no state that was taken."""
    training = trainer("dropout and batch norm", rules)
    for _ in range(4):
        training.step()
    state = training.state_dict()
    wanted = finished(training)
    fresh = trainer("dropout and batch norm", rules)
    fresh.load_state_dict(state)
    assert_same_end(finished(fresh), wanted)


KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from torch import nn
from abstractor_lib.training.checkpoint import Checkpoint
from abstractor_lib.training.examples import Examples
from abstractor_lib.training.fit import fit
from abstractor_lib.training.settings import Training

folder, last = Path(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(1)
torch.manual_seed(5)
data = Examples(torch.randn(2, 20, 4), torch.randint(3, (2, 20)))
rules = Training("custom", 0.01, 8, 4, None, None, None, 0.0, None, "best")
seen = 0

def losses(outputs, targets):
    global seen
    seen += outputs.requires_grad
    if seen == last:
        os.kill(os.getpid(), signal.SIGKILL)
    some = nn.functional.cross_entropy(outputs.flatten(0, 1), targets.flatten(), reduction="none")
    return some.view_as(targets).mean(dim=1)

def build():
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 3))

found = fit(build, data, data, rules, objective=losses,
            checkpoint=Checkpoint(folder, "run", every_seconds=0.0))
print(seen, [float(value).hex() for value in found.parameters["2.weight"].flatten()],
      [entry["validation_loss"].tolist() for entry in found.history], found.first_losses)
"""


@pytest.mark.slow
def test_a_killed_process_goes_on_in_another(tmp_path):
    """Killed with SIGKILL in its eighth update of twelve, with a checkpoint after each; the second
    process computes the five that are left and prints what one that was not killed prints."""

    def run(folder, last):
        command = [sys.executable, "-c", KILLED, str(tmp_path / folder), str(last)]
        found = subprocess.run(
            command, cwd=paths.root(), capture_output=True, text=True, timeout=120
        )
        return found.returncode, *found.stdout.partition(" ")[::2]

    assert run("killed", 8)[0] == -9
    code, seen, resumed = run("killed", -1)
    assert (code, seen) == (0, "5")
    code, seen, whole = run("whole", -1)
    assert (code, seen) == (0, "12")
    assert resumed == whole


def test_fit_goes_on_from_its_checkpoint_or_starts_over(rules, examples, build, tmp_path, capsys):
    data = examples(2, 20)

    def found(checkpoint, limit=None):
        torch.manual_seed(3)
        return fit(build, data, data, rules, limit, checkpoint=checkpoint)

    wanted = found(None)
    checkpoint = Checkpoint(tmp_path, "run", every_seconds=0.0)
    assert_same_end(found(checkpoint), wanted)
    assert checkpoint.path.is_file()
    assert_same_end(found(checkpoint), wanted)  # from a state that is finished
    assert capsys.readouterr().err == ""
    found(checkpoint, limit=4)  # another budget
    assert "the state's budget is 9; expected 4; the run starts over" in capsys.readouterr().err
    checkpoint.path.write_bytes(checkpoint.path.read_bytes()[:-1])
    assert_same_end(found(checkpoint), wanted)
    assert "the checkpoint is damaged; the run starts over" in capsys.readouterr().err


def test_a_state_of_other_models_is_refused_and_changes_nothing(rules, examples, build):
    data = examples(2, 20)
    training = Trainer(build, data, data, rules)
    other = Trainer(lambda: build(outputs=2), data, data, replace(rules, loss="cross_entropy"))
    training.step()
    before = training.state_dict()
    with pytest.raises(ValueError, match="the state's trained have the shapes"):
        training.load_state_dict(other.state_dict())
    after = training.state_dict()
    assert after["update"] == before["update"] == 1
    for name, value in before["trained"].items():
        assert torch.equal(after["trained"][name], value)


@pytest.mark.parametrize("together", [True, False])
def test_frozen_parameters_are_never_touched(rules, examples, together):
    """Their bits stay, even under weight decay, and those of the others do not."""

    def build():
        model = nn.Sequential(nn.Flatten(-2), nn.Linear(10, 4), nn.Linear(4, 2))
        model[1].requires_grad_(False)
        return model

    data = examples(3, 20)
    changed = replace(rules, loss="cross_entropy", weight_decay=0.1, together=together)
    training = Trainer(build, data, data, changed)
    before = {name: value.clone() for name, value in training.ensemble.state().items()}
    found = finished(training)
    for name, value in found.parameters.items():
        assert torch.equal(value, before[name]) == name.startswith("1."), name
    build().load_state_dict({name: value[0] for name, value in found.parameters.items()})


def test_batch_norm_statistics_belong_to_the_weights_kept(double, rules, examples):
    """Predictions of the fit are those of its state dictionaries in the plain module."""
    data = examples(2, 20)
    training = Trainer(normed, data, data, replace(rules, loss="cross_entropy"))
    found = finished(training)
    best = torch.stack([entry["validation_loss"] for entry in found.history]).amin(dim=0)
    predicted = found.predict(data.inputs)
    for t in range(2):
        model = normed().eval()
        model.load_state_dict({name: value[t] for name, value in found.parameters.items()})
        assert model[2].num_batches_tracked > 0
        expected = model(data.inputs[t])
        torch.testing.assert_close(predicted[t], expected, rtol=1e-9, atol=1e-9)
        loss = nn.functional.cross_entropy(expected, data.targets[t])
        torch.testing.assert_close(loss.detach(), best[t], rtol=1e-9, atol=1e-9)


def test_together_and_one_by_one_are_the_same_training(double, rules, examples, build):
    """Without dropout, which draws other masks: to 1e-9 in float64."""
    data = examples(3, 20)

    def found(together):
        torch.manual_seed(6)
        return fit(build, data, data, replace(rules, together=together))

    one, other = found(True), found(False)
    for name, value in one.parameters.items():
        torch.testing.assert_close(value, other.parameters[name], rtol=1e-9, atol=1e-9)
    assert one.first_losses == pytest.approx(other.first_losses, rel=1e-9)


def test_a_training_that_ended_takes_no_step(rules, examples, build):
    data = examples(1, 8)
    training = Trainer(build, data, data, rules)
    finished(training)
    with pytest.raises(RuntimeError, match="the training ended at update 3"):
        training.step()


def test_validation_examples_are_of_as_many_trials_as_the_source(rules, examples, build):
    train, other = examples(2, 8), examples(3, 8)
    with pytest.raises(ValueError, match="validation holds 3 trials; expected 2, as many as train"):
        Trainer(build, train, [train, other], rules)
    unread = replace(rules, monitor="training")
    assert Trainer(build, train, other, unread).source.trials == 2


def test_a_model_for_what_makes_it_is_refused(rules, examples, build):
    """Every trial would be the same model."""
    data = examples(2, 8)
    with pytest.raises(ValueError, match=r"build is a .*; expected a function that makes one"):
        fit(build(), data, data, rules)


def test_a_source_without_epochs_needs_numbers_of_updates(rules):
    def make(**changed):
        source = Generated(drawn, [np.random.default_rng(0)])
        validation = Examples(torch.randn(1, 4, 2, 5), torch.randint(2, (1, 4)))
        return Trainer(normed, source, validation, replace(rules, loss="cross_entropy", **changed))

    with pytest.raises(ValueError, match="updates is None with a source that has no epochs"):
        make()
    with pytest.raises(ValueError, match="validate_every is None with a source that has no"):
        make(epochs=None, updates=5)
    assert make(epochs=None, updates=5, validate_every=5).budget == 5
