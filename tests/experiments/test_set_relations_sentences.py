"""Sentences on SET from relations that take more than the tables of trials."""

import pandas as pd

from abstractor_lib.experiments.set_relations import sentences
from abstractor_lib.findings import prose


def trials(**accuracies):
    rows = [(model, 1000, "curve", accuracy) for model, accuracy in accuracies.items()]
    return {"sound": pd.DataFrame(rows, columns=["model", "size", "variant", "test_accuracy"])}


def test_a_control_that_learns_is_not_called_weak():
    others = trials(mlp=0.7, mlp_wide=0.8)
    said = sentences.weak_control(trials(features_mlp=0.5), others)
    assert all(said.because)
    assert "reach 0.70 and 0.80" in prose.fill(said.text, {}, said.values)
    assert not all(sentences.weak_control(trials(features_mlp=0.9), others).because)
    poor = trials(mlp=0.5, mlp_wide=0.8)
    assert not all(sentences.weak_control(trials(features_mlp=0.5), poor).because)
    for missing in (trials(mlp=0.7), {}):
        said = sentences.weak_control(trials(features_mlp=0.5), missing)
        assert not all(said.because) and prose.fill(said.text, {}, said.values)
    assert not all(sentences.weak_control({}, {}).because)
