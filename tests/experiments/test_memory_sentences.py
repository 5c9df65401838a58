"""The sentence of notebook 09 that takes what the notebook has computed."""

import pandas as pd
import pytest

from abstractor_lib.experiments.memory import sentences

WEIGHTS = {"age": 0.3, "s2": 0.1, "bmi": 0.7, "s5": 0.8}


def test_features_are_ranked_as_the_sentence_says():
    assert all(sentences.features({}, weights=pd.Series(WEIGHTS)).because)


@pytest.mark.parametrize("other", [{"age": 0.9}, {"age": 0.0}, {"bmi": 0.9}])
def test_other_weights_are_not_what_the_sentence_says(other):
    assert not all(sentences.features({}, weights=pd.Series(WEIGHTS | other)).because)
