"""What claims measure of robustness: areas, distances to published curves, drifts."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.robustness import measures
from abstractor_lib.experiments.robustness.measures import METRIC, by_level
from abstractor_lib.findings import claims
from abstractor_lib.findings.published import published
from abstractor_lib.records.frame import frame
from abstractor_lib.reporting.study import Study

KINDS = ("additive", "linear", "near_identity", "elementwise")
STEPS = np.array([0, 2, 4, 5, 7, 10, 12, 15, 20, 30, 49]) / 49


def table(curves, clean=1.0, trials=5, levels=STEPS, drift=None):
    """Records of ``(model, kind) -> accuracy by level``, the same for all trials."""
    rows = []
    for (model, kind), values in curves.items():
        for trial in range(trials):
            row = {"model": model, "variant": kind, "trial": trial, "size": 12}
            row |= {"clean_accuracy": clean[model] if isinstance(clean, dict) else clean}
            for index, (level, value) in enumerate(zip(levels, values, strict=True)):
                own = dict.fromkeys(measures.METRICS, 0.1)
                own |= {"level": level, METRIC: value, "teacher_forcing_accuracy": value}
                own |= {"relations_angle": 1 - value if drift is None else drift[index]}
                row |= {f"{name}_{index}": one for name, one in own.items()}
            rows.append(row)
    return pd.DataFrame(rows)


def paper_curves(figure, kind="additive", shift=0.0):
    return {
        (model, kind): np.interp(STEPS, *published(figure, label)[["x", "mean"]].T.to_numpy())
        + shift
        for model, label in measures.PAPER.items()
    }


def test_rows_by_level_are_the_recorded_ones():
    found = by_level(table({("a", "additive"): STEPS, ("b", "linear"): 1 - STEPS}))
    assert len(found) == 2 * 5 * len(STEPS)
    one = found[(found["model"] == "b") & (found["trial"] == 3)]
    assert one["level"].tolist() == STEPS.tolist()
    assert one[METRIC].tolist() == (1 - STEPS).tolist()


def test_records_by_level_as_in_a_loop():
    """Each number of each record under the level that its spec gives it."""
    some, wanted = [], []
    study = Study("robustness")
    plans = study.plans["sound"], study.plans["described"]
    for record in [record for one in plans for record in one.records.values()][::9]:
        spec, metrics = record["spec"], record["metrics"]
        some.append(record)
        for index, level in enumerate(spec["task"]["levels"] if spec["parents"] else ()):
            row = {"model": spec["model"]["name"], "variant": spec["task"]["corruption"]}
            row |= {"clean_accuracy": metrics["clean_accuracy"][0], "level": level}
            for name in measures.METRICS[1:]:
                row[name] = metrics[f"{name}_{index}"][0]
            wanted.append(row)
    found = by_level(frame(some, study.experiment.columns, study.experiment.derived))
    wanted = pd.DataFrame(wanted).astype({name: float for name in measures.METRICS})
    ours, loop = (one[list(wanted)].sort_values(list(wanted)) for one in (found, wanted))
    assert len(wanted) > 200
    pd.testing.assert_frame_equal(ours.reset_index(drop=True), loop.reset_index(drop=True))


def test_levels_that_a_corruption_does_not_have_are_left_out():
    more = table({("a", "linear"): [1, 0.5, 0]}, levels=[0, 0.5, 1])
    fewer = table({("a", "additive"): [1, 0]}, levels=[0, 1])
    alone = pd.DataFrame([{"model": "inner_products", "variant": "linear", "level_0": 0.3}])
    found = by_level(pd.concat([more, fewer, alone]))
    assert found.groupby("variant")["level"].nunique().to_dict() == {"additive": 2, "linear": 3}
    assert by_level(None).empty and by_level(alone).empty


def test_areas_against_geometry():
    levels = np.linspace(0, 1, 5)
    curves = {("a", "additive"): 1 - levels, ("b", "additive"): (levels < 0.3).astype(float)}
    found = measures.areas(by_level(table(curves, levels=levels))).groupby("model")["area"].mean()
    assert found["a"] == pytest.approx(0.5)  # a triangle
    assert found["b"] == pytest.approx(0.25 + 0.125)


def test_more_robust_is_resolved_by_five_trained_models_that_sort():
    curves = {(name, "additive"): np.exp(-speed * STEPS) for name, speed in
              (("abstractor", 1.0), ("transformer", 3.0), ("ablation", 0.5))}  # fmt: skip
    arguments = {"models": ["abstractor", "transformer", "ablation"], "variant": "additive"}
    over, under = measures.more_robust({"p": table(curves)}, "p", **arguments).points
    assert 0 < over.interval.low <= over.interval.high < 1 and under.interval.high < 0
    clean = {"abstractor": 1.0, "transformer": 1.0, "ablation": 0.5}
    over, under = measures.more_robust({"p": table(curves, clean)}, "p", **arguments).points
    assert over.interval.low > 0 and under.interval[1:3] == (-1, 1)
    assert "but the lowest ablation sorts 0.50 of clean sequences" in under.label
    one = measures.more_robust({"p": table(curves, trials=1)}, "p", **arguments).points
    assert {point.interval[1:] for point in one} == {(-1, 1, 1)}


def test_models_that_do_not_sort_can_be_left_out():
    curves = {
        ("abstractor", "additive"): np.exp(-STEPS),
        ("ablation", "additive"): np.exp(-3 * STEPS),
    }
    found = table(curves, trials=8)
    failed = (found["model"] == "ablation") & (found["trial"] < 2)
    found.loc[failed, "clean_accuracy"] = 0.5
    arguments = {"models": ["abstractor", "ablation"], "variant": "additive", "only_learned": True}
    (point,) = measures.more_robust({"p": found}, "p", **arguments).points
    assert point.interval.low > 0 and point.interval.n == 6
    assert "8 and 6 trained models that sort clean objects" in point.label
    found["clean_accuracy"] = found["clean_accuracy"].where(found["model"] != "ablation", 0.5)
    (point,) = measures.more_robust({"p": found}, "p", **arguments).points
    assert point.interval[1:] == (-1, 1, 0) and math.isnan(point.interval.estimate)


def test_trials_are_apart_by_what_one_is_shifted_by():
    """Three trials, each 0.1 below the one before; one that does not sort is left out."""
    shapes = {(model, "additive"): np.exp(-STEPS) for model in measures.PAPER}
    rows = by_level(table(shapes, trials=3))
    rows[measures.METRIC] = np.exp(-rows["level"]) - 0.1 * rows["trial"]
    found = measures.apart(rows, "additive")
    assert found.to_dict() == pytest.approx({(0, 1): 0.1, (0, 2): 0.2, (1, 2): 0.1})
    failed = (rows["model"] == "ablation") & (rows["trial"] == 1)
    rows.loc[failed, "clean_accuracy"] = 0.2
    assert list(measures.apart(rows, "additive", clean=0.95).index) == [(0, 2)]
    assert measures.counts(rows, "ablation") == "2 of 3"


def test_published_figures_are_apart_by_the_same_rule():
    assert measures.published_apart("fig_v3_08a", "fig_v3_08a") == 0
    assert 0 < measures.published_apart("fig_v3_08a", "fig_v3_08b") < 1


def test_distances_are_those_of_trials_that_have_all_models():
    rows = table(paper_curves("fig_v3_08a"))
    more = rows[rows["model"] == "ablation"].assign(trial=lambda one: one["trial"] + 5)
    found = measures.distances(by_level(pd.concat([rows, more])), "fig_v3_08a", ["additive"])
    assert found.index.tolist() == [0, 1, 2, 3, 4]


def test_distances_to_published_curves():
    """Zero for the curves themselves, their shift if all are shifted."""
    curves = paper_curves("fig_v3_08b") | paper_curves("fig_v3_08b", "linear", 0.2)
    frames = {"p": table(curves)}
    arguments = {"figure": "fig_v3_08b", "variant": "additive"}
    (same,) = measures.like_published(frames, "p", **arguments).points
    assert same.interval.estimate == pytest.approx(0, abs=1e-6)
    (apart,) = measures.like_published(frames, "p", figure="fig_v3_08b", variant="linear").points
    assert apart.interval.estimate == pytest.approx(0.2, abs=1e-6)
    (nearer,) = measures.nearer_published(frames, "p", **arguments, others=["linear"]).points
    assert nearer.interval.estimate == pytest.approx(0.2, abs=1e-6) and nearer.interval.n == 5


def test_distances_can_leave_out_trials_whose_models_do_not_sort():
    frame = table(paper_curves("fig_v3_08a"))
    frame.loc[(frame["model"] == "ablation") & (frame["trial"] == 1), "clean_accuracy"] = 0.2
    arguments = {"figure": "fig_v3_08a", "variant": "additive"}
    (every,) = measures.like_published({"p": frame}, "p", **arguments).points
    (some,) = measures.like_published({"p": frame}, "p", **arguments, only_learned=True).points
    assert (every.interval.n, some.interval.n) == (5, 4)
    frame["clean_accuracy"] = 0.2
    (none,) = measures.like_published({"p": frame}, "p", **arguments, only_learned=True).points
    assert none.interval[1:] == (0.0, 1.0, 0)


def test_the_nearest_rival_decides_where_one_trial_bounds_nothing():
    """Of three corruptions the one whose curves come nearest, in whatever order they are asked."""
    curves = paper_curves("fig_v3_08b")
    for kind, shift in (("linear", 0.4), ("near_identity", 0.1), ("elementwise", 0.2)):
        curves |= paper_curves("fig_v3_08b", kind, shift)
    (claim,) = [one for one in claims.read() if one.id == "robustness_nearest_to_8b"]
    for others in (KINDS[1:], KINDS[:0:-1]):
        one = replace(claim, arguments=claim.arguments | {"others": list(others)})
        found = claims.judge(one, "p", {"p": table(curves, trials=1)}, measures.nearer_published)
        assert found.note.startswith("additive nearer than near_identity, 1 trial (worst of 3")
        assert found.measured == pytest.approx(0.1, abs=1e-6) and found.verdict == "undecided"


def test_drift_correlations_are_those_of_ranks():
    values = np.linspace(1, 0, len(STEPS))
    frames = {"p": table({("a", kind): values for kind in KINDS}, drift=values**2)}
    arguments = {"models": ["a"], "variants": list(KINDS), "drift": "relations_angle"}
    (point,) = measures.drift_predicts(frames, "p", **arguments).points
    assert point.interval.estimate == pytest.approx(-1)
    up = {"p": table({("a", kind): values for kind in KINDS})}
    (point,) = measures.drift_predicts(up, "p", **arguments).points
    assert point.interval.estimate == pytest.approx(1)
    with pytest.raises(LookupError, match="no run of b under p"):
        measures.drift_predicts(up, "p", **(arguments | {"models": ["b"]}))


def test_a_drift_that_is_not_there_is_left_out():
    rows = by_level(table({("a", "linear"): STEPS}, drift=[None, *STEPS[1:]]))
    found = measures.drift_correlations(rows, "relations_angle", ["linear"])
    assert found["a", 0] == pytest.approx(-1) and not math.isnan(found["a", 4])


def test_trials_with_one_corruption_alone_change_nothing_that_is_asked_of_several():
    """Further draws have additive noise alone."""
    curves = {
        key: values for kind in KINDS for key, values in paper_curves("fig_v3_08a", kind).items()
    }
    main = table(curves)
    more = table({key: 0 * STEPS for key in paper_curves("fig_v3_08a")}, trials=7)
    both = {"p": pd.concat([main, more[more["trial"] > 4]])}
    nearest = {"figure": "fig_v3_08b", "variant": "additive", "others": list(KINDS[1:])}
    drift = {"models": ["abstractor"], "variants": list(KINDS), "drift": "relations_angle"}
    for measure, arguments in (
        (measures.nearer_published, nearest),
        (measures.drift_predicts, drift),
    ):
        assert measure(both, "p", **arguments) == measure({"p": main}, "p", **arguments)
    found = measures.like_published(both, "p", figure="fig_v3_08a", variant="additive")
    assert found.points[0].interval.n == 7


def test_an_accuracy_that_never_changes_says_nothing():
    frames = {"p": table({("a", kind): 0 * STEPS for kind in KINDS}, drift=STEPS)}
    arguments = {"models": ["a"], "variants": list(KINDS), "drift": "relations_angle"}
    (point,) = measures.drift_predicts(frames, "p", **arguments).points
    assert point.interval[1:] == (-1, 1, 0)


def test_published_curves_are_those_of_the_paper():
    for figure, count in (("fig_v3_08a", 11), ("fig_v3_08b", 9)):
        points = published(figure)
        assert points.groupby("series").size().to_dict() == dict.fromkeys(
            measures.PAPER.values(), count
        )
        clean = points[points["x"] == 0].set_index("series")["mean"]
        assert clean.to_dict() == {"Abstractor": 1.0, "Ablation": 0.993, "Transformer": 0.999}
        falling = [np.diff(some["mean"]) for _, some in points.groupby("series")]
        assert max(part.max() for part in falling) <= 0
