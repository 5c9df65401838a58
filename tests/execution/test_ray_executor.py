"""Runs on a real Ray cluster of two nodes on this machine, one of which is killed on the way."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from abstractor_lib.execution import ray_executor
from abstractor_lib.execution.backends import executor
from abstractor_lib.execution.executors import WorkerLost
from abstractor_lib.execution.ray_executor import Ray
from abstractor_lib.experiments.needs import Needs
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.records import store

WORD = f"ray-{os.getpid()}-{secrets.token_hex(4)}"  # by which our processes are known


@pytest.fixture(scope="module")
def ray(ray_environment):
    """Ray, whose processes are known by a word."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ABSTRACTOR_TEST", WORD)
        ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # tests are not installed
        yield ray


@pytest.fixture(scope="module")
def cluster(ray):
    """Two nodes, of one and of two cores, that notice within seconds when one is gone."""
    from ray.cluster_utils import Cluster

    quickly = {"health_check_period_ms": 500, "health_check_failure_threshold": 3}
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": quickly}
    two = Cluster(initialize_head=True, head_node_args=head)
    two.doomed = two.add_node(num_cpus=2, memory=2 << 30)
    yield two
    two.shutdown()


def noted(folder, doomed, item):
    """Says in a file that ``item`` was begun, and on which node. One on a node that is doomed does
    not end once items are to be held there; it says so."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    (folder / f"{item}-{time.time_ns()}").write_text(node)
    time.sleep(1)
    while node == doomed and (folder.parent / "hold").exists():
        (folder.parent / "held").touch()
        time.sleep(0.01)
    return item, node


def span(seconds):
    begun = time.time()
    time.sleep(seconds)
    return begun, time.time(), os.environ["OMP_NUM_THREADS"], os.environ["MALLOC_TRIM_THRESHOLD_"]


def fail_at_three(number):
    if number == 3:
        raise FloatingPointError("three")
    return number


def die_at_first(folder, item):
    if not (folder / item).exists():
        (folder / item).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def named():
    """Our processes, but for this one."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            ours = WORD.encode() in (folder / "environ").read_bytes()
        except OSError:
            continue
        if ours and int(folder.name) != os.getpid():
            found.add(int(folder.name))
    return found


@pytest.mark.slow
def test_items_needs_errors_and_a_node_that_dies(ray, cluster, tmp_path, monkeypatch):
    with Ray(cluster.address) as workers:
        # Every node has this version of the package, which is checked.
        with monkeypatch.context() as patch:
            patch.setattr(ray_executor, "__version__", "0")
            with pytest.raises(ValueError, match=r"has abstractor_lib \d.*; expected 0$"):
                workers._check_nodes()
        # What an item needs is granted: two of two cores do not run together on the node of two.
        two = workers.map(span, [0.5, 0.5, 0.5], lambda item: Needs(cores=2))
        spans = sorted(two)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
        assert {one[2:] for one in spans} == {("1", str(16 << 30))}
        # What no node has is cut down to what the largest has; a device is not.
        assert len(list(workers.map(span, [0], lambda item: Needs(9, 10**9)))) == 1
        with pytest.raises(ValueError, match="device is 'cuda'; no node of the Ray cluster offer"):
            list(workers.map(span, [0], lambda item: Needs(device="cuda")))
        # Errors arrive as they are; of a worker that dies, only if it does so at each attempt.
        with pytest.raises(FloatingPointError, match=r"^three$"):
            list(workers.map(fail_at_three, range(6)))
        assert list(workers.map(partial(die_at_first, tmp_path), ["one"])) == ["one"]
        monkeypatch.setattr(ray_executor, "RETRIES", 0)
        with pytest.raises(WorkerLost, match=r"killed at each of 1 attempts \(WorkerCrashedError"):
            list(workers.map(partial(die_at_first, tmp_path), ["other"]))
        monkeypatch.undo()

        # A node dies: its items are computed again, and each item has one result.
        folder = tmp_path / "begun"
        folder.mkdir()
        doomed, results = cluster.doomed.node_id, []
        for result in workers.map(partial(noted, folder, doomed), range(12)):
            results.append(result)
            if len(results) == 3:
                (tmp_path / "hold").touch()
                while not (tmp_path / "held").exists():
                    time.sleep(0.01)
                cluster.remove_node(cluster.doomed, allow_graceful=False)
        assert sorted(item for item, _ in results) == list(range(12))
        begun = Counter(path.name.split("-")[0] for path in folder.iterdir())
        again = {int(item) for item, times in begun.items() if times > 1}
        assert 1 <= len(again) <= 2
        nodes = dict(results)
        assert all(nodes[item] != doomed for item in again)


def abstractor(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "abstractor_lib.cli", "run", "order", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks under /proc")
def test_the_command_computes_on_a_cluster_of_its_own_that_ends_with_it(ray, tmp_path):
    path, before = tmp_path / "order.jsonl", named()
    smoke = ("--profile", "smoke", "--protocol", "described", "--fresh", "--out", str(path))
    process = abstractor(*smoke, "--backend", "ray", "--jobs", "1")
    while not (path.exists() and path.stat().st_size) and process.poll() is None:
        time.sleep(0.01)
    assert len(named() - before) >= 3
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    deadline = time.monotonic() + 15
    while (left := named() - before) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left
    recorded = store.load(path)
    wanted = {spec.id: spec for spec in order.grid("smoke", "described")}
    assert 1 <= len(recorded) < len(wanted)
    assert set(recorded) <= set(wanted)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere", "--address is 'nowhere'; expected HOST:PORT"),
        ("127.0.0.1:1", "--address is '127.0.0.1:1'; no cluster answers there"),
    ],
)
def test_bad_addresses(ray, address, message):
    with pytest.raises(ValueError, match=message):
        executor("ray", address=address)


def test_without_ray_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install 'abstractor-companion\[ray\]'"):
        executor("ray")
