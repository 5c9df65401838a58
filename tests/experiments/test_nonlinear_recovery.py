"""Nonlinear recovery: data, grid, what a trained model measures, measures on made-up tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.nonlinear_recovery import data, grid, measures, names, run
from abstractor_lib.experiments.nonlinear_recovery.settings import IGNORING, KNOWING, Task
from abstractor_lib.experiments.nonlinear_recovery.trained import measured
from abstractor_lib.findings import claims
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.theory.activations import ACTIVATIONS

EXPERIMENT = experiments.get("nonlinear_recovery")
SPECS = EXPERIMENT.grid("laptop", "described")
TASK = Task("gaussian", "relu", 30, 3, (20, 60), 1.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def smoke():
    """A small trained sorting model, on two test sequences, and what its context holds."""
    context = alone()
    spec = next(
        one for one in EXPERIMENT.grid("smoke", "described") if one.task.source == "sorting"
    )
    parent, state = context.parent(spec, "abstractor")
    return parent, state, measured(parent.spec, parent.trial, state, 2), context


def test_grid():
    assert len({one.id for one in SPECS}) == len(SPECS)
    assert EXPERIMENT.spec(SPECS[-1].canonical()).id == SPECS[-1].id
    random = [one for one in SPECS if one.task.source == "gaussian"]
    assert {one.trials.count for one in random} == {20}
    for activation, own in KNOWING.items():
        some = {one.model.name for one in random if one.task.activation == activation}
        assert some == {*IGNORING, *own}
    assert all(grid.cost(one) > 0 for one in SPECS)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_problems(activation):
    drawn = data.draw(replace(TASK, activation=activation), 0)
    assert np.linalg.norm(drawn.u) == pytest.approx(1.0)
    assert (drawn.u > 0).sum() == 3 and (drawn.u >= 0).all()
    assert np.array_equal(drawn.y, drawn.clean) and drawn.a.shape == (60, 30)
    np.testing.assert_array_equal(drawn.clean, ACTIVATIONS[activation](drawn.a @ drawn.u))
    other = data.draw(replace(TASK, activation=activation), 1)
    assert not np.array_equal(drawn.a, other.a)


def test_tasks_share_what_they_do_not_name():
    """Fewer measurements are the first of more; phi and noise change neither A nor u."""
    tasks = [replace(TASK, errors=0.2), replace(TASK, activation="sign"), replace(TASK, dense=0.5)]
    drawn = [data.draw(one, 3) for one in (TASK, *tasks)]
    assert all(np.array_equal(one.a, drawn[0].a) for one in drawn)
    assert all(np.array_equal(one.u, drawn[0].u) for one in drawn)
    flips = data.draw(replace(TASK, activation="sign", errors=0.2), 3)
    assert np.array_equal(flips.y != flips.clean, drawn[1].y != drawn[1].clean)
    assert (flips.y != flips.clean).any()


def test_noise_has_the_size_it_says():
    many = replace(TASK, rows=(20_000,))
    clean = data.draw(many, 0).clean
    dense = data.draw(replace(many, dense=0.5), 0).y - clean
    assert dense.std() == pytest.approx(0.5 * clean.std(), rel=0.03)
    gross = data.draw(replace(many, errors=0.1), 0).y - clean
    assert (gross != 0).mean() == pytest.approx(0.1, abs=0.01)
    assert gross[gross != 0].std() == pytest.approx(10 * clean.std(), rel=0.05)
    signs = data.draw(replace(many, activation="sign", errors=0.1), 0)
    assert set(np.unique(signs.y)) == {-1.0, 1.0}
    assert (signs.y != signs.clean).mean() == pytest.approx(0.1, abs=0.01)


def test_bad_tasks():
    with pytest.raises(ValueError, match="nonzeros is 31; expected 1 to 30"):
        data.draw(replace(TASK, nonzeros=31), 0)


def test_the_sigmoid_is_as_saturated_as_the_settings_say():
    seen = data.draw(Task("gaussian", "sigmoid", 64, 4, (20_000,), 3.0, 0.0, 0.0), 0).y
    assert ((seen < 0.02) | (seen > 0.98)).mean() == pytest.approx(0.2, abs=0.02)


def test_a_run_against_its_program_by_hand():
    spec = next(one for one in SPECS if one.model.name == "censored")
    task = replace(spec.task, columns=10, nonzeros=2, rows=(24, 60), dense=0.0, errors=0.0)
    found = outcome(replace(spec, task=task, trials=replace(spec.trials, count=2))).metrics
    assert list(found) == ["cosine_of_0024", "cosine_of_0060"]
    assert found["cosine_of_0060"] == pytest.approx([1.0, 1.0])
    drawn = data.draw(task, 1)
    answer = run.program(spec.model, task)(drawn.a[:24], drawn.y[:24])
    assert found["cosine_of_0024"][1] == pytest.approx(run.cosine(answer, drawn.u))


def test_what_a_trained_model_measures_is_what_it_computes(smoke):
    """Formulas of message and hidden units against the forward pass of the model itself."""
    _, _, seen, _ = smoke
    n, m, p = seen.relations.shape
    np.testing.assert_allclose(seen.relations.reshape(n, m, seen.heads, -1).sum(-1), 1)
    message = seen.relations @ seen.mix.T + seen.constant
    np.testing.assert_allclose(seen.message, message, atol=1e-9)
    assert seen.hidden_mix.shape[2] == 1 + p
    for sequence in range(n):
        for place in range(m):
            mix, u = seen.hidden_mix[place], seen.relations[sequence, place]
            line = mix[:, 0] + mix[:, 1:] @ u
            rest = seen.hidden[sequence, place]
            active = rest > 0
            scales = (rest - seen.hidden_constant)[active] / line[active]
            np.testing.assert_allclose(scales, scales[0], rtol=1e-6)  # one over the deviation
            again = np.maximum(scales[0] * line + seen.hidden_constant, 0)
            np.testing.assert_allclose(again, rest, atol=1e-8)


def test_relations_come_back_from_what_a_trained_model_measures(smoke):
    """Without errors: the message gives them to any program, hidden units to what knows relu."""
    *_, context = smoke
    found = {}
    for spec in EXPERIMENT.grid("smoke", "described"):
        if spec.task.source == "sorting":
            quiet = replace(spec, task=replace(spec.task, errors=0.0))
            scores = outcome(quiet, context).metrics
            found[spec.task.activation, spec.model.name] = max(scores["error"])
    assert found["linear", "least_squares"] < 1e-6 and found["linear", "absolute"] < 1e-6
    assert found["relu", "censored_simplex"] < 1e-4
    assert found["relu", "least_squares"] > 0.1 and found["relu", "absolute"] > 0.1


def test_a_model_without_relations_is_refused(smoke):
    parent, state, *_ = smoke
    other = replace(parent.spec, model=replace(parent.spec.model, kind="ablation"))
    with pytest.raises(ValueError, match="allowed: abstractor"):
        measured(other, parent.trial, state, 1)
    with pytest.raises(ValueError, match="count is 0; allowed: 1 to"):
        measured(parent.spec, parent.trial, state, 0)


def made_up(**curves) -> dict[str, pd.DataFrame]:
    """Problems whose cosine is 0.5 below and 1.0 from a number of measurements on, a program on a
    phi each: ``program_phi=number``."""
    rows = []
    for label, start in curves.items():
        model, activation = label.rsplit("_", 1)
        for trial in range(8):
            line: dict = {"model": model, "activation": activation, "size": 4, "trial": trial}
            line |= {"source": "gaussian", "dense": 0.0, "errors": 0.0, "columns": 64}
            cosines = {names.name(d): 1.0 if d >= start else 0.5 for d in (16, 32, 64, 128)}
            rows.append(line | cosines | {"error": np.nan})
    return {"described": pd.DataFrame(rows)}


def test_ratios_of_made_up_problems():
    frames = made_up(lasso_linear=32, lasso_sign=128, lasso_relu=256)
    pairs = [[["lasso", "linear"], ["lasso", "sign"]], [["lasso", "linear"], ["lasso", "relu"]]]
    one, other = measures.needed_ratio(frames, "described", pairs=pairs, nonzeros=4).points
    assert one.interval.low == 2 and one.interval.high == pytest.approx(8)
    assert one.interval.high < 8 and one.interval.n == 8
    assert other.interval.low == 4 and other.interval.high == np.inf
    assert "lasso on sign 64 to 128" in one.label


def test_leads_and_shares_of_made_up_problems():
    frames = made_up(lasso_sign=32, least_squares_sign=128)
    pair = [["lasso", "sign"], ["least_squares", "sign"]]
    (point,) = measures.lead(frames, "described", pairs=[pair], nonzeros=4, rows=64).points
    assert point.interval.estimate == 0.5
    (mean,) = measures.lead(frames, "described", pairs=[pair], nonzeros=4).points
    assert mean.interval.estimate == 0.25
    found = measures.recovered(frames, "described", pairs=pair, nonzeros=4, rows=64).points
    assert [point.interval.estimate for point in found] == [1.0, 0.0]
    for wrong in ({"nonzeros": 2, "rows": 64}, {"nonzeros": 4, "rows": 50}):
        with pytest.raises(NotRun):
            measures.lead(frames, "described", pairs=[pair], **wrong)
        with pytest.raises(NotRun):
            measures.recovered(frames, "described", pairs=pair, **wrong)


def test_theory_of_least_squares_against_problems():
    """Another solver, other problems, and no sparsity: the prediction is met in the mean."""
    random, found = np.random.default_rng(0), []
    for _ in range(60):
        a, u = random.standard_normal((300, 40)), random.standard_normal(40)
        y = np.maximum(a @ u, 0)
        answer = np.linalg.solve(a.T @ a, a.T @ (y - y.mean()))
        found.append(answer @ u / np.linalg.norm(answer) / np.linalg.norm(u))
    assert np.mean(found) == pytest.approx(measures.squares_cosine("relu", 300, 40, 1.0), abs=0.01)


def test_errors_of_a_made_up_trained_model():
    rows = [
        {"source": "sorting", "model": model, "activation": "relu", "errors": 0.1, "trial": trial}
        | {"error": error + 0.01 * trial}
        for model, error in (("censored", 1.0), ("censored_simplex", 0.1))
        for trial in range(6)
    ]
    frames = {"described": pd.DataFrame(rows)}
    pair = ["censored_simplex", "relu"]
    (point,) = measures.trained_error(frames, "described", pair=pair, errors=0.1).points
    assert point.interval.estimate == pytest.approx(0.125) and point.interval.n == 6
    both = {"models": ["censored_simplex", "censored"], "activation": "relu", "errors": 0.1}
    (point,) = measures.trained_lead(frames, "described", **both).points
    assert point.interval.estimate == pytest.approx(0.9)
    with pytest.raises(NotRun):
        measures.trained_error(frames, "described", pair=pair, errors=0.2)


def test_claims_name_what_the_grid_has():
    """Each claim is judged on a small table of the same shape; none asks for runs that are not in
    the grid."""
    rows = []
    for spec in SPECS:
        for trial in range(6):
            line = {**EXPERIMENT.columns(spec.canonical()), "trial": trial}
            if spec.task.source == "gaussian":
                line |= {names.name(d): d / (d + 20 + trial) for d in spec.task.rows}
            else:
                line |= {"error": 0.1 + trial / 100}
            rows.append(line)
    frames = {"described": pd.DataFrame(rows)}
    own = [one for one in claims.read() if one.experiment == "nonlinear_recovery"]
    assert own
    for one in own:
        judged = claims.judge(one, "described", frames, EXPERIMENT.measure(one.measure))
        assert judged.verdict != "not run", one.id
        assert claims.judge(one, "described", {}, EXPERIMENT.measure(one.measure)).verdict == (
            "not run"
        )
