"""A clock that is set back while runs are computed, by NTP or by hand."""

import shutil
import threading
import time
from pathlib import Path

import pytest

from abstractor_lib.execution.bars import bar
from abstractor_lib.records import store

BACK = """
import itertools, sys, time
real, calls = time.time, itertools.count()
time.time = lambda: real() - 3600.0 * next(calls)  # an hour earlier each time that it is asked
from abstractor_lib import cli
cli.main(sys.argv[1:])
"""


def computed(found, path):
    """Whether all four runs of the share were, with seconds that are none below zero."""
    assert found.returncode == 0, found.stderr
    assert "4/4" in found.stderr and "4 runs computed" in found.stdout
    records = store.load(path)
    assert len(records) == 4
    return all(record["provenance"]["seconds"] > 0 for record in records.values())


def test_an_hour_earlier_at_each_look(smoke, abstractor, tmp_path):
    path = tmp_path / "order.jsonl"
    found = abstractor(*smoke, "--out", path, "--jobs", "1", "--shard", "1/9", code=BACK)
    assert computed(found, path)


def test_a_bar_goes_on(monkeypatch):
    """tqdm itself draws nothing until the clock is where it was."""
    now = time.time()
    monkeypatch.setattr("tqdm.std.time", lambda: now - 3600)
    with bar(total=9, mininterval=0, miniters=1) as drawn:
        drawn.update(4)
        assert drawn.last_print_n == 4
        assert drawn.format_dict["elapsed"] >= 0


@pytest.mark.skipif(not shutil.which("faketime"), reason="faketime is not installed")
def test_the_clock_of_a_library_is_set_back(smoke, abstractor, tmp_path):
    """All of the process sees the other clock, loky, Ray and torch too; then an hour less."""
    installed = Path(shutil.which("faketime")).resolve().parents[1]
    preload = next((installed / "lib").rglob("libfaketimeMT.so.1"))
    path, clock = tmp_path / "order.jsonl", tmp_path / "clock"
    clock.write_text("-0")
    env = {
        "LD_PRELOAD": str(preload),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    process = [*smoke, "--out", path, "--jobs", "2", "--shard", "1/9"]
    later = threading.Timer(2, clock.write_text, ["-3600"])
    later.start()
    found = abstractor(*process, env=env)
    later.join()
    assert computed(found, path)
