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


def test_a_line_is_the_mean_of_all_trials_of_an_arm(study):
    _, points = pretraining.learning(study, "transformer")
    table = study.frames["sound"]
    (line,) = [one for one in pretraining.series("transformer") if one.label == "new objects"]
    rows = table[table["model"].eq(line.model) & table["variant"].eq(line.variant)]
    means = rows.groupby("size")[pretraining.METRIC].mean()
    drawn = points[points["panel"].eq("sound") & points["series"].eq("new objects")]
    assert drawn["trial"].notna().sum() == len(rows)  # and each trial is a dot
    found = drawn[drawn["trial"].isna()].set_index("x")["mean"]
    assert found.to_dict() == pytest.approx(means.to_dict()) and len(found) > 3


def test_beside_the_parents_stands_how_many_have_learned(study):
    figure, _ = pretraining.parents(study)
    shown = figure.axes[0]
    counts = [text.get_text() for text in shown.texts]
    first = study.frames["described"].query("variant == 'pretraining'")
    learned = (first["own_accuracy"] >= 0.99).groupby(first["model"]).sum()
    assert sorted(counts) == sorted(f"{count} of 10" for count in learned)


def test_runs_of_two_budgets_have_no_common_one(study):
    first = study.wanted("described", network="simple", variant="curve")
    assert pretraining.budget(first) == "batches of 512, at most 100 epochs"
    with pytest.raises(ValueError, match="expected one budget"):
        pretraining.budget([*first, *study.wanted("sound", network="simple", variant="curve")])
