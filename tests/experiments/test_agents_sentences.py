"""What notebook 16 says of looks: it follows the records."""

import pandas as pd
import pytest

from abstractor_lib.experiments.agents import sentences


def tables(simplicial, relational):
    """Two seeds of each agent: decisions to both levels, and minutes of its 1,000 decisions."""
    rows, looks = [], []
    for model, (soon, late, minutes) in {
        "simplicial": simplicial,
        "relational": relational,
    }.items():
        for trial in (0, 1):
            run = {"model": model, "trial": trial, "variant": "tokens, scoring", "size": 1000}
            rows.append({**run, "decisions_to_75": soon, "decisions_to_90": late})
            looks += [{**run, "decisions": 500 * k, "minutes": minutes / 2 * k} for k in (1, 2)]
    return {"sound": pd.DataFrame(rows)}, pd.DataFrame(looks)


def test_time_is_decisions_times_their_cost():
    said = sentences.computing_time(*tables((200, None, 4.0), (400, 500, 1.0)))
    assert said.values["dearer"] == pytest.approx(4)
    assert said.values["ours"] == pytest.approx(0.8)
    assert said.values["theirs"] == pytest.approx(0.4)
    assert said.values["ours_late"] == float("inf")
    assert said.values["theirs_late"] == pytest.approx(0.5)
    assert all(said.because)


@pytest.mark.parametrize("other", [(50, 90, 4.0), (200, 300, 1.2)])
def test_it_would_not_be_said_of_other_records(other):
    """Of an agent that reaches the level sooner, or whose decisions cost as much."""
    assert not all(sentences.computing_time(*tables(other, (400, 500, 1.0))).because)


def finals(maximum, scoring, while_learning=(0.4, 0.5)):
    """What runs of both read-outs win at the end, and while they learn."""
    seen = [("picture, maximum", maximum, 2000), ("tokens, scoring", scoring, 1000)]
    rows = [
        {
            "model": "relational",
            "variant": variant,
            "size": size,
            "trial": trial,
            "late_greedy": won,
        }
        for variant, wins, size in seen
        for trial, won in enumerate(wins)
    ]
    table = pd.DataFrame(rows)
    looks = [table.assign(win_rate=won) for won in while_learning]
    return {"sound": table}, pd.concat(looks)


def test_no_run_with_one_maximum_beats_a_guess():
    seen = finals([0.49, 0.5, 0.5, 0.51, 0.48], [0.9, 1.0])
    said = sentences.one_maximum_fails(*seen, blind=0.55)
    assert (said.values["least"], said.values["most"], said.values["n"]) == (0.48, 0.51, 5)
    assert said.values["scored"] == pytest.approx(0.95)
    assert (said.values["begun"], said.values["ended"]) == pytest.approx((0.4, 0.5))
    assert all(said.because)
    assert not all(sentences.one_maximum_fails(*seen, blind=0.4).because)  # more than the script


@pytest.mark.parametrize(
    ("maximum", "scoring"),
    [([0.49, 0.5, 0.5, 0.51, 0.6], [0.9, 1.0]), ([0.5] * 5, [0.9, 0.7]), ([0.5] * 4, [0.9, 1.0])],
)
def test_it_is_not_said_where_one_run_learns(maximum, scoring):
    """Nor where runs that score objects fail as well, or runs are few."""
    assert not all(sentences.one_maximum_fails(*finals(maximum, scoring), blind=0.55).because)


def test_seeds_fall_in_two_groups_or_it_is_not_said():
    def runs(simplicial, relational):
        rows = [
            {"model": model, "variant": "tokens, scoring", "size": 500, "trial": trial}
            | {"late_greedy": won, "decisions_to_90": late}
            for model, seeds in {"simplicial": simplicial, "relational": relational}.items()
            for trial, (won, late) in enumerate(seeds)
        ]
        return {"sound": pd.DataFrame(rows)}

    told = runs([(0.9, None), (0.98, 100), (0.99, 50)], [(0.88, None), (0.91, None), (1.0, 70)])
    said = sentences.not_told_apart(told)
    assert (said.values["ours_below"], said.values["theirs_below"]) == (1, 2)
    assert (said.values["low"], said.values["high"], said.values["rest"]) == (0.88, 0.91, 0.98)
    assert (said.values["ours_90"], said.values["theirs_90"]) == (100, float("inf"))
    assert all(one for one in said.because if isinstance(one, bool))
    said = sentences.not_told_apart(runs([(0.98, 100)] * 3, [(0.99, 70)] * 3))
    assert not all(one for one in said.because if isinstance(one, bool))


def test_controls_are_told_with_their_means():
    rows = [
        {"model": model, "variant": "tokens, scoring", "size": 500, "late_greedy": won}
        for model, wins in {"wide": (0.8, 1.0), "uniform": (0.5, 0.7)}.items()
        for won in wins
    ]
    said = sentences.controls({"sound": pd.DataFrame(rows)})
    assert said.values == pytest.approx({"n": 2, "wide": 0.9, "uniform": 0.6})


@pytest.mark.parametrize(("seen", "count"), [(["tokens"], 3), (["tokens", "tiles", "picture"], 8)])
def test_each_difficulty_whose_runs_are_there_has_a_row_with_its_lead(seen, count):
    cells = [(f"{one}, scoring", name) for one in seen for name in ("relational", "simplicial")]
    cells = [(*cell, seed) for cell in cells for seed in range(5)]
    few = [("tiles, scoring", "relational", 0)]  # of fewer than five seeds nothing is told
    table = pd.DataFrame([*cells, *few], columns=["variant", "model", "trial"])
    said = sentences.what_is_hard({"sound": table})
    rows = [line for line in said.text.splitlines() if line.startswith("| ")]
    assert len(rows) == count + 2 and all(row.count("|") == 4 for row in rows)
    assert sum("agents_" in row for row in rows) == count
    assert ("are not run" in said.text) == (count == 3)
    assert "agents_tokens_scoring_over_maximum.sound holds" in said.because


def test_four_blocks_are_told_once_they_are_run():
    rows = [
        {"model": model, "variant": "tokens, scoring", "size": 500, "late_greedy": won}
        for model, won in (("relational", 0.9), ("deep", 0.7), ("deep", 0.9))
    ]
    table = pd.DataFrame(rows)
    said = sentences.deeper({"sound": table})
    assert said.values["deep"] == pytest.approx(0.8) and "agents_tokens_deep_over" in said.text
    assert "not run" in sentences.deeper({"sound": table[table["model"].ne("deep")]}).text


@pytest.mark.parametrize(("least", "told"), [(0.95, True), (0.8, False)])
def test_the_standard_world_beside_the_better_script(least, told):
    rows = [{"variant": "standard world", "last_win_rate": won} for won in (least, 0.97, 0.99)]
    said = sentences.standard_world({"sound": pd.DataFrame(rows)}, 0.4, 0.86, 1.0)
    assert said.values["n"] == 3 and said.values["least"] == least
    assert all(one for one in said.because if isinstance(one, bool)) == told
    empty = {"sound": pd.DataFrame(rows).assign(variant="tokens, scoring")}
    assert sentences.standard_world(empty, 0.4, 0.86, 1.0).text == "(not run)"


def first_steps(end=0.73, square=1e-3, top=9.0, entropy=0.99):
    """Looks of both agents."""
    rows = [
        {"model": model, "trial": 0, "steps": 1000 * k, "win_rate": 0.7 if k < 20 else end}
        | {"square_0.5": square, "square_0.99": 1.1, "square_0.999": top, "entropy": entropy}
        for model in ("relational", "simplicial")
        for k in range(1, 31)
    ]
    return pd.DataFrame(rows)


def test_the_start_is_told_and_where_it_ends():
    said = sentences.the_start({}, first_steps())
    assert said.values["relational_first"] == pytest.approx(0.7)
    assert said.values["simplicial_last"] == pytest.approx(0.73)
    assert said.values["million"] == pytest.approx(0.03) and all(said.because)
    assert "the 2-simplicial one {simplicial_first:.2f}" in said.text
    assert not all(sentences.the_start({}, first_steps(end=0.3)).because)
    assert not all(sentences.the_start({}, first_steps(end=0.85)).because)  # the plateau
    assert not all(sentences.the_start({}, first_steps(entropy=0.6)).because)


def test_weights_that_epsilon_outweighs_are_told():
    said = sentences.clipping({}, first_steps())
    assert said.values["relational_middle"] == pytest.approx(1e-3) and all(said.because)
    both = pd.concat([first_steps(), first_steps(top=0.5).query("model == 'simplicial'")])
    assert sentences.clipping({}, both).values["relational_top"] == 9
    assert not all(sentences.clipping({}, first_steps(square=2.0)).because)
    assert not all(sentences.clipping({}, first_steps(top=0.5)).because)


def test_without_single_steps_nothing_is_said():
    empty = first_steps().iloc[:0]
    for say in (sentences.the_start, sentences.clipping):
        assert say({}, empty).text == "(not run)"
