"""The experiment on function classes: what its models can and cannot see."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments import function_classes
from abstractor_lib.experiments.function_classes.run import build, draw
from abstractor_lib.experiments.function_classes.settings import Model, Task
from abstractor_lib.tasks import relations as functions


def twins():
    """Two tensors in which the rows of object 0 are equal and the others are not."""
    random = np.random.default_rng(0)
    one, other = functions.binary(random, 2, 4).astype(np.float32)
    other[0] = one[0]
    return torch.from_numpy(np.stack([one, other]))


@pytest.mark.parametrize("name", ["one_step", "two_layers", "chain", "free"])
def test_one_step_sees_its_own_row_alone(name):
    torch.manual_seed(0)
    model = build(Model(name, 8), Task("equal_degree", 4))
    with torch.no_grad():
        answers = model(twins())  # (2, m, o)
    assert answers.shape == (2, 4, 2)
    same = torch.equal(answers[0, 0], answers[1, 0])
    assert same == (name == "one_step")


def test_grid_and_targets_agree():
    specs = function_classes.grid("laptop", "described")
    assert function_classes.grid("laptop", "sound") == []
    with pytest.raises(ValueError, match="profile is 'big'"):
        function_classes.grid("big", "described")
    assert {one.task.target for one in specs} == set(functions.TARGETS) | {"relations"}
    assert len({one.id for one in specs}) == len(specs)
    assert function_classes.spec(specs[-1].canonical()).id == specs[-1].id


def test_trials_and_parts_draw_their_own_relations():
    task = Task("median", 4)
    tensors, answers = draw(task, 0, "train", 10)
    assert np.array_equal(answers, functions.median(tensors))
    assert not np.array_equal(tensors, draw(task, 1, "train", 10)[0])
    assert not np.array_equal(tensors, draw(task, 0, "test", 10)[0])


def test_a_short_run_learns_a_first_order_function():
    (spec, *_) = [
        one
        for one in function_classes.grid("smoke", "described")
        if one.task.target == "degree" and one.model.symbol_dim == 3
    ]
    long = replace(spec.training, updates=300, validate_every=50)
    found = outcome(replace(spec, training=long, task=replace(spec.task, train=512)))
    assert min(found.metrics["accuracy"]) > 0.99
    assert found.metrics["row_accuracy"] == [1.0, 1.0]


def test_reading_back_against_noise_and_rank():
    specs = [
        one for one in function_classes.grid("laptop", "described") if one.model.name == "inverse"
    ]
    for spec in specs:
        d, m, noise = spec.model.symbol_dim, spec.task.objects, spec.task.noise
        metrics = outcome(spec).metrics
        assert set(metrics["rank"]) == {min(d, m)}
        if d < m:
            assert min(metrics["error"]) > 0.1
            assert metrics["amplification"] == [None] * spec.trials.count
        elif noise == 0:
            assert max(metrics["error"]) < 1e-8
        else:
            ratio = np.array(metrics["error"]) / noise / np.array(metrics["amplification"])
            assert np.median(ratio) == pytest.approx(1, abs=0.3)
