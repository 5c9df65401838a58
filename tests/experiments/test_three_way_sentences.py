"""What notebook 14 says of relations of three objects, and what models cost."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from abstractor_lib import experiments
from abstractor_lib.experiments.three_way import sentences
from abstractor_lib.experiments.three_way.run import build
from abstractor_lib.experiments.three_way.sizes import operations, sizes
from abstractor_lib.reporting.pictures.three_way import NAMES

SMOKE = experiments.get("three_way").grid("smoke", "sound")
SAID = (sentences.answer, sentences.in_short, sentences.which_product, sentences.floor)


def frames(**areas):
    """Five seeds of each model, whose area is 0.7 unless it is given."""
    rows = [
        {"model": name, "variant": task, "size": 4_096_000, "trial": seed, "converged": 0}
        | {"test_auc": areas.get(name, 0.7) + seed / 1000, "test_accuracy": 0.6}
        | {"script_auc": 0.78 if task == "coplanar" else 0.57}
        for name in NAMES
        for task in ("match3", "coplanar")
        for seed in range(5)
    ]
    return {"sound": pd.DataFrame(rows)}


@pytest.mark.parametrize("sentence", SAID)
def test_without_records_nothing_is_said(sentence):
    assert sentence({}).text == "(not run)"


def test_the_answer_names_each_control_on_each_task():
    said = sentences.answer(frames(unsigned=0.9))
    for name in ("standard", "wide", "two_matched", "deep"):
        assert f"three_way_match3_over_{name}.sound" in said.text
        assert f"three_way_coplanar_over_{name}.sound" in said.text
    assert said.values["seeds"] == 5 and said.values["match3"] == pytest.approx(0.902)


def test_models_below_the_script_are_counted():
    said = sentences.floor(frames(unsigned=0.9, deep=0.95))
    assert said.values["below"] == len(NAMES) - 2 and said.values["runs"] == 2 * 5 * len(NAMES)
    assert all(isinstance(one, str | bool | np.bool_) and one for one in said.because)
    assert not all(sentences.floor(frames(wide=0.9)).because)  # it is not below the script


def by_hand(width, hidden, layers, objects, dim):
    """Matrix products of one example through standard attention: queries, keys and values, scores,
    the sums of values, the feed-forward network; embedding of vectors, and the answer."""
    attention = objects * 3 * width * width + 2 * objects * objects * width
    network = objects * (width * hidden + hidden * width)
    answer = objects * (width * width + width)
    return objects * dim * width + layers * (attention + network) + answer


@pytest.mark.parametrize("name", ["standard", "wide", "two", "deep"])
def test_operations_against_a_count_by_hand(name):
    spec = next(s for s in SMOKE if s.model.name == name and s.task.name == "coplanar")
    model, task = spec.model, spec.task
    expected = by_hand(model.dim, model.hidden, model.layers, task.objects, task.dim)
    assert operations(spec) == expected
    twice = replace(spec, task=replace(task, test=7))  # of one example, however many there are
    assert operations(twice) == expected


def test_sizes_have_a_row_for_each_model_and_task():
    found = sizes(SMOKE)
    assert len(found) == 2 * len(NAMES)
    spec = SMOKE[0]
    row = found[found["model"].eq(spec.model.name) & found["variant"].eq(spec.task.name)].iloc[0]
    learned = [len(one.flatten()) for one in build(spec.model, spec.task).parameters()]
    assert row["parameters"] == sum(learned)
