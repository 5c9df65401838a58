"""References and baselines of curves, the printed tables, and what claims measure."""

import math

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.curves import EXPERIMENT as curves_experiment
from abstractor_lib.experiments.curves import measures
from abstractor_lib.experiments.curves.printed import CLASSES, printed, weights_of_all
from abstractor_lib.experiments.curves.references import reference
from abstractor_lib.experiments.curves.settings import REFERENCES
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.findings.permutation import shift_interval
from abstractor_lib.findings.published import published
from abstractor_lib.tasks import curves


@pytest.fixture(scope="module")
def test_set():
    return curves.draw(np.random.default_rng(5), curves.even(900), 30)


def errors(name, some, **more):
    found = reference(name, some.noisy[:, :20], some.kinds, 10, **more)
    error = np.square(found.mean - some.noisy[:, 20:])
    return [error[some.kinds == number].mean() for number in range(3)], found


@pytest.mark.slow
def test_bayes_is_below_all_others_and_states_its_error(test_set):
    every = {name: errors(name, test_set) for name in REFERENCES}
    best, found = every["bayes"]
    for number, error in enumerate(best):
        stated = np.square(found.sd[test_set.kinds == number]).mean()
        assert error == pytest.approx(stated, rel=0.12)
    for name in set(REFERENCES) - {"bayes"}:
        below = np.array(every[name][0]) - best
        assert (below > -0.01 * np.array(best)).all(), name  # on RBF curves least squares is near
        assert (below[[0, 2]] > 0).all(), name
    assert (np.array(every["bayes_level"][0])[[0, 2]] < every["class_known_level"][0][::2]).all()
    np.testing.assert_allclose(every["class_unknown"][0], every["class_known"][0], rtol=0.03)
    assert np.isnan(every["last_value"][1].sd).all() and np.isnan(every["constant"][1].sd).all()


@pytest.mark.parametrize("name", ["class_known_level", "class_unknown_level"])
def test_references_of_differences_follow_what_is_added(name, test_set):
    moved = test_set._replace(noisy=test_set.noisy + 3.0)
    first, second = (errors(name, some)[1] for some in (test_set, moved))
    np.testing.assert_allclose(second.mean, first.mean + 3.0, atol=1e-5)
    np.testing.assert_allclose(second.sd, first.sd, atol=1e-5)


@pytest.mark.slow
def test_references_know_intercepts_and_other_ranges():
    ranges = curves.Ranges(intercept=1.0)
    some = curves.draw(np.random.default_rng(6), curves.even(600), 30, ranges)
    known = errors("class_known", some, ranges=ranges)[0][0]
    assert errors("bayes", some, ranges=ranges)[0][0] < known < 0.02
    assert errors("class_known", some)[0][0] > 0.1
    some = curves.draw(np.random.default_rng(7), curves.even(300, ("sine",)), 30, curves.OUTSIDE)
    for name in ("bayes", "class_known"):
        told = reference(name, some.noisy[:, :20], some.kinds, 10, curves.OUTSIDE)
        assert np.square(told.mean - some.noisy[:, 20:]).mean() < 0.03
    with pytest.raises(ValueError, match="name is 'mean'; allowed: class_known, "):
        reference("mean", some.noisy, some.kinds, 10)


@pytest.mark.slow
def test_references_are_runs():
    specs = [s for s in curves_experiment.grid("smoke", "described") if not s.training.updates]
    assert [spec.model.name for spec in specs] == list(REFERENCES)
    found = {spec.model.name: outcome(spec).metrics for spec in specs}
    assert found["class_known"]["expected_mse_rbf"][0] > 0.01
    assert found["bayes"]["curves_rbf"] == [3] and found["bayes"]["expected_mse_rbf_error"][0] > 0
    assert "sd_line" not in found["last_value"] and "coverage_95_all" in found["autoregression"]
    assert outcome(specs[0]).metrics == found[specs[0].model.name]
    assert curves_experiment.spec(specs[0].canonical()).id == specs[0].id


def test_published_tables():
    for name in ("tab_curves_1", "tab_curves_2"):
        table = published(name)
        header = "figure,series,x,metric,mean,sem,n,source,exact"
        assert ",".join(table.columns) == header and (table["figure"] == name).all()
    assert printed("tab_curves_1").shape == (4, 4) and printed("tab_curves_2").shape == (2, 4)
    assert printed("tab_curves_1", "sem").loc["transformer", "rbf"] == 0.164
    optimal = published("tab_curves_2", "optimal").set_index("metric")["mean"]
    assert optimal["sd_rbf"] == 0.802


def test_both_weightings_of_all():
    """One set of unequal weights gives all six printed rows; an even split gives none of them."""
    rows = pd.concat([printed("tab_curves_1"), printed("tab_curves_2")])
    classes, every = rows[list(CLASSES)], rows["all"]
    np.testing.assert_allclose(classes @ [0.4415, 0.2935, 0.265], every, atol=5e-4)
    assert (abs(classes.mean(axis=1) - every) > 0.003).all()
    weights = weights_of_all()
    np.testing.assert_allclose(weights["best"].sum(), 1)
    np.testing.assert_allclose(classes @ weights["best"], every, atol=5e-4)
    assert (weights["least"] <= weights["best"]).all()
    assert (weights["best"] <= weights["greatest"]).all()
    assert weights.loc["line", "least"] > 1 / 3 > weights.loc["rbf", "greatest"]
    measured = measures.printed_all({}, "described")
    assert min(abs(point.interval.estimate) for point in measured.points) > 0.001


def table():
    rows = [
        {"model": model, "variant": "as set", "mse_line": base + seed / 10, "mse_sine": 9.0 - base}
        for model, base in (("transformer", 4.0), ("relational", 1.0))
        for seed in range(5)
    ]
    rows.append({"model": "relational", "variant": "no mask", "mse_line": 0.0, "mse_sine": 0.0})
    rows.append({"model": "class_known", "variant": "as set", "mse_line": 0.5, "mse_sine": 0.5})
    return {"described": pd.DataFrame(rows)}


def test_measures_against_plain_numbers():
    frames = table()
    pairs, both = [["transformer", "relational"]], ["mse_line", "mse_sine"]
    found = measures.above(
        frames, "described", pairs=pairs, metrics=both, paper="tab_curves_1"
    ).points
    values = [[base + seed / 10 for seed in range(5)] for base in (4.0, 1.0)]
    assert found[0].interval == shift_interval(*values, 2)
    assert found[0].published == pytest.approx(0.109 - 0.073)
    assert found[1].interval.estimate == pytest.approx(-3)
    (point,) = measures.metric_above(
        frames, "described", models=["relational"], pairs=[["mse_sine", "mse_line"]]
    ).points
    assert point.interval.estimate == pytest.approx(8 - 1.2)
    (point,) = measures.mean_of(
        frames, "described", models=["transformer"], metrics=["mse_line"], paper="tab_curves_1"
    ).points
    assert (point.interval.estimate, point.published) == (pytest.approx(4.2), 0.109)
    (point,) = measures.below_reference(
        frames, "described", models=["relational"], reference="class_known", metrics=["mse_line"]
    ).points
    assert point.interval.estimate == pytest.approx(-0.7)
    (point,) = measures.above_floor(
        frames, "described", models=["relational", "transformer"], floor="class_known",
        metrics=["mse_line"],
    ).points  # fmt: skip
    assert point.interval[:3] == pytest.approx((0.5, 0.5, 0.5)) and point.interval.n == 10
    (point,) = measures.known(
        frames, "described", reference="class_known", metric="mse_line", steps=10
    ).points
    assert point.interval[:3] == (0.5, 0.5, 0.5)


def watched():
    """As `table`, with longer training, whose averaged weights are better by one and the best worse
    by two, and references that state their expected error."""
    usual = table()["described"]
    long = usual[usual["variant"] == "as set"].iloc[:10].copy()
    long["variant"], long["size"], long["trial"] = "watched", 64, [*range(5), *range(5)]
    long["mse_line"] -= 0.5
    for name, more in (("averaged", -1.0), ("best_loss", 2.0)):
        long[f"{name}_mse_line"] = long["mse_line"] + more
    bayes = {"model": "bayes", "variant": "as set", "mse_line": 0.25, "expected_mse_line": 0.3}
    bayes |= {"expected_mse_line_error": 0.01, "curves_line": 800}
    return {"described": pd.concat([usual, long, pd.DataFrame([bayes])], ignore_index=True)}


def test_measures_of_longer_training_and_other_weights():
    frames, where = watched(), {"variant": "watched", "size": 64}
    averaged = where | {"weights": "averaged"}
    both, line = ["transformer", "relational"], ["mse_line"]
    found = measures.mean_of(frames, "described", models=both, metrics=line, where=averaged)
    assert [point.interval.estimate for point in found.points] == pytest.approx([2.7, -0.3])
    last = measures.mean_of(frames, "described", models=both, metrics=line, where=where)
    assert [point.interval.estimate for point in last.points] == pytest.approx([3.7, 0.7])
    more = measures.gained(
        frames, "described", models=both, metrics=line, before={}, after=averaged
    )
    assert [point.interval.estimate for point in more.points] == pytest.approx([1.5, 1.5])
    for weights, gain in (("averaged", 1.0), ("best_loss", -2.0)):
        chosen = measures.chosen_weights_above(
            frames, "described", models=both, metrics=line, where=where | {"weights": weights}
        )
        assert [point.interval[:3] for point in chosen.points] == [pytest.approx((gain,) * 3)] * 2
    below = measures.below_reference(
        frames, "described", models=both, reference="class_known", metrics=line, where=averaged
    )
    assert below.points[1].interval.estimate == pytest.approx(0.5 + 0.3)
    with pytest.raises(NotRun, match=r"no run of .*n = 256"):
        measures.mean_of(
            frames, "described", models=both, metrics=line, where=where | {"size": 256}
        )


def test_measures_of_references():
    frames = watched()
    (point,) = measures.expected_error(frames, "described", reference="bayes", kind="line").points
    assert point.interval == pytest.approx((0.3, 0.3 - 0.0196, 0.3 + 0.0196, 800))
    pairs = [["class_known", "bayes"]]
    (point,) = measures.references_above(frames, "described", pairs=pairs, kinds=["line"]).points
    assert point.interval == (0.25, 0.25, 0.25, 800)


def test_too_few_models_and_missing_metrics():
    frames = {"described": table()["described"].iloc[::5]}
    first = {"models": ["transformer"], "metrics": ["mse_line"]}
    with pytest.raises(NotRun, match="one trained model alone"):
        measures.mean_of(frames, "described", **first)
    with pytest.raises(NotRun, match="no sd_line of transformer under described"):
        measures.mean_of(frames, "described", models=["transformer"], metrics=["sd_line"])
    pair = {"pairs": [["transformer", "relational"]], "metrics": ["mse_line"]}
    with pytest.raises(NotRun, match="one trained model alone"):
        measures.above(frames, "described", **pair)
    frames = {"described": table()["described"].groupby("model").head(3)}
    found = measures.above(frames, "described", **pair)
    assert math.isinf(found.points[0].interval.high)  # three seeds decide nothing
