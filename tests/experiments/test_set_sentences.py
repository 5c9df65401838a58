"""Sentences of notebook 10 that take more than tables of trials: when they are not said."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.set import inspect, sentences
from abstractor_lib.experiments.set_pixels import sentences as pixels_sentences
from abstractor_lib.findings import prose, rules
from abstractor_lib.tasks.set_game import ATTRIBUTES


@pytest.fixture(scope="module")
def study(shipped):
    return shipped.study("set")


@pytest.fixture
def frames(study):
    return study.frames


def booleans(sentence):
    return [one for one in sentence.because if not isinstance(one, str)]


def test_enough_trials_are_those_of_the_rule_for_verdicts(frames):
    """The sentence writes the rule's share out. The least share is over the sizes of a model."""
    assert rules.CONVERGED == 0.9
    assert "fewer than nine tenths of the trials" in sentences.open_verdicts(frames).text
    rows = frames["sound"].query("model == 'transformer' and variant == 'curve'")
    by_size = {size: rows[rows["size"] == size]["converged"] for size in rows["size"].unique()}
    least = min(done.sum() / len(done) for done in by_size.values())
    assert sentences._converged(frames, "transformer", list(by_size)) == pytest.approx(least)


def shares(greatest):
    return pd.DataFrame([[greatest, 0.1, 0.1, 0.1, greatest]], columns=[*ATTRIBUTES, "all"])


def test_relations_of_one_attribute_each_are_told(frames):
    assert all(booleans(sentences.relations(frames, shares=shares(0.3))))
    assert not all(booleans(sentences.relations(frames, shares=shares(0.9))))


def test_relations_that_hold_nothing_are_told(frames):
    table = frames["sound"]
    blind = {"relations_same_accuracy": 2 / 3, "relations_value_accuracy": 1 / 3}
    other = {**frames, "sound": table.assign(**blind)}
    assert not any(booleans(sentences.relations(other, shares=shares(0.3)))[1:])


def test_errors_that_are_not_sure_are_told(frames):
    sure, unsure = np.full(62, 0.999), np.full(62, 0.6)
    assert all(booleans(sentences.wrong_answers(frames, chances=sure, tested=2000)))
    assert not all(booleans(sentences.wrong_answers(frames, chances=unsure, tested=2000)))
    missed = np.full(62, 0.001)
    assert not any(booleans(sentences.wrong_answers(frames, chances=missed, tested=2000)))


def table(abstractor, mlp):
    rows = [
        (model, size, "curve", value, False, 2000)
        for model, values in (("abstractor", abstractor), ("mlp_wide", mlp))
        for size, value in zip((1000, 1000, 5000, 5000), values, strict=True)
    ]
    columns = ["model", "size", "variant", "test_accuracy", "converged", "updates"]
    return {"sound": pd.DataFrame(rows, columns=columns)}


def test_abstractors_that_learn_from_pixels_are_told():
    embedded = table([0.9] * 4, [0.8] * 4)
    said = pixels_sentences.from_pixels(
        table([0.5, 0.5, 0.7, 0.8], [0.7, 0.7, 0.8, 0.9]), embedded=embedded
    )
    assert all(said.because)
    assert "0.50, 0.50 (on embeddings: 0.90)" in prose.fill(said.text, {}, said.values)
    learns = table([0.5, 0.9, 0.7, 0.8], [0.7, 0.7, 0.8, 0.9])
    assert not all(pixels_sentences.from_pixels(learns, embedded=embedded).because)
    ahead = table([0.5, 0.5, 0.95, 0.95], [0.7, 0.7, 0.8, 0.9])
    assert not all(pixels_sentences.from_pixels(ahead, embedded=embedded).because)


def test_an_embedder_that_matters_is_told(frames):
    assert all(sentences.embedders(frames).because)
    table = frames["sound"]
    table["test_accuracy"] += 0.2 * (table["embedder"] == 2)
    assert not all(sentences.embedders({"sound": table}).because)


def test_what_was_not_run_is_not_said(frames):
    less = {name: table for name, table in frames.items() if name != "sound"}
    for said in (
        sentences.answer(less),
        sentences.embedders(less),
        sentences.relations(less, shares=shares(0.3)),
        sentences.leakage_by_calculation({}),
        pixels_sentences.from_pixels({}, embedded={}),
    ):
        assert said.text == "(not run)"
        assert not all(said.because)


@pytest.mark.parametrize("level", [0.5, 78 / 79])
def test_deals_are_counted_one_by_one(study, level):
    spec = study.spec("sound", "abstractor", 5000)
    player = inspect.Player(spec, study.weights(spec, 0))
    counted = inspect.deals(player, (level,), count=3).iloc[:, 0]
    tables = [inspect.play(player, np.random.default_rng(1000 + k), level)[-1] for k in range(3)]
    right = sum(int(one.triples["right"].sum()) for one in tables)
    called = sum(int(one.triples["called"].sum()) for one in tables)
    assert counted["SETs found"] + counted["SETs missed"] == right
    assert counted["SETs found"] + counted["wrongly called a SET"] == called
