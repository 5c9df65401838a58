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


def test_long_runs_that_stand_still_are_not_said_to_improve():
    weights = [f"{one}full_sequence_accuracy" for one in ("", "final_", "best_accuracy_")]
    long = pd.DataFrame({"network": ["transformer", "ablation"], "budget": "long", "size": 1000})
    long = long.assign(variant="curve", model=long["network"] + "_long", trial=0)
    long = long.assign(**dict.fromkeys(weights, 0.1))
    enough = long.assign(size=3000, budget="main", model=long["network"])
    enough = enough.assign(**dict.fromkeys(weights, 0.9))
    frames = {"sound": pd.concat([long, enough])}
    history = pd.DataFrame({"run": ["a"] * 4 + ["b"] * 4, "update": [1, 2, 3, 4] * 2})
    history["network"] = ["transformer"] * 4 + ["ablation"] * 4
    history["validation_accuracy"] = [0.3, 0.3, 0.4, 0.5, 0.3, 0.3, 0.3, 0.3]
    said = sentences.long_runs(frames, history=history)
    assert all(said.because) and said.values["model"] == "Transformer"
    assert (said.values["third"], said.values["last"]) == (0.4, 0.5)
    still = history.assign(validation_accuracy=0.3)
    assert not all(sentences.long_runs(frames, history=still).because)
    assert "are not among" in sentences.long_runs({}, history=None).text
