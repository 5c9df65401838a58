"""The head of a Ray cluster is lost: our sentence within seconds, and what is recorded is kept.

Ray itself waits for a minute, and then ends the driver with a message of its own.
"""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from abstractor_lib.execution import ray_executor
from abstractor_lib.execution.executors import WorkerLost
from abstractor_lib.execution.ray_executor import Ray
from abstractor_lib.records import store

HEAD = """
import sys, ray
started = ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
print(started.address_info["address"], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def quiet():
    """An executor on a cluster that finishes nothing, and the socket of its head."""
    with socket.create_server(("127.0.0.1", 0)) as head:
        workers = object.__new__(Ray)
        workers._head, workers._lost = f"127.0.0.1:{head.getsockname()[1]}", False
        workers._ray = SimpleNamespace(wait=lambda running, timeout: ([], running))
        yield workers, head


def test_a_head_that_does_not_answer_is_lost(quiet):
    workers, head = quiet
    head.close()
    with pytest.raises(WorkerLost, match=rf"at {workers._head} does not answer any more"):
        workers._wait(["item"])
    assert workers._lost


def test_a_head_that_answers_is_waited_for(quiet, monkeypatch):
    """However long an item takes; and one look in vain is forgotten."""
    workers, _ = quiet
    looks = iter([False, True] * 10)
    monkeypatch.setattr(ray_executor, "_answers", lambda address: next(looks))
    monkeypatch.setattr(ray_executor, "LOOK", 0.01)
    waits = iter([[]] * 10 + [["item"]])
    workers._ray.wait = lambda running, timeout: (found := next(waits), [] if found else running)
    assert workers._wait(["item"]) == (["item"], [])
    assert not workers._lost


def named(word, *programs):
    """Processes of these programs with ``word`` in their environment."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            program = (folder / "cmdline").read_bytes().split(b"\0")[0].decode()
            ours = word.encode() in (folder / "environ").read_bytes()
            if ours and (not programs or program.endswith(programs)):
                yield int(folder.name)
        except OSError:
            continue


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks under /proc")
@pytest.mark.parametrize("programs", [("gcs_server",), ("gcs_server", "raylet")])
def test_the_command_says_how_many_runs_are_recorded(smoke, tmp_path, smoke_runs, programs):
    pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    word = f"head-{os.getpid()}-{secrets.token_hex(4)}"
    env = {
        **os.environ,
        "ABSTRACTOR_TEST": word,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    head = subprocess.Popen([sys.executable, "-c", HEAD], env=env, **pipes)
    try:
        address = head.stdout.readline().strip()
        if not address:
            pytest.skip("Ray does not start on this machine in time; it may be busy")
        path = tmp_path / "order.jsonl"
        command = [*smoke, "--out", path, "--backend", "ray", "--address", address]
        driver = subprocess.Popen(
            [sys.executable, "-m", "abstractor_lib.cli", *command],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not (path.exists() and path.stat().st_size) and driver.poll() is None:
            time.sleep(0.01)
        for process in list(named(word, *programs)):
            os.kill(process, signal.SIGKILL)
        begun = time.monotonic()
        said = driver.communicate(timeout=100)[1]
        took = time.monotonic() - begun
    finally:
        for process in list(named(word)):
            os.kill(process, signal.SIGKILL)
    recorded = len(store.load(path))
    assert driver.returncode == 1
    assert f"; {recorded} of {smoke_runs} runs are recorded, the same command" in said
    assert "GCS" not in said and "Traceback" not in said
    assert 1 <= recorded < smoke_runs
    assert took < 60  # Ray's own end
