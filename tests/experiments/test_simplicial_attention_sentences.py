"""Sentences on 2-simplicial attention, of numbers that they do not hold of."""

import numpy as np
import pandas as pd

from abstractor_lib.experiments.simplicial_attention import sentences


def test_a_product_that_is_alike_for_all_queries():
    products = {90: np.array([0.0, 1.0]), 60: np.array([0.5, 1.0])}
    assert all(sentences.logits({}, products).because)
    for other in (np.ones(2), np.array([0.0, 0.5])):
        assert not all(sentences.logits({}, products | {90: other}).because)


def test_updates_that_clean_no_pattern():
    right = pd.DataFrame([[5, 6, 6, 6], [5, 6, 6, 6], [6, 5, 5, 5]])
    assert all(sentences.patterns({}, right, 8).because)
    assert not all(
        sentences.patterns({}, right[[3, 2, 1, 0]].set_axis(range(4), axis=1), 8).because
    )
