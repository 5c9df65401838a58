"""A full disk. A limit on the size of files, which holds for one process, tells it as a full disk
does: the system takes a part of what is written, then nothing."""

import contextlib
import errno
import os
import re
import resource

import pytest

from abstractor_lib import Failure
from abstractor_lib.execution import driver
from abstractor_lib.execution.loky_executor import Loky
from abstractor_lib.experiments.order import EXPERIMENT as order
from abstractor_lib.records import store
from abstractor_lib.replacing import replace_file

KIB = 1024


def limited(size):
    """Of the process that calls it, files grow to ``size`` bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@contextlib.contextmanager
def small_files(size):
    """In the block, files of this process grow to ``size`` bytes; a report of it may be longer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kib", [1, 10])
def test_the_file_and_what_is_safe_are_named(smoke, abstractor, tmp_path, smoke_runs, kib):
    path = tmp_path / "order.jsonl"
    given = (*smoke, "--out", path, "--jobs", "1")
    found = abstractor(*given, preexec_fn=limited(kib * KIB))
    assert found.returncode == 1
    *_, sentence = found.stderr.splitlines()
    safe = len(store.load(path))
    assert sentence == (
        f"abstractor: {path}: {os.strerror(errno.EFBIG)}; {safe} of {smoke_runs} runs are "
        "recorded, the same command computes the rest"
    )
    assert safe == (0 if kib == 1 else 5)
    content = path.read_bytes()
    assert content.endswith(b"\n") or not content  # no part of a line
    again = abstractor(*given, "--shard", f"1/{smoke_runs}")
    assert again.returncode == 0, again.stderr


def test_what_a_worker_cannot_write_is_named_too(workspace, monkeypatch):
    """A weights file, say, which the worker itself writes."""
    monkeypatch.setattr(driver, "attempt", writes_too_much)
    specs = order.grid("smoke", "described")[:2]
    with Loky(2) as workers, pytest.raises(Failure) as caught:
        driver.compute_missing(specs, workspace, executor=workers)
    assert re.fullmatch(
        r".*/weights: File too large; 0 of 2 runs are recorded, the same .*", str(caught.value)
    )


def writes_too_much(job):
    limited(KIB)()
    replace_file(job.scratch / "weights", bytes(2 * KIB))


def test_a_file_stays_as_it_was(tmp_path):
    path = tmp_path / "file"
    replace_file(path, b"before")
    with small_files(4), pytest.raises(OSError, match="too large") as caught:
        replace_file(path, b"after all")
    assert caught.value.filename == str(path)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"before"
