"""Sentences of notebook 02 that take more than the tables of trials."""

import numpy as np
import pandas as pd

from abstractor_lib.experiments.sorting import sentences


def test_baselines_that_did_not_fit_their_training_sequences_did_not_memorise_them():
    history = pd.DataFrame(
        {
            "run": ["a", "a", "b", "b"],
            "update": [1, 2, 1, 2],
            "loss": [2.0, 0.1, 2.0, 0.1],
            "validation_loss": [1.6, 2.0, 1.7, 2.0],
            "validation_accuracy": [0.3, 0.3, 0.3, 0.3],
        }
    )
    said = sentences.memorise({}, history=history)
    assert all(said.because) and (said.values["first"], said.values["late"]) == (1, 1)
    assert not all(sentences.memorise({}, history=history.assign(loss=1.5)).because)
    assert not all(sentences.memorise({}, history=history.assign(validation_loss=0.1)).because)
    assert not all(sentences.memorise({}, history=None).because)


def test_relations_that_are_even_do_not_point_to_neighbours():
    even, near = np.full((1, 4, 4), 0.25), np.eye(4)[None]
    attention = [even, near]
    said = sentences.neighbours({}, relations=[0.5 * (even + near), near], attention=attention)
    assert all(said.because)
    assert (said.values["early"], said.values["late"]) == (0.25, 1.0)
    assert not all(sentences.neighbours({}, relations=[even, even], attention=attention).because)
