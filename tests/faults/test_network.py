"""Nothing asks for a network: runs, claims and a notebook, in a process that has none."""

import shutil
import subprocess
import sys

import pytest

from abstractor_lib.records import store

ALONE = ["unshare", "--map-root-user", "--net"]  # not even the machine itself can be reached
NOTEBOOK = """
# %% [markdown]
# # A kernel

# %% tags=["parameters"]
number: int = 0  # what is printed

# %%
print(number)
"""
EXECUTE = """
import sys
from pathlib import Path
from abstractor_lib.pages import notebooks
print(notebooks.execute(Path(sys.argv[1]), {"number": 7}).cells[-1].outputs[0].text)
"""
CONNECT = "import socket; socket.create_connection(('127.0.0.1', 9))"


@pytest.fixture(scope="module")
def alone():
    """Runs Python without a network."""
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed")
    if subprocess.run([*ALONE, "true"], capture_output=True).returncode:
        pytest.skip("this user may not make a network namespace")

    def call(*arguments):
        return subprocess.run(
            [*ALONE, sys.executable, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=240,
        )

    assert "unreachable" in call("-c", CONNECT).stderr
    return call


def test_runs(alone, smoke, tmp_path):
    path = tmp_path / "order.jsonl"
    given = (*smoke, "--out", path, "--jobs", "2", "--shard", "1/9")
    found = alone("-m", "abstractor_lib.cli", *given)
    assert (found.returncode, len(store.load(path))) == (0, 4), found.stderr


@pytest.mark.parametrize("arguments", [("status",), ("claims", "order_v3"), ("index",)])
def test_commands_that_read(alone, arguments):
    found = alone("-m", "abstractor_lib.cli", *arguments)
    assert (found.returncode, found.stderr) == (0, "")


def test_a_notebook(alone, tmp_path):
    source = tmp_path / "01_one.py"
    source.write_text(NOTEBOOK)
    found = alone("-c", EXECUTE, source)
    assert (found.returncode, found.stdout.strip()) == (0, "7"), found.stderr
