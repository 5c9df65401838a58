"""The audit: what was changed by hand is found, on the machine class that wrote it and on any."""

import copy
from dataclasses import replace

import pytest

from abstractor_lib import experiments
from abstractor_lib.execution import audit, compute, driver
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.records.fingerprint import fingerprint, sealed
from abstractor_lib.records.spec import run_id
from abstractor_lib.records.workspace import Workspace

EXPERIMENTS = list(experiments.every())


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
    checks = audit.audit(shipped.records("order"), 60, refuse, seed=0)
    assert [check.how for check in checks] == ["whole"] * 4
    assert all(check.agrees for check in checks)
    assert shipped.file("order").read_bytes() == before
    found = audit.summary(checks, 4)
    assert (found.lines, found.verdict) == ([], "")
    assert found.total == (
        "audit: 4 records looked at, 4 computed again whole, 0 for their first numbers; 0 disagree"
    )


def test_an_audit_looks_at_all_and_computes_within_its_budget(shipped, record):
    """A record that was changed is told, whatever is drawn, and what it means is said."""
    records = shipped.records("order")
    records[record["run"]] = changed(record, ["metrics", "test_accuracy"], lambda x: x + 1e-6)
    checks = audit.audit(records, 1e-9, refuse, seed=0)
    (first, *others) = checks
    assert (first.run, first.how, first.agrees) == (record["run"], "seal", False)
    assert len(others) <= 1
    found = audit.summary(checks, 4)
    (line,) = found.lines
    assert line == f"{record['run'][:12]} order disagrees: it was changed after it was written"
    assert "4 records looked at" in found.total and found.total.endswith("1 disagree")
    assert "`abstractor show RUN` prints it" in found.verdict


@pytest.mark.parametrize(
    "path", [["metrics", "test_accuracy"], ["first_losses"], ["curve", "loss"]]
)
def test_an_audit_finds_a_number_that_was_changed_and_sealed_again(record, path):
    found = audit.check(sealed(changed(record, path, lambda value: value * (1 + 1e-6))), refuse)
    assert (found.how, found.agrees) == ("whole", False)
    assert path[-1].replace("_", " ") in found.detail.replace("_", " ")


def test_an_audit_of_another_machine_compares_first_numbers(record):
    other = elsewhere(record)
    other["metrics"]["test_accuracy"][0] += 0.1  # differs in distribution only: not compared
    scale = other["first_losses"][0]
    other["first_losses"][0] += 5e-6 * scale
    found = audit.check(other, refuse)
    assert (found.how, found.agrees) == ("first numbers", True)
    assert found.detail == "first numbers to 5.0e-06 of their scale"
    same = copy.deepcopy(record)
    same["provenance"]["sklearn"] = "another"
    assert audit.check(same, refuse).how == "first numbers"
    other["first_losses"][0] += 5e-5 * scale
    found = audit.check(other, refuse)
    assert (found.agrees, "allowed: 1e-05" in found.detail) == (False, True)
    other["provenance"]["device"] = "NVIDIA H200"
    found = audit.check(other, refuse)
    assert (found.how, found.agrees) == ("not auditable", None)


def test_a_record_that_does_not_say_its_processor_may_be_of_either_class(record):
    """It agrees if it comes out bitwise, and else if its first numbers agree."""
    record = copy.deepcopy(record)
    del record["provenance"]["processor"]
    found = audit.check(record, refuse)
    assert (found.how, found.agrees, found.detail) == ("whole", True, "bitwise")
    record["metrics"]["test_accuracy"][0] += 0.1
    found = audit.check(record, refuse)
    assert (found.agrees, found.detail) == (True, "first numbers to 0.0e+00 of their scale")
    record["first_losses"][0] *= 1.01
    assert audit.check(record, refuse).agrees is False


def test_an_audit_of_a_long_run_takes_its_first_numbers(record):
    record["provenance"]["seconds"] = 3600
    assert audit.check(record, refuse, left=5).how == "first numbers"


def test_a_child_whose_parent_left_no_weights_is_not_auditable(workspace, context):
    child = next(
        one for one in experiments.get("robust_recovery").grid("smoke", "described") if one.parents
    )
    record, _ = compute.record(child, context)
    load = driver.weights_of_parents(workspace)
    found = audit.check(record, load)
    assert (found.how, found.agrees) == ("not auditable", None)
    assert "are not there" in found.detail
    driver.compute_parents([child], workspace)
    found = audit.check(record, driver.weights_of_parents(workspace))
    assert (found.how, found.agrees) == ("whole", True)


def test_a_run_whose_data_are_not_there_is_not_auditable():
    """Mathematics problems beyond the sample are made on each machine."""
    mathematics = experiments.get("mathematics")
    spec = mathematics.grid("smoke", "described")[0]
    record, _ = compute.record(spec, compute.alone())
    assert set(record["provenance"]["data"]) == {"train", "validation"}
    assert audit.check(record, refuse).agrees is True
    record["provenance"]["data"]["train"] = "0" * 64
    found = audit.check(sealed(record), refuse)
    assert (found.agrees, found.detail) == (False, "another checksum of its data than recorded")
    many = replace(spec, task=replace(spec.task, train=10**9))
    record = {**record, "spec": many.canonical(), "run": many.id}
    found = audit.check(sealed(record), refuse)
    assert (found.how, found.agrees) == ("not auditable", None)
    assert "abstractor data mathematics" in found.detail


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
        paths = [["first_losses"]]
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


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_records_of_every_experiment_come_out_again_and_wrong_ones_do_not(name, context):
    """Changed in a metric, with its seal mended: found where it was written. Changed in its first
    numbers: found on any machine."""
    for spec in a_run_of_each_model(name):
        record, _ = compute.record(spec, context)
        assert audit.check(record, context.load).detail == "bitwise"
        metric = next(key for key, values in record["metrics"].items() if any(values))
        wrong = sealed(changed(record, ["metrics", metric], lambda value: value * (1 + 1e-6)))
        found = audit.check(wrong, context.load)
        assert (found.agrees, found.detail) == (False, f"another {metric} than recorded")
        other = elsewhere(record)
        found = audit.check(other, context.load)
        assert found.agrees, (spec.model, found.detail)
        part, values = next(iter(fingerprint(record).items()))
        path = ["fingerprint", part] if "fingerprint" in record else ["first_losses"]
        scale = max(abs(value) for value in values if value is not None)
        far = 10 * experiments.get(name).repeats.tolerance * scale
        wrong = sealed(changed(other, path, lambda value, far=far: value + far))
        assert audit.check(wrong, context.load).agrees is False, (spec.model, part)


PROMISED = [name for name in EXPERIMENTS if experiments.get(name).repeats.metrics]


@pytest.mark.parametrize("name", PROMISED)
def test_metrics_that_come_out_on_any_machine_are_compared_there(name, context):
    """Changed by more than the experiment allows, left out, or said to be undefined."""
    seen, promised = set(), experiments.get(name).repeats.metrics
    for spec in a_run_of_each_model(name):
        record = elsewhere(compute.record(spec, context)[0])
        known = record["metrics"]
        for metric in (one for one in promised if one in known and any(known[one])):
            seen.add(metric)
            allowed, path = promised[metric], ["metrics", metric]
            near = changed(record, path, lambda value, by=allowed: value + by / 2)
            assert audit.check(near, context.load).agrees
            wrong = [
                changed(record, path, lambda value, by=allowed: value + 2 * by),
                changed(record, path, lambda value: None),
                {**record, "metrics": {key: known[key] for key in known if key != metric}},
            ]
            for one in wrong:
                found = audit.check(one, context.load)
                assert (found.how, found.agrees) == ("whole", False)
                assert found.detail == f"another {metric} than recorded, beyond {allowed:g}"
    assert seen == set(promised)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_first_numbers_are_those_of_the_whole_run(name, context):
    for spec in a_run_of_each_model(name):
        whole = compute.outcome(spec, context)
        part = compute.outcome(spec, replace(context, first_numbers=True))
        assert fingerprint(vars(part)) == fingerprint(vars(whole)), spec.model
