"""The sparse recovery experiment: data, predictors, rates."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.sparse_recovery import EXPERIMENT as sparse_recovery
from abstractor_lib.experiments.sparse_recovery import rates
from abstractor_lib.experiments.sparse_recovery.run import draw, seen
from abstractor_lib.experiments.sparse_recovery.settings import Model, Task
from abstractor_lib.findings.measures import NotRun

SPECS = sparse_recovery.grid("laptop", "described")


def test_data():
    task = Task(20, 40, 3, "gaussian", 0.2, noise=0.05, relations=6)
    data = draw(task, 0)
    assert ((data.relations > 0).sum(axis=1) == 3).all()
    np.testing.assert_allclose(data.relations.sum(axis=1), 1)
    np.testing.assert_allclose(data.states, data.relations @ data.symbols.T)
    quiet = draw(replace(task, noise=0.0), 0)
    assert ((np.abs(quiet.corrupted - quiet.states) > 0).sum(axis=1) == 4).all()
    size = np.sqrt((data.states**2).mean())
    assert (data.corrupted - quiet.corrupted).std() == pytest.approx(0.05 * size, rel=0.3)
    with pytest.raises(ValueError, match="nonzeros is 41; expected 1 to 40"):
        draw(replace(task, nonzeros=41), 0)


def test_grid():
    assert sparse_recovery.grid("laptop", "published") == []
    assert len({one.id for one in SPECS}) == len(SPECS)
    assert sparse_recovery.spec(SPECS[0].canonical()).id == SPECS[0].id


def test_sparse_relations_come_back_from_corrupted_states():
    spec = next(
        one for one in SPECS if (one.task.nonzeros, one.task.errors, one.task.noise) == (2, 0.1, 0)
    )
    found = outcome(replace(spec, trials=replace(spec.trials, count=2))).metrics
    assert min(found["recovered"]) == 1 and max(found["error"]) < 1e-9
    assert min(found["found"]) == min(found["right"]) == 1
    zero = replace(spec, model=replace(spec.model, multiple=50.0))
    nothing = outcome(replace(zero, trials=replace(spec.trials, count=1))).metrics
    assert nothing["error"][0] == pytest.approx(nothing["norm"][0])  # the answer is zero


def test_predictors_see_what_they_should():
    """Clean states of a dense problem hold the relations; what is recovered is the relations."""
    task = Task(24, 4, 4, "gaussian", 0.1, relations=200)
    spec = replace(SPECS[0], task=task)
    data = draw(task, 0)
    views = {
        name: seen(replace(spec, model=Model(f"predicting_{name}", 0.4)), data, "cpu")
        for name in ("relations", "states", "corrupted", "recovered")
    }
    assert np.array_equal(views["relations"], data.relations)
    np.testing.assert_allclose(views["recovered"], data.relations, atol=1e-5)
    whole = np.abs(data.corrupted) <= np.abs(views["corrupted"]).max()
    assert np.array_equal(views["corrupted"][whole], data.corrupted[whole]) and not whole.all()
    scores = {}
    for name in views:
        run = replace(spec, model=Model(f"predicting_{name}", 0.4))
        scores[name] = outcome(replace(run, trials=replace(run.trials, count=1))).metrics["linear"][
            0
        ]
    assert scores["states"] > 0.999 and scores["relations"] > 0.999
    assert scores["recovered"] > 0.99 > 0.9 > scores["corrupted"]


def test_rates_of_made_up_errors():
    rows = pd.DataFrame(
        [
            {"size": k, "rows": d, "columns": m, "errors": e, "trial": t}
            for k in (1, 4)
            for d in (50, 100)
            for m in (60, 200)
            for e in (0.0, 0.2)
            for t in range(2)
        ]
    )
    rows["bare"] = rates.scale(rows["size"], rows.rows, rows["columns"])
    rows["error"] = 3 * rates.scale(rows["size"], rows.rows, rows["columns"], rows.errors)
    found = rates.exponents(rows)
    np.testing.assert_allclose(found.mean(), [0.5, -0.5, 0.5, 1.0], atol=1e-9)
    np.testing.assert_allclose(rates.slopes(rows[rows.errors == 0]), 1.0)


def test_what_claims_measure_of_made_up_runs():
    base = {"rows": 100, "columns": 200, "variant": "gaussian", "examples": 8, "multiple": 0.4}
    rows = []
    for trial in range(5):
        for errors in (0.0, 0.2):
            for k in (1, 4, 30):
                cell = {**base, "model": "recovery", "size": k, "errors": errors, "trial": trial}
                level = rates.scale(k, 100, 200, errors)
                rows.append({**cell, "noise": 0.0, "recovered": float(level < 1)})
                for d in (100, 400):  # half the slope of the bound
                    error = rates.scale(k, d, 200) ** 0.5 * (1 + 0.01 * trial)
                    rows.append({**cell, "noise": 0.05, "rows": d, "error": error})
            for given, score in (("relations", 0.9), ("states", 0.9 - errors)):
                cell = {**base, "errors": errors, "trial": trial, "regime": "dense"}
                rows.append({**cell, "model": f"predicting_{given}", "linear": score})
    frames = {"described": pd.DataFrame(rows)}
    found = [point.interval for point in rates.rate(frames, "described").points]
    np.testing.assert_allclose([one.estimate for one in found], 0.5)
    inside = rates.recovered(frames, "described", multiple=0.4, most=0.9).points
    assert all(point.interval.estimate == 1 > point.interval.low for point in inside)
    beyond = rates.recovered(frames, "described", multiple=0.4, most=9.0).points
    assert all(point.interval.estimate == pytest.approx(2 / 3) for point in beyond)
    lost = rates.prediction(
        frames, "described", given="states", regime="dense", metric="linear", kind="gaussian"
    )
    np.testing.assert_allclose([p.interval.estimate for p in lost.points], [0, -0.2], atol=1e-12)
    with pytest.raises(NotRun, match="no prediction from recovered"):
        rates.prediction(
            frames, "described", given="recovered", regime="dense", metric="linear", kind="gaussian"
        )
