"""Workers that run out of memory or are killed: one sentence with the number of records."""

import os
import resource
import signal
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from abstractor_lib import cli, experiments
from abstractor_lib.execution import again, compute, driver, job
from abstractor_lib.experiments.context import Context
from abstractor_lib.records import store

MUCH = 64 << 20  # bytes; what a worker may still take


def limited():
    """Of this process, memory grows by `MUCH` at most."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MUCH
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def take_python():
    limited()
    bytearray(16 * MUCH)


def take_numpy():
    import numpy

    limited()
    numpy.ones(2 * MUCH)


def take_torch():
    import torch

    limited()
    torch.ones(4 * MUCH)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def after_some(folder, fault, task):
    """Computes runs, and meets the fault at the fourth."""
    number = len(list(folder.iterdir()))
    (folder / task.spec.id).touch()
    if number == 3:
        fault()
    return job.attempt(task)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="looks under /proc")
@pytest.mark.parametrize("fault", [take_python, take_numpy, take_torch, killed])
def test_a_sentence_with_counts(smoke, tmp_path, monkeypatch, smoke_runs, fault):
    begun, path = tmp_path / "begun", tmp_path / "order.jsonl"
    begun.mkdir()
    monkeypatch.setattr(driver, "attempt", partial(after_some, begun, fault))
    found = CliRunner().invoke(cli.main, [*smoke, "--out", str(path), "--jobs", "2"])
    assert found.exit_code == 1, found.output
    recorded = len(store.load(path))
    assert 1 <= recorded < smoke_runs
    reason = "was killed" if fault is killed else "ran out of memory"
    said = found.output.replace("\r", "\n").splitlines()[-1]
    assert said.startswith("abstractor: a worker ") and reason in said
    assert f"; {recorded} of {smoke_runs} runs are recorded, the same command" in said
    assert "Traceback" not in found.output


def test_an_audit_without_memory_finds_nothing_wrong(monkeypatch):
    """A record is not wrong because this machine is too small."""
    spec = experiments.get("order").grid("smoke", "described")[0]
    record, _ = compute.record(spec)

    def greedy(spec, context):
        raise MemoryError

    monkeypatch.setattr(again.compute, "outcome", greedy)
    found = again.check(record, Context().load)
    assert (found.agrees, found.how) == (None, "not auditable")
    assert "not enough memory" in found.detail
