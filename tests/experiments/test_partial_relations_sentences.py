"""What the notebook says of architectures: words follow the records, and none are there without."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.partial_relations import sentences, settings

CELLS = [("sort", 1000), ("sort_and_report", 1000), ("sort_and_report", 3000), ("report", 1000)]
SAID = (
    *(sentences.headline, sentences.answer, sentences.pays, sentences.telling),
    *(sentences.bottleneck, sentences.practice),
)


def frames(**means):
    """Ten seeds of each model, whose accuracy is 0.5 unless it is given."""
    rows = [
        {"model": name, "variant": task, "size": size, "trial": seed, "updates": 1500}
        | {"full_sequence_accuracy": means.get(name, 0.5) + seed / 1000}
        | {"teacher_forcing_accuracy": means.get(name, 0.5), "counts_alone_accuracy": 0.55}
        | {"order_accuracy": means.get(f"{name}_{task}", 0.5)}
        for name in settings.NAMES
        for task, size in CELLS
        for seed in range(10)
        if name != "a_strict" or task != "sort"
    ]
    return {"sound": pd.DataFrame(rows)}


@pytest.mark.parametrize("sentence", [*SAID, sentences.came_true])
def test_without_records_nothing_is_said(sentence):
    assert sentence({}).text == "(not run)"


@pytest.mark.parametrize("sentence", [*SAID, sentences.came_true])
def test_what_a_sentence_rests_on_comes_out(sentence):
    because = sentence(frames()).because
    assert all(one if isinstance(one, bool | np.bool_) else "sound" in one for one in because)


def test_models_that_learn_are_named():
    text = sentences.answer(frames(d=0.95, c=0.92)).text
    assert "after training on 1,000 sequences by (c) and (d) in turn" in text
    assert "by no model" in sentences.answer(frames()).text
    assert "| Transformer | 0.50 | 0.50 | 0.50 | 0.50 |" in text
    assert "| (a) with a strict bottleneck | – | 0.50 | 0.50 | 0.50 |" in text


@pytest.mark.parametrize(
    ("ours", "word"), [(0.9, "pays"), (0.1, "costs"), (0.5, "is not told apart")]
)
def test_the_path_pays_or_costs(ours, word):
    text = sentences.pays(frames(d=ours)).text
    assert text.count(f"| {word} |") == len(CELLS)


def test_a_row_with_too_few_seeds_has_no_interval():
    found = frames(d=0.9)["sound"]
    found = found[found["size"].eq(1000) | found["trial"].lt(5)]
    text = sentences.pays({"sound": found}).text
    assert "| sort and report | 3,000 | 0.40 | 5 | has too few seeds here |" in text
    assert text.count("| 10 | pays |") == 3


def test_means_after_more_sequences_are_told_where_there_are_some():
    found = frames(d=0.9, transformer=0.7)["sound"]
    text = sentences.headline({"sound": found}).text
    assert "After 3,000 sequences (10 seeds) the means are 0.90, 0.50 and, of the Tr" in text
    assert (
        "3,000 sequences (" not in sentences.headline({"sound": found[found["size"] < 3000]}).text
    )


def test_runs_that_reach_the_goal_are_counted():
    found = frames()
    table = found["sound"]
    both = table["variant"].eq("sort_and_report") & table["size"].eq(1000)
    table.loc[both & (table["model"].eq("b") | table["trial"].gt(5)), "updates"] = 3000
    said = sentences.headline(found).values
    assert (said["d_done"], said["d_n"], said["b_done"], said["b_n"]) == (6, 10, 0, 10)
    assert (said["done"].low, said["done"].high) == pytest.approx((0.213, 0.878), abs=0.01)
    text = sentences.pays(found).text  # all runs of both, on the other tasks
    assert "*sort* (1500 updates of (d), 1500 of (b), means) and *report*" in text
    assert "*sort and report* (" not in text


def test_colours_that_pass_are_told():
    assert "relations of (b)." in sentences.bottleneck(frames(b=0.9)).text
    assert "No more than that passes" in sentences.bottleneck(frames()).text


def test_the_model_whose_worst_task_is_best_is_taken():
    found = frames(d=0.9, c=0.8)
    table = found["sound"]
    table.loc[table["model"].eq("d") & table["variant"].eq("sort"), "full_sequence_accuracy"] = 0.1
    said = sentences.practice(found)
    assert "take (c)" in said.text and said.values["least"] == pytest.approx(0.8045)


@pytest.mark.parametrize("sentence", SAID)
def test_a_main_part_alone_is_enough(sentence):
    """Only (b), (d) and the Transformer, and no reports alone: nothing is said of the others."""
    table = frames(d=0.95)["sound"]
    main = table["model"].isin(["b", "d", "transformer"]) & ~table["variant"].eq("report")
    said = sentence({"sound": table[main & table["size"].eq(1000)]})
    assert "(a)" not in said.text and "nan" not in said.text
    assert (said == sentences.LATER) == (sentence in (sentences.bottleneck, sentences.practice))


def test_both_tasks_stand_side_by_side():
    text = sentences.telling(frames(transformer_sort=0.0, transformer_sort_and_report=0.9)).text
    assert "| Transformer | 0.00 | 0.90 |" in text
    assert "strict" not in text  # it is not asked to sort alone
