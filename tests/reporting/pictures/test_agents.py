"""Pictures and tables of agents: what is drawn is what was recorded."""

import math

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib.experiments.agents import results
from abstractor_lib.experiments.agents.settings import QUANTILES
from abstractor_lib.reporting.pictures import agents as pictures
from abstractor_lib.tasks.box_world.rules import Rules
from abstractor_lib.training.rmsprop import TensorFlowRMSprop


def record(model, trial, late, seconds):
    steps = [100 * (k + 1) for k in range(len(late))]
    agent = {"name": model, "observation": "tokens", "readout": "scoring"}
    spec = {"model": agent, "task": {}, "training": {"decisions": steps[-1]}}
    spec |= {"trials": {"first": trial, "count": 1}}
    curve = {"decisions": steps, "late": late, "win_rate": [one / 2 for one in late]}
    run = f"{model} {trial}"
    return {"run": run, "spec": spec, "curve": curve, "provenance": {"seconds": seconds}}


RECORDS = [
    record("relational", 0, [0.5, 0.6, 0.7], 180),
    record("relational", 1, [0.5, 0.8, 0.9], 180),
    record("simplicial", 0, [0.6, 0.8, 0.9], 360),
]


def test_looks_have_the_time_they_took():
    looks = results.learning(RECORDS)
    assert len(looks) == 9
    one = looks[looks["model"].eq("simplicial")]
    assert one["minutes"].tolist() == [2, 4, 6] and one["late"].tolist() == [0.6, 0.8, 0.9]


def test_thick_lines_are_means_at_the_same_look():
    figure = pictures.learning(results.learning(RECORDS))
    for axis, across in zip(figure.axes, ([0.1, 0.2, 0.3], [1, 2, 3]), strict=True):
        lines = {line.get_label(): line for line in axis.get_lines()}
        thick = lines[pictures.NAMES["relational"]]
        np.testing.assert_allclose(thick.get_xdata(), across)
        np.testing.assert_allclose(thick.get_ydata(), [0.5, 0.7, 0.8])
        assert sum(line.get_linewidth() < 1 for line in axis.get_lines()) == 3


def test_read_outs_have_a_thick_line_each():
    looks = results.learning(RECORDS)
    other = looks.assign(variant="tokens, maximum", late=0.5)
    tiles = looks[looks["model"] == "relational"].assign(variant="tiles, scoring")
    (axis,) = pictures.readouts(pd.concat([looks, tiles, other])).axes
    thick = [line for line in axis.get_lines() if line.get_linewidth() > 2]
    assert len(thick) == 5  # two agents, each with both, and one that sees tiles
    flat = [line for line in thick if line.get_label() == "one maximum"]
    assert all(line.get_ydata().tolist() == [0.5, 0.5, 0.5] for line in flat) and len(flat) == 2
    assert len({line.get_color() for line in flat}) == 1
    legend = [text.get_text() for text in axis.figure.legends[0].get_texts()]
    scores = [f"a score of each object, from {seen}" for seen in ("tokens", "tiles")]
    assert legend == [*scores, "one maximum"]


def test_a_gpu_has_no_minutes_of_a_core():
    there = [{**one, "provenance": {"seconds": 9, "device": "NVIDIA"}} for one in RECORDS]
    assert results.learning(there)["minutes"].isna().all()


def test_a_run_on_a_gpu_is_drawn_against_decisions_alone():
    there = record("relational", 2, [0.5, 0.1, 0.1], 9)
    there["provenance"]["device"] = "NVIDIA"
    left, right = pictures.learning(results.learning([*RECORDS, there])).axes
    for axis, ends, runs in ((left, 1.7 / 3, 4), (right, 0.8, 3)):
        thick = {line.get_label(): line for line in axis.get_lines()}[pictures.NAMES["relational"]]
        assert thick.get_ydata()[-1] == pytest.approx(ends)
        assert sum(line.get_linewidth() < 1 for line in axis.get_lines()) == runs


def test_every_run_is_a_line():
    figure = pictures.each_run(results.learning(RECORDS), "relational")
    left, right = figure.axes
    assert [line.get_ydata()[-1] for line in left.get_lines()[:2]] == [0.7, 0.9]
    assert [line.get_ydata()[-1] for line in right.get_lines()[:2]] == [0.35, 0.45]


def test_a_level_that_half_of_the_runs_do_not_reach_is_not_reached():
    rows = [
        {"run": f"relational {k}", "variant": "tokens, scoring", "size": 300, "parameters": 7}
        | {"model": "relational", "late_greedy": late, "late_sampled": late}
        | {"decisions_to_75": soon, "decisions_to_90": None}
        for k, (late, soon) in enumerate([(0.7, 100), (0.9, 200)])
    ]
    (row,) = results.summary(pd.DataFrame(rows), RECORDS).to_dict("records")
    assert (row["decisions to 0.75"], row["decisions to 0.9"]) == ("150", "not reached")
    assert (row["core minutes to 0.75"], row["core minutes to 0.9"]) == ("1.5", "")
    assert row["late, greedy"] == 0.8


def test_published_curves_are_those_of_the_data():
    names = {"relational": "relational", "simplicial": "2-simplicial"}
    figure, points = pictures.papers(names, results.single_steps([]))
    ours, theirs = figure.axes
    lines = theirs.get_lines()
    assert [line.get_label() for line in lines] == ["relational", "2-simplicial"]
    drawn = points[points["series"].eq("relational")]
    np.testing.assert_allclose(lines[0].get_ydata(), drawn["mean"].astype(float))
    assert not ours.get_lines() and ours.texts  # not run


def in_steps(model="simplicial", scale=1.0):
    """The record of a run of single steps: two looks."""
    seen = {"decisions": [1_000_000, 2_000_000], "update": [1000, 2000], "win_rate": [0.7, 0.72]}
    seen["entropy"] = [1000 * math.log(4)] * 2
    seen |= {f"square_{one}": [scale * one, scale * one / 2] for one in QUANTILES}
    spec = {"model": {"name": model}, "trials": {"first": 0}, "training": {"epsilon": 0.1}}
    return {"spec": spec, "curve": seen}


def test_first_steps_stand_beside_published_curves():
    steps = results.single_steps([in_steps(), in_steps("relational"), {**in_steps(), "curve": {}}])
    assert len(steps) == 4 and steps["entropy"].tolist() == pytest.approx([1.0] * 4)
    cut_short = in_steps()
    cut_short["curve"]["decisions"] = [1_000_000, 1_500_000]
    assert len(results.single_steps([cut_short])) == 1
    figure, points = pictures.papers({"simplicial": "2-simplicial"}, steps)
    (line,) = figure.axes[0].get_lines()
    assert list(line.get_xdata()) == [1, 2] and list(line.get_ydata()) == [0.7, 0.72]
    assert points["series"].eq("simplicial, ours").sum() == 2
    assert points.loc[points["series"].eq("simplicial, ours"), "x"].tolist() == [0.001, 0.002]


def test_a_large_epsilon_cuts_steps():
    """Against the optimiser itself, of a gradient that stays the same."""
    figure, points = pictures.clipping(results.single_steps([in_steps()]))
    for row in points.iloc[[0, 9, 59]].to_dict("records"):
        weight = torch.zeros(1, requires_grad=True, dtype=torch.float64)
        optimiser = TensorFlowRMSprop([weight], lr=1.0, epsilon=0.1)
        for _ in range(3000):
            before = weight.item()
            weight.grad = torch.full_like(weight, row["gradient"])
            optimiser.step()
        assert before - weight.item() == pytest.approx(row["epsilon 0.1"], rel=1e-6)
    assert points["epsilon 0.1"].max() < 1 == points["cut at its root"].max()
    lines = figure.axes[1].get_lines()
    assert [line.get_ydata()[0] for line in lines[:2]] == [0.999, 0.5]
    figure, _ = pictures.clipping(results.single_steps([]))
    assert figure.axes[1].texts


def test_scripts_that_count_win_more_of_late_puzzles():
    won = results.scripts(Rules(bridges=1.0, shortest=2), 400)["late puzzles won"]
    assert won["no_bridge"] == 1 and abs(won["boxes_last"] - 0.5) < 0.1
    assert won["anything_once"] < won["only_key"] <= won["even_key"]


def test_cloned_agents_are_dots_and_their_mean_a_line():
    """A panel for each way to see and to answer; half of late puzzles is the dotted line."""
    rows = [
        {"variant": variant, "model": model, "size": size, "trial": trial, "late_greedy": won}
        for variant, model in (
            ("tokens, scoring", "simplicial"),
            ("picture, maximum", "relational"),
        )
        for size, wins in ((500, (0.5, 0.7)), (2000, (0.8, 0.9)))
        for trial, won in enumerate(wins)
    ]
    figure = pictures.cloning(pd.DataFrame(rows))
    assert [axis.get_title() for axis in figure.axes] == ["tokens, scoring", "picture, maximum"]
    for axis in figure.axes:
        dots, mean, half = axis.get_lines()
        assert list(dots.get_ydata()) == [0.5, 0.7, 0.8, 0.9]
        np.testing.assert_allclose(mean.get_ydata(), [0.6, 0.85])
        assert list(mean.get_xdata()) == [500, 2000]
        assert list(half.get_ydata()) == [0.5, 0.5]
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert labels == {"2-simplicial", "relational"}
