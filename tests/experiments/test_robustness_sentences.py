"""Sentences of notebook 04 that take more than the tables of trials."""

import pandas as pd

from abstractor_lib.experiments.robustness import sentences


def test_ablations_that_learn_as_well_here_are_not_what_the_sentence_says():
    names = ["full_sequence_accuracy", "teacher_forcing_accuracy", "accuracy_sd"]
    names += [f"{one}_{end}" for one in ("relations", "objects") for end in ("angle", "distance")]
    level = {"level_0": 0.0, **{f"{name}_0": 0.5 for name in names}}
    here = pd.DataFrame({"trial": [0, 1], "clean_accuracy": [1.0, 0.1]})
    here = here.assign(model="ablation", variant="additive", **level)
    theirs = pd.Series({0: 0.99, 1: 0.95, 7: 0.0})  # the last has no trial here
    said = sentences.trained_otherwise({"sound": here}, theirs=theirs)
    assert all(one for one in said.because if not isinstance(one, str)) and said.values["n"] == 2
    learned = {"sound": here.assign(clean_accuracy=0.99)}
    assert not all(sentences.trained_otherwise(learned, theirs=theirs).because)
    assert not all(sentences.trained_otherwise({}, theirs=theirs).because)
