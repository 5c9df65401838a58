"""Sentences of notebook 07 that take more than the tables of trials."""

from abstractor_lib.experiments.robust_recovery import sentences
from abstractor_lib.findings.statistics import Interval


def test_an_example_that_is_not_recovered_is_told():
    assert all(sentences.small_example({}, 1e-12, 0.3).because)
    assert not all(sentences.small_example({}, 1e-3, 0.3).because)
    assert not all(sentences.small_example({}, 1e-12, 0.01).because)


def test_trained_symbols_unlike_gaussian_ones_are_told():
    def ends(order, sorting):
        means = {"order": order, "sorting": sorting, "gaussian": 0.5}
        return {
            (which, "dropout", symbols): Interval(means[symbols], 0, 1, 10)
            for which in ("order", "sorting")
            for symbols in (which, "gaussian")
        }

    said = sentences.trained_as_gaussian({}, ends(0.52, 0.53))
    assert all(said.because) and said.values["which"] == "sorting model, one head"
    for order, sorting in ((0.7, 0.5), (0.5, 0.3)):
        assert not all(sentences.trained_as_gaussian({}, ends(order, sorting)).because)
