"""Plans, the driver, records and the audit, on real runs of the smoke grid."""

import json
import pickle
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from abstractor_lib import Failure, paths
from abstractor_lib.execution import audit, compute, driver
from abstractor_lib.execution.executors import WorkerLost
from abstractor_lib.execution.loky_executor import Loky
from abstractor_lib.execution.plan import cost, estimate, plan, shard
from abstractor_lib.experiments import order, robust_recovery
from abstractor_lib.records import store
from abstractor_lib.records.spec import Trials


@pytest.fixture(scope="module")
def specs():
    return order.grid("smoke", "sound")[:4]


@pytest.fixture(scope="module")
def shipped(specs, tmp_path_factory):
    """Four computed records in a store, by two workers."""
    path = tmp_path_factory.mktemp("records") / "order.jsonl"
    with Loky(2) as workers:
        assert driver.compute_missing(specs, path, executor=workers) == 4
    return path


class Breaking(Loky):
    """Computes one item, and then ``error`` happens."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def map(self, function, items, *needs):
        yield next(super().map(function, items, *needs))
        raise self.error


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (WorkerLost("a worker was killed"), Failure, "a worker was killed; 1 of 4 runs are rec"),
        (KeyboardInterrupt(), KeyboardInterrupt, "interrupted; 1 of 4 runs are recorded, the sa"),
    ],
)
def test_what_was_done_is_kept_and_said(specs, tmp_path, error, raised, message):
    path = tmp_path / "order.jsonl"
    with pytest.raises(raised, match=message):
        driver.compute_missing(specs, path, executor=Breaking(error))
    assert len(store.load(path)) == 1
    assert driver.compute_missing(specs[1:], path) == 3


def test_an_interruption_between_writing_and_counting_is_counted(specs, tmp_path, monkeypatch):
    real = store.Writer.append

    def interrupted(self, record):
        real(self, record)
        raise KeyboardInterrupt

    monkeypatch.setattr(store.Writer, "append", interrupted)
    with pytest.raises(KeyboardInterrupt, match="interrupted; 1 of 4 runs are recorded"):
        driver.compute_missing(specs, tmp_path / "order.jsonl")


def test_a_worker_needs_no_checkout(specs, shipped, tmp_path):
    """A run, and one that starts from another, in a process that has the package alone."""
    child = next(one for one in robust_recovery.grid("smoke", "described") if one.parents)
    starts = driver.starting_points([child], tmp_path / "weights", Loky())
    shutil.copytree(paths.root() / "abstractor_lib", tmp_path / "installed" / "abstractor_lib")
    script = (
        "import json, pickle, sys\n"
        "function, job = pickle.load(sys.stdin.buffer)\n"
        "from abstractor_lib import paths\n"
        "try: paths.root()\n"
        "except paths.NoCheckout: print(json.dumps(function(job)))\n"
    )
    for spec in (specs[0], child):
        job = driver.with_starts(spec, starts)
        found = subprocess.run(
            [sys.executable, "-P", "-c", script],
            input=pickle.dumps((driver.attempt, job)),
            env={"PYTHONPATH": str(tmp_path / "installed"), "OMP_NUM_THREADS": "1"},
            cwd=tmp_path,
            capture_output=True,
            timeout=120,
        )
        record = json.loads(found.stdout)
        expected = driver.attempt(job)
        assert record["metrics"] == expected["metrics"]
        assert record["run"] == spec.id


def test_one_and_two_workers_give_the_same_bits(specs, shipped):
    records = store.load(shipped)
    for spec in specs:
        again = compute.record(spec)
        assert again["metrics"] == records[spec.id]["metrics"]
        assert again["first_losses"] == records[spec.id]["first_losses"]
        assert again["curve"] == records[spec.id]["curve"]


def test_a_record_holds_what_it_should_in_few_bytes(specs, shipped):
    for record in store.load(shipped).values():
        provenance = record["provenance"]
        assert {"torch", "numpy", "python", "device", "cpu_capability", "threads"} <= set(
            provenance
        )
        assert {"seconds", "peak_memory_mib", "date", "commit"} <= set(provenance)
        assert provenance["threads"] == 1
        assert len(record["first_losses"]) == 10
        assert len(record["curve"]["update"]) <= 32
        assert len(json.dumps(record)) < 5000
        assert all(len(v) == 2 for v in record["metrics"].values())


def test_a_pause_does_not_count_as_computing_time(specs, monkeypatch):
    begun, real = time.perf_counter(), compute.outcome

    def paused(*given, **options):
        time.sleep(1)
        return real(*given, **options)

    monkeypatch.setattr(compute, "outcome", paused)
    seconds = compute.record(specs[0])["provenance"]["seconds"]
    assert 0 < seconds < time.perf_counter() - begun - 0.9


def test_plan_found_missing_and_stale(specs, shipped):
    records = store.load(shipped)
    found = plan("order", "smoke", "sound", records)
    assert set(found.found) == {spec.id for spec in specs}
    assert len(found.found) + len(found.missing) == len(found.specs)
    assert (found.complete, found.why, found.stale) == (False, "partly computed", [])
    older = {}
    for record in records.values():  # the same specs under an earlier version of the experiment
        spec = replace(order.spec(record["spec"]), version=0)
        older[spec.id] = {**record, "run": spec.id, "spec": spec.canonical()}
    found = plan("order", "smoke", "sound", older)
    assert {spec.id for spec in found.stale} == {spec.id for spec in specs}
    assert found.why == "4 of another version of the experiment"
    assert plan("order", "smoke", "sound", {}).why == "not computed"


def test_estimates_come_from_records_of_the_same_model(specs, shipped):
    records = store.load(shipped)
    for record in records.values():
        record["provenance"]["seconds"] = 0.2  # 20 updates at 10 ms
    large = [replace(spec, training=replace(spec.training, updates=2000)) for spec in specs]
    trials = large[0].trials.count
    assert cost(large[0]) == 2000 * trials
    assert estimate(large, records).seconds == pytest.approx(4 * 2000 * 0.01)
    largest = max(record["provenance"]["peak_memory_mib"] for record in records.values())
    assert estimate(large, records).memory_mib == largest > 100
    more = [replace(spec, trials=Trials(0, 3 * trials)) for spec in large]
    assert estimate(more, records).seconds == pytest.approx(3 * 4 * 2000 * 0.01)
    by_epochs = order.grid("laptop", "published")[10]
    batches = -(-by_epochs.task.train // 64)
    assert cost(by_epochs) == 100 * batches * by_epochs.trials.count


def test_estimates_of_shipped_theory_are_what_it_took():
    """Runs that leave no curve, and runs whose curve counts evaluations, not updates."""
    for name in ("sparse_recovery", "kernels"):
        records = store.load(paths.records(name))
        specs = plan(name, "laptop", "described", {}).missing
        took = sum(record["provenance"]["seconds"] for record in records.values())
        assert 0.3 < estimate(specs, records).seconds / took < 3


def test_diverging_runs_are_named_when_all_others_are_done(specs, tmp_path, monkeypatch):
    def one_diverges(spec, **options):
        if spec == specs[1]:
            raise FloatingPointError("run abc: the training loss is not finite at update 3")
        return compute.record(spec, **options)

    monkeypatch.setattr(driver, "record", one_diverges)
    path = tmp_path / "order.jsonl"
    with pytest.raises(Failure, match=r"run abc: .* update 3; 1 of 4 runs diverged, 3 are recor"):
        driver.compute_missing(specs, path)
    assert set(store.load(path)) == {spec.id for spec in specs} - {specs[1].id}


def test_parents_are_trained_once_in_the_folder_that_is_named(tmp_path):
    """And not looked for among the weights that ship or were built before."""
    specs = [
        spec
        for spec in robust_recovery.grid("smoke", "described")
        if spec.task.symbols.startswith("sorting") and spec.task.errors == 0.1
    ]
    path, folder = tmp_path / "robust_recovery.jsonl", tmp_path / "weights"
    driver.compute_missing(specs, path, weights=folder)
    (file,) = folder.iterdir()
    written = file.stat().st_mtime_ns
    driver.compute_missing(specs, tmp_path / "again.jsonl", weights=folder)
    assert file.stat().st_mtime_ns == written
    assert len(store.load(path)) == len(specs) > 1


def test_a_parent_that_diverges_is_named(specs, tmp_path, monkeypatch):
    def diverges(*given, **options):
        raise FloatingPointError("run abc: the training loss is not finite at update 3")

    monkeypatch.setattr(compute, "trained", diverges)
    child = next(one for one in robust_recovery.grid("smoke", "described") if one.parents)
    with pytest.raises(Failure, match=r"run abc: .* update 3, and other runs start from it"):
        driver.compute_missing([child], tmp_path / "robust_recovery.jsonl", weights=tmp_path)


def test_peak_memory_is_that_of_the_run(specs, monkeypatch):
    """Not of what the process did before it."""
    real = compute.outcome

    def hungry(*given, **options):
        np.ones(size * 2**17).sum()
        return real(*given, **options)

    monkeypatch.setattr(compute, "outcome", hungry)
    size = 1500
    large = compute.record(specs[0])["provenance"]["peak_memory_mib"]
    size = 1
    small = compute.record(specs[0])["provenance"]["peak_memory_mib"]
    if not sys.platform.startswith("linux"):
        pytest.skip("the system cannot forget a process's peak")
    assert small < large - 1000


def test_shards_partition(specs):
    parts = [shard(list(range(11)), f"{i}/3") for i in (1, 2, 3)]
    assert sorted(number for part in parts for number in part) == list(range(11))
    for bad in ("0/3", "4/3", "3", "a/b"):
        with pytest.raises(ValueError, match="expected i/k with 1 <= i <= k"):
            shard([1], bad)


def test_audit_agrees_and_writes_nothing(shipped):
    before = shipped.read_bytes()
    checks = audit.audit(store.load(shipped), budget=60, seed=0)
    assert [check.how for check in checks] == ["whole"] * 4
    assert all(check.agrees for check in checks)
    assert shipped.read_bytes() == before


@pytest.mark.parametrize("part", ["metrics", "first_losses"])
def test_audit_finds_a_changed_number(shipped, part):
    record = next(iter(store.load(shipped).values()))
    if part == "metrics":
        record["metrics"]["test_accuracy"][0] += 1e-6
    else:
        record["first_losses"][3] *= 1 + 1e-6
    found = audit.check(record)
    assert found.agrees is False
    assert ("test_accuracy" if part == "metrics" else "first losses") in found.detail


def test_audit_of_another_machine_compares_first_updates(shipped):
    record = next(iter(store.load(shipped).values()))
    record["provenance"]["cpu_capability"] = "another"
    record["metrics"]["test_accuracy"][0] += 0.1  # differs in distribution only: not compared
    record["first_losses"][3] *= 1 + 5e-5
    found = audit.check(record)
    assert (found.how, found.agrees) == ("first updates", True)
    same = next(iter(store.load(shipped).values()))
    same["provenance"]["sklearn"] = "another"
    assert audit.check(same).how == "first updates"
    record["first_losses"][3] *= 1 + 5e-4
    assert audit.check(record).agrees is False
    record["provenance"]["device"] = "NVIDIA H200"
    assert audit.check(record).how == "not auditable"


def test_audit_of_a_long_run_takes_its_first_updates(shipped):
    record = next(iter(store.load(shipped).values()))
    record["provenance"]["seconds"] = 3600
    assert audit.check(record, left=5).how == "first updates"


def test_weights_are_computed_once_and_found_again(specs, monkeypatch, tmp_path):
    first = compute.weights(specs[0], 1, tmp_path)
    monkeypatch.setattr(compute, "outcome", lambda *given, **options: pytest.fail("computed again"))
    again = compute.weights(specs[0], 1, tmp_path)
    assert all((again[name] == value).all() for name, value in first.items())
    with pytest.raises(ValueError, match=r"trial is 2; allowed: \[0, 1\]"):
        compute.weights(specs[0], 2)


def test_paths_keep_other_profiles_out_of_the_tree():
    root = paths.root()
    assert paths.records("order") == root / "data" / "records" / "order.jsonl"
    for profile, fresh in (("smoke", False), ("smoke", True), ("laptop", True), ("paper", False)):
        assert paths.records("order", profile, fresh).is_relative_to(root / "build" / profile)
        assert paths.output(profile, fresh) == root / "build" / profile
