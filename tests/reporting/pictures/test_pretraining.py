"""Pictures of notebook 03: what is drawn is what was recorded."""

import pytest

from abstractor_lib.experiments.pretraining import results
from abstractor_lib.reporting.pictures import pretraining
from abstractor_lib.reporting.study import Study


@pytest.fixture(scope="module")
def study():
    return Study("pretraining")


def test_a_bar_is_the_interval_of_a_claim(study):
    figure, points = pretraining.ratios(results.ratios(study.frames))
    judged = {(one.id, one.protocol): one for one in study.judged()}
    claimed = {
        (judged[name, protocol].low, judged[name, protocol].high)
        for name in results.ASKED
        for protocol in ("described", "sound")
        if (name, protocol) in judged
    }
    assert set(zip(points["low"], points["high"], strict=True)) == claimed
    arrows = [line for axis in figure.axes for line in axis.lines if line.get_marker() == ">"]
    assert len(arrows) == (points["high"] > pretraining.ENDS[1]).sum() > 0


def test_a_trial_whose_parent_has_not_learned_is_hollow_and_the_legend_says_so(study):
    figure, _ = pretraining.learning(study, "transformer")
    hollow = sum(
        len(line.get_xdata())
        for axis in figure.axes
        for line in axis.lines
        if line.get_markerfacecolor() == "white"
    )
    names = {line.model for line in pretraining.series("transformer")}
    rows = [table[table["model"].isin(names)] for table in study.frames.values()]
    assert hollow == sum((one["parent_learned"] == 0).sum() for one in rows) > 0
    (legend,) = figure.legends
    assert any("has not learned" in text.get_text() for text in legend.get_texts())


def test_runs_of_two_budgets_have_no_common_one(study):
    first = study.wanted("described", network="simple", variant="curve")
    assert pretraining.budget(first) == "batches of 512, at most 100 epochs"
    with pytest.raises(ValueError, match="expected one budget"):
        pretraining.budget([*first, *study.wanted("sound", network="simple", variant="curve")])
