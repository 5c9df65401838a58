"""Brackets of training sizes, their ratios, and counts of trials that succeed."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.findings import rules, sizes, successes
from abstractor_lib.findings.claims import Claim
from abstractor_lib.findings.claims import judge as judge_claim
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.findings.published import published
from abstractor_lib.findings.statistics import difference_interval

GRID = (100, 200, 400, 800)


def trained(model, needs, grid=GRID):
    """Trials that sort nothing below the size they need and everything from it on."""
    return [
        {
            "model": model,
            "size": n,
            "variant": "curve",
            "trial": trial,
            "draw": None,
            "converged": 1,
            "test_accuracy": float(n >= need),
        }
        for trial, need in enumerate(needs)
        for n in grid
    ]


def judged(rows, models, bound):
    claim = Claim(
        id="c",
        item="fig_v3_05a",
        paper="v3",
        section="4.2",
        origin="stated",
        place="4.2",
        figure="f",
        statement="s",
        kind="greater",
        experiment="sorting",
        protocols=("sound",),
        measure="size_ratio",
        source="test",
        bound=bound,
        arguments={"models": models, "level": 0.5},
    )
    return judge_claim(claim, "sound", {"sound": pd.DataFrame(rows)}, sizes.size_ratio)


@given(st.lists(st.sampled_from([0.0, 0.4, 0.5, 1.0]), min_size=1, max_size=6))
def test_brackets_against_their_definition(values):
    grid = [100 * 2**k for k in range(len(values))]
    low, high = sizes.bracket(0.5, pd.Series(values, grid))
    enough = [value >= 0.5 for value in values]
    assert not any(good for n, good in zip(grid, enough, strict=True) if n <= low)
    assert all(good for n, good in zip(grid, enough, strict=True) if n >= high)
    assert low < high
    if not any(good and not later for good, later in pairwise(enough)):  # it never goes down
        assert [n for n in grid if low < n < high] == []


def test_a_ratio_of_steps_that_are_shifted_holds_at_both_ends():
    """Steps between 100 and 200 and between 400 and 800: between two and eight times."""
    rows = trained("early", [200] * 6) + trained("late", [800] * 6)
    found = judged(rows, ["early", "late"], bound=2)
    assert (found.verdict, found.measured) == ("holds", None)
    assert (found.low, found.high, found.n) == (2.0, 8.0, 6)
    assert "early 100 to 200, late 400 to 800" in found.note
    assert judged(rows, ["early", "late"], bound=2.5).verdict == "undecided"
    assert judged(rows, ["late", "early"], bound=0.5).verdict == "fails"


def test_neither_end_of_a_ratio_is_reached():
    """At 100 the first is below the level, so eight times its examples is not needed: the ratio is
    less than eight, and more than two."""
    rows = trained("early", [200] * 6) + trained("late", [800] * 6)
    interval = (
        sizes.size_ratio(
            {"sound": pd.DataFrame(rows)}, "sound", models=["early", "late"], level=0.5
        )
        .points[0]
        .interval
    )
    assert 2 < interval.low < interval.high < 8
    assert (interval.low, interval.high) == pytest.approx((2, 8), abs=1e-12)
    reverse = (
        sizes.size_ratio(
            {"sound": pd.DataFrame(rows)}, "sound", models=["late", "early"], level=0.5
        )
        .points[0]
        .interval
    )
    assert 1 / 8 < reverse.low < reverse.high < 1 / 2


def test_a_finer_grid_decides():
    early, late = [180] * 6, [800] * 6
    grid = (100, 150, 200, 400, 600, 800)
    rows = trained("early", early, grid) + trained("late", late, grid)
    assert judged(rows, ["early", "late"], bound=2.5).verdict == "holds"


def test_models_beyond_the_grid_leave_their_ratio_open():
    never = trained("early", [200] * 6) + trained("late", [1600] * 6)
    found = judged(never, ["early", "late"], bound=3)
    assert (found.verdict, found.high) == ("holds", math.inf)
    assert "late more than 800" in found.note
    at_once = trained("early", [50] * 6) + trained("late", [800] * 6)
    found = judged(at_once, ["early", "late"], bound=3)
    assert (found.verdict, found.low, found.high) == ("holds", 4.0, math.inf)
    assert "early at most 100" in found.note


def test_only_runs_below_the_level_have_to_have_converged():
    rows = trained("early", [200] * 6) + trained("late", [800] * 6)
    reached = [row | {"converged": int(row["test_accuracy"] < 0.5)} for row in rows]
    assert judged(reached, ["early", "late"], bound=2).verdict == "holds"
    below = [row | {"converged": int(row["test_accuracy"] >= 0.5)} for row in rows]
    found = judged(below, ["early", "late"], bound=2)
    assert (found.verdict, "converged" in found.note) == ("undecided", True)


def test_one_size_that_has_not_converged_is_not_hidden_by_the_others():
    """Three of four trials at the last size that the late model misses: pooled, 96 % converged."""
    rows = trained("early", [200] * 6) + trained("late", [800] * 6)
    late = [row for row in rows if row["model"] == "late"]
    for row in late:
        row["converged"] = int((row["size"], row["trial"]) not in [(400, 0), (400, 1)])
    assert sum(row["converged"] for row in late) / len(late) > 0.9
    found = judged(rows, ["early", "late"], bound=2)
    assert found.verdict == "undecided" and "only 67% of the trials converged" in found.note


def test_five_trials_do_not_settle_a_median():
    rows = trained("early", [100] * 5) + trained("late", [800] * 5)
    assert judged(rows, ["early", "late"], bound=1).verdict == "undecided"


@pytest.mark.parametrize("n", [6, 10, 17])
def test_median_intervals_cover(n):
    """Of values that are seen as brackets, in at least 95 % of simulations, less three standard
    errors of that share."""
    random = np.random.default_rng(n)
    inside = 0
    for _ in range(1000):
        values = random.exponential(size=n)
        low, high = np.floor(10 * values) / 10, np.floor(10 * values) / 10 + 0.1
        found = sizes.median_interval(low, high)
        inside += found.low <= math.log(2) <= found.high
    assert inside / 1000 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 1000)


def test_published_ratio_against_reading_the_table():
    """The Abstractor passes one half between 200 and 300; the Transformer between 1900 and 2000,
    of which the latter is pooled with the dip after it, to 0.5623."""
    curves = [published("fig_v3_05a", name) for name in ("Abstractor", "Transformer")]
    fewer = 200 * 1.5 ** ((0.5 - 0.2063) / (0.8286 - 0.2063))
    more = 1900 * (2000 / 1900) ** ((0.5 - 0.4776) / (0.5623 - 0.4776))
    assert sizes.published_ratio(0.5, *curves) == pytest.approx(more / fewer, rel=1e-4)


@pytest.mark.parametrize(
    ("means", "level", "expected"),
    [
        ([0.5, 1.0, 1.0], 1.0, 1000),
        ([0.5, 1.0, 0.8], 0.9, 1000),  # the last two are pooled
        ([0.5, 0.5, 1.0], 0.5, 100),
        ([0.5, 0.6, 1.0], 0.2, 100),
        ([0.5, 0.5, 1.0], 0.75, 1000 * 10**0.5),
        ([0.5, 0.6, 0.7], 0.8, math.inf),
    ],
)
def test_a_level_is_reached_at_the_first_size_that_has_it(means, level, expected):
    curve = pd.DataFrame({"x": [100, 1000, 10000], "mean": means})
    assert sizes.reached(level, curve) == pytest.approx(expected, rel=1e-12)


def test_step_is_paired():
    rows = pd.DataFrame(trained("m", [400, 800, 400, 200, 400, 400]))
    (point,) = sizes.step({"sound": rows}, "sound", model="m", sizes=[200, 400]).points
    wide = rows.pivot(index="trial", columns="size", values="test_accuracy")
    paired = difference_interval(wide[400], wide[200], within=(-1, 1))
    assert (point.interval.low, point.interval.high) == pytest.approx((paired.low, paired.high))


@pytest.mark.parametrize("unvalidated", [200, 400])
def test_a_size_without_validation_does_not_hide_one_that_has_not_converged(unvalidated):
    rows = pd.DataFrame(trained("m", [400] * 3))
    rows["converged"] = rows["converged"].where(rows["size"] != unvalidated).replace(1, 0)
    (point,) = sizes.step({"sound": rows}, "sound", model="m", sizes=[200, 400]).points
    # a gain grows if the larger size had gone on, and shrinks if the smaller one had
    settled = [rules.settled(rows) for rows in (point.rising, point.falling)]
    known, other = settled[:: 1 if unvalidated == 200 else -1]
    assert known == 0 and math.isnan(other)


def test_trials_that_reach_a_level_are_counted():
    rows = pd.DataFrame(trained("m", [200, 400, 400, 800, 800]) + trained("other", [900] * 5))
    frames = {"sound": rows}
    (point,) = successes.success(frames, "sound", model="m", size=400, level=0.5).points
    assert point.interval.estimate == 0.6
    assert point.label == "n = 400, 3 of 5 trials"
    asked = {"models": ["m", "other"], "size": 800, "level": 0.5}
    (point,) = successes.more_succeed(frames, "sound", **asked).points
    assert point.interval.low > 0
    assert point.label == "n = 800, 5 of 5 against 0 of 5 trials"
    with pytest.raises(NotRun, match="no run"):
        successes.success(frames, "sound", model="m", size=300, level=0.5)
    never_validated = {"sound": rows.drop(columns="converged")}
    (point,) = successes.more_succeed(never_validated, "sound", **asked).points
    assert math.isnan(rules.settled(point.rising)) and math.isnan(rules.settled(point.falling))


def test_of_further_draws_one_trial_each_is_counted():
    """Five trials of the first draw and one of each of two others are three draws."""
    first = [row | {"draw": 0} for row in trained("m", [100, 800, 800, 800, 800])]
    others = [
        row | {"draw": draw, "variant": "draw"} for draw in (1, 2) for row in trained("m", [100])
    ]
    frames = {"sound": pd.DataFrame(first + others)}
    asked = {"model": "m", "size": 400, "level": 0.5}
    (point,) = successes.success(frames, "sound", **asked).points
    assert point.label == "n = 400, 3 of 3 draws"
    (point,) = successes.success(frames, "sound", **asked, one_draw=True).points
    assert point.label == "n = 400, 1 of 5 trials of one draw"
