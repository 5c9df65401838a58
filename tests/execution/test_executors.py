"""What items need is honoured, results come once, and nothing outlives the one who asked."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstractor_lib.execution.backends import executor
from abstractor_lib.execution.executors import WorkerLost
from abstractor_lib.execution.loky_executor import Loky, free_memory_mib
from abstractor_lib.experiments.needs import Needs, Room
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.experiments.protocol import PROTOCOLS
from abstractor_lib.records import store

SMOKE_RUNS = sum(len(order.grid("smoke", protocol)) for protocol in PROTOCOLS)


def square(number):
    return number**2, os.getpid()


def threads(_):
    import torch
    from threadpoolctl import threadpool_info

    pools = {pool["num_threads"] for pool in threadpool_info()}
    return os.environ["OMP_NUM_THREADS"], torch.get_num_threads(), pools


def kept(_):
    return os.environ["MALLOC_TRIM_THRESHOLD_"]


def span(task):
    name, seconds = task
    begun = time.time()
    time.sleep(seconds)
    return name, begun, time.time()


def die_at_three(number):
    if number == 3:
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail_at_three(number):
    if number == 3:
        raise FloatingPointError("three")
    return number


def overlap(one, other):
    return one[1] < other[2] and other[1] < one[2]


def test_map_against_a_loop():
    with Loky(2) as workers:
        found = list(workers.map(square, range(12)))
        again = list(workers.map(square, iter(range(3))))
        assert list(workers.map(square, [])) == []
    assert sorted(value for value, _ in found) == [n**2 for n in range(12)]
    processes = {process for _, process in found}
    assert os.getpid() not in processes
    assert len(processes) == 2
    assert {process for _, process in again} <= processes  # started once


def test_one_job_computes_here():
    with Loky() as workers:
        assert list(workers.map(square, [2, 3])) == [(4, os.getpid()), (9, os.getpid())]


@pytest.mark.slow
def test_workers_have_one_thread_or_as_many_as_cores(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with Loky(2) as workers:
        before = list(workers.map(threads, range(4)))
        two = list(workers.map(threads, range(2), lambda item: Needs(cores=2)))
        after = list(workers.map(threads, range(4)))
    assert all(found == ("1", 1, {1}) for found in before + after)
    assert all(found == ("1", 2, {2}) for found in two)


@pytest.mark.slow
def test_memory_is_kept_unless_the_user_says_otherwise(monkeypatch):
    with Loky(2) as workers:
        assert set(workers.map(kept, range(2))) == {str(16 << 30)}
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "5")
    with Loky(2) as workers:
        assert set(workers.map(kept, range(2))) == {"5"}


@pytest.mark.slow
def test_items_run_together_only_where_their_cores_are_free():
    """A large item is not overtaken, and what needs more cores than there are runs alone."""
    needs = {"a": 1, "b": 2, "c": 1, "d": 1, "e": 9}
    with Loky(2) as workers:
        list(workers.map(square, range(2)))  # start them
        tasks = [(name, 0.3) for name in needs]
        spans = dict.fromkeys(needs)
        for one in workers.map(span, tasks, lambda task: Needs(cores=needs[task[0]])):
            spans[one[0]] = one
    together = {a + b for a in needs for b in needs if a < b and overlap(spans[a], spans[b])}
    assert together == {"cd"}
    assert sorted(needs, key=lambda name: spans[name][1])[:2] == ["a", "b"]


@pytest.mark.slow
def test_items_run_together_only_where_their_memory_is_free():
    needs = {"a": 300, "b": 300, "c": 200, "d": 2000}
    with Loky(3, memory_mib=500) as workers:
        list(workers.map(square, range(3)))
        tasks = [(name, 0.3) for name in needs]
        found = workers.map(span, tasks, lambda task: Needs(memory_mib=needs[task[0]]))
        spans = {one[0]: one for one in found}
    together = {a + b for a in needs for b in needs if a < b and overlap(spans[a], spans[b])}
    assert together == {"bc"}


@pytest.mark.slow
def test_a_killed_worker_is_an_error_after_the_results_that_were_there():
    found = []
    with Loky(2) as workers:
        list(workers.map(square, range(2)))  # start them
        with pytest.raises(WorkerLost, match=r"a worker process was killed \(out of memory\?\)"):
            for result in workers.map(die_at_three, range(9)):
                found.append(result)
        assert sorted(found) == [0, 1, 2, 4, 5, 6, 7, 8]
        assert sorted(workers.map(die_at_three, [1, 2])) == [1, 2]  # with new workers


@pytest.mark.filterwarnings("error")  # an error in a thread of loky would be one
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_function_is_raised_as_it_is(jobs):
    with Loky(jobs) as workers, pytest.raises(FloatingPointError, match=r"^three$"):
        list(workers.map(fail_at_three, [1, 2, 3, 4]))


def test_workers_end_when_nobody_wants_the_results():
    with Loky(2) as workers:
        processes = [process for _, process in workers.map(square, range(30))]
        results = workers.map(span, [("a", 0), ("b", 600)])
        assert next(results)[0] == "a"
        results.close()
        begun = time.monotonic()
        with pytest.raises(ProcessLookupError):
            while time.monotonic() < begun + 10:
                for process in processes:
                    os.kill(process, 0)


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ({"cores": 0}, "cores is 0; expected a whole number above zero"),
        ({"cores": 1.5}, r"cores is 1\.5; expected"),
        ({"memory_mib": -1}, "memory_mib is -1; expected"),
        ({"device": "tpu"}, "device is 'tpu'; allowed: cpu, cuda"),
    ],
)
def test_bad_needs(needs, message):
    with pytest.raises(ValueError, match=message):
        Needs(**needs)


def test_bad_backends():
    with pytest.raises(ValueError, match="--backend is 'dask'; allowed: loky, ray"):
        executor("dask")
    with pytest.raises(ValueError, match=r"--address is 'a:1'; it is of a Ray cluster, add"):
        executor("loky", address="a:1")
    assert isinstance(executor("loky", 3), Loky)


SIZES = st.integers(1, 100)


@given(SIZES, SIZES, st.lists(st.builds(Room, SIZES, SIZES), min_size=1))
def test_needs_fit_some_room_and_are_kept_where_they_do(cores, memory_mib, rooms):
    wanted = Needs(cores, memory_mib, "cuda")
    found = wanted.within(rooms)
    assert any(found.cores <= room.cores and found.memory_mib <= room.memory_mib for room in rooms)
    fits = any(cores <= room.cores and memory_mib <= room.memory_mib for room in rooms)
    assert (found == wanted) == fits
    assert found.device == "cuda"


def test_free_memory_is_less_than_there_is():
    there_is = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    assert 1 <= free_memory_mib() <= there_is


# The driver is ended from outside. Its descendants are known by a word in their environment, which
# they keep whoever their parent is.


def named(word):
    """Processes whose environment holds ``word``."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            alive = word.encode() in (folder / "environ").read_bytes()
        except OSError:
            continue
        if alive:
            found.add(int(folder.name))
    return found


def running(process):
    """Whether there is such a process, and not only its exit status."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(processes, seconds):
    """Whether these processes end within so many seconds."""
    deadline = time.monotonic() + seconds
    while any(map(running, processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not any(map(running, processes))


@pytest.fixture
def abstractor(tmp_path):
    """Start ``abstractor`` with arguments; returns the process and the word of its family."""
    words, numbers = set(), count()

    def heeded():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)  # whatever the tests were started with

    def start(*arguments):
        word = f"family-{os.getpid()}-{next(numbers)}-{time.monotonic_ns()}"
        words.add(word)
        process = subprocess.Popen(
            [sys.executable, "-m", "abstractor_lib.cli", *arguments],
            env={**os.environ, "ABSTRACTOR_TEST": word},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            preexec_fn=heeded,
        )
        return process, word

    yield start
    for word in words:
        for process in named(word):
            os.kill(process, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks under /proc")
@pytest.mark.parametrize(
    ("number", "begun"),
    [
        (signal.SIGINT, True),
        (signal.SIGINT, False),  # while the workers start
        (signal.SIGTERM, True),
        (signal.SIGKILL, True),
    ],
)
def test_no_worker_outlives_the_driver(abstractor, tmp_path, number, begun):
    path = tmp_path / "order.jsonl"
    process, word = abstractor(
        *("run", "order", "--profile", "smoke", "--fresh", "--out", str(path), "--jobs", "2")
    )

    def ripe():
        if begun:
            return path.exists() and path.stat().st_size
        with contextlib.suppress(OSError):  # one of them has just ended
            commands = [Path(f"/proc/{one}/cmdline").read_text() for one in named(word)]
            return any("popen_loky" in command for command in commands)
        return False

    while not ripe() and process.poll() is None:
        time.sleep(0.01)
    family = named(word)
    process.send_signal(number)
    said = process.communicate(timeout=30)[1]
    assert gone(named(word) | family, seconds=10)
    assert len(family) >= (3 if begun else 2), "the driver and its workers"
    recorded = len(store.load(path))
    assert (1 if begun else 0) <= recorded < SMOKE_RUNS
    if number == signal.SIGKILL:
        assert process.returncode == -number
        return
    assert process.returncode == 128 + number
    assert (
        f"abstractor: interrupted; {recorded} of {SMOKE_RUNS} runs are recorded, the same" in said
    )
    assert "Traceback" not in said
