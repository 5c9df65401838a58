"""Sentences of notebook 08 that take more than tables of trials."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.sparse_recovery import EXPERIMENT, sentences
from abstractor_lib.findings import prose

AMOUNT = EXPERIMENT.profiles["laptop"]
SHARES = ["recovered", "found", "right"]
OTHERS = ["error", "penalty", "linear", "network", "nonlinear"]


@pytest.fixture(scope="module")
def study(shipped):
    return shipped.study("sparse_recovery")


def turned(frames):
    """Tables in which what was large is small: another finding."""
    table = frames["described"]
    table[SHARES] = 1 - table[SHARES]
    table[OTHERS] = 1.5 - table[OTHERS].clip(0.01, 1.49)
    return {"described": table}


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "said",
    [
        lambda frames: sentences.answer(frames, amount=AMOUNT),
        lambda frames: sentences.recovery(frames, amount=AMOUNT),
        lambda frames: sentences.penalty(frames, amount=AMOUNT),
        lambda frames: sentences.against_penalty(frames, amount=AMOUNT),
        lambda frames: sentences.against_level(frames, amount=AMOUNT),
        lambda frames: sentences.slopes(frames, amount=AMOUNT),
        lambda frames: sentences.costs(frames, amount=AMOUNT),
    ],
)
def test_sentences_are_said_of_the_records_that_ship_and_of_no_others(study, said):
    judged = {(one.id, one.protocol): one for one in study.judged()}
    found = said(study.frames)
    assert prose.disagreements(found.because, judged) == []
    assert prose.fill(found.text, judged, found.values)
    assert not all(said(turned(study.frames)).because)


def test_solvers_that_differ_are_told():
    columns = [("body mass", "ours"), ("body mass", "theirs"), ("loss", "ours"), ("loss", "theirs")]
    columns += [("body mass", "low"), ("body mass", "high")]
    same = np.array([[1.0, 1.0, 2.0, 2.0, 0.5, 1.5], [3.0, 3.0, 2.0, 2.0, 2.5, 3.5]])
    fitted = pd.DataFrame(same, [0.1, 0.9], pd.MultiIndex.from_tuples(columns))
    apart = {"low": -1.0, "high": 5.0}
    assert all(sentences.quantiles({}, fitted=fitted, apart=apart).because)
    assert not all(sentences.quantiles({}, fitted=fitted, apart={"low": 1.0, "high": 5.0}).because)
    fitted.loc[0.9, ("loss", "ours")] = 2.5
    assert not all(sentences.quantiles({}, fitted=fitted, apart=apart).because)
