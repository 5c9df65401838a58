"""Studies: complete grids are shown, weights are loaded and never trained."""

import pytest

from abstractor_lib.execution import compute, driver
from abstractor_lib.execution.estimate import core_seconds
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.findings import sentences
from abstractor_lib.pages.reproduce import computing_time, judged, studies
from abstractor_lib.records import store
from abstractor_lib.records.artifacts import Damaged
from abstractor_lib.reporting.study import Incomplete, Page, Study

FIRST, *_, LARGEST = order.profiles["smoke"].sizes


@pytest.fixture(scope="module")
def computed(workspace_in, tmp_path_factory):
    """A workspace with the smoke grid of one protocol."""
    workspace = workspace_in(tmp_path_factory.mktemp("computed"))
    driver.compute_missing(order.grid("smoke", "sound"), workspace)
    return workspace


@pytest.fixture
def untrained(monkeypatch):
    """Whatever computes a run fails the test."""
    monkeypatch.setattr(compute, "outcome", lambda *given: pytest.fail("a run was computed"))


def test_only_complete_grids_are_used(computed, untrained):
    study = Study("order", computed)
    assert set(study.frames) == {"sound"}
    specs = order.grid("smoke", "sound")
    assert set(study.records) == {spec.id for spec in specs}
    assert len(study.table("sound")) == sum(spec.trials.count for spec in specs)
    assert study.panels("sound", "published")["published"] is None
    with pytest.raises(Incomplete, match="not run: order, published, smoke: not computed; to com"):
        study.table("published")
    with pytest.raises(Incomplete, match="not run: order, published, smoke: not computed; to com"):
        study.weights(study.wanted("published")[0], 0)
    assert study.folder == computed.figures
    state = study.state().set_index("protocol")
    assert state.state.to_dict() == {
        "described": "not computed",
        "published": "not computed",
        "sound": "complete",
    }
    parts = study.parts("sound")
    assert parts.loc["all", "runs"] == parts.loc["all", "found"] == len(specs)
    assert parts.loc["main", "runs"] < len(specs)
    assert parts.loc["all", "core hours"] == pytest.approx(0, abs=0.1)
    assert study.parts("published")["found"].sum() == 0
    assert {one.verdict for one in study.judged() if one.protocol == "published"} == {"not run"}
    assert any(one.verdict != "not run" for one in study.judged())


def test_weights_are_loaded_and_never_trained(computed, untrained):
    study = Study("order", computed)
    spec = study.spec("sound", "abstractor", LARGEST)
    found = study.weights(spec, 0)
    assert set(found) and all(value.shape for value in found.values())
    with pytest.raises(Incomplete, match=rf"the run {spec.id[:12]} left no weights/1; a r"):
        study.weights(spec, 1)
    other = study.spec("sound", "mlp", LARGEST)
    with pytest.raises(Incomplete, match=rf"the run {other.id[:12]} left no weights/0"):
        study.weights(other, 0)
    with pytest.raises(ValueError, match=r"the sound grid of order has no run .*'size': 41"):
        study.spec("sound", "mlp", 41)  # a size of no profile


def test_damaged_weights_are_told_and_computed_again_once_deleted(computed, untrained, monkeypatch):
    study = Study("order", computed)
    spec = study.spec("sound", "abstractor", LARGEST)
    (name,) = study.records[spec.id]["artifacts"].values()
    path = computed.artifacts.path(name)
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    with pytest.raises(Damaged, match=rf"artifacts/{path.name} is damaged: .*; delete it, and the"):
        study.weights(spec, 0)
    path.unlink()
    study = Study("order", computed)
    assert study.plans["sound"].why == "complete, 1 without weights"
    assert "sound" in study.frames  # tables need no weights
    with pytest.raises(Damaged, match=rf"the artifact {name[:12]} is not in artifacts/"):
        study.weights(spec, 0)
    monkeypatch.undo()
    assert driver.compute_missing(study.plans["sound"].missing, computed) == 1
    assert path.read_bytes() == whole
    assert Study("order", computed).weights(spec, 0)


def test_a_page_without_records_and_studies_of_a_workspace(computed, workspace):
    assert Page(workspace).records == {}
    assert Page(workspace).folder == workspace.figures
    assert Page().folder == Page(None).workspace.figures
    found = studies(computed)
    seconds, missing = computing_time(found)
    records = computed.records("order").values()
    assert seconds == pytest.approx(sum(one["provenance"]["seconds"] for one in records))
    specs = {
        spec.id for study in found.values() for one in study.plans.values() for spec in one.specs
    }
    started = {run for study in found.values() for run in study.ancestors()}
    assert missing == len(specs | started) - len(records)
    ranks = [one.verdict for one in judged(found)]
    assert ranks == sorted(ranks, key=["fails", "undecided", "holds", "not run"].index)
    assert found["order"].records_hash == store.records_hash(found["order"].records)
    assert len(computed.file("order").read_text().splitlines()) >= len(records)


def test_time_counts_runs_that_others_start_from():
    """Robustness starts from sorters, most of which are in no grid."""
    study = Study("robustness")
    started = {
        parent.spec.id
        for grid in study.plans.values()
        for spec in grid.specs
        for parent in spec.parents.values()
    }
    found = study.ancestors()
    assert set(found) == started
    known = {run: one for run, one in found.items() if one}
    assert {one["spec"]["experiment"] for one in known.values()} >= {"sorting"}
    own = {run: one for grid in study.plans.values() for run, one in grid.records.items()}
    assert set(known) - set(own)
    seconds, missing = computing_time({"robustness": study})
    assert seconds == core_seconds([*own.values(), *known.values()]) > core_seconds(own.values())
    assert missing == len(found) - len(known) + sum(len(g.missing) for g in study.plans.values())


def test_sentences_hold_numbers_of_the_records_and_rest_on_verdicts(computed, monkeypatch):
    study = Study("order", computed)

    def say(*sentence, **values) -> str:
        made = sentences.Sentence(*sentence, **values)
        monkeypatch.setattr(sentences, "named", lambda module, name: lambda frames: made)
        return study.say("made_here").data

    asked = "order_v3_abstractor_learns"
    one = next(one for one in study.judged() if (one.id, one.protocol) == (asked, "sound"))
    said = say(f"It reaches {{{asked}.sound}}, of {{n}}.", 1 < 2, n=3)
    assert said.endswith(f"It reaches {one.measured:.2f} [{one.low:.2f}, {one.high:.2f}]†, of 3.")
    assert said.startswith("*Written for the records that ship; numbers of the profile `smoke`.*")
    assert "(not run)" in say(f"{{{asked}.published}}", 1 < 2)
    assert f"{one.published:.3f}" in say(f"{{{asked}.sound:paper}}", 1 < 2)
    assert say(f"{{{asked}.sound:verdict}}", 1 < 2).endswith(one.verdict)
    wrong = next(name for name in ("holds", "fails") if name != one.verdict)
    assert say("A sentence.", f"{asked}.sound {wrong}").endswith("A sentence.")
    monkeypatch.setattr(type(computed), "ships", True)
    with pytest.raises(ValueError, match=f"{asked}.sound is '{one.verdict}'; the sentence says"):
        say("A sentence.", f"{asked}.sound {wrong}")
    assert say("A sentence.", f"{asked}.sound {one.verdict}") == "A sentence."
    assert say("A sentence.", 1 < 2) == "A sentence."
    with pytest.raises(ValueError, match="comparison 2 that the sentence rests on is False"):
        say("A sentence.", 1 < 2, 2 < 1)
    with pytest.raises(ValueError, match="the sentence names 'nothing'; expected CLAIM"):
        say("{nothing}", 1 < 2)
    with pytest.raises(ValueError, match="the sentence rests on 'nothing"):
        say("A sentence.", "nothing.sound holds")


def test_brackets_of_training_sizes(computed):
    study = Study("order", computed)
    found = study.sizes_to_reach([0.0, 2.0], ["mlp", "nobody"], "test_accuracy")
    assert found.model.unique().tolist() == ["mlp"]
    assert found.low.tolist() == [0, LARGEST] and found.high.tolist() == [FIRST, float("inf")]
