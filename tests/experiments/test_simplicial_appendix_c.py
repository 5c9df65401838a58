"""Appendix C for k vectors, and what is misprinted there."""

import numpy as np
import pytest

from abstractor_lib.experiments.simplicial_attention import appendix_c
from abstractor_lib.experiments.simplicial_attention.facts import factors
from abstractor_lib.theory import clifford, simplices


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_all_statements_hold(k):
    found = appendix_c.residuals(k)
    assert found.keys() == appendix_c.STATEMENTS.keys() and max(found.values()) < 1e-9


def test_the_claim_has_a_point_for_each_number_of_vectors():
    points = factors({}, "described").points
    assert [point.interval.estimate for point in points] == [0.0] * len(appendix_c.FACTORS)


def test_of_two_and_three_vectors_the_product_is_known():
    random = np.random.default_rng(0)
    a, b, c = random.standard_normal((3, 20, 5))
    assert clifford.unsigned_product(a, b) == pytest.approx(np.abs((a * b).sum(axis=-1)))
    assert clifford.unsigned_product(a, b, c) == pytest.approx(simplices.triple_product(a, b, c))


def test_printed_equations_differ_from_what_the_text_says():
    found = appendix_c.misprints().set_index("equation")
    assert (found["as printed"] > 0.1).all()
    assert (found["as the text around it says"] == 0).all()


def test_a_statement_that_is_broken_is_seen(monkeypatch):
    monkeypatch.setattr(appendix_c, "simplex_volume", lambda *vectors: 0.0)
    assert appendix_c.residuals(2)["volume"] > 0.1
