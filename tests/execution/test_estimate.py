"""Estimates of computing time, held against what runs took."""

from dataclasses import replace

import pytest

from abstractor_lib import experiments
from abstractor_lib.cli.foretelling import foretold
from abstractor_lib.execution.estimate import Rates, core_seconds, estimate
from abstractor_lib.execution.plan import ancestors
from abstractor_lib.records.spec import Trials
from abstractor_lib.records.store import on_gpu
from abstractor_lib.records.workspace import Workspace

FOLDS = 5
LEAST = 0.01  # seconds, to which records are rounded


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "name", [one for one in experiments.by_name() if len(Workspace().records(one)) >= FOLDS]
)
def test_runs_take_what_the_others_let_expect_to_a_third(name):
    """All runs of an experiment together, each fifth of them estimated from the others."""
    experiment = experiments.get(name)
    records = {run: one for run, one in Workspace().records(name).items() if not on_gpu(one)}
    runs, expected, took = sorted(records), 0.0, 0.0
    for fold in range(min(FOLDS, len(runs))):
        out = set(runs[fold::FOLDS])
        rates = Rates({run: records[run] for run in runs if run not in out})
        expected += sum(rates.seconds(experiment.spec(records[run]["spec"])) for run in out)
        took += sum(max(records[run]["provenance"]["seconds"], LEAST) for run in out)
    assert 2 / 3 < expected / took < 4 / 3


def test_curves_of_the_papers_size_take_what_they_were_measured_to():
    """Three seeds of all models took 88 core hours; records that ship are of smaller models."""
    grid = experiments.get("curves").grid("paper", "described")
    three = [
        replace(spec, trials=Trials(spec.trials.first, min(spec.trials.count, 3)))
        for spec in grid
        if spec.trials.first < 3
    ]
    hours = estimate(three, Workspace().records("curves")).seconds / 3600
    assert 2 / 3 < hours / 88 < 4 / 3


def test_seconds_of_a_gpu_are_no_seconds_of_a_core():
    """A run on a GPU counts as what it would take on a core, and tells nothing of its memory."""
    records = Workspace().records("curves")
    known = [one for one in records.values() if not on_gpu(one)]
    assert core_seconds(known) == pytest.approx(sum(one["provenance"]["seconds"] for one in known))
    one = next(one for one in records.values() if on_gpu(one))
    spec = experiments.get("curves").spec(one["spec"])
    more = core_seconds([*known, one]) - core_seconds(known)
    assert more == pytest.approx(estimate([spec], records).seconds)
    assert more > 10 * one["provenance"]["seconds"]
    assert core_seconds([one], records) == pytest.approx(more)
    assert core_seconds([one]) != pytest.approx(more, rel=0.01)  # nothing tells its pace
    large = {**one, "provenance": {**one["provenance"], "peak_memory_mib": 10**6}}
    assert estimate([spec], {**records, one["run"]: large}).memory_mib < 10**6


def test_one_run_takes_one_worker():
    missing = experiments.get("three_way").grid("laptop", "sound")[:3]
    records = Workspace().records("three_way")
    alone = estimate(missing[:1], records).seconds
    whole = estimate(missing, records)
    assert whole.longest == max(estimate([one], records).seconds for one in missing)
    (_, line, _) = foretold(missing[:1], Workspace(), records, jobs=64)
    assert f" {alone / 60:.0f} min on 64 workers" in line


def test_models_that_runs_start_from_are_counted_each_once_with_those_that_they_start_from(
    workspace,
):
    """The relations of cards start from embedders, and runs on SET from relations."""
    specs = [
        spec for spec in experiments.get("set_relations").grid("smoke", "sound") if spec.parents
    ]
    found = ancestors(specs, workspace)
    parents = {parent.spec.id for spec in specs for parent in spec.parents.values()}
    above = {parent.spec.id for one in found.values() for parent in one.parents.values()}
    assert set(found) == parents | above and above
    assert {one.experiment for one in found.values()} == {"same_different", "cards"}
    assert ancestors([], workspace) == {}
