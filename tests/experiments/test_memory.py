"""The memory experiment: splits, baselines, scores."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, r2_score

from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.memory import EXPERIMENT as memory
from abstractor_lib.experiments.memory.run import load, score
from abstractor_lib.experiments.memory.settings import Task


def test_splits_share_no_example_and_grow():
    few, many = (load(Task("digits", 50, keys), 0) for keys in (50, 80))
    assert torch.equal(few.keys, many.keys[:50]) and torch.equal(few.x, many.x)
    seen = {tuple(row) for row in many.keys.tolist()}
    assert not seen & {tuple(row) for row in many.x.tolist()}
    everything = {tuple(row) for row in (load_digits().data / 8.0).tolist()}
    assert seen <= everything
    with pytest.raises(ValueError, match="expected 10 <= train <= keys <= 300"):
        load(Task("diabetes", 50, 301), 0)


def test_numbers_are_standardised_by_what_the_relation_was_learned_on():
    data = load(Task("diabetes", 100, 200), 3)
    np.testing.assert_allclose(data.keys[:100].mean(dim=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.keys[:100].std(dim=0, correction=0), 1, atol=1e-12)
    assert abs(data.labels[:100].mean()) < 1e-12 < abs(data.labels.mean())


def test_scores_against_scikit_learn():
    random = np.random.default_rng(0)
    truth, found = random.standard_normal((2, 40, 1))
    value = score(Task("diabetes", 50, 50), torch.from_numpy(found), torch.from_numpy(truth))
    assert value == pytest.approx(r2_score(truth, found))
    classes, guesses = random.integers(0, 3, (2, 40))
    value = score(
        Task("digits", 50, 50),
        torch.from_numpy(np.eye(10)[guesses]),
        torch.from_numpy(np.eye(10)[classes]),
    )
    assert value == pytest.approx(accuracy_score(classes, guesses))


@pytest.mark.parametrize("dataset", ["diabetes", "digits"])
def test_a_memory_is_kernel_regression_and_better_than_guessing(dataset):
    spec = next(
        one
        for one in memory.grid("laptop", "described")
        if (one.model.name, one.task.dataset, one.task.keys) == ("gaussian", dataset, 100)
    )
    spec = replace(spec, trials=replace(spec.trials, count=2))
    found = outcome(spec).metrics
    assert max(found["difference"]) < 1e-12
    assert min(found["score"]) > (0.1 if dataset == "diabetes" else 0.7)
    assert found["parameters"] == [1, 1]
    assert found["stored"][0] == 100 * (11 if dataset == "diabetes" else 74)


def test_grid():
    specs = memory.grid("laptop", "described")
    assert memory.grid("laptop", "published") == []
    assert len({one.id for one in specs}) == len(specs)
    assert memory.spec(specs[0].canonical()).id == specs[0].id
    grown = [one for one in specs if memory.columns(one.canonical())["variant"].endswith("grown")]
    assert {one.task.train for one in grown} == {100}
    with pytest.raises(ValueError, match="profile is 'big'"):
        memory.grid("big", "described")


@pytest.mark.parametrize("name", ["metric", "inner", "gaussian"])
def test_an_audit_of_the_first_updates_agrees(name):
    """The penalty is that of the whole run, however few updates are asked for."""
    specs = memory.grid("laptop", "described")
    spec = next(one for one in specs if one.model.name == name and one.task.keys == 50)
    spec = replace(spec, trials=replace(spec.trials, count=1))
    whole, part = outcome(spec), outcome(spec, Context(first_numbers=True))
    assert part.first_losses == whole.first_losses
    assert part.fingerprint == whole.fingerprint
