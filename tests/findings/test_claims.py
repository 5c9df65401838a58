"""Claims: verdicts on made-up trials whose truth is known, and the shipped file."""

import inspect
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from abstractor_lib import experiments, paths
from abstractor_lib.experiments.sparse_recovery import measures as rates
from abstractor_lib.findings import (
    beside_paper,
    claims,
    measures,
    prose,
    registry,
    rules,
    sizes,
    statements,
)
from abstractor_lib.findings.claims import Claim
from abstractor_lib.findings.measures import Measured
from abstractor_lib.findings.published import published
from abstractor_lib.findings.statistics import Interval, mean_interval
from abstractor_lib.pages.index import inventory
from abstractor_lib.reporting.study import measure_of

ORDER = experiments.get("order")


def frames(converged=1, trials=10, **levels):
    """Trials of models at given accuracies (plus 0.01 noise) at two sizes."""
    random = np.random.default_rng(0)
    rows = [
        {
            "model": model,
            "size": size,
            "variant": "curve",
            "trial": trial,
            "draw": None,
            "converged": converged,
            "test_accuracy": level + random.normal(0, 0.01),
        }
        for model, level in levels.items()
        for size in (100, 400)
        for trial in range(trials)
    ]
    return {"sound": pd.DataFrame(rows)}


def claim(kind, measure="series", protocols=("sound",), arguments=None, **fields):
    return Claim(
        id="c",
        item="fig_v3_04a",
        paper="v3",
        section="4.1",
        origin="stated",
        place="4.1",
        figure="fig_v3_04a_order_relation",
        statement="s",
        kind=kind,
        experiment="order",
        protocols=protocols,
        measure=measure,
        source="test",
        arguments=arguments or {"model": "a"},
        **fields,
    )


def judge(one, protocol, frames):
    return claims.judge(one, protocol, frames, ORDER.measure(one.measure))


@pytest.mark.parametrize(
    ("level", "expected"), [(0.9, "holds"), (0.75, "undecided"), (0.6, "fails")]
)
def test_greater(level, expected):
    assert judge(claim("greater", bound=0.75), "sound", frames(a=level)).verdict == expected


@pytest.mark.parametrize(
    ("level", "expected"), [(0.5, "holds"), (0.55, "undecided"), (0.62, "fails")]
)
def test_chance(level, expected):
    found = judge(claim("chance", bound=0.5, tolerance=0.05), "sound", frames(a=level))
    assert found.verdict == expected


def test_near_a_value_of_our_own():
    """No paper reports it, so none is shown."""
    found = judge(claim("near", bound=0.8, tolerance=0.05), "sound", frames(a=0.8))
    assert (found.verdict, found.published) == ("holds", None)
    far = judge(claim("near", bound=0.8, tolerance=0.05), "sound", frames(a=0.95))
    assert far.verdict == "fails"


@pytest.mark.parametrize(
    ("level", "expected"), [(0.8, "holds"), (0.85, "undecided"), (0.95, "fails")]
)
def test_equals(level, expected):
    found = judge(claim("equals", published=0.8, tolerance=0.05), "sound", frames(a=level))
    assert (found.verdict, found.published) == (expected, 0.8)


@pytest.mark.parametrize(
    ("kind", "given", "missing"),
    [
        ("equals", {"tolerance": 0.1}, "published"),
        ("equals", {"published": 0.8}, "tolerance"),
        ("near", {"bound": 0.8}, "tolerance"),
        ("exact", {}, "published"),
    ],
)
def test_a_number_that_the_kind_needs_is_asked_for_by_name(kind, given, missing):
    message = f"{missing} is None in c, at the point 'n = 100, 10 trials'; .* kind is '{kind}'"
    with pytest.raises(ValueError, match=message):
        judge(claim(kind, **given), "sound", frames(a=0.8))
    own = measures.Point("own", Interval(0.8, 0.8, 0.8, 9), published=0.8, tolerance=0.1)
    assert claim(kind, **given).region(own).low <= 0.8


def test_a_measure_without_points_is_not_run():
    found = claims.judge(claim("greater"), "sound", {"sound": None}, lambda *_, **__: Measured([]))
    assert (found.verdict, found.note) == ("not run", "series found no points under sound")


def test_ordering_reports_the_worst_pair():
    three = claim("ordering", "ordering", arguments={"models": ["a", "b", "c"]})
    found = judge(three, "sound", frames(a=0.9, b=0.8, c=0.5))
    assert found.verdict == "holds"
    assert found.note.startswith("a over b, n = ")
    assert "10 trials (worst of 4 points)" in found.note
    assert judge(three, "sound", frames(a=0.9, b=0.5, c=0.8)).verdict == "fails"


@pytest.mark.parametrize(
    ("one", "worst"),
    [
        (claim("ordering"), "0.1"),
        (claim("less", bound=0.5), "0.4"),
        (claim("near", bound=0.35, tolerance=0.1), "0.1"),
    ],
    ids=["ordering", "less", "near"],
)
def test_of_points_that_nothing_bounds_the_one_with_the_worst_estimate_decides(one, worst):
    """Whatever the order they stand in."""
    points = [measures.Point(f"{x}", Interval(x, -1.0, 1.0, 9)) for x in (0.4, 0.1, np.nan, 0.3)]
    for given in (points, points[::-1]):
        measured = Measured(given)
        found = claims.judge(one, "sound", {"sound": None}, lambda *_, m=measured, **__: m)
        assert found.verdict == "undecided"
        assert found.note.startswith(f"{worst} (worst of 4 points)")


def test_a_verdict_is_told_in_the_words_of_whose_claim_it_is():
    rows = frames(a=0.9)
    for origin, post_hoc, word in (
        ("stated", False, "holds"),
        ("suggested", False, "supported"),
        ("control", True, "yes†"),
    ):
        one = replace(claim("greater", bound=0.75, post_hoc=post_hoc), origin=origin)
        found = judge(one, "sound", rows)
        assert prose.fill("{c.sound:word}", {("c", "sound"): found}, {}) == found.word == word
        assert prose.fill("{c.sound:verdict}", {("c", "sound"): found}, {}) == "holds"


def test_ordering_is_paired():
    """A small difference that is the same in every trial is seen through large common noise."""
    shared = frames(a=0.5)["sound"]
    noise = np.random.default_rng(1).normal(0, 0.2, len(shared))
    low = shared.assign(test_accuracy=0.5 + noise, model="b")
    high = shared.assign(
        test_accuracy=0.52 + noise + np.random.default_rng(2).normal(0, 1e-3, len(shared))
    )
    pair = claim("ordering", "ordering", arguments={"models": ["a", "b"]})
    assert judge(pair, "sound", {"sound": pd.concat([high, low])}).verdict == "holds"


def test_a_tie_decides_nothing():
    """Two models that score the same in every trial: neither is better, whatever n."""
    same = frames(a=0.5)["sound"].assign(test_accuracy=0.0)
    both = pd.concat([same, same.assign(model="b")])
    pair = claim("ordering", "ordering", arguments={"models": ["a", "b"]})
    assert judge(pair, "sound", {"sound": both}).verdict == "undecided"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.011, 0.3, "holds"),
        (0.009, 0.3, "undecided"),  # may be a difference that nobody would notice
        (0.001, 0.009, "undecided"),
        (-0.009, -0.001, "undecided"),
        (-0.3, -0.009, "undecided"),
        (-0.3, -0.011, "fails"),
    ],
)
def test_a_difference_decides_beyond_its_margin_on_either_side(low, high, expected):
    point = measures.Point("a over b", Interval((low + high) / 2, low, high, 9))
    flipped = point._replace(interval=Interval(-(low + high) / 2, -high, -low, 9))
    for kind, one in (("ordering", point), ("greater", point), ("less", flipped)):
        found = claims.judge(claim(kind), "sound", {"sound": None}, given(one))
        assert found.verdict == expected
    wide = claims.judge(claim("ordering", margin=0.5), "sound", {"sound": None}, given(point))
    assert wide.verdict == "undecided"
    bounded = claims.judge(
        claim("greater", bound=low - 1e-6), "sound", {"sound": None}, given(point)
    )
    assert bounded.verdict == "holds"  # a bound that was chosen has no margin


def test_a_lead_over_all_sizes_against_a_loop():
    random = np.random.default_rng(5)
    rows = [
        {"model": model, "size": size, "variant": "curve", "trial": trial, "draw": None,
         "converged": int(model == "a" or size < 400), "test_accuracy": random.random()}
        for model in "ab" for size in (50, 100, 400) for trial in range(7)
    ]  # fmt: skip
    rows = [row for row in rows if (row["model"], row["size"], row["trial"]) != ("b", 400, 6)]
    value = {(row["model"], row["size"], row["trial"]): row["test_accuracy"] for row in rows}
    (point,) = measures.mean_lead(
        {"sound": pd.DataFrame(rows)}, "sound", models=["a", "b"], least=100
    ).points
    leads = [
        sum(value["a", n, t] - value["b", n, t] for n in (100, 400)) / 2 for t in range(6)
    ]  # the seventh trial lacks a size
    assert point.interval == pytest.approx(mean_interval(leads), abs=1e-12)
    assert point.label == "a over b, mean of 2 sizes, 6 trials"
    assert (rules.settled(point.rising), rules.settled(point.falling)) == (1.0, 0.0)


def test_published_curves_are_judged_where_nothing_was_validated():
    """Runs that watch the training loss have no ``converged``."""
    paper = published("fig_v3_05a", "Abstractor").set_index("x")["mean"]
    random = np.random.default_rng(0)
    rows = [
        {
            "model": "abstractor",
            "size": size,
            "variant": "draw" if draw else "curve",
            "trial": trial,
            "draw": draw,
            "accuracy": paper[size] + random.normal(0, 0.01),
        }
        for size in (300, 1000)
        for draw in range(6)
        for trial in range(1 if draw else 5)
    ]
    arguments = {
        "model": "abstractor",
        "figure": "fig_v3_05a",
        "series": "Abstractor",
        "metric": "accuracy",
    }
    wanted = claim("equals", "curve_against_published", arguments=arguments)
    near = pd.DataFrame(rows)
    assert judge(wanted, "published", {"published": near}).verdict == "holds"
    far = near.assign(accuracy=near.accuracy - 0.3)
    assert judge(wanted, "published", {"published": far}).verdict == "fails"


def test_a_trial_of_each_draw_or_all_of_one_draw():
    rows = frames(m=0.5, trials=8)["sound"]
    draws = [rows[rows["trial"] == 0].assign(variant="draw", draw=k) for k in (1, 2)]
    table = {"published": pd.concat([rows.assign(draw=0), *draws])}
    (drawn,) = measures.units(table, "published", ["m"], "test_accuracy")
    (within,) = measures.units(table, "published", ["m"], "test_accuracy", one_draw=True)
    assert (drawn.kind, len(drawn.values)) == ("draw", 3)
    assert (within.kind, len(within.values)) == ("trial", 8)
    (point,) = measures.series(table, "published", model="m", size=400, one_draw=True).points
    assert point.label == "n = 400, 8 trials of one draw"
    mean = rows.loc[rows["size"] == 400, "test_accuracy"].mean()
    assert point.interval.estimate == pytest.approx(mean)


def test_each_group_has_its_own_interval():
    rows = [
        {"model": "m", "kind": kind, "size": size, "trial": trial, "error": level + trial / 100}
        for kind, level in (("a", 0.1), ("b", 0.5))
        for size in (1, 2)
        for trial in range(5)
    ]
    table = {"described": pd.DataFrame(rows)}
    asked = {"metric": "error", "by": "kind", "where": {"model": ["m", "n"], "size": 2}}
    measured = measures.each(table, "described", **asked)
    values = [0.1, 0.11, 0.12, 0.13, 0.14]
    assert [point.label for point in measured.points] == ["a, 5 trials", "b, 5 trials"]
    assert measured.points[0].interval == pytest.approx(mean_interval(values, comparisons=2))
    low = claim("less", "each", ("described",), asked, bound=0.3)
    assert judge(low, "described", table).verdict == "fails"
    with pytest.raises(measures.NotRun, match="no runs of"):
        measures.each(table, "described", metric="error", by="kind", where={"model": "x"})


def test_ordering_at_chosen_sizes():
    table = frames(early=0.9, late=0.2)
    pair = {"models": ["early", "late"]}
    chosen = measures.ordering(table, "sound", **pair, sizes=[400])
    assert [point.label.split(", ")[1] for point in chosen.points] == ["n = 400"]
    with pytest.raises(measures.NotRun, match="no training size that all of early, late have"):
        measures.ordering(table, "sound", **pair, sizes=[300])


def test_one_bad_point_fails_a_series():
    table = frames(a=0.5)
    late = table["sound"]["size"] == 400
    table["sound"].loc[late, "test_accuracy"] += 0.2
    found = judge(claim("chance", bound=0.5, tolerance=0.05), "sound", table)
    assert found.verdict == "fails"
    assert "n = 400" in found.note


def test_the_point_that_decides_is_the_one_that_is_shown():
    """A narrow interval just outside decides, though a wide undecided one reaches out further."""
    rows = frames(a=0.5)["sound"]
    early, late = rows["size"] == 100, rows["size"] == 400
    rows.loc[early, "test_accuracy"] = 0.57 + np.tile([-0.001, 0.001], 5)
    rows.loc[late, "test_accuracy"] = 0.5 + np.tile([-0.4, 0.4], 5)
    found = judge(claim("chance", bound=0.5, tolerance=0.05), "sound", {"sound": rows})
    assert (found.verdict, found.measured) == ("fails", pytest.approx(0.57))


def test_less():
    below = claim("less", bound=0.55)
    assert judge(below, "sound", frames(a=0.45)).verdict == "holds"
    assert judge(below, "sound", frames(a=0.6)).verdict == "fails"


def test_the_papers_number_is_that_of_the_same_size():
    with_paper = {"model": "a", "paper": ["fig_v3_04a", "Abstractor"]}
    found = judge(claim("greater", bound=0.75, arguments=with_paper), "sound", frames(a=0.9))
    expected = 0.6598 if "n = 100" in found.note else 0.9267
    assert found.published == pytest.approx(expected)


def test_undecided_without_convergence_or_trials():
    found = judge(claim("greater", bound=0.95), "sound", frames(converged=0, a=0.9))
    assert (found.verdict, "only 0% of the trials converged" in found.note) == ("undecided", True)
    found = judge(claim("greater", bound=0.75), "sound", frames(trials=3, a=0.9))
    assert (found.verdict, "fewer than five trials" in found.note) == ("undecided", True)


def test_a_failing_claim_gives_its_likely_reason():
    known = claim("greater", bound=0.75, reason="too few pairs", tested="no")
    found = judge(known, "sound", frames(a=0.6))
    assert found.note.endswith("likely reason (not tested): too few pairs")
    assert (found.reason, found.tested) == ("too few pairs", "no")
    holds = judge(known, "sound", frames(a=0.9))
    assert "likely" not in holds.note and holds.reason == holds.tested == ""
    shown = replace(known, tested="`more_pairs`, twice as many")
    told = judge(shown, "sound", frames(a=0.6)).note
    assert "likely reason (tested by `more_pairs`, twice as many): too few pairs" in told


def test_a_claim_without_an_experiment_is_not_run():
    planned = replace(claim("greater", bound=0.75), experiment="", measure="")
    (found,) = claims.not_yet(planned)
    assert (found.protocol, found.verdict, found.note) == ("sound", "not run", "no experiment yet")
    assert found.interval is None and found.n == 0
    with pytest.raises(ValueError, match="expected both, or neither"):
        replace(claim("greater", bound=0.75), experiment="")


def test_a_bracket_that_ends_on_the_bound_says_so():
    for low, told in ((2.0, True), (math.nextafter(2, 3), True), (3.0, False)):
        point = measures.Point("ratio", Interval(math.nan, low, math.inf, 9))
        found = claims.judge(claim("greater", bound=2.0), "sound", {"sound": None}, given(point))
        assert ("the interval ends at the bound itself" in found.note) == told
    estimate = measures.Point("mean", Interval(2.5, 2.0, 3.0, 9))
    found = claims.judge(claim("greater", bound=2.0), "sound", {"sound": None}, given(estimate))
    assert "ends on" not in found.note  # an interval of an estimate is no bracket


def test_what_is_computed_needs_no_trials():
    for computed, verdict in ((True, "holds"), (False, "undecided")):
        point = measures.Point("two models", Interval(0.9, 0.9, 0.9, 2), computed=computed)
        found = claims.judge(claim("greater", bound=0.5), "sound", {"sound": None}, given(point))
        assert found.verdict == verdict


def test_an_incomplete_grid_is_not_run():
    found = judge(claim("greater", bound=0.75), "published", frames(a=0.9))
    assert (found.verdict, found.measured, found.n) == ("not run", None, 0)


def drawn(spread, **levels):
    """Eleven draws of ten trials: a draw's luck is shared by its trials and by the models."""
    random = np.random.default_rng(4)
    luck = random.normal(0, spread, 11)
    rows = [
        {
            "model": model,
            "size": 100,
            "variant": "draw" if draw else "curve",
            "trial": trial,
            "draw": draw,
            "converged": 1,
            "test_accuracy": level + luck[draw] + random.normal(0, 0.001),
        }
        for model, level in levels.items()
        for draw in range(11)
        for trial in range(10)
    ]
    return {"published": pd.DataFrame(rows)}


def test_where_trials_share_a_draw_the_draws_are_the_units():
    """Ten trials of one draw would claim to know its luck: the interval is that of 11 draws."""
    table = drawn(0.05, a=0.7)
    (point,) = measures.series(table, "published", model="a").points
    means = table["published"].groupby("draw")["test_accuracy"].mean()
    assert point.interval == mean_interval(means)
    assert (point.interval.n, point.label) == (11, "n = 100, 11 draws")
    pair = claim("ordering", "ordering", ("published",), {"models": ["a", "b"]})
    assert judge(pair, "published", drawn(0.05, a=0.73, b=0.7)).verdict == "holds"  # luck cancels
    alone = drawn(0.05, a=0.7)["published"].query("draw == 0")
    (point,) = measures.series({"published": alone}, "published", model="a").points
    assert (point.interval.n, point.label) == (10, "n = 100, 10 trials of one draw")


def test_a_claim_about_a_size_that_was_not_run_is_not_run():
    at = claim("greater", bound=0.5, arguments={"model": "a", "size": 200})
    found = judge(at, "sound", frames(a=0.9))
    assert (found.verdict, found.note) == ("not run", "no training size 200")


def test_the_spread_of_draws_is_the_tolerance():
    random = np.random.default_rng(3)
    rows = []
    for draw in range(11):
        luck = random.normal(0, 0.03)
        for trial in range(10):
            for size in (50, 200, 495):
                rows.append(
                    {
                        "model": "m",
                        "size": size,
                        "variant": "draw" if draw else "curve",
                        "trial": trial,
                        "draw": draw,
                        "converged": 1,
                        "test_accuracy": 0.8 + luck + random.normal(0, 0.001),
                    }
                )
    table = {"published": pd.DataFrame(rows)}
    measured = beside_paper.curve_against_published(
        table, "published", model="m", figure="fig_v3_04a", series="Abstractor"
    )
    means = table["published"].groupby(["size", "draw"])["test_accuracy"].mean()
    for point, size in zip(measured.points, (50, 200, 495), strict=True):
        spread = means[size].std(ddof=1)
        alone, together = 2.228, 2.870  # of Student's t, 10 degrees of freedom, 5 % and 5 / 3 %
        assert point.tolerance == pytest.approx(alone * spread * (12 / 11) ** 0.5, rel=1e-3)
        assert point.outer == pytest.approx(together * spread * (12 / 11) ** 0.5, rel=1e-3)
        assert point.interval.n == 11
        row = published("fig_v3_04a", "Abstractor").set_index("x")["mean"]
        assert point.published == row[size]


def test_shipped_claims_are_well_formed():
    found = claims.read()
    items = {row["id"] for row in inventory()}
    for one in found:
        assert one.item in items
        if not one.experiment:
            assert one.protocols and not one.measure
            continue
        experiment = experiments.get(one.experiment)
        assert set(one.protocols) <= set(experiment.protocols)
        measure = inspect.signature(experiment.measure(one.measure))
        measure.bind({}, one.protocols[0], **one.arguments)
        assert one.kind not in ("chance", "near") or one.tolerance


def test_an_experiment_hands_in_its_measures():
    assert ORDER.measure("series") is measures.series
    assert ORDER.measure("size_ratio") is sizes.size_ratio
    assert experiments.get("sparse_recovery").measure("exponent") is rates.exponent
    for name in ("exponent", "select", "pd", "_picked", "__class__"):  # of others, or no measures
        with pytest.raises(ValueError, match=f"measure is '{name}'; expected a measure of "):
            ORDER.measure(name)


def test_trials_of_one_draw_do_not_decide_on_a_curve_of_another():
    """They do on a bound, or where they have draws of their own."""
    paper = {"model": "a", "paper": ["fig_v3_04a", "Abstractor"]}
    given = frames(a=0.2)
    rows = given["sound"]
    wanted = claim("equals", arguments=paper, tolerance=0.05)
    assert judge(wanted, "sound", given).verdict == "fails"
    given["sound"] = rows.assign(draw=0)
    found = judge(wanted, "sound", given)
    assert found.verdict == "undecided" and "beside a curve of another" in found.note
    assert judge(claim("greater", bound=0.5, arguments=paper), "sound", given).verdict == "fails"
    given["sound"] = rows.assign(draw=rows["trial"])
    assert judge(wanted, "sound", given).verdict == "fails"


def test_every_measure_is_registered_with_a_sentence_and_some_claim_names_it():
    named = {
        experiments.get(one.experiment).measure(one.measure)
        for one in claims.read()
        if one.experiment
    }
    known = set(registry.every())
    assert named == known
    for function in known:
        assert registry.sentence(function).endswith(".")
    with pytest.raises(ValueError, match="nameless has no sentence on what it measures"):

        @registry.measure
        def nameless(frames, protocol):
            pass


def test_published_files_are_well_formed():
    names = ("fig_v1_02a", "fig_v3_04a", "order_parameters", "fig_v3_05a", "sorting_epochs")
    for name in (*names, "sorting_parameters"):
        table = published(name)
        header = "figure,series,x,metric,mean,sem,n,source,exact"
        assert ",".join(table.columns) == header and (table["figure"] == name).all()
        assert table["exact"].isin(["exact", "read-off"]).all()
        accuracy = table["metric"].str.endswith("accuracy")
        assert table.loc[accuracy, "mean"].between(0, 1).all()
    with pytest.raises(ValueError, match="series is 'RNN'; fig_v3_04a has: Abstractor"):
        published("fig_v3_04a", "RNN")
    with pytest.raises(ValueError, match="figure is 'fig_x'"):
        published("fig_x")


def test_the_worst_value_is_its_own_interval():
    rows = {"model": ["x", "x", "x", "y"], "trial": [0, 0, 1, 2], "error": [0.1, 0.7, 0.2, 9.0]}
    table = {"described": pd.DataFrame(rows)}
    asked = {"metric": "error", "where": {"model": ["x"]}}
    (greatest,) = measures.worst(table, "described", end="greatest", **asked).points
    assert greatest.interval == (0.7, 0.7, 0.7, 2)
    assert greatest.label == "greatest of 3 values, 2 trials"
    (least,) = measures.worst(table, "described", end="least", **asked).points
    assert least.interval == (0.1, 0.1, 0.1, 2)
    with pytest.raises(measures.NotRun):
        measures.worst(table, "described", metric="error", end="least", where={"model": "z"})
    with pytest.raises(ValueError, match="end is 'most'; allowed: greatest, least"):
        measures.worst(table, "described", metric="error", end="most", where={})


def given(*points):
    """A measure that finds these points whatever the records are."""
    return lambda *_, **__: Measured(list(points))


def share(of_ten: float) -> pd.DataFrame:
    """Ten trials, of which a share converged."""
    return pd.DataFrame({"size": 100, "converged": [k < 10 * of_ten for k in range(10)]})


def test_a_point_whose_trials_did_not_converge_decides_nothing_and_others_do():
    high, low = Interval(0.9, 0.8, 1.0, 9), Interval(0.2, 0.1, 0.3, 9)
    settled = measures.Point("settled", high, rising=share(0.9), falling=share(0.9))
    not_yet = measures.Point("not yet", high, rising=share(0.8), falling=share(0.8))
    missed = measures.Point("missed", low, rising=share(1.0), falling=share(1.0))
    above = claim("greater", bound=0.5)
    for points, protocol, verdict in (
        ((settled,), "sound", "holds"),
        ((settled, not_yet), "sound", "undecided"),
        ((settled, not_yet), "described", "holds"),
        ((missed, not_yet), "sound", "fails"),
        ((missed._replace(rising=share(0.8)), settled), "sound", "undecided"),
    ):
        found = claims.judge(above, protocol, {protocol: None}, given(*points))
        assert found.verdict == verdict
        assert ("only 80% of the trials converged" in found.note) == (verdict == "undecided")


HIGH, LOW = Interval(0.9, 0.8, 1.0, 9), Interval(0.2, 0.1, 0.3, 9)


@pytest.mark.parametrize(
    ("kind", "interval", "unsettled", "expected"),
    [
        ("greater", HIGH, "rising", "holds"),  # who leads would lead by more
        ("greater", HIGH, "falling", "undecided"),  # who is behind might have caught up
        ("greater", LOW, "rising", "undecided"),
        ("greater", LOW, "falling", "fails"),
        ("less", LOW, "rising", "undecided"),
        ("less", LOW, "falling", "holds"),
        ("less", HIGH, "rising", "fails"),
        ("less", HIGH, "falling", "undecided"),
        ("near", Interval(0.5, 0.48, 0.52, 9), "rising", "undecided"),
        ("near", Interval(0.5, 0.48, 0.52, 9), "falling", "undecided"),
        ("near", HIGH, "rising", "fails"),
        ("near", LOW, "rising", "undecided"),
    ],
)
def test_convergence_is_asked_of_the_side_that_could_have_changed_the_verdict(
    kind, interval, unsettled, expected
):
    point = measures.Point("n", interval, rising=share(1.0), falling=share(1.0))
    point = point._replace(**{unsettled: share(0.5)})
    one = claim(kind, bound=0.5, tolerance=0.05)
    assert claims.judge(one, "sound", {"sound": None}, given(point)).verdict == expected
    assert claims.judge(one, "published", {"published": None}, given(point)).verdict != "undecided"


def test_a_curve_agrees_by_the_narrow_and_fails_by_the_wide_tolerance():
    same, wide = claim("equals"), {"published": 0.5, "outer": 0.09}
    for middle, tolerance, verdict in (
        (0.52, 0.05, "holds"),
        (0.57, 0.05, "undecided"),  # misses the narrow one alone
        (0.62, 0.05, "fails"),
        (0.52, 0.11, "undecided"),  # too wide to hold by
        (0.75, 0.11, "fails"),
    ):
        interval = Interval(middle, middle - 0.01, middle + 0.01, 9)
        point = measures.Point("n", interval, tolerance=tolerance, **wide)
        assert claims.judge(same, "published", {"published": None}, given(point)).verdict == verdict


def test_what_is_said_of_models_of_one_profile_is_tested_by_that_profile_alone():
    point = measures.Point("n", Interval(0.9, 0.8, 1.0, 9))
    large = claim("greater", bound=0.5, profile="paper")
    small, full = (
        claims.judge(large, "sound", {"sound": None}, given(point), profile)
        for profile in ("laptop", "paper")
    )
    assert (small.verdict, full.verdict) == ("not run", "holds")
    assert small.note == "the profile paper alone tests it"


def test_post_hoc_may_concern_one_protocol():
    point = measures.Point("n", Interval(0.9, 0.8, 1.0, 9))
    late = claim("greater", bound=0.5, post_hoc=["sound"])
    for protocol in ("sound", "published"):
        found = claims.judge(late, protocol, {protocol: None}, given(point))
        assert found.post_hoc == ("post hoc" in found.note) == (protocol == "sound")


CLAIM = """
[[claim]]
id = "a"
item = "fig"
paper = "v1"
section = "1"
origin = "stated"
place = "there"
figure = "fig"
statement = "It is so."
kind = "greater"
experiment = "order"
measure = "series"
source = "no number"
protocols = ["sound"]
arguments = {}
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('protocols = ["sound"]\n', "", "claim 1 (a): Claim lacks the field 'protocols'"),
        ('["sound"]', '"sound"', "claim 1 (a): protocols is 'sound'"),
        ('["sound"]', "[]", "claim 1 (a): protocols is empty"),
        ('["sound"]', "[1]", "claim 1 (a): protocols is 1"),
        ('kind = "greater"', "kind = 3", "claim 1 (a): kind is 3"),
        ("arguments = {}", "bound = inf", "claim 1 (a): bound is inf; expected a finite number"),
        ("arguments = {}", 'mood = "good"', "claim 1 (a): Claim has no field 'mood'"),
        ('id = "a"', "", "claim 1 (without an id): Claim lacks the field 'id'"),
        ("[[claim]]", "[claim]", "has no claims; expected tables [[claim]]"),
        ("[[claim]]", "[[other]]", "has no claims"),
        ("[[claim]]", "[[claim", "is not TOML: .*line 2"),
        ("arguments = {}", f"arguments = {'[' * 100_000}", "claims.toml is n"),
    ],
)
def test_a_malformed_file_of_claims_is_one_sentence(old, new, words):
    assert [one.id for one in statements._parse(CLAIM)] == ["a"]
    pattern = words if ".*" in words else re.escape(words)
    with pytest.raises(ValueError, match=pattern) as it:
        statements._parse(CLAIM.replace(old, new))
    assert str(it.value).startswith("claims.toml") and "\n" not in str(it.value)


@pytest.mark.parametrize("name", ["__class__", "__dir__", "Point", "pd", "math", "_picked"])
def test_a_measure_is_a_function_that_is_meant_to_be_one(name):
    (claim,) = statements._parse(CLAIM.replace('"series"', f'"{name}"'))
    with pytest.raises(ValueError, match=rf"^claims.toml, a: measure is '{name}'; expected a meas"):
        measure_of(claim)


def test_a_measure_with_other_arguments_names_the_claim():
    (claim,) = statements._parse(CLAIM.replace("arguments = {}", "arguments = {colour = 1}"))
    with pytest.raises(ValueError, match=r"^claims.toml, a: series: .*argument"):
        claims.judge(claim, "sound", {"sound": None}, measures.series)


def test_the_negative_says_what_the_second_is_ahead_by():
    found = judge(claim("greater", bound=0.75), "sound", frames(a=0.9))
    found = replace(found, measured=-0.2, low=-0.3, high=-0.1)
    assert prose.fill("{c.sound:minus .1f}", {("c", "sound"): found}, {}) == "0.2 [0.1, 0.3]"


def test_the_page_of_statistics_says_the_margin():
    page = (paths.root() / "docs" / "statistics.md").read_text(encoding="utf-8")
    margins = page.partition("### Margins")[2].partition("## ")[0]
    assert f"has a margin of {rules.MARGIN}:" in margins
    assert f"above {rules.MARGIN}, and fails if it lies below -{rules.MARGIN}" in " ".join(
        margins.split()
    )
