"""The audit: what was changed by hand is found, on the machine class that wrote it and on any."""

import copy
from dataclasses import replace
from math import isfinite

import pytest
import torch

from abstractor_lib import experiments
from abstractor_lib.execution import again, audit, compute, driver, machine
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.records.artifacts import packed
from abstractor_lib.records.fingerprint import distance, fingerprint
from abstractor_lib.records.seal import seal, sealed
from abstractor_lib.records.spec import run_id
from abstractor_lib.records.workspace import Workspace

EXPERIMENTS = list(experiments.by_name())
QUICK = ("order", "kernels", "memory")  # of which `make test` computes runs again


def slow_but_for_some(names):
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.fixture(scope="module")
def context():
    """Parents are trained by the code as it is, each once."""
    return compute.alone()


@pytest.fixture(scope="module")
def shipped(workspace_in, tmp_path_factory):
    """A workspace with four records."""
    workspace = workspace_in(tmp_path_factory.mktemp("shipped"))
    assert driver.compute_missing(order.grid("smoke", "sound")[:4], workspace) == 4
    return workspace


@pytest.fixture
def record(shipped):
    """One of them, read anew."""
    return next(iter(shipped.records("order").values()))


def refuse(parent):
    pytest.fail("the weights of a parent were asked for")


def changed(record, path, change):
    """A record with one number changed, and its seal as it was; ``path`` leads to a list."""
    record = copy.deepcopy(record)
    values = record
    for name in path:
        values = values[name]
    index = next(k for k, value in enumerate(values) if value is not None)
    values[index] = change(values[index])
    return record


def elsewhere(record):
    """A record as if another machine class had written it."""
    provenance = {**record["provenance"], "cpu_capability": "another"}
    return sealed({**record, "provenance": provenance})


def test_an_audit_agrees_and_writes_nothing(shipped):
    before = shipped.file("order").read_bytes()
    done = audit.audit(shipped.records("order"), 60, refuse, seed=0)
    assert [check.how for check in done.checks] == ["whole"] * 4
    assert all(check.agrees and not check.unchecked for check in done.checks)
    assert shipped.file("order").read_bytes() == before
    found = audit.summary(done)
    assert (found.lines, found.verdict) == ([], "")
    assert found.total == (
        "audit: 4 records looked at, 4 computed again, 4 of them in every metric; 0 disagree. "
        "Not checked, or not in every metric: 0 of those drawn, 0 that were not drawn"
    )


def test_an_audit_looks_at_all_and_computes_within_its_budget(shipped, record):
    """A record that was changed is told, whatever is drawn, and what it means is said."""
    records = shipped.records("order")
    records[record["run"]] = changed(record, ["metrics", "test_accuracy"], lambda x: x + 1e-6)
    done = audit.audit(records, 1e-9, refuse, seed=0)
    (first, *others) = done.checks
    assert (first.run, first.how, first.agrees) == (record["run"], "seal", False)
    assert len(others) <= 1
    found = audit.summary(done)
    line = found.lines[0]
    assert line == f"{record['run'][:12]} order disagrees: it was changed after it was written"
    assert "4 records looked at" in found.total and "1 disagree. Not checked" in found.total
    assert "`abstractor show RUN` prints it" in found.verdict
    assert found.verdict.endswith(found.total.partition("disagree. ")[2])  # as the exit says


@pytest.mark.parametrize(
    "path", [["metrics", "test_accuracy"], ["first_losses"], ["curve", "loss"]]
)
def test_an_audit_finds_a_number_that_was_changed_and_sealed_again(record, path):
    found = again.check(sealed(changed(record, path, lambda value: value * (1 + 1e-6))), refuse)
    assert (found.how, found.agrees) == ("whole", False)
    assert path[-1].replace("_", " ") in found.detail.replace("_", " ")


def test_an_audit_of_another_machine_compares_what_is_declared(record):
    """First numbers, shares of the data exactly, accuracies to a bound; the rest is told."""
    other = other_path(elsewhere(record))
    other["metrics"]["test_accuracy"][0] += 0.1  # differs in distribution only
    scale = other["first_losses"][0]
    other["first_losses"][0] += 5e-6 * scale
    found = again.check(other, refuse)
    assert (found.how, found.agrees) == ("whole", True)
    assert found.detail == "first numbers to 5.1e-06 of their scale"
    no, _, bound = found.unchecked.partition("; checked to a bound only: ")
    assert {"updates", "validation_loss"} < set(no.removeprefix("not checked: ").split(", "))
    assert "test_accuracy 0.3" in bound.split(", ") and "reversed_share" not in found.unchecked
    changes = (
        (["metrics", "test_accuracy"], lambda value: value - 0.45, "test_accuracy than recorded"),
        (["metrics", "reversed_share"], lambda value: value + 1e-6, "reversed_share than recorded"),
        (["first_losses"], lambda value: value + 5e-5 * scale, "allowed: 1e-05"),
    )
    for path, change, words in changes:
        found = again.check(changed(other, path, change), refuse)
        assert (found.agrees, words in found.detail) == (False, True), found
    for metrics in (
        {name: one for name, one in other["metrics"].items() if name != "updates"},
        {**other["metrics"], "more": [1.0] * len(other["metrics"]["updates"])},
    ):
        assert again.check({**other, "metrics": metrics}, refuse).agrees is False


def test_another_class_is_no_way_out_while_the_losses_are_bitwise_its_own(record):
    """It says that another machine wrote it, and has the losses of this one to the last digit."""
    metric = ["metrics", "validation_loss"]
    found = again.check(changed(elsewhere(record), metric, lambda x: x * 1.001), refuse)
    assert (found.how, found.agrees) == ("whole", False)
    assert found.detail == "another validation_loss than recorded"
    found = again.check(changed(elsewhere(record), metric, lambda x: x * (1 + 1e-8)), refuse)
    assert (found.agrees, found.detail) == (True, "losses bitwise, metrics closely")


def test_another_device_is_no_way_out_unseen(record):
    other = elsewhere(record)
    other["provenance"]["device"] = "NVIDIA H200"
    found = again.check(other, refuse)
    assert (found.how, found.agrees, found.unchecked) == ("not auditable", None, "all")
    other = sealed(other)
    told = audit.summary(audit.audit({other["run"]: other}, 60, refuse))
    assert told.lines == [f"{other['run'][:12]} order computed on NVIDIA H200"]
    assert "1 of those drawn" in told.total and not told.verdict
    assert told.total.endswith("Of all, 1 cannot be here: 1 were computed on another device")


def test_names_of_numpys_instructions_beyond_avx512_make_no_class(record):
    mine = record["provenance"]
    same = {**mine, "processor": "GenuineIntel, OpenBLAS SkylakeX, numpy AVX512_SPR"}
    other = {**mine, "processor": "GenuineIntel, OpenBLAS SkylakeX, numpy AVX512_ICL"}
    assert machine.same_class(same, other) is True
    other["processor"] = "GenuineIntel, OpenBLAS Haswell, numpy AVX512_ICL"
    assert machine.same_class(same, other) is False
    other["processor"] = "GenuineIntel, OpenBLAS SkylakeX, numpy AVX2"
    assert machine.same_class(same, other) is False


def test_a_record_that_does_not_say_its_processor_may_be_of_either_class(record):
    """It agrees if it comes out bitwise; else it is held against what comes out on any machine."""
    record = copy.deepcopy(record)
    del record["provenance"]["processor"]
    found = again.check(record, refuse)
    assert (found.how, found.agrees, found.detail) == ("whole", True, "bitwise")
    forged = changed(record, ["metrics", "test_accuracy"], lambda value: value + 0.1)
    assert again.check(forged, refuse).agrees is False
    found = again.check(other_path(forged), refuse)
    assert (found.agrees, "test_accuracy" in found.unchecked) == (True, True)
    record["first_losses"][0] *= 1.01
    assert again.check(record, refuse).agrees is False


def other_path(record):
    """A record whose last loss differs, as from another machine."""
    return changed(record, ["first_losses"], lambda value: value * (1 + 1e-7))


def test_an_audit_of_a_long_run_takes_its_first_numbers_and_says_so(record):
    record = copy.deepcopy(record)
    record["provenance"]["seconds"] = 3600
    found = again.check(record, refuse, left=5)
    assert (found.how, found.agrees, found.unchecked) == ("first numbers", True, "all")
    assert again.check(record, refuse, left=5, likely=4).how == "whole"


def test_a_record_cannot_call_itself_long(shipped, record):
    """Runs alike took a moment, so it is computed whole."""
    records = {
        run: sealed({**one, "provenance": {**one["provenance"], "seconds": 0.5}})
        for run, one in shipped.records("order").items()
    }
    forged = changed(record, ["metrics", "test_accuracy"], lambda value: value * 1.001)
    provenance = {**forged["provenance"], "seconds": 50}
    records[record["run"]] = sealed({**forged, "provenance": provenance})
    done = audit.audit(records, 40, refuse, seed=0)
    (bad,) = [one for one in done.checks if one.agrees is False]
    assert (bad.run, bad.how) == (record["run"], "whole")
    every = {
        run: sealed({**one, "provenance": {**one["provenance"], "seconds": 3600}})
        for run, one in records.items()
    }
    done = audit.audit(every, 5, refuse, seed=0)
    assert done.reach["length"] == len(every)
    assert f"{len(every)} take too long" in audit.summary(done).total


def test_a_run_that_cannot_be_computed_again_disagrees(record):
    spec = copy.deepcopy(record["spec"])
    spec["task"]["train"] = -5
    forged = sealed({**record, "spec": spec, "run": run_id(spec)})
    found = again.check(forged, refuse)
    assert found.agrees is False and found.detail.startswith("it cannot be computed again (")
    del spec["task"]["train"]
    forged = sealed({**record, "spec": spec, "run": run_id(spec)})
    with pytest.raises(ValueError, match=f"the record {forged['run'][:12]} of order has a spec"):
        audit.audit({forged["run"]: forged}, 5, refuse)


def test_artifacts_are_held_against_what_they_say_themselves(shipped, record):
    """Also where the seal, of an earlier release, leaves them out."""
    files, run = shipped.artifacts, record["run"]
    mine, others = (
        files.save(packed({"x": torch.ones(1)}, {"run": whose, "artifact": "weights/0"}))
        for whose in (run, "another")
    )

    def found(name, version=1):
        named = {**record, "artifacts": {"weights/0": name}}
        named["seal"] = seal(named, version)
        return audit.audit({run: named}, 1e-9, refuse, artifacts=files)

    good = found(mine)
    assert not [one for one in good.checks if one.how == "artifact"] and good.absent == 0
    (bad, *_) = found(others).checks
    assert (bad.how, bad.agrees) == ("artifact", False)
    assert bad.detail == "the file that it calls weights/0 is another run's"
    assert found("0" * 64).absent == 1
    assert "1 artifacts are not here" in audit.summary(found("0" * 64)).total
    files.path(mine).write_bytes(b"damaged")
    (bad, *_) = found(mine, version=2).checks
    assert (bad.how, "is damaged" in bad.detail) == ("artifact", True)


def test_records_that_were_emptied_are_an_error(workspace, monkeypatch):
    monkeypatch.setattr(audit, "Workspace", lambda: workspace)
    with pytest.raises(ValueError, match=r"order.jsonl and its packed file hold no record; "):
        audit.audit_shipped(["order"], 1)
    workspace.file("order").parent.mkdir(parents=True)
    workspace.file("order").touch()
    with pytest.raises(ValueError, match=r"hold no record"):
        audit.audit_shipped(["order"], 1)


def test_a_child_whose_parent_left_no_weights_is_not_auditable(workspace, context):
    child = next(
        one for one in experiments.get("robust_recovery").grid("smoke", "described") if one.parents
    )
    record, _ = compute.record(child, context)
    load = driver.weights_of_parents(workspace)
    found = again.check(record, load)
    assert (found.how, found.agrees) == ("not auditable", None)
    assert "are not there" in found.detail
    driver.compute_parents([child], workspace)
    found = again.check(record, driver.weights_of_parents(workspace))
    assert (found.how, found.agrees) == ("whole", True)


def test_a_run_whose_data_are_not_there_is_not_auditable():
    """Mathematics problems beyond the sample are made on each machine."""
    mathematics = experiments.get("mathematics")
    spec = mathematics.grid("smoke", "described")[0]
    record, _ = compute.record(spec, compute.alone())
    assert set(record["provenance"]["data"]) == {"train", "validation"}
    assert again.check(record, refuse).agrees is True
    record["provenance"]["data"]["train"] = "0" * 64
    found = again.check(sealed(record), refuse)
    assert (found.agrees, found.detail) == (False, "another checksum of its data than recorded")
    many = replace(spec, task=replace(spec.task, train=10**9))
    record = {**record, "spec": many.canonical(), "run": many.id}
    found = again.check(sealed(record), refuse)
    assert (found.how, found.agrees) == ("not auditable", None)
    assert "abstractor data mathematics" in found.detail


@pytest.mark.first(4)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_shipped_records_are_sealed_and_a_change_breaks_the_seal(name):
    """Of every experiment: in a metric, a loss, the curve, the fingerprint, the provenance, and in
    the spec, whose run id is then another."""
    workspace = Workspace()
    folder = workspace.file(name).parent
    if not list(folder.glob(f"{name}.jsonl*")):
        pytest.skip(f"no run of {name} ships yet")
    records = list(workspace.records(name).values())
    assert records, f"the record file of {name} is empty"
    assert all(audit.unsealed(one) is None for one in records)
    for record in records[:: max(1, len(records) // 20)]:
        paths = [["first_losses"]] if record["first_losses"] else []
        for part in ("metrics", "curve", "fingerprint"):
            paths += [[part, key] for key, values in record.get(part, {}).items() if any(values)]
        for path in paths:
            found = audit.unsealed(changed(record, path, lambda value: value * (1 + 1e-8) + 1e-12))
            assert (found.how, found.agrees) == ("seal", False), path
        provenance = {**record["provenance"], "seconds": 1e6}
        found = audit.unsealed({**record, "provenance": provenance})
        assert found.detail == "it was changed after it was written"
        spec = {**record["spec"], "trials": {"first": 77, "count": 1}}
        assert audit.unsealed({**record, "spec": spec}).detail == "its id is not that of its spec"
        moved = audit.unsealed({**record, "spec": spec, "run": run_id(spec)})
        assert moved.detail == "it was changed after it was written"


def a_run_of_each_model(name):
    """Of the smoke grid each model once, but for trials beyond the second."""
    experiment, chosen = experiments.get(name), {}
    for protocol in experiment.protocols:
        for spec in experiment.grid("smoke", protocol):
            if spec.model.name not in chosen:
                count = min(spec.trials.count, 2)
                chosen[spec.model.name] = replace(spec, trials=replace(spec.trials, count=count))
    return list(chosen.values())


def told(values):
    """Whether the first number of a metric, times a factor, is another one."""
    first = next((value for value in values if value is not None), 0.0)
    return isfinite(first) and first != 0.0


@pytest.mark.parametrize("name", slow_but_for_some(EXPERIMENTS))
def test_records_of_every_experiment_come_out_again_and_wrong_ones_do_not(name, context):
    """Changed in a metric, with its seal mended: found where it was written. Changed in its first
    numbers: found on any machine."""
    for spec in a_run_of_each_model(name):
        record, _ = compute.record(spec, context)
        assert again.check(record, context.load).detail == "bitwise"
        metric = next(key for key, values in record["metrics"].items() if told(values))
        wrong = sealed(changed(record, ["metrics", metric], lambda value: value * (1 + 1e-6)))
        found = again.check(wrong, context.load)
        assert (found.agrees, found.detail) == (False, f"another {metric} than recorded")
        other = elsewhere(record)
        found = again.check(other, context.load)
        assert found.agrees, (spec.model, found.detail)
        part, values = next(iter(fingerprint(record).items()))
        path = ["fingerprint", part] if "fingerprint" in record else ["first_losses"]
        scale = max(abs(value) for value in values if value is not None)
        far = 10 * experiments.get(name).repeats.tolerance * scale
        wrong = sealed(changed(other, path, lambda value, far=far: value + far))
        assert again.check(wrong, context.load).agrees is False, (spec.model, part)


PROMISED = [name for name in EXPERIMENTS if experiments.get(name).repeats.promises]


@pytest.mark.parametrize("name", slow_but_for_some(PROMISED))
def test_metrics_that_come_out_on_any_machine_are_compared_there(name, context, monkeypatch):
    """Changed by more than the experiment allows, left out, or said to be undefined. What is
    computed again is computed once."""
    seen, real = 0, compute.outcome
    for spec in a_run_of_each_model(name):
        record = other_class(compute.record(spec, context)[0])
        whole = real(spec, context)
        monkeypatch.setattr(again.compute, "outcome", lambda *given, whole=whole: whole)
        known, repeats = record["metrics"], experiments.get(name).repeating(spec)
        some = [one for one in sorted(known) if any(known[one])]
        for metric in some if not seen else some[:3]:
            allowed, path = repeats.allowed(metric, known[metric]), ["metrics", metric]
            if allowed == float("inf"):
                assert metric in again.loosely(record, repeats)
                continue
            seen += 1
            near = changed(record, path, lambda value, by=allowed: value + by / 2)
            assert again.check(near, context.load).agrees, (spec.model, metric)
            wrong = [
                changed(record, path, lambda value, by=allowed: value + 3 * by),
                changed(record, path, lambda value: None),
                {**record, "metrics": {key: known[key] for key in known if key != metric}},
            ]
            for one in wrong:
                found = again.check(one, context.load)
                assert (found.how, found.agrees) == ("whole", False)
                assert metric in found.detail
        monkeypatch.undo()
    assert seen


def other_class(record):
    """As if another machine class had written it, with losses of its own."""
    record = elsewhere(record)
    return other_path(record) if record["first_losses"] and record["curve"] else record


@pytest.mark.parametrize("name", slow_but_for_some(EXPERIMENTS))
def test_first_numbers_are_those_of_the_whole_run(name, context):
    for spec in a_run_of_each_model(name):
        whole = compute.outcome(spec, context)
        part = compute.outcome(spec, replace(context, first_numbers=True))
        if name == "nonlinear_recovery":  # where memory lies, its solver's last digit depends on
            apart = distance(fingerprint(vars(part)), fingerprint(vars(whole)))
            assert apart <= 1e-13, spec.model
        else:
            assert fingerprint(vars(part)) == fingerprint(vars(whole)), spec.model
