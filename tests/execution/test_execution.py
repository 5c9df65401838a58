"""Plans, the driver, records and artifacts, on real runs of the smoke grid."""

import copy
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from abstractor_lib import Failure, paths
from abstractor_lib.execution import compute, driver
from abstractor_lib.execution.estimate import cost, estimate
from abstractor_lib.execution.executors import WorkerLost
from abstractor_lib.execution.job import attempt
from abstractor_lib.execution.loky_executor import Loky
from abstractor_lib.execution.plan import locate, plan, shard
from abstractor_lib.experiments.context import Context
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.experiments.pretraining import EXPERIMENT as pretraining
from abstractor_lib.experiments.robust_recovery import EXPERIMENT as robust_recovery
from abstractor_lib.experiments.robustness import EXPERIMENT as robustness
from abstractor_lib.records import store
from abstractor_lib.records.artifacts import Artifacts, Damaged, digest
from abstractor_lib.records.seal import seal
from abstractor_lib.records.spec import Trials
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.training.checkpoint import Checkpoint


@pytest.fixture(scope="module")
def specs():
    """The first leaves its weights."""
    every = order.grid("smoke", "sound")
    return [*(spec for spec in every if spec.keep), *every[:3]]


@pytest.fixture(scope="module")
def shipped(specs, workspace_in, tmp_path_factory):
    """A workspace with their records, computed by two workers."""
    workspace = workspace_in(tmp_path_factory.mktemp("shipped"))
    with Loky(2) as workers:
        assert driver.compute_missing(specs, workspace, executor=workers) == len(specs)
    return workspace


@pytest.fixture
def children():
    """Runs that start from one sorting model."""
    return [
        spec
        for spec in robust_recovery.grid("smoke", "described")
        if spec.task.symbols.startswith("sorting") and spec.task.errors == 0.1
    ]


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
        (WorkerLost("a worker was killed"), Failure, "a worker was killed; 1 of {} runs are rec"),
        (KeyboardInterrupt(), KeyboardInterrupt, "interrupted; 1 of {} runs are recorded, the sa"),
    ],
)
def test_what_was_done_is_kept_and_said(specs, workspace, error, raised, message):
    with pytest.raises(raised, match=message.format(len(specs))):
        driver.compute_missing(specs, workspace, executor=Breaking(error))
    assert len(workspace.records("order")) == 1
    missing = plan("order", "sound", workspace).missing
    rest = [one for one in missing if one in specs]
    assert driver.compute_missing(rest, workspace) == len(specs) - 1


def test_an_interruption_between_writing_and_counting_is_counted(specs, workspace, monkeypatch):
    real = store.Writer.append

    def interrupted(self, record):
        real(self, record)
        raise KeyboardInterrupt

    monkeypatch.setattr(store.Writer, "append", interrupted)
    told = f"interrupted; 1 of {len(specs)} runs are recorded"
    with pytest.raises(KeyboardInterrupt, match=told):
        driver.compute_missing(specs, workspace)


class Apart(Loky):
    """Workers that share no files with this process."""

    shares_files = False


@pytest.mark.slow
def test_a_worker_needs_no_checkout(specs, children, workspace, tmp_path):
    """A run, and one that starts from another, in a process that has the package alone."""
    driver.compute_parents(children, workspace)
    shutil.copytree(paths.root() / "abstractor_lib", tmp_path / "installed" / "abstractor_lib")
    script = (
        "import pickle, sys\n"
        "function, job = pickle.load(sys.stdin.buffer)\n"
        "from abstractor_lib import paths\n"
        "try: paths.root()\n"
        "except paths.NoCheckout: sys.stdout.buffer.write(pickle.dumps(function(job)))\n"
    )
    wanted = [specs[0], children[0]]
    for spec, job in zip(wanted, driver.jobs(wanted, workspace, Apart(), "cpu"), strict=True):
        found = subprocess.run(
            [sys.executable, "-P", "-c", script],
            input=pickle.dumps((attempt, job)),
            env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
            cwd=tmp_path,
            capture_output=True,
            timeout=120,
        )
        record, files = pickle.loads(found.stdout)
        expected = attempt(job)
        assert (record["run"], record["metrics"]) == (spec.id, expected.record["metrics"])
        assert [digest(file) for file in files] == list(record.get("artifacts", {}).values())
        assert len(files) == len(spec.keep)


@pytest.mark.slow
def test_what_workers_leave_is_written_wherever_they_are(specs, workspace, shipped):
    """By them, or by the driver if they share no files with it: the same either way."""
    assert driver.compute_missing(specs[:1], workspace, executor=Apart()) == 1
    (record,), known = workspace.records("order").values(), shipped.records("order")
    assert record["artifacts"] == known[specs[0].id]["artifacts"] != {}
    for one in (workspace, shipped):
        assert one.artifacts.read(record["artifacts"]["weights/0"])
        assert [path for path in one.scratch.glob("*") if path.is_dir()] == []


def test_one_and_two_workers_give_the_same_bits(specs, shipped):
    records = shipped.records("order")
    for spec in specs:
        again, _ = compute.record(spec)
        assert again["metrics"] == records[spec.id]["metrics"]
        assert again["first_losses"] == records[spec.id]["first_losses"]
        assert again["curve"] == records[spec.id]["curve"]
        assert again.get("artifacts") == records[spec.id].get("artifacts")


def test_a_record_holds_what_it_should_in_few_bytes(specs, shipped):
    for record in shipped.records("order").values():
        provenance = record["provenance"]
        assert {"torch", "numpy", "python", "device", "cpu_capability", "threads"} <= set(
            provenance
        )
        assert {"seconds", "peak_memory_mib", "date", "commit"} <= set(provenance)
        assert provenance["threads"] == 1
        assert len(record["first_losses"]) == 10
        assert len(record["curve"]["update"]) <= 32
        assert len(json.dumps(record)) < 5000
        count = record["spec"]["trials"]["count"]
        assert all(len(v) == count for v in record["metrics"].values())
        assert record["seal"] == seal(record)
        kept = [spec.keep for spec in specs if spec.id == record["run"]]
        assert [tuple(record.get("artifacts", {}))] == kept


def test_a_pause_does_not_count_as_computing_time(specs, monkeypatch):
    begun, real = time.perf_counter(), compute.outcome

    def paused(*given, **options):
        time.sleep(1)
        return real(*given, **options)

    monkeypatch.setattr(compute, "outcome", paused)
    seconds = compute.record(specs[0])[0]["provenance"]["seconds"]
    assert 0 < seconds < time.perf_counter() - begun - 0.9


def test_the_time_of_a_killed_process_counts(specs, tmp_path, monkeypatch):
    """If the run goes on from its state, and not if it starts over."""
    begun, save = Context(scratch=tmp_path), Checkpoint.save
    kept = []
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "due", lambda self: not kept)
        patched.setattr(Checkpoint, "save", lambda self, state: kept.append(state) or None)
        record, _ = compute.record(specs[0], begun)
    assert kept and record["provenance"]["seconds"] < 100
    for state, least, most in ((kept[0], 1000, 1100), (kept[0] | {"budget": -1}, 0, 100)):
        checkpoint = Context(scratch=tmp_path).checkpoint(specs[0])
        checkpoint.clock = lambda found=checkpoint: found._begun + 1000.0
        save(checkpoint, state)
        again, _ = compute.record(specs[0], Context(scratch=tmp_path))
        assert least <= again["provenance"]["seconds"] < most
        assert again["metrics"] == record["metrics"]


def test_plan_found_missing_and_stale(specs, shipped):
    records = shipped.records("order")
    found = plan("order", "sound", shipped)
    assert set(found.records) == {spec.id for spec in specs}
    assert len(found.records) + len(found.missing) == len(found.specs)
    assert (found.complete, found.why, found.stale) == (False, "partly computed", [])
    older = {}
    for record in records.values():  # the same specs under an earlier version of the experiment
        spec = replace(order.spec(record["spec"]), version=0)
        older[spec.id] = {**record, "run": spec.id, "spec": spec.canonical()}
    found = plan("order", "sound", shipped, older)
    assert {spec.id for spec in found.stale} == {spec.id for spec in specs}
    assert found.why == f"{len(specs)} of another version of the experiment"
    assert plan("order", "sound", shipped, {}).why == "not computed"


def test_parts_of_a_grid_count_as_soon_as_each_is_complete(specs, shipped, monkeypatch):
    """The main part is there; of two others one lacks a run, and none of it is used."""
    records = shipped.records("order")
    others = [spec for spec in order.grid("smoke", "sound") if spec.id not in records]
    named = [replace(specs[-1], part="short"), *(replace(one, part="long") for one in others)]
    wanted = [*specs[:-2], replace(specs[-2], part="long"), *named]
    monkeypatch.setitem(vars(order), "_grid", lambda profile, protocol: wanted)
    found = plan("order", "sound", shipped)
    assert found.complete and found.unfinished == {"long": len(others)}
    assert found.why == "main part done"
    assert set(found.used) == {spec.id for spec in (*specs[:-2], specs[-1])}
    assert specs[-2].id in found.records
    main_missing = plan("order", "sound", shipped, {specs[-1].id: records[specs[-1].id]})
    assert not main_missing.complete and set(main_missing.used) == {specs[-1].id}


@pytest.mark.slow
def test_a_plan_asks_again_for_weights_that_are_not_there(workspace):
    every = order.grid("smoke", "sound")
    assert driver.compute_missing(every, workspace) == len(every)
    assert plan("order", "sound", workspace).why == "complete"
    (kept,) = [spec for spec in every if spec.keep]
    record = workspace.records("order")[kept.id]
    (name,) = record["artifacts"].values()
    workspace.artifacts.path(name).unlink()
    found = plan("order", "sound", workspace)
    assert found.missing == found.bare == [kept]
    assert (found.complete, found.why) == (True, "complete, 1 without weights")
    assert driver.compute_missing(found.missing, workspace) == 1
    assert plan("order", "sound", workspace).missing == []
    assert workspace.records("order")[kept.id] == record
    assert workspace.artifacts.path(name)


def test_estimates_come_from_records_of_the_same_model(specs, shipped):
    records = shipped.records("order")
    for record in records.values():
        record["provenance"]["seconds"] = 0.2  # 20 updates at 10 ms
    large = [replace(spec, training=replace(spec.training, updates=2000)) for spec in specs]
    trials = large[0].trials.count
    assert cost(large[0]) == 2000 * trials
    assert estimate(large, records).seconds == pytest.approx(len(specs) * 2000 * 0.01)
    largest = max(record["provenance"]["peak_memory_mib"] for record in records.values())
    assert estimate(large, records).memory_mib == largest > 100
    more = [replace(spec, trials=Trials(0, 3 * trials)) for spec in large]
    assert estimate(more, records).seconds == pytest.approx(3 * len(specs) * 2000 * 0.01)
    early = replace(specs[0], training=replace(specs[0].training, goal=0.9))
    seen = copy.deepcopy(records[specs[0].id])
    seen["spec"], seen["provenance"]["seconds"] = early.canonical(), 0.1  # ended halfway
    known = {**records, early.id: seen}
    assert estimate([early], known).seconds == pytest.approx(0.1)
    assert estimate([specs[0]], known).seconds == pytest.approx(0.2)
    by_epochs = order.grid("laptop", "published")[10]
    batches = -(-by_epochs.task.train // 64)
    assert cost(by_epochs) == 100 * batches * by_epochs.trials.count


def test_estimates_of_shipped_theory_are_what_it_took():
    """Runs that leave no curve, and runs whose curve counts evaluations, not updates."""
    for name in ("sparse_recovery", "kernels"):
        records = Workspace().records(name)
        specs = plan(name, "described", Workspace(), {}).missing
        took = sum(record["provenance"]["seconds"] for record in records.values())
        assert 0.3 < estimate(specs, records).seconds / took < 3


@pytest.fixture
def one_diverges(specs, monkeypatch):
    """Computing the second spec, or the one that it is called with, diverges."""
    real, bad = compute.record, [specs[1]]

    def record(spec, *given):
        if spec in bad:
            raise FloatingPointError("run abc: the training loss is not finite at update 3")
        return real(spec, *given)

    monkeypatch.setattr(compute, "record", record)
    return bad


def test_diverging_runs_are_named_when_all_others_are_done(specs, workspace, one_diverges):
    with pytest.raises(Failure, match=r"run abc: .* update 3; 1 of 4 runs diverged, 3 are recor"):
        driver.compute_missing(specs, workspace)
    assert set(workspace.records("order")) == {spec.id for spec in specs} - {specs[1].id}


def test_parents_are_computed_once_before_their_children(children, workspace, one_diverges):
    """As runs of their own, with records and weights in the workspace of the children."""
    assert driver.compute_missing(children, workspace) == len(children) > 1
    parent = children[0].parents["symbols"]
    (record,) = workspace.records("sorting").values()
    assert (record["run"], list(record["artifacts"])) == (parent.spec.id, ["weights/0"])
    first = workspace.records("robust_recovery")
    one_diverges.append(parent.spec)  # it is not computed again
    workspace.file("robust_recovery").unlink()
    assert driver.compute_missing(children, workspace) == len(children)
    again = workspace.records("robust_recovery")
    assert {run: one["metrics"] for run, one in first.items()} == {
        run: one["metrics"] for run, one in again.items()
    }
    workspace.artifacts.path(record["artifacts"]["weights/0"]).unlink()
    workspace.file("robust_recovery").unlink()
    with pytest.raises(Failure, match=r"run abc: .* update 3; 1 of 1 runs diverged, 0 are recorde"):
        driver.compute_missing(children, workspace)  # its weights are gone: now it is
    assert workspace.records("robust_recovery") == {}


def test_weights_that_no_grid_shows_do_not_ship(workspace_in, tmp_path, monkeypatch):
    """Parents' weights go to the cache, but for those that their own notebook draws."""
    workspace = workspace_in(tmp_path, "smoke")
    files = Artifacts(tmp_path / "shipped", tmp_path / "cache")
    monkeypatch.setattr(Workspace, "artifacts", files)
    children = [
        spec
        for spec in robustness.grid("smoke", "described")
        if spec.model.name in ("abstractor", "ablation") and spec.trials.first == 0
    ]
    driver.compute_parents(children, workspace)
    where = {
        record["spec"]["model"]["name"]: files.path(record["artifacts"]["weights/0"]).parent.name
        for record in workspace.records("sorting").values()
    }
    assert where == {"abstractor": "shipped", "ablation": "cache"}
    assert len(locate(children, workspace)) == 2


@pytest.mark.parametrize("elsewhere", [False, True])
def test_parents_among_the_runs_asked_for_are_computed_once(
    workspace, tmp_path, monkeypatch, elsewhere
):
    """Each has one record in the file asked for, whether or not that is the workspace's."""
    child = next(one for one in pretraining.grid("smoke", "described") if one.parents)
    (parent,) = child.parents.values()
    real, computed = compute.record, []

    def record(spec, *given):
        computed.append(spec.id)
        return real(spec, *given)

    monkeypatch.setattr(compute, "record", record)
    path = tmp_path / "other.jsonl" if elsewhere else None
    assert driver.compute_missing([child, parent.spec], workspace, path=path) == 2
    assert computed == [parent.spec.id, child.id]
    lines = (path or workspace.file("pretraining")).read_text().splitlines()
    assert [json.loads(line)["run"] for line in lines] == computed


def test_children_agree_with_parents_that_are_computed_beside_them(children, workspace):
    """Whether a parent's weights come from a file or from memory, the same comes out."""
    driver.compute_missing(children[:1], workspace)
    (record,) = workspace.records("robust_recovery").values()
    found, _ = compute.record(children[0], compute.alone())
    assert found["metrics"] == record["metrics"]


def test_parents_are_looked_for_where_the_workspace_says(workspace_in, tmp_path):
    """Among the weights that ship, but not for a workspace that is fresh."""
    specs = robust_recovery.grid("laptop", "described")
    known = locate(specs, Workspace())
    wanted = {(one.spec.id, one.artifact) for spec in specs for one in spec.parents.values()}
    assert set(known) == wanted and len(wanted) == 2
    assert locate(specs, workspace_in(tmp_path, "paper", fresh=False)) == known
    assert locate(specs, workspace_in(tmp_path, "laptop", fresh=True)) == {}


def test_weights_of_a_parent_that_are_damaged_or_gone_are_told(children, workspace):
    parent = children[0].parents["symbols"]
    load = driver.weights_of_parents(workspace)
    with pytest.raises(Damaged, match=rf"the weights of run {parent.spec.id[:12]} are not there"):
        load(parent)
    driver.compute_parents(children, workspace)
    (record,) = workspace.records("sorting").values()
    path = workspace.artifacts.path(record["artifacts"]["weights/0"])
    load = driver.weights_of_parents(workspace)
    assert load(parent)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(Damaged, match=rf"artifacts/{path.name} is damaged: its content has the SH"):
        load(parent)
    with pytest.raises(Damaged, match="is damaged"):
        driver.compute_missing(children, workspace)
    assert workspace.records("robust_recovery") == {}


def test_a_run_leaves_what_it_is_to_keep_and_nothing_else(specs):
    both = replace(specs[0], keep=("weights/0", "weights/1"))
    record, content = compute.record(both)
    assert record["run"] == specs[0].id
    assert record["artifacts"] == {name: digest(file) for name, file in content.items()}
    assert tuple(content) == both.keep
    assert compute.record(specs[1])[1] == {}
    with pytest.raises(ValueError, match="keep is 'weights/7' in a run of order; allowed: weights"):
        compute.record(replace(specs[0], keep=("weights/7",)))


@pytest.mark.slow
def test_peak_memory_is_that_of_the_run(specs, monkeypatch):
    """Not of what the process did before it."""
    real = compute.outcome

    def hungry(*given, **options):
        np.ones(size * 2**17).sum()
        return real(*given, **options)

    monkeypatch.setattr(compute, "outcome", hungry)
    size = 1500
    large = compute.record(specs[0])[0]["provenance"]["peak_memory_mib"]
    size = 1
    small = compute.record(specs[0])[0]["provenance"]["peak_memory_mib"]
    if not sys.platform.startswith("linux"):
        pytest.skip("the system cannot forget a process's peak")
    assert small < large - 1000


def test_shards_partition(specs):
    parts = [shard(list(range(11)), f"{i}/3") for i in (1, 2, 3)]
    assert sorted(number for part in parts for number in part) == list(range(11))
    for bad in ("0/3", "4/3", "3", "a/b"):
        with pytest.raises(ValueError, match="expected i/k with 1 <= i <= k"):
            shard([1], bad)
