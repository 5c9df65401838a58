"""Serial control: what is drawn and trained, arms against plays, measures on made-up records."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.serial_control import (
    arms,
    bounds,
    measures,
    results,
    run,
    sentences,
)
from abstractor_lib.experiments.serial_control.arms import Answers, Point
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.nn import serial
from abstractor_lib.tasks.set_game import is_set
from abstractor_lib.tasks.set_heads import World

EXPERIMENT = experiments.get("serial_control")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
SMOKE = EXPERIMENT.grid("smoke", "sound")


def parameters(module):
    return sum(one.numel() for one in module.parameters())


def test_the_grid_has_ten_seeds_of_each_world():
    cells = [(s.model.name, s.task.world) for s in LAPTOP]
    assert set(cells) == set(results.WORLDS)
    assert all(cells.count(cell) == 10 for cell in set(cells))


def test_the_trained_abstractor_has_the_size_of_that_of_experiment_set_but_for_what_it_sees():
    """29,762 with embeddings of 64 features; here are twelve bits."""
    (spec,) = (s for s in LAPTOP if s.model.name == "trained" and s.trials.first == 0)
    assert parameters(run.abstractor(spec.model)) == 29_762 - (64 - 12) * 64


def test_no_three_cards_are_trained_and_tested_on_and_worlds_of_a_seed_divide_alike():
    small = [s for s in SMOKE if s.model.name == "given"]
    parts = [run.data(replace(s, task=replace(s.task, train=2000, test=500))) for s in small]
    sets = []
    for found in parts:
        names = {
            part: {tuple(row) for row in np.sort(drawn.cards, axis=1)}
            for part, drawn in found.items()
        }
        for one, other in combinations(names, 2):
            assert not names[one] & names[other]
        sets.append({row for row in names["test"] if is_set(np.array(row))})
    for first in parts:
        trained = {tuple(row) for row in np.sort(first["train"].cards, axis=1)}
        assert not any(trained & tested for tested in sets)


def test_reading_weighs_each_number_of_heads_alike():
    """Answers that are certainly wrong from sets of one number of heads alone."""
    counts = serial.subsets(4).sum(dim=1)
    for count in range(5):
        logits = torch.where(counts == count, -30.0, 30.0)[None, None, :, None]
        loss = run.reading_loss(logits, torch.ones(1, 1))
        assert loss.item() == pytest.approx(30 / 5, rel=1e-4)


def some_answers(count=200, seed=0):
    random = torch.Generator().manual_seed(seed)
    logits = 3 * torch.randn(count, 16, generator=random)
    return arms.answers(logits, torch.randint(0, 2, (count,), generator=random))


def test_confidence_in_a_ranking_against_plays():
    answered = some_answers()
    order, level = (2, 0, 3, 1), 0.9
    stop = answered.confidence >= level
    stop[:, -1] = True
    found = arms.walk(arms.in_order(order)[None].expand(200, -1), stop)
    for row in range(200):
        chosen = 0
        for head in order:
            if answered.confidence[row, chosen] >= level:
                break
            chosen |= 1 << head
        assert found[row] == chosen


def test_the_best_ranking_is_chosen_in_validation():
    """Head 3 alone knows the answer, and is sure of it."""
    labels = torch.arange(100) % 2
    knows = serial.subsets(4)[:, 3]
    logits = torch.where(knows, 20.0, 0.0) * (2.0 * labels[:, None] - 1)
    part = arms.answers(logits, labels)
    every = arms.rankings(4)
    orders = [[arms.in_order(one)[None]] * 2 for one in every]
    found = arms.confident((part, part), orders, [0.01, 0.1])
    assert every[found["ranking"]][0] == 3
    assert all(one[:2] == (1.0, 0.0) for one in found["points"])
    assert arms.fixed((part, part))[1][:2] == (1.0, 0.0)


def test_random_orders_take_each_head_first_alike():
    following = arms.random_orders(np.random.default_rng(0), 8000, 4)
    assert torch.bincount(following[:, 0]) / 8000 == pytest.approx([0.25] * 4, abs=0.02)
    every, left = serial.subsets(4), torch.arange(15)
    assert not every[left].gather(1, following[:1, :15].T).any()


def test_a_summary_reads_validation_for_choices_and_the_test_for_numbers():
    none, full = Point(0, 0.5, 0, 0.5), Point(4, 0.0, 4, 0.1)
    some = Point(2, 0.01, 2.5, 0.2)
    found = arms.summary([some], [none, full], full)
    assert found["heads"] == 2.5 and found["lost"] == pytest.approx(0.1)
    straight = [1 - np.interp(h, [0, 2, 4], [0.5, 0.2, 0.1]) for h in arms.BUDGETS]
    assert found["area"] == pytest.approx(np.mean(straight))


@pytest.mark.slow
def test_what_the_best_rules_need():
    """No order helps where heads are equal; a ranking does not suffice where one head tells."""
    exact, cued = bounds.best(World()), bounds.best(World("near_misses"))
    # between 2.2125 heads, which lose 0.0125, and 2.7125, which lose nothing
    assert exact["best_adaptive_heads"] == pytest.approx(2.7125 - 0.5 * 0.8, abs=1e-9)
    for rule in ("static", "random"):
        assert exact[f"best_{rule}_heads"] == pytest.approx(exact["best_adaptive_heads"])
    # half: SETs, two heads; a quarter: number broken, one; a quarter: the told head, two
    lossless = cued["best_adaptive_heads_0"], cued["best_adaptive_accuracy_0"]
    assert lossless == pytest.approx((1.75, 1.0))
    assert cued["best_static_heads"] - cued["best_adaptive_heads"] > 0.3
    unequal = bounds.best(World(flips=(0.0, 0.05, 0.1, 0.2)))
    assert unequal["best_static_heads"] - unequal["best_adaptive_heads"] < 0.01


@pytest.mark.first(1)
@pytest.mark.parametrize("spec", SMOKE, ids=lambda s: f"{s.model.name} {s.task.world}")
def test_a_run_measures_every_arm(spec):
    found = outcome(spec, alone()).metrics
    for arm in results.ARMS:
        assert 0 <= found[f"{arm}_heads"][0] <= 4 and 0 <= found[f"{arm}_area"][0] <= 1
        for number in range(5):
            assert 0 <= found[f"{arm}_heads_{number}"][0] <= 4
    assert [found[f"subset_heads_{count}"][0] for count in range(5)] == [0, 1, 2, 3, 4]
    assert found["subset_accuracy_4"] == found["all_accuracy"]
    assert sorted(f"{found['ranking'][0]:.0f}") == ["1", "2", "3", "4"]
    assert ("best_adaptive_heads" in found) == (spec.model.name == "given")
    assert ("abstractor_accuracy" in found) == (spec.model.name == "trained")


def test_a_controller_learns_to_ask_the_one_head_that_knows():
    """A small training in a world that a child could play: head 2 is the answer."""
    torch.manual_seed(0)
    spec = SMOKE[0]
    spec = replace(
        spec,
        model=replace(spec.model, hidden=16),
        training=replace(spec.training, updates=150, validate_every=50, learning_rate=0.01),
    )
    labels = torch.arange(256) % 2
    relations = torch.randn(256, 4, 3)
    relations[:, 2] = 2.0 * labels[:, None] - 1
    logits = torch.where(serial.subsets(4)[:, 2], 20.0, 0.0) * (2.0 * labels[:, None] - 1)
    part = arms.answers(logits, labels)
    every = dict.fromkeys(run.PARTS, relations)
    choose = run.controller(spec, {}, every, dict.fromkeys(run.PARTS, part), "learned")
    sets = choose("test", 0.04)
    assert (sets == 1 << 2).double().mean() > 0.95


def frames():
    def row(world, trial, shift, model="given"):
        run = {"model": model, "variant": world, "trial": trial, "all_accuracy": 0.99}
        for arm in results.ARMS:
            more = 0.3 if "static" in arm else 0.0
            more += 0.5 if "subset" in arm else 0.0
            run |= {f"{arm}_heads": 2 + shift + more, f"{arm}_lost": 0.01, f"{arm}_area": 0.9}
            run |= {f"{arm}_heads_0": 2.0, f"{arm}_accuracy_0": 0.99}
        best = {"best_adaptive_heads": 2.0, "best_static_heads": 2.25} if model == "given" else {}
        curve = {0: (3.0, 1.0), 1: (1.0, 0.96), 2: (3.0, 1.0)} if model == "given" else {}
        for number, (heads, accuracy) in curve.items():
            best |= {f"best_adaptive_heads_{number}": heads}
            best |= {f"best_adaptive_accuracy_{number}": accuracy}
        return run | best | {"controller_area": 0.95}

    rows = [row(world, k, k / 100) for world in ("exact", "cued") for k in range(5)]
    rows += [row("exact", k, k / 50, "trained") for k in range(5)]
    return {"sound": pd.DataFrame(rows)}


def test_measures_pair_seeds():
    pair = {"world": "cued", "arms": ["controller", "static"]}
    (point,) = measures.fewer_heads(frames(), "sound", **pair).points
    assert point.interval.estimate == pytest.approx(0.3)
    assert point.interval.high - point.interval.low == pytest.approx(0.0, abs=1e-9)
    (point,) = measures.accuracy_lead(frames(), "sound", **pair).points
    assert point.interval.estimate == pytest.approx(0.05)
    (point,) = measures.share_of_best(frames(), "sound", world="exact", arm="controller").points
    assert point.interval.estimate == pytest.approx(1.01) and point.interval.n == 5
    # a quarter of the way from three heads to one, the best rule loses 0.01 too
    assert point.label.split("test: ")[1].startswith(f"{2.02 / 2.5:.3f} [")
    (point,) = measures.heads_kept(
        frames(), "sound", world="exact", arm="controller", heads="trained"
    ).points
    assert point.interval.estimate == pytest.approx(2.04)
    (point,) = measures.accuracy_lost(frames(), "sound", world="exact", arm="subset").points
    assert point.interval.estimate == pytest.approx(0.01)
    with pytest.raises(NotRun, match="no runs of given heads in the world unequal"):
        measures.heads_kept(frames(), "sound", world="unequal", arm="controller")


def test_tables_have_a_row_for_each_world():
    table = results.needed(frames()["sound"])
    assert table.index.tolist() == [
        "equal heads",
        "one head tells which to ask",
        "heads of an Abstractor",
    ]
    assert table.loc["equal heads", "controller"] == pytest.approx(2.02)
    assert np.isnan(table.loc["heads of an Abstractor", "best rule"])
    points = results.points(frames()["sound"])
    assert len(points) == 15 * len(results.ARMS) + 10 * 3  # and the best rule of given heads


def test_sentences_say_that_nothing_was_run():
    for name in ("few_heads", "when_order_matters", "trained_heads", "practice"):
        assert getattr(sentences, name)({}).text == "*Not run.*"
    said = sentences.practice(frames()).values
    assert said["most"] == pytest.approx(1 - 2.32 / 2.52)
    assert said["least"] == pytest.approx(1 - 2.34 / 2.54) and said["lost"] == pytest.approx(0.01)
    none = frames()["sound"].assign(subset_heads=0.0)  # a tiny run may need no head at all
    assert np.isnan(sentences.practice({"sound": none}).values["most"])
    order = sentences.when_order_matters(frames()).values
    assert order["most"] == pytest.approx(0.25) and np.isnan(order["unequal"])


def test_answers_are_from_the_sign_of_the_logit():
    found = arms.answers(torch.tensor([[-1.0, 2.0]]), torch.tensor([1]))
    assert isinstance(found, Answers) and found.wrong.tolist() == [[1.0, 0.0]]
    assert found.heads.tolist() == [0, 1]
