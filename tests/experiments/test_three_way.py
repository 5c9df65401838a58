"""Relations of three objects: models of equal depth, size or cost, and what a run measures."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats
from torch.utils.flop_counter import FlopCounterMode

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.three_way import measures, run
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.tasks import three_way

EXPERIMENT = experiments.get("three_way")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
SMOKE = EXPERIMENT.grid("smoke", "sound")


def models(task):
    return {s.model.name: s for s in LAPTOP if s.task.name == task and s.trials.first == 0}


def parameters(spec):
    return sum(one.numel() for one in run.build(spec.model, spec.task).parameters())


def operations(spec):
    inputs = run.examples(replace(spec, task=replace(spec.task, test=1)))("test").inputs[0]
    with FlopCounterMode(display=False) as counter:
        run.build(spec.model, spec.task)(inputs)
    return counter.get_total_flops()


@pytest.mark.parametrize("task", ["match3", "coplanar"])
def test_models_match_in_what_they_are_said_to(task):
    by_name = models(task)
    one = by_name["unsigned"]
    for name in ("trilinear", "pairs", "uniform"):
        assert parameters(by_name[name]) == parameters(one)
    for name in ("wide", "two_matched"):
        assert parameters(by_name[name]) == pytest.approx(parameters(one), rel=0.02)
    assert operations(by_name["deep"]) == pytest.approx(operations(one), rel=0.1)
    for name in ("trilinear", "pairs", "uniform", "standard", "wide"):
        assert by_name[name].model.layers == one.model.layers == 1
    assert by_name["two"].model.dim == one.model.dim


def test_seeds_see_the_same_examples_whatever_the_model():
    first, second = (
        s for s in SMOKE if s.model.name in ("unsigned", "deep") and s.task.name == "match3"
    )
    for part in ("validation", "test"):
        one, other = (run.examples(spec)(part) for spec in (first, second))
        assert torch.equal(one.inputs, other.inputs) and torch.equal(one.targets, other.targets)
    one, other = (next(run.examples(spec)("train")) for spec in (first, second))
    assert torch.equal(one.inputs, other.inputs)


def test_validation_and_test_are_other_examples_than_training():
    spec = next(s for s in SMOKE if s.task.name == "coplanar")
    read = run.examples(spec)
    batch, held, asked = next(read("train")).inputs, read("validation").inputs, read("test").inputs
    assert not torch.isin(held, batch).any() and not torch.isin(asked, held).any()


@pytest.mark.parametrize("name", [s.model.name for s in SMOKE if s.task.name == "coplanar"])
def test_models_answer_whatever_the_order_of_the_objects(name, double):
    spec = next(s for s in SMOKE if s.model.name == name and s.task.name == "coplanar")
    model = run.build(spec.model, spec.task).eval()
    x, order = torch.randn(2, 8, spec.task.dim), torch.randperm(8)
    torch.testing.assert_close(model(x[:, order]), model(x)[:, order])


def test_the_area_against_a_rank_test():
    random = np.random.default_rng(0)
    labels, scores = random.integers(2, size=(5, 8)), random.standard_normal((5, 8)).round(1)
    found = run.area(torch.from_numpy(labels), torch.from_numpy(scores))
    yes, no = scores[labels == 1], scores[labels == 0]
    assert found == pytest.approx(stats.mannwhitneyu(yes, no).statistic / (len(yes) * len(no)))


@pytest.mark.parametrize("task", ["match3", "coplanar"])
def test_a_run_measures_the_model_and_what_needs_none(task):
    spec = next(s for s in SMOKE if s.task.name == task and s.model.name == "standard")
    found = outcome(spec, alone()).metrics
    for name in ("test_auc", "test_accuracy", "constant_accuracy"):
        assert 0 <= found[name][0] <= 1
    labels = run.examples(spec)("test").targets[0]
    share = labels.double().mean().item()
    assert found["constant_accuracy"][0] == pytest.approx(max(share, 1 - share))
    assert 0 <= found["script_auc"][0] <= 1 and 0 <= found["within_auc"][0] <= 1


def test_a_script_without_sums_is_a_little_better_than_chance():
    """The more different numbers, the more sums: an area of 0.568 on many examples."""
    numbers, labels = three_way.match3(np.random.default_rng(0), 20_000)
    expected = [len(set(row)) for row in numbers.tolist()]
    assert (three_way.distinct(numbers[None])[0] == np.array(expected)[:, None]).all()
    found = run.area(torch.from_numpy(labels), torch.from_numpy(three_way.distinct(numbers)))
    assert found == pytest.approx(0.568, abs=0.01)


def frame(**areas):
    rows = [
        {
            "model": name,
            "variant": "match3",
            "size": 10,
            "trial": k,
            "test_auc": value,
            "converged": 0,
        }
        for name, values in areas.items()
        for k, value in enumerate(values)
    ]
    return {"sound": pd.DataFrame(rows)}


def test_leads_are_those_of_a_permutation():
    first, second = [0.9, 0.8, 0.85, 0.82, 0.88], [0.7, 0.65, 0.6, 0.66, 0.79]
    frames = frame(unsigned=first, standard=second)
    (point,) = measures.lead(frames, "sound", task="match3", models=["unsigned", "standard"]).points
    # zero is outside exactly where the permutation test rejects it on one side

    def apart(x, y, axis):
        return x.mean(axis) - y.mean(axis)

    tested = stats.permutation_test((first, second), apart, alternative="greater")
    assert tested.pvalue < 0.025 and point.interval.low > 0
    assert point.interval.estimate == pytest.approx(np.mean(first) - np.mean(second))
    assert "0 of 10 runs converged" in point.label
    with pytest.raises(NotRun, match="no runs of unsigned and deep on match3, or one seed"):
        measures.lead(frames, "sound", task="match3", models=["unsigned", "deep"])


def test_levels_are_means_of_accuracies():
    values = [0.9, 0.8, 0.85]
    table = frame(unsigned=values)["sound"].assign(test_accuracy=values)
    (point,) = measures.level({"sound": table}, "sound", task="match3", model="unsigned").points
    assert point.interval.estimate == pytest.approx(0.85)
    with pytest.raises(NotRun, match="no runs of deep on match3, or one seed alone"):
        measures.level({"sound": table}, "sound", task="match3", model="deep")


def test_the_area_within_examples_against_a_rank_test_of_each():
    random = np.random.default_rng(2)
    labels = random.integers(0, 2, (50, 8))
    scores = random.integers(0, 4, (50, 8)).astype(float)  # with ties
    areas = []
    for yes, given in zip(labels == 1, scores, strict=True):
        if 0 < yes.sum() < 8:
            u = stats.mannwhitneyu(given[yes], given[~yes]).statistic
            areas.append(u / (yes.sum() * (~yes).sum()))
    found = run.within(torch.from_numpy(labels), torch.from_numpy(scores))
    assert found == pytest.approx(np.mean(areas), abs=1e-12)


def test_the_lead_over_a_script_is_on_the_same_examples():
    frames = frame(unsigned=[0.9, 0.8, 0.85])
    scripts = [0.75, 0.77, 0.78]
    table = frames["sound"].assign(script_auc=scripts)
    (point,) = measures.over_script(
        {"sound": table}, "sound", task="match3", model="unsigned"
    ).points
    expected = stats.ttest_rel([0.9, 0.8, 0.85], scripts).confidence_interval(0.975)
    assert point.interval.low == pytest.approx(expected.low)
    with pytest.raises(NotRun, match="no runs of deep on match3, or one seed alone"):
        measures.over_script({"sound": table}, "sound", task="match3", model="deep")
