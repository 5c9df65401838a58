"""Sentences of notebook 06 that take more than the records: they do not hold of other numbers."""

import pandas as pd
import pytest

from abstractor_lib.experiments.function_classes import EXPERIMENT, results, sentences
from abstractor_lib.reporting.study import Study

SEEN = {
    "binary rows": [1.0, 1.0],
    "graded rows": [0.0, 0.0],
    "tensors": [0.005, 0.004],
    "degrees": [0.86, 0.85],
    "degrees in any order": [0.999, 0.998],
    "different rows": [448, 448],
}


@pytest.mark.parametrize(
    ("name", "value"), [("binary rows", 0.9), ("graded rows", 0.1), ("different rows", 447)]
)
def test_new_rows_are_told(name, value):
    assert all(sentences.no_new_rows({}, pd.DataFrame(SEEN)).because)
    other = pd.DataFrame(SEEN | {name: [value, value]})
    assert not all(sentences.no_new_rows({}, other).because)


@pytest.mark.parametrize(("name", "value"), [("tensors", 0.4), ("degrees", 0.2)])
def test_known_degrees_are_told(name, value):
    said = sentences.few_new_degrees({}, pd.DataFrame(SEEN))
    assert all(said.because) and said.values["trials"] == 2
    other = pd.DataFrame(SEEN | {name: [value, value]})
    assert not all(sentences.few_new_degrees({}, other).because)


def test_the_failed_chain_is_no_better_than_one_answer():
    frames = Study("function_classes").frames
    assert all(sentences.three_in_a_chain(frames, always=0.64).because)
    assert not all(sentences.three_in_a_chain(frames, always=0.5).because)


def test_what_was_seen_is_counted_by_question():
    found = results.seen_by_question(EXPERIMENT.profiles["smoke"])
    assert set(found) == set(SEEN)
    assert len(found) == 2 and (found["different rows"] == 12).all()  # 3 objects: 3 * 2^2 rows
    assert (found["graded rows"] == 0).all()
    assert (found["degrees in any order"] >= found["degrees"]).all()
