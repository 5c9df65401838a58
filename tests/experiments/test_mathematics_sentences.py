"""Sentences on mathematics problems, of numbers that they do not hold of."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.mathematics import sentences
from abstractor_lib.findings.published import published
from abstractor_lib.findings.statistics import Interval
from abstractor_lib.tasks.mathematics import load

FRAMES = {}
PAPER = published("fig_v3_07")


def holds(sentence) -> bool:
    return all(sentence.because)


class Asked(list):
    """Pairs of questions and answers."""

    def question_texts(self):
        return [question for question, _ in self]

    def answer_texts(self):
        return [answer for _, answer in self]


def test_linear_equations_like_those_of_the_paper():
    assert holds(sentences.figure_6(FRAMES, load("algebra__linear_1d", "train", 8)))
    assert holds(sentences.figure_6(FRAMES, Asked([("Solve 5*z = 10 for z.", "2")])))
    assert not holds(sentences.figure_6(FRAMES, Asked([("Solve for z: 5*z = 10", "2")])))
    assert not holds(sentences.figure_6(FRAMES, Asked([("Solve 5*z = 7 for z.", "7/5")])))


def test_a_larger_transformer_that_is_better_in_all_tasks():
    assert holds(sentences.transformers_of_paper(FRAMES, PAPER))
    larger = PAPER["series"].str.endswith("+")
    better = PAPER.assign(mean=PAPER["mean"] + 0.1 * larger)
    assert not holds(sentences.transformers_of_paper(FRAMES, better))


def test_logs_in_which_the_abstractor_leads_earlier_or_never():
    assert holds(sentences.logged_lead(FRAMES, PAPER))
    mine = PAPER["series"].str.endswith("Abstractor")
    for change in (0.1, -0.1):
        other = PAPER.assign(mean=PAPER["mean"] + change * mine)
        assert not holds(sentences.logged_lead(FRAMES, other))


def history(last: float) -> pd.DataFrame:
    """Two Transformer runs on linear equations, one of which ends at ``last``."""
    rows = [(trial, update, 0.48) for trial in (0, 1) for update in (1, 2)]
    table = pd.DataFrame(rows, columns=["trial", "update", "validation_accuracy"])
    table.loc[3, "validation_accuracy"] = last
    return table.assign(variant="linear equation", model="transformer")


def test_one_interval_without_zero_and_a_drop():
    near, far = Interval(0.0, -0.1, 0.1, 4), Interval(0.2, 0.1, 0.3, 4)

    def said(one: Interval, last: float):
        row = {"4 tasks": near, "all five": one}
        return sentences.without_one_task(FRAMES, {"Transformer": row}, history(last))

    assert holds(said(far, 0.4))
    assert not holds(said(near, 0.4))
    assert not holds(said(far, 0.47))
    assert not holds(sentences.without_one_task(FRAMES, {}, None))


def test_an_abstractor_that_is_as_fast():
    names = ["Abstractor", "Transformer", "deeper Transformer"]
    for own, expected in ((20.0, True), (10.0, False)):
        minutes = pd.DataFrame({"milliseconds an update": names, "add": [own, 10.0, 15.0]})
        assert holds(sentences.time(FRAMES, minutes=minutes)) is expected


def test_a_model_without_encoder_that_copies_names():
    def known(value: float):
        both = pd.DataFrame({"question": [1.0, 1.0]})
        return {"abstractor": both, "abstractor_only": pd.DataFrame({"question": [value, 1.0]})}

    assert holds(sentences.names_are_copied(FRAMES, known(0.0)))
    assert not holds(sentences.names_are_copied(FRAMES, known(1.0)))
    assert not holds(sentences.names_are_copied(FRAMES, known(np.nan)))
    assert not holds(sentences.names_are_copied(FRAMES, {}))


def test_answers_that_depend_on_the_question():
    for written, expected in ((["1", "1", "2"], True), (["1", "2", "3"], False), ([], False)):
        worked = pd.DataFrame({"written": written}).assign(task="linear equation", model="one")
        assert holds(sentences.few_answers(FRAMES, worked)) is expected


def test_a_decoder_that_goes_back_or_is_as_sure_of_the_abstractor():
    looked = pd.DataFrame({"writes": ["1", ";"]})
    looked = looked.assign(**{"weight, encoder": 0.5, "weight, abstractor": 0.2})
    turned = looked.assign(**{"weight, abstractor": 0.9})
    assert holds(sentences.reads_on(FRAMES, [1, 2, 3], looked, "1"))
    assert not holds(sentences.reads_on(FRAMES, [3, 2, 1], looked, "1"))
    assert not holds(sentences.reads_on(FRAMES, [1, 2, 3], turned, "1"))


def test_without_records_nothing_is_said():
    for sentence in (sentences.averages, sentences.in_depth, sentences.two_branches):
        assert not holds(sentence(FRAMES))


WHOLE = "linear equation, 3 epochs"
MODELS = {"abstractor": 0.6, "transformer": 0.5, "transformer_plus": 0.5, "transformer_deep": 0.7}


@pytest.mark.parametrize(
    ("changed", "said"),
    [({}, True), ({"transformer_deep": 0.605}, False), ({"transformer_plus": 0.6}, False)],
)
def test_it_is_said_who_is_ahead_after_three_epochs(changed, said):
    """Where each of two seeds is ahead of each of the other model."""
    rows = [
        {"model": model, "variant": WHOLE, "epoch_3_accuracy": accuracy + seed / 100}
        for model, accuracy in {**MODELS, "transformer_blind": 0.4, **changed}.items()
        for seed in (0, 1)
    ]
    found = sentences.epochs({"described": pd.DataFrame(rows)})
    assert all(ground for ground in found.because if isinstance(ground, bool)) is said
