"""The sparse recovery experiment: data, predictors, rates."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy.stats import binomtest
from statsmodels.stats.weightstats import DescrStatsW

from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.sparse_recovery import EXPERIMENT as sparse_recovery
from abstractor_lib.experiments.sparse_recovery import measures, results
from abstractor_lib.experiments.sparse_recovery.data import draw, noise_deviation
from abstractor_lib.experiments.sparse_recovery.grid import FURTHER, GOOD, INSIDE, scale
from abstractor_lib.experiments.sparse_recovery.run import seen
from abstractor_lib.experiments.sparse_recovery.settings import Model, Task
from abstractor_lib.findings import claims
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.reporting.study import Study

SPECS = sparse_recovery.grid("laptop", "described")
NAMES = list(results.PREDICTORS)


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


@pytest.mark.parametrize("profile", ["smoke", "laptop"])
def test_rates_have_further_trials_where_claims_speak_of_them_and_nowhere_else(profile):
    """Trials of one task are numbered from zero on, without gaps: each has all exponents."""
    amount, tasks = sparse_recovery.profiles[profile], {}
    for spec in sparse_recovery.grid(profile, "described"):
        swept = spec.task.columns == amount.columns  # by penalty
        if spec.model == Model("recovery", GOOD) and spec.task.noise and not swept:
            tasks.setdefault(spec.task, []).append(spec)
    further = {task for task, specs in tasks.items() if len(specs) > 1}
    for task, (first, *others) in tasks.items():
        level = scale(task.nonzeros, task.rows, task.columns, task.errors)
        assert (level <= INSIDE) == (task in further)
        numbers = [number for spec in (first, *others) for number in spec.trials]
        assert numbers == list(range(len(numbers)))
        assert [spec.part for spec in (first, *others)] == ["", *[FURTHER] * len(others)]
    assert further


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


SETTINGS = [
    {"size": k, "rows": d, "columns": m, "errors": e, "trial": t}
    for k in (1, 2, 4)
    for d in (50, 100, 200)
    for m in (60, 200)
    for e in (0.0, 0.2)
    for t in range(6)
]


def made_up(truth: dict[str, float], noise: float) -> pd.DataFrame:
    """Errors with known exponents, times a factor of their own for each trial and setting."""
    rows = pd.DataFrame(SETTINGS)
    random = np.random.default_rng(0)
    logs = sum(value * measures.design(rows)[name] for name, value in truth.items())
    own = random.normal(0, 0.3, rows.trial.nunique())[rows.trial]
    rows["relative_error"] = np.exp(1.2 + logs + own + noise * random.standard_normal(len(rows)))
    return rows


def test_exponents_of_made_up_errors():
    truth = {"k": 0.3, "log(2m)": 0.7, "d": -0.6, "1/(1 - eps)": 1.2}
    exact = measures.exponents(made_up(truth, 0.0))
    np.testing.assert_allclose(exact, np.tile([*truth.values()], (6, 1)), atol=1e-9)
    found = measures.joint(made_up(truth, 0.05))
    assert list(found) == list(measures.FACTORS)
    for name, one in found.items():
        assert one.low < truth[name] < one.high < one.low + 0.5 and one.n == 6


def test_the_bound_has_the_exponents_it_is_said_to_have():
    rows = pd.DataFrame(SETTINGS)
    rows["relative_error"] = measures.scale(rows["size"], rows.rows, rows["columns"], rows.errors)
    np.testing.assert_allclose(
        measures.exponents(rows).mean(), [*measures.FACTORS.values()], atol=1e-9
    )


def test_slopes_within_settings():
    rows = made_up({"k": 0.3, "d": -0.6}, 0.0)
    rows["scale"] = measures.scale(rows["size"], rows.rows, rows["columns"], rows.errors)
    found = measures.slopes(rows)
    assert len(found) == 3 * 2 * 2 * 6  # k, m, shares of errors, trials
    np.testing.assert_allclose(found.slope, 1.2)  # d^(-0.6) = (d^(-1/2))^1.2
    assert measures.slopes(rows[rows.rows < 200]).empty


def test_exponents_that_the_settings_cannot_tell():
    """The same d in all: no exponent of d. Two factors that always change together: of neither."""
    rows = made_up({"k": 0.3}, 0.1)
    found = measures.exponents(rows[rows.rows == 100])
    assert "d" not in measures.joint(rows[rows.rows == 100])
    assert found["d"].isna().all() and found.drop(columns="d").notna().all(axis=None)
    together = rows[rows.errors.eq(0.2) == rows["columns"].eq(200)]
    found = measures.exponents(together)
    assert found[["log(2m)", "1/(1 - eps)"]].isna().all(axis=None)
    assert found[["k", "d"]].notna().all(axis=None)


@pytest.mark.slow
def test_exponents_against_statsmodels():
    """The intervals of the claims, from the records, by another implementation: one ordinary least
    squares fit for each trial, and a t test of its exponents at 1 - 0.05 / 4."""
    table = Study("sparse_recovery").table("described")
    rows = table[table.model.eq("recovery") & table.noise.gt(0) & table.multiple.eq(0.4)]
    rows = rows[~(rows.rows.eq(64) & rows["columns"].eq(128))]  # those of the penalty
    level = np.sqrt(rows["size"] * np.log(2 * rows["columns"]) / rows.rows) / (1 - rows.errors)
    assert abs(level - 0.5).min() > 1e-4  # no setting is at the edge
    deviations = [
        np.sqrt((draw(Task(*sizes, "gaussian", 0.0), trial).states ** 2).mean())
        for *sizes, trial in rows[["rows", "columns", "size", "trial"]].itertuples(index=False)
    ]
    rows = rows.assign(y=np.log(rows.error / (0.05 * np.array(deviations))))[level <= 0.5]
    rows = rows.rename(columns={"size": "k", "rows": "d", "columns": "m", "errors": "e"})
    model = "y ~ np.log(k) + np.log(np.log(2 * m)) + np.log(d) + np.log(1 / (1 - e))"
    fits = pd.DataFrame(
        [smf.ols(model, some).fit().params.iloc[1:] for _, some in rows.groupby("trial")]
    )
    for column, name in zip(fits, measures.FACTORS, strict=True):
        low, high = DescrStatsW(fits[column]).tconfint_mean(0.05 / 4)
        frames = {"described": table}
        (point,) = measures.exponent(frames, "described", of=name, most=0.5).points
        expected = [fits[column].mean(), low, high, len(fits)]
        np.testing.assert_allclose(point.interval, expected, rtol=1e-6)


def test_the_noise_shrinks_with_the_number_of_nonzero_entries():
    """Weights uniform on the simplex of k entries have a mean square norm of 2 / (k + 1)."""
    for k in (1, 4, 8):
        task = Task(60, 200, k, "gaussian", 0.2, noise=0.05, relations=500)
        found = noise_deviation(task, 0)
        assert found == pytest.approx(0.05 * np.sqrt(2 / (k + 1)), rel=0.05)
        quiet = draw(replace(task, noise=0.0), 0)
        assert (draw(task, 0).corrupted - quiet.corrupted).std() == pytest.approx(found, rel=0.02)


def test_the_claim_of_recovery_names_its_settings():
    """Where eq. 3.17 is at most 0.5 without dense noise: up to which share of errors for each k."""
    (claim,) = (one for one in claims.read() if one.id == "sparse_v1_recovers")
    most, multiple = claim.arguments["most"], claim.arguments["multiple"]
    inside: dict[int, float] = {}
    for spec in SPECS:
        task = spec.task
        level = measures.scale(task.nonzeros, task.rows, task.columns, task.errors)
        if (spec.model.name, spec.model.multiple, task.noise) == ("recovery", multiple, 0.0):
            assert (task.rows, task.columns) == (64, 128)
            if level <= most:
                inside[task.nonzeros] = max(task.errors, inside.get(task.nonzeros, 0.0))
    assert "128 symbols of 64 features" in claim.statement
    (one, *others) = sorted(inside)
    assert (
        one == 1 and f"one nonzero entry (share of errors up to {inside[1]:.2f})" in claim.statement
    )
    for k in others:
        told = f"{('two', 'three', 'four')[k - 2]} (share of errors up to {inside[k]:.2f})"
        assert told in claim.statement
    assert claim.statement.count("share of errors up to") == len(inside)


def test_what_claims_measure_of_made_up_runs():
    base = {"rows": 100, "columns": 200, "variant": "gaussian", "examples": 8, "multiple": 0.4}
    rows = []
    for trial in range(5):
        for errors in (0.0, 0.2):
            for k in (1, 4, 30):
                cell = {**base, "model": "recovery", "size": k, "errors": errors, "trial": trial}
                level = measures.scale(k, 100, 200, errors)
                rows.append({**cell, "noise": 0.0, "recovered": float(level < 1)})
                for d in (100, 400):  # half the exponents of the bound, in units of the noise
                    noise = noise_deviation(Task(d, 200, k, "gaussian", errors, 0.05), trial)
                    error = noise * measures.scale(k, d, 200, errors) ** 0.5 * (1 + 0.01 * trial)
                    rows.append({**cell, "noise": 0.05, "rows": d, "error": error})
            for given, score in (("relations", 0.9), ("states", 0.9 - errors)):
                cell = {**base, "errors": errors, "trial": trial, "regime": "dense"}
                rows.append({**cell, "given": given, "linear": score})
    frames = {"described": pd.DataFrame(rows)}
    for name in ("k", "d", "1/(1 - eps)"):
        (found,) = measures.exponent(frames, "described", of=name, most=9.0).points
        assert found.interval.estimate == pytest.approx(measures.FACTORS[name] / 2)
        assert found.label == f"exponent of {name}, 12 settings, 5 trials"
    with pytest.raises(NotRun, match=r"does not tell the exponent of log\(2m\) from the others"):
        measures.exponent(frames, "described", of="log(2m)", most=9.0)  # one m alone
    with pytest.raises(NotRun, match=r"no run under dense noise with eq. 3.17 at most 0.01"):
        measures.exponent(frames, "described", of="k", most=0.01)
    inside = measures.recovered(frames, "described", multiple=0.4, most=0.9).points
    assert all(point.interval.estimate == 1 > point.interval.low for point in inside)
    beyond = measures.recovered(frames, "described", multiple=0.4, most=9.0).points
    assert all(point.interval.estimate == pytest.approx(2 / 3) for point in beyond)
    lost = measures.prediction(
        frames, "described", given="states", regime="dense", metric="linear", kind="gaussian"
    )
    np.testing.assert_allclose([p.interval.estimate for p in lost.points], [0, -0.2], atol=1e-12)
    with pytest.raises(NotRun, match="no prediction from recovered"):
        measures.prediction(
            frames, "described", given="recovered", regime="dense", metric="linear", kind="gaussian"
        )


def test_points_of_penalties():
    cell = {"errors": 0.1, "size": 2, "multiple": 0.4, "penalty": 0.4, "examples": 8}
    rows = pd.DataFrame(
        [{**cell, "trial": t, "recovered": 1.0, "error": e} for t, e in enumerate((0.01, 0.04))]
    )
    (share,) = results.penalties(rows, "recovered").itertuples()
    expected = binomtest(16, 16).proportion_ci(0.95).low
    assert (share.estimate, share.low, share.high) == (1.0, pytest.approx(expected), 1.0)
    (error,) = results.penalties(rows, "error").itertuples()
    assert error.estimate == pytest.approx(0.02)  # geometric
    assert error.low * error.high == pytest.approx(0.02**2)
    rows = rows.assign(size=4, found=0.5, right=[0.5, 0.25])
    assert results.false_positives(rows).tolist() == [2.0, 6.0]  # 2 of 4 seen are there; 2 of 8


def test_losses_and_gains_are_of_pairs():
    """Better by 0.1 than the trial's own score from the relations, whatever that is."""
    base = {"regime": "dense", "variant": "gaussian", "errors": 0.2}
    scores = {
        ("relations", 10): 0.0,
        ("states", 10): -0.1,
        ("corrupted", 10): -0.3,
        ("corrupted", 40): -0.2,
    }
    rows = [
        {
            **base,
            "given": given,
            "examples": examples,
            "trial": trial,
            **dict.fromkeys(NAMES, value),
        }
        for (given, examples), loss in scores.items()
        for trial in range(4)
        for value in [0.9 - 0.1 * trial + loss]
    ]
    rows += [{**row, "errors": 0.3} for row in rows if row["given"] == "relations"]
    table = pd.DataFrame(rows)
    losses = results.losses(table).set_index(["given", "examples", "predictor"]).estimate
    assert losses.to_dict() == pytest.approx(
        {
            (given, examples, name): loss
            for (given, examples), loss in scores.items()
            if given != "relations"
            for name in NAMES
        }
    )
    gains = results.gains(table)
    np.testing.assert_allclose(gains[["estimate", "low", "high"]], 0.1)
    points = results.predictions(table)
    seen = points[points.given == "relations"]
    assert (seen.n == 4).all() and (seen.errors == 0).all()  # once, not once for each share
    np.testing.assert_allclose(seen.estimate, 0.75)
    assert (points.high <= 1).all()
