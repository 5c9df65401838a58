"""Sentences of notebook 14 that take more than the tables of trials."""

import numpy as np

from abstractor_lib.experiments.simplicial_attention import sentences


def test_logits_whose_least_is_not_the_dot_product_of_the_keys_are_told():
    maps = {angle: np.array([np.cos(np.radians(angle)), 1.0]) for angle in (30, 60)}
    assert all(sentences.logits({}, maps).because)
    assert not all(sentences.logits({}, {30: np.array([0.0, 1.0])}).because)
    assert not all(sentences.logits({}, {60: np.array([0.5, 0.9])}).because)
