"""What the notebook says of chains: words follow the records, and none are there without."""

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.experiments.composition import sentences, settings
from abstractor_lib.findings.sentences import sentences as public

SAID = public(sentences).values()
MODELS = [*settings.NAMES, "two_layers_network", "chain_network"]


def frames(**means):
    """Five seeds of each model, whose accuracy is 0.8 unless it is given."""
    rows = [
        {"model": model, "variant": task, "trial": k, "own_accuracy": 0.6}
        | {"number_accuracy": 0.9 if task == "same" else None}
        | {"test_accuracy": means.get(f"{model}_{task}", means.get(model, 0.8)) + k / 1000}
        for model in MODELS
        for task in sentences.TASKS
        for k in range(8)
    ]
    return {"sound": pd.DataFrame(rows)}


@pytest.mark.parametrize("sentence", SAID)
def test_without_records_nothing_is_said(sentence):
    assert sentence({}).text == "(not run)"


@pytest.mark.parametrize("sentence", SAID)
def test_what_a_sentence_rests_on_comes_out(sentence):
    """Or it is a verdict, which tests of all sentences hold against the records."""
    for one in sentence(frames()).because:
        assert one.startswith("composition_") if isinstance(one, str) else one


def test_tasks_that_need_a_chain_are_named():
    assert "needed for none of the four tasks tried" in sentences.answer(frames()).text
    text = sentences.answer(frames(chain_rank=0.99, chain_alike=0.95)).text
    assert "needed for *rank* and *alike*" in text
    found = frames()
    rows = found["sound"]
    wide = rows["model"].eq("chain") & rows["variant"].eq("rank")
    rows.loc[wide, "test_accuracy"] += np.where(rows.loc[wide, "trial"] % 2, 0.19, -0.3)
    assert "is shown to be needed for none" in sentences.answer(found).text


def test_models_ahead_and_behind_are_told():
    text = sentences.others(frames(transformer_same=0.99, encoder=0.5)).text
    assert (
        "| a Transformer encoder | none of the four tasks | *same* | none of the four tasks |"
        in text
    )
    assert "an Abstractor that reads it | *rises*, *rank*, *same* and *alike* | none" in text
    text = sentences.others(frames(transformer_same=0.3)).text
    assert "stays a Transformer encoder on *same*: it has not learned" in text
    wide = frames()
    rows = wide["sound"]
    some = rows["model"].eq("transformer") & rows["variant"].eq("rank")
    rows.loc[some, "test_accuracy"] += np.where(rows.loc[some, "trial"] % 2, 0.15, -0.15)
    assert "none of the four tasks | *rank* |" in sentences.others(wide).text


def test_what_speaks_against_it_follows_the_records():
    assert "Neither is above it" in sentences.against(frames()).text
    assert "they know which" in sentences.against(frames(chain=0.97, two_layers=0.97)).text
    assert "One of the two" in sentences.against(frames(chain=0.97)).text
    text = sentences.against(frames(chain_rises=0.99, two_layers_rises=0.98)).text
    assert "On *rises* both have a mean above 0.95" in text


def test_advice_follows_the_records():
    said = sentences.practice(frames(encoder=0.9))
    assert "cost the same" in said.text and "By less than that" not in said.text
    slight = {f"chain_{task}": 0.82 for task in ("rises", "rank", "same", "alike")}
    assert "By less than that the chain is ahead" in sentences.practice(frames(**slight)).text
    assert "encoder, then Abstractor" in said.text and said.values["worst"] == pytest.approx(0.9035)
    assert "Try both" in sentences.practice(frames(chain_rank=0.99)).text
    above = frames(one_layer=0.62, one_layer_same=0.9)
    assert "furthest above it (on *same*)" in sentences.one_step(above).text
    said = sentences.read_out(frames(two_layers_network_same=0.9))
    assert "0.80 → 0.90" in said.text and "at once: little changes" in said.text
    assert "differ most on *same*" in said.text
    assert said.values["apart"].estimate == pytest.approx(0.1)
    worse = {f"{name}_network_rank": 0.5 for name in ("chain", "two_layers")}
    said = sentences.read_out(frames(**worse))
    assert "both models are far worse on *rank*" in said.text and "have lost" in said.text
    said = sentences.read_out(frames(chain_network_rank=0.2))
    assert "one of two models is far worse on *rank*" in said.text and "have lost" not in said.text
