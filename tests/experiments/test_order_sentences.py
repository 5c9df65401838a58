"""Sentences of notebook 01 that take what the notebook has computed."""

import pytest
import torch

from abstractor_lib.experiments.order import sentences
from abstractor_lib.experiments.order.inspect import Learned
from abstractor_lib.reporting.pictures import order as pictures

RIGHT = {"relation 1": 0.54, "relation 2": 0.53, "answer": 0.95}


def test_relations_of_objects_to_themselves_order_either_way():
    """Against counting: of 0, 2, 1 the pairs (0, 2) and (0, 1) ascend; of 3, 2, 1 all descend."""
    own = torch.tensor([[0.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    answers = torch.zeros(3, 3)
    assert pictures.alone(
        Learned(torch.diag_embed(own[:1]), answers, answers > 0)
    ) == pytest.approx(2 / 3)
    assert pictures.alone(Learned(torch.diag_embed(own), answers, answers > 0)) == 1


def test_near_chains_are_not_what_the_sentence_says():
    assert all(sentences.chain_distance({}, chain=14.6, nothing=5.7).because)
    assert not all(sentences.chain_distance({}, chain=5.0, nothing=5.7).because)


@pytest.mark.parametrize(
    "other",
    [
        {"right": {**RIGHT, "relation 2": 0.9}},  # one relation is the order
        {"right": {**RIGHT, "answer": 0.7}},  # the model is not
        {"apart": 10.0},  # its errors are anywhere
        {"alone": 0.55},  # relations of objects to themselves tell no more
    ],
)
def test_a_relation_that_orders_is_not_what_the_sentence_says(other):
    found = {"right": RIGHT, "alone": 0.76, "apart": 3.2, "mean": 11.0}
    assert all(sentences.learned_relation({}, **found).because)
    assert not all(sentences.learned_relation({}, **{**found, **other}).because)


def test_sentences_can_be_said_of_a_profile_without_runs():
    more = {
        "chain_distance": {"chain": 2, "nothing": 1},
        "learned_relation": {"right": RIGHT, "alone": 0.76, "apart": 3.2, "mean": 11.0},
    }
    names = ("answer", "another_draw", "equal_distance", "early_stopping", "transitivity")
    for name in (*names, "own_diagonal"):
        assert getattr(sentences, name)({}, **more.get(name, {})).because
