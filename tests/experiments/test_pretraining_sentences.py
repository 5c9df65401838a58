"""Sentences of notebook 03 that take more than tables of trials."""

from abstractor_lib.experiments.pretraining import results, sentences


def test_curves_that_fall_anywhere_do_not_speak_for_a_batch_size():
    found = results.boundaries()
    assert all(sentences.falls({}, boundaries=found).because)
    found["falls"] = "1 of 5"
    assert not any(sentences.falls({}, boundaries=found).because)
