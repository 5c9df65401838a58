"""What notebook 07 says beside its records, and what its trials come to."""

import numpy as np
import pytest

from abstractor_lib.experiments.robust_recovery import sentences
from abstractor_lib.experiments.robust_recovery.results import Summary
from abstractor_lib.findings.statistics import Interval
from abstractor_lib.reporting.study import Study


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


@pytest.mark.slow
def test_a_summary_finds_the_grid_in_its_trials():
    study = Study("robust_recovery")
    found, amount = Summary(study.table("described")), study.experiment.profiles["laptop"]
    assert (found.rows, tuple(found.ratios)) == (amount.rows, amount.ratios)
    assert tuple(found.other_rows) == amount.other_rows
    assert sorted(found.cells.index.unique("errors")) == sorted(amount.errors)
    few = found.main.query("variant == 'dropout' and ratio == 0.02")
    shares = few.groupby(["trial", "errors"]).recovered.mean().unstack()
    steps = np.diff([0.0, *shares.columns])
    area = ((shares + shares.shift(1, axis=1).fillna(1.0)) / 2 * steps).sum(axis=1)
    assert found.ends["dropout", 0.02].estimate == pytest.approx(area.mean())
    assert found.sure == (found.independent.low > 0.95).sum()
    edge = found.fitted_on[found.fitted_on.theorem <= found.safe["theorem"]]
    assert edge.groupby(["ratio", "errors"]).recovered.mean().min() >= 0.99
    assert set(found.sizes_apart) <= set(found.sizes)
