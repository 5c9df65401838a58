"""Sentences of notebook 05 about what it computes: numbers that they do not hold of."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.kernels import results, sentences


@pytest.fixture(scope="module")
def study(shipped):
    return shipped.study("kernels")


def test_more_terms_of_the_series_are_nearer():
    assert all(sentences.series_by_hand({}, errors={1: 0.2, 4: 0.1, 16: 0.0}).because)
    assert not all(sentences.series_by_hand({}, errors={1: 0.2, 4: 0.1, 16: 0.1}).because)


def test_eigenvalues_are_near():
    near = pd.DataFrame({"exact": [1.0, 0.5], "found": [1.001, 0.5]})
    assert sentences.nystrom({}, eigenvalues=near).values["gap"] == pytest.approx(0.001)
    assert not all(sentences.nystrom({}, eigenvalues=2 * near.assign(exact=1.0)).because)


def test_near_objects_seem_too_near():
    ends = {"mean": 0.1, "min": 0.0}
    near = pd.DataFrame({**ends, "max": [0.0, 0.1, 0.15, 0.2]}, index=[0.0, 0.15, 0.2, 0.25])
    gap = np.full((2, 2), -0.1)
    assert all(sentences.one_network({}, gap=gap, distances=near).because)
    assert not all(sentences.one_network({}, gap=gap, distances=near + 0.1).because)


def test_one_encoder_answers_nothing_to_a_soft_order():
    assert not all(sentences.soft_order({}, learned=np.full((2, 2), -0.5)).because)


def test_training_misses_smaller_losses(study):
    frames = study.frames
    last = results.last_losses(frames["described"], study.histories("described")["described"])
    assert all(sentences.training_misses(frames, last=last).because)
    other = last.assign(loss=np.where(last["model"].eq("relu"), 1e-6, last["loss"]))
    assert not all(sentences.training_misses(frames, last=other).because)
    assert not all(sentences.training_misses(frames, last=last.assign(fall=0.0)).because)


@pytest.mark.slow
def test_the_losses_by_the_records_themselves(study):
    """The last loss of one run, read from its record."""
    last = results.last_losses(study.frames["described"], study.histories("described")["described"])
    run = last.index[0]
    (record,) = [one for key, one in study.records.items() if key == run]
    assert record["spec"]["model"]["name"] == last.loc[run, "model"]
    assert last.loc[run, "loss"] == pytest.approx(np.ravel(record["curve"]["loss"])[-1])
