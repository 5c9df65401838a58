"""A downloaded archive, which has no git, in a folder whose name has spaces and umlauts."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from abstractor_lib import paths

ROOT = paths.root()


@pytest.fixture(scope="module")
def run(tmp_path_factory, repository_files):
    """Runs Python in a copy of the repository, in a locale that is no UTF-8."""
    copy = tmp_path_factory.mktemp("archive") / "mit Leerzeichen und Umläuten äöü"
    for path in repository_files:
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)

    def run(*words):
        env = {**os.environ, "PYTHONPATH": str(copy), "LC_ALL": "C", "JUPYTER_PLATFORM_DIRS": "1"}
        done = subprocess.run(
            [sys.executable, *words], cwd=copy, env=env, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run.folder = copy
    return run


@pytest.mark.slow
def test_commands_find_the_records(run):
    rows = json.loads(run("-m", "abstractor_lib.cli", "status", "--json"))
    (memory,) = (row for row in rows if row["experiment"] == "memory" and row["runs"])
    assert memory["found"] == memory["runs"] > 50
    claim = "memory_v1_kernel_regression"
    (told,) = json.loads(run("-m", "abstractor_lib.cli", "claims", claim, "--json"))
    assert told["verdict"] == "holds"


@pytest.mark.slow
def test_a_run_is_computed_of_no_known_commit(run):
    """Also if the archive lies in another repository, whose commits say nothing of it."""
    subprocess.run(["git", "init", "--quiet", run.folder.parent], check=True)
    command = "run", "memory", "--profile", "smoke", "--fresh", "--jobs", "1"
    assert "runs computed" in run("-m", "abstractor_lib.cli", *command)
    lines = (run.folder / "build" / "smoke" / "records" / "memory.jsonl").read_text().splitlines()
    assert {json.loads(line)["provenance"]["commit"] for line in lines} == {"unknown"}


@pytest.mark.slow
def test_a_notebook_is_executed_and_nothing_changes(run):
    """All its figures and its executed form are the bytes that ship."""
    command = "reproduce", "--only", "09", "--audit", "0", "--rewrite"
    assert "09_memory" in run("-m", "abstractor_lib.cli", *command)
    for path in [*(ROOT / "figures").glob("txt_v1_5*"), ROOT / "notebooks" / "09_memory.ipynb"]:
        assert (run.folder / path.relative_to(ROOT)).read_bytes() == path.read_bytes(), path
