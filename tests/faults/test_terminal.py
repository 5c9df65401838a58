"""Terminals, pipes and names of files as people have them."""

import errno
import io
import os
import subprocess
import sys

import pytest

from abstractor_lib.execution.bars import bar
from abstractor_lib.records import store

NO_UTF8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    "arguments", [["status"], ["index", "--json"], ["--help"], ["run", "--help"]]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_nobody_reads_is_silent(arguments, unbuffered):
    read, write = os.pipe()
    os.close(read)
    found = subprocess.run(
        [sys.executable, "-m", "abstractor_lib.cli", *arguments],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    os.close(write)
    assert (found.returncode, found.stderr) == (141, b"")


def test_a_progress_bar_that_nobody_reads_ends_the_command(smoke, tmp_path):
    """As with ``2>&1 | head -1``; what is recorded stays."""
    read, write = os.pipe()
    os.close(read)
    path = tmp_path / "order.jsonl"
    found = subprocess.run(
        [sys.executable, "-m", "abstractor_lib.cli", *smoke, "--out", path, "--jobs", "1"],
        stdout=write,
        stderr=write,
        timeout=120,
    )
    os.close(write)
    assert found.returncode == 141


def test_a_full_disk_behind_standard_output():
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "abstractor_lib.cli", "status"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    assert found.returncode == 2
    assert found.stderr.startswith(f"abstractor: {os.strerror(errno.ENOSPC)}")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("new/", "File 'new/' is a directory"),
        ("there/", "File 'there/' is a directory"),
        ("there", "File 'there' is a directory"),
        ("new/order.jsonl", "File 'new/order.jsonl' is in a directory that does not exist"),
    ],
)
def test_names_of_record_files(smoke, abstractor, tmp_path, name, message):
    (tmp_path / "there").mkdir()
    found = abstractor(*smoke, "--out", name, cwd=tmp_path)
    assert found.returncode == 2
    assert message in found.stderr and "Traceback" not in found.stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


@pytest.mark.parametrize(
    ("command", "status"),
    [(["false"], 1), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137)],
)
def test_a_timing_of_what_fails_fails(abstractor, command, status):
    found = abstractor("timing", "x", *command)
    assert found.returncode == status
    assert found.stderr == f"abstractor: {command[0]} ended with status {status}; not noted\n"


@pytest.mark.parametrize("label", ["order", "function_classes, which these start from"])
@pytest.mark.parametrize("columns", [40, 59, 79, 200])
def test_progress_fits_the_terminal_and_says_what_is_done(label, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    with bar(total=1570, desc=label, unit="run") as drawn:
        drawn.n = 1234
        line = str(drawn)
    assert len(line) <= min(columns, 79)
    assert "1234/1570" in line and line.startswith(label[:10])


def test_every_line_of_a_run_fits_40_columns(smoke, abstractor, tmp_path):
    shard = ("--out", tmp_path / "order.jsonl", "--jobs", "1", "--shard", "1/9")
    found = abstractor(*smoke, *shard, env={"COLUMNS": "40"})
    assert found.returncode == 0
    lines = io.StringIO(found.stderr, newline=None).read().replace("\x1b[A", "\n").split("\n")
    assert any("4/4" in line for line in lines)
    assert max(map(len, lines + found.stdout.splitlines())) <= 40


@pytest.mark.parametrize(
    "arguments", [["status"], ["claims", "order_v3"], ["index"], ["export", "order"]]
)
@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, NO_UTF8])
def test_a_locale_without_letters(abstractor, arguments, locale):
    found = abstractor(*arguments, env={**locale, "PYTHONIOENCODING": ""})
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": ""}, NO_UTF8])
def test_runs_in_a_locale_without_letters(smoke, abstractor, tmp_path, locale):
    """In a folder with an umlaut, whose name an error repeats; the file is UTF-8, and the runs are
    those that any other locale gives."""
    (tmp_path / "Läufe").mkdir()
    asked = (*smoke, "--jobs", "1", "--shard", "1/9", "--out")
    env = {**locale, "PYTHONIOENCODING": ""}
    files = [tmp_path / "Läufe" / name for name in ("C.jsonl", "other.jsonl")]
    found = abstractor(*asked, files[0], env=env)
    assert found.returncode == 0 and "Traceback" not in found.stderr, found.stderr
    assert abstractor(*asked, files[1]).returncode == 0
    here, there = (store.load(path) for path in files)
    assert len(here) == 4 and here.keys() == there.keys()
    assert all(here[run]["metrics"] == there[run]["metrics"] for run in here)
    files[0].read_bytes().decode("utf-8")
    refused = abstractor(*asked, tmp_path / "Läufer" / "C.jsonl", env=env)
    assert refused.returncode == 2
    assert "is in a directory that does not exist" in " ".join(refused.stderr.split())
    assert "Traceback" not in refused.stderr
