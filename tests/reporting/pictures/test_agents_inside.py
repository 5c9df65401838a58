"""Pictures of what trained agents read and decide: numbers drawn are those computed."""

import numpy as np
import pandas as pd
import pytest
import torch
from matplotlib.patches import Rectangle

from abstractor_lib import experiments
from abstractor_lib.experiments.agents import decisions, play
from abstractor_lib.experiments.agents_attention import reading
from abstractor_lib.experiments.agents_attention.forks import KINDS, forks
from abstractor_lib.reporting.pictures import agents_inside as inside
from abstractor_lib.tasks.box_world.rules import Rules

RULES = Rules(bridges=1.0, shortest=2)
PUZZLES = play.late(RULES, 40, np.random.default_rng(0))
FORKS = forks(PUZZLES)


@pytest.fixture(scope="module")
def agents():
    torch.manual_seed(0)
    grid = experiments.get("agents").grid("laptop", "sound")
    models = {s.model.name: s.model for s in grid if s.part == ""}
    return {name: play.build(model, RULES).eval() for name, model in models.items()}


@pytest.fixture(scope="module")
def weights(agents):
    with torch.no_grad():
        return {name: one(FORKS.tokens, need_weights=True)[1] for name, one in agents.items()}


def test_one_state_shows_the_first_of_the_states(weights):
    figure, points = inside.one_state(weights["simplicial"], FORKS, PUZZLES)
    top, first, second = points.groupby("panel", sort=False)
    for _, block in (first, second):  # a column of pairs sums to one, but for rounding
        sums = block.groupby("column", sort=False)["weight"].sum()
        np.testing.assert_allclose(sums, 1, atol=0.021)
    length, lock, key = PUZZLES.kind(0)
    named = second[1].pivot(index="row", columns="column", values="weight")
    assert f"right box {lock} → {lock - 1}" in named and f"held key {lock}" in named
    bridge = named[f"bridge {lock} → {key}"]
    expected = weights["simplicial"][1].pairs[0, 0, FORKS.bridge[0]].flatten()
    np.testing.assert_allclose(bridge, expected, atol=0.0051)
    read = top[1].set_index(["row", "column"])["weight"]
    held = weights["simplicial"][0].virtual[0, :, :, FORKS.held[0]]
    assert read["virtual 2, head 1", f"held key {lock}"] == pytest.approx(
        float(held[0, 1]), abs=5.1e-3
    )
    words = [text.get_text() for text in figure.axes[2].get_xticklabels()]
    assert len(words) == int(FORKS.objects[0].sum()) and length == max(length, lock)


def test_an_agent_without_pairs_is_refused(weights):
    with pytest.raises(ValueError, match="expected those of a 2-simplicial agent"):
        inside.one_state(weights["relational"], FORKS, PUZZLES)


def test_kinds_are_drawn_where_they_are_named(weights):
    names = ("simplicial", "relational")
    tables = {name: reading.by_kind(weights[name], FORKS) for name in names}
    figure = inside.by_kind(tables)
    panels = [axis for axis in figure.axes if axis.get_title()]
    assert [axis.get_title() for axis in panels] == [
        f"{inside.NAMES[name]}, block {block}" for name in tables for block in (1, 2)
    ]
    words = [text.get_text() for text in panels[0].get_yticklabels()]
    assert words[: len(KINDS) - 1] == list(KINDS[:-1]) and words[-1] == "virtual 2, head 2"
    for axis, (name, block) in zip(panels, ((n, b) for n in tables for b in (1, 2)), strict=True):
        image = axis.get_images()[0].get_array()
        standard = weights[name][block - 1].standard.mean(dim=1)
        every = torch.arange(len(PUZZLES))
        seen = standard[every, FORKS.bridge, FORKS.held].mean() * 12
        at = KINDS.index("bridge"), KINDS.index("held key")
        assert image[at] == pytest.approx(float(seen), abs=0.0051)


def test_every_agent_is_a_dot():
    def row(model, trial, seed=""):
        run = {"model": model, "variant": seed, "trial": trial}
        return run | {metric: k + trial for k, metric in enumerate(inside.METRICS)}

    draws = [row("trained", k, f"seed {k // 3}") for k in range(6)]  # three of each seed
    table = pd.DataFrame(draws + [row("untrained", k) for k in range(5)])
    figure, points = inside.beside_untrained(table)
    for k, axis in enumerate(figure.axes):
        many, few, *_ = axis.get_lines()
        assert list(many.get_ydata()) == [k + trial for trial in range(5)]
        assert list(few.get_ydata()) == [k + 1, k + 4]
    assert len(points) == 3 * 11 and set(points["agent"]) == {"trained", "untrained"}


def test_decisions_are_bars_and_the_bridge_is_hatched(agents):
    for index in range(10):  # until an episode has a decision at which the bridge can be taken
        players = {name: decisions.Greedy(one) for name, one in agents.items()}
        puzzle = PUZZLES[index : index + 1]
        found = decisions.decisions(players, puzzle)
        figure, points = inside.strip(found, puzzle)
        drawn = [axis for axis in figure.axes if axis.axison]
        assert len(drawn) == len(found)
        for axis, decision in zip(drawn, found, strict=True):
            bars = [one for one in axis.patches if isinstance(one, Rectangle)]
            heights = [share for shares in decision.probability.values() for share in shares]
            np.testing.assert_allclose([bar.get_height() for bar in bars], heights)
            hatched = [bool(bar.get_hatch()) for bar in bars]
            assert hatched == [k == decision.bridge for k in decision.objects] * 2
        assert points["taken"].sum() == len(found) == points["decision"].max()
        if points["bridge"].any():
            return
    raise AssertionError("in no episode the bridge could be taken")
