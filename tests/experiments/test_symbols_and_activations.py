"""The factorial of symbols, activation and depth: design, networks, data, measures, sentences."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib import experiments
from abstractor_lib import nn as lib
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.order import run as order
from abstractor_lib.experiments.sorting import run as sorting
from abstractor_lib.experiments.symbols_and_activations import (
    design,
    measures,
    results,
    run,
    sentences,
)
from abstractor_lib.findings.factorial import Factorial
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.training.examples import first

EXPERIMENT = experiments.get("symbols_and_activations")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
SMOKE = EXPERIMENT.grid("smoke", "sound")
ORDER, SET, SORTING = ([s for s in LAPTOP if s.task.name == t] for t in ("order", "set", "sorting"))


def spec_of(grid, symbols, activation, depth):
    levels = (symbols, activation, depth)
    return next(s for s in grid if (s.model.symbols, s.model.activation, s.model.depth) == levels)


def parameters(module):
    return sum(one.numel() for one in module.parameters())


def test_a_fraction_has_each_combination_once_and_levels_as_often_as_can_be():
    for number in range(6):
        cells = design.fraction(number)
        pairs = Counter((one.symbols, one.activation) for one in cells)
        assert len(pairs) == 16 and set(pairs.values()) == {1}
        assert sorted(Counter(one.depth for one in cells).values()) == [5, 5, 6]
        for factor in ("symbols", "activation"):
            with_depth = Counter((getattr(one, factor), one.depth) for one in cells)
            assert set(with_depth.values()) == {1, 2} and len(with_depth) == 12


def test_three_fractions_are_the_full_factorial():
    cells = [one for number in range(3) for one in design.fraction(number)]
    assert len(cells) == len(set(cells)) == 48


def test_the_fraction_of_a_seed_is_near_orthogonal():
    """D-efficiency of main effects, |X'X / n|^(1/p), relative to that of the full factorial."""

    def information(cells):
        rows = pd.DataFrame([one._asdict() for one in cells])
        columns = [np.ones((len(rows), 1))]
        for name, levels in design.FACTORS.items():
            codes = np.array([levels.index(one) for one in rows[name]])
            columns.append(np.vstack([np.eye(len(levels) - 1), -np.ones(len(levels) - 1)])[codes])
        matrix = np.hstack(columns)
        return np.linalg.det(matrix.T @ matrix / len(matrix)) ** (1 / matrix.shape[1])

    whole = information([one for number in range(3) for one in design.fraction(number)])
    for number in range(3):
        assert information(design.fraction(number)) / whole > 0.97


def test_seeds_as_blocks_let_effects_of_two_factors_be_told_apart():
    """In the grid as a whole depth is orthogonal to symbols, activation and their interaction, and
    all interactions of two factors can be estimated."""
    table = made_up()
    rows = table[table["variant"].eq("sorting")]
    found = Factorial(rows, design.FACTORS, "test_accuracy", "trial")
    depth = found.columns(("depth",))
    for term in (("symbols",), ("activation",), ("symbols", "activation")):
        np.testing.assert_allclose(depth.T @ found.columns(term), 0, atol=1e-12)
    every = [term for size in (1, 2) for term in combinations(design.FACTORS, size)]
    matrix = found.matrix(every)
    assert np.linalg.matrix_rank(matrix) == matrix.shape[1] == 6 + 3 + 3 + 2 + 9 + 6 + 6


def test_every_cell_is_trained_equally_often_at_every_size():
    for grid, seeds in ((ORDER, 4), (SET, 2), (SORTING, 2)):
        cells = Counter()
        for spec in grid:
            levels = (spec.model.symbols, spec.model.activation, spec.model.depth)
            cells[(spec.task.data.train, *levels)] += spec.trials.count
        assert set(cells.values()) == {seeds}
        assert len(cells) == 48 * len({spec.task.data.train for spec in grid})


def test_networks_are_those_of_the_papers_at_the_papers_levels():
    order_model = spec_of(ORDER, "learned", "sigmoid", 1)
    assert parameters(run.build(order_model.model, order_model.task, 8)) == 25_665
    set_model = spec_of(SET, "learned", "linear", 1)
    assert parameters(run.build(set_model.model, set_model.task, 64)) == 29_762
    sorter = spec_of(SORTING, "learned", "softmax", 2)
    assert parameters(run.build(sorter.model, sorter.task, 12)) == 386_954


def test_against_the_order_experiments_network():
    """The same weights give the same answers, bit by bit."""
    spec = spec_of(ORDER, "learned", "sigmoid", 1)
    other = next(
        s.model
        for s in experiments.get("order").grid("laptop", "sound")
        if s.model.name == "abstractor"
    )
    torch.manual_seed(0)
    ours = run.build(spec.model, spec.task, 8).eval()
    torch.manual_seed(0)
    theirs = order.build(other, 8).eval()
    x = torch.randn(5, 2, 8)
    assert torch.equal(ours(x), theirs(x))


@pytest.mark.parametrize("grid", [ORDER, SET, SORTING], ids=["order", "set", "sorting"])
def test_models_differ_in_three_factors_alone(grid):
    levels = {"symbols", "activation", "depth", "name"}
    others = {tuple((k, v) for k, v in vars(s.model).items() if k not in levels) for s in grid}
    assert len(others) == 1
    assert len({(s.training, s.precision) for s in grid}) == 1


def test_activation_and_symbols_arrive_in_the_networks():
    kinds = {
        "learned": lib.LearnedSymbols,
        "sinusoidal": lib.SinusoidalSymbols,
        "relative": lib.RelativeSymbols,
        "retrieved": lib.RetrievedSymbols,
    }
    for spec in SMOKE:
        features = {"order": 4, "set": 64, "sorting": 12}[spec.task.name]
        built = run.build(spec.model, spec.task, features)
        stacks = [one for one in built.modules() if isinstance(one, lib.AbstractorStack)]
        assert [type(one.symbols) for one in stacks] == [kinds[spec.model.symbols]]
        assert len(stacks[0].layers) == spec.model.depth
        relations = [
            one
            for layer in stacks[0].layers
            for one in layer.relational.modules()
            if hasattr(one, "activation")
        ]
        assert relations and {one.activation for one in relations} == {spec.model.activation}


def test_only_retrieved_symbols_know_the_objects():
    x = torch.randn(2, 3, 64)
    for spec in [s for s in SMOKE if s.task.name == "set"]:
        given = run.symbols(spec.model, 3)(x)
        depends = given.dim() == 3 and not torch.equal(given[0], given[1])
        assert depends == (spec.model.symbols == "retrieved")
        assert given.shape[-2:] == (5 if spec.model.symbols == "relative" else 3, 64)


def test_models_of_a_seed_see_the_same_data():
    specs = [s for s in SORTING if s.trials.first == 0]
    assert len(specs) == 16
    one, other = (run.examples(s)("train") for s in specs[:2])
    assert torch.equal(first(one.inputs), first(other.inputs))
    assert torch.equal(first(one.targets), first(other.targets))


def test_labels_of_sorting_sort_and_no_sequence_is_in_two_parts():
    spec = SORTING[0]
    found = sorting.trial(spec.task.data, 0, None)
    targets = first(run.examples(spec)("test").targets)[0].numpy()
    assert (np.diff(np.take_along_axis(found.split.test, targets, axis=1)) > 0).all()
    rows = [set(map(tuple, getattr(found.split, part).tolist())) for part in found.split._fields]
    assert sum(map(len, rows)) == len(set.union(*rows))


def test_pairs_of_order_are_in_one_part_and_labels_are_right():
    data = order.trial(ORDER[0].task.data, 0, None)
    parts = [set(getattr(data.split, part).tolist()) for part in ("train", "validation", "test")]
    assert not any(a & b for a, b in combinations(parts, 2))
    assert (data.labels == (data.pairs[:, 0] < data.pairs[:, 1])).all()


def test_every_kind_of_run_is_computed():
    context = alone()
    for name in ("order", "set", "sorting"):
        spec = next(s for s in SMOKE if s.task.name == name and s.model.symbols == "retrieved")
        found = outcome(spec, context).metrics
        assert found["updates"] == [2] and 0 <= found["test_accuracy"][0] <= 1
        assert found["chance_accuracy"][0] < 0.7 and found["parameters"][0] > 1000


def made_up(**effects):
    """A table of the laptop grid: accuracy 0.5, noise, and effects by level."""
    random, rows = np.random.default_rng(0), []
    for spec in LAPTOP:
        levels = EXPERIMENT.columns(spec.canonical())
        mean = 0.5 + sum(own.get(levels[name], 0.0) for name, own in effects.items())
        rows += [
            {**levels, "trial": trial, "test_accuracy": mean + noise, "chance_accuracy": 0.37}
            for trial, noise in zip(
                spec.trials, random.normal(0, 0.005, spec.trials.count), strict=True
            )
        ]
    return pd.DataFrame(rows)


TASKS = ["order", "set", "sorting"]
FRAMES = {"sound": made_up(activation={"softmax": -0.3}, symbols={"relative": -0.1})}


def test_spreads_and_leads_are_those_that_were_made():
    found = measures.spread(FRAMES, "sound", tasks=TASKS, factor="activation").points
    assert [round(one.interval.estimate, 1) for one in found] == [0.3] * 3
    assert all(one.interval.low > 0.27 and one.interval.high < 0.33 for one in found)
    lead = measures.lead(
        FRAMES, "sound", tasks=["set"], factor="symbols", pairs=[["learned", "relative"]]
    )
    assert lead.points[0].interval.estimate == pytest.approx(0.1, abs=0.01)
    depth = measures.lead(FRAMES, "sound", tasks=["order"], factor="depth", pairs=[[4, 1]])
    assert abs(depth.points[0].interval.estimate) < 0.005


def test_the_largest_effect_is_told_and_others_are_not():
    (found,) = measures.largest(FRAMES, "sound", tasks=["set"], factor="activation").points
    assert found.interval.estimate == pytest.approx(0.2, abs=0.02) and found.interval.low > 0.1
    (found,) = measures.largest(FRAMES, "sound", tasks=["set"], factor="depth").points
    assert found.interval.high < 0


def test_an_interplay_is_told():
    table = FRAMES["sound"].copy()
    both = table["symbols"].eq("retrieved") & table["activation"].eq("softmax")
    table.loc[both, "test_accuracy"] += 0.2
    given = {"symbols": ["learned", "retrieved"], "activations": ["linear", "softmax"]}
    for frames, wanted in ((FRAMES, 0.0), ({"sound": table}, 0.2)):
        (found,) = measures.interplay(frames, "sound", task="set", **given).points
        assert found.interval.estimate == pytest.approx(wanted, abs=0.02)


def test_few_seeds_and_missing_sizes_are_not_run():
    few = {"sound": FRAMES["sound"][FRAMES["sound"]["trial"] < 4]}
    table = FRAMES["sound"]
    one_size = table[~(table["size"].eq(150) & table["trial"].eq(0))]
    for frames in ({}, few, {"sound": one_size}):
        with pytest.raises(NotRun):
            measures.spread(frames, "sound", tasks=["order"], factor="depth")


def test_tables_hold_every_effect_and_level():
    found = results.effects(FRAMES)
    assert len(found) == 3 * 6 and found.groupby("task")["holm"].min().le(0.01).all()
    top = found[found["term"].eq("activation")]
    assert set(top["worst"]) == {"softmax"}
    assert len(results.levels(FRAMES)) == 3 * (4 + 4 + 3)
    cells = results.cells(FRAMES).set_index(["task", "symbols", "activation"])["mean"]
    assert cells["set", "relative", "softmax"] == pytest.approx(0.1, abs=0.02)
    assert len(results.by_size(FRAMES)) == 5 * 3


def test_tables_without_records_are_none():
    for table in (results.effects, results.levels, results.cells, results.by_size):
        assert results.shown(table, {}) is None
        assert len(results.shown(table, FRAMES)) > 0


SAID = (sentences.answer, sentences.interactions, sentences.sizes, sentences.practice)
SAID += (sentences.came_true,)


@pytest.mark.parametrize("sentence", SAID)
def test_without_records_nothing_is_said(sentence):
    few = {"sound": FRAMES["sound"][FRAMES["sound"]["trial"] < 4]}
    assert sentence({}).text == sentence(few).text == "(not run)"


@pytest.mark.parametrize("sentence", SAID)
def test_what_a_sentence_rests_on_comes_out(sentence):
    for one in sentence(FRAMES).because:
        claimed = isinstance(one, str) and one.startswith("symbols_and_activations_")
        assert claimed or (isinstance(one, bool | np.bool_) and one)


def test_no_advice_rests_on_models_at_chance_level():
    frames = {"sound": FRAMES["sound"].assign(chance_accuracy=0.6)}
    assert False in sentences.practice(frames).because


def test_sentences_follow_the_records():
    text = sentences.answer(FRAMES).text
    assert "the relation activation on the order relation, SET and sorting" in text
    assert "the depth on" not in text.split("**")[1]  # where whole intervals lie above the margin
    assert text.count("| relation activation |") == 3 + 1
    said = sentences.interactions(FRAMES)
    assert "find none." in said.text
    known = pd.DataFrame(
        [("learned", "tanh", 0.9), ("learned", "softmax", 0.8), ("retrieved", "linear", 0.7)],
        columns=["symbols", "activation", "mean"],
    )
    assert sentences._best_by_symbols(known) == ["linear", "tanh"]
    assert sentences._best_by_symbols(known[:2]) == ["tanh"]
    low = {"sound": FRAMES["sound"].assign(chance_accuracy=1.0)}
    dead = sentences.interactions(low).values
    assert dead["dead"] == dead["squares"] == 48 > said.values["dead"]
    assert "is the same at both training sizes" in sentences.sizes(FRAMES).text
    assert "relation activation on SET" in sentences.practice(FRAMES).text
