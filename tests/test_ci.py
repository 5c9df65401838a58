"""`.ci/run`, with stubs in place of what takes minutes: every part runs, and none fails unseen."""

import os
import re
import shutil
import subprocess

import pytest
import yaml

from abstractor_lib import paths

CI = paths.root() / ".ci"
ALWAYS, OTHERS = (
    re.search(rf"^{name} .?= (.*)$", (CI / "parts.mk").read_text(), re.M)[1].split()
    for name in ("ALWAYS", "OTHERS")
)
PARTS = ALWAYS + OTHERS
MAKEFILE = """
test test-slow test-golden test-faults test-install test-papermill test-lab test-site \\
site reproduce:
	@.venv/bin/python $(strip $@ $(JOBS) $(OPTIONS))
.venv/site:
	@echo installed
"""
STUB = """#!/bin/sh
part=$(basename "$PWD")
echo "$part: $*"
case " $FAIL " in *" $part "*) exit 3;; esac
case " $KILL " in *" $part "*) kill -9 $$;; esac
case " $CHANGE " in *" $part "*) echo more >> Makefile;; esac
case " $LEAVE " in *" $part "*) echo new > new;; esac
"""


@pytest.fixture
def run(tmp_path):
    """Runs .ci/run in a repository of stubs; the exit status, and what it says."""
    shutil.copytree(CI, tmp_path / ".ci")
    for name in ("run", "part", "another_processor"):
        (tmp_path / ".ci" / name).chmod(0o755)
    (tmp_path / "Makefile").write_text(MAKEFILE.replace(".venv/bin/", f"{tmp_path}/.venv/bin/"))
    (tmp_path / ".gitignore").write_text(".venv\nbuild\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").write_text(STUB)
    (tmp_path / ".venv" / "bin" / "python").chmod(0o755)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "--all"], [*who, "commit", "-qm", "stubs"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)

    def run(**variables):
        outer = ("MAKE", "MFLAGS", "GIT_", "BIN", "JOBS", "OPTIONS")  # of the make that runs this
        env = {k: v for k, v in os.environ.items() if not k.startswith(outer)}
        done = subprocess.run(
            tmp_path / ".ci" / "run",
            env={**env, "LANES": "2", **variables},
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout + done.stderr

    return run


def test_all_parts_run(run):
    status, said = run()
    assert status == 0, said
    assert {part for part in PARTS if f"== {part}: passed" in said} == set(PARTS)
    assert "tests: test 1\n" in said
    assert "another-processor: reproduce --jobs 1 --rewrite --audit 0" in said
    assert "slow: test-slow 1\n" in said
    assert "reproduce: reproduce --jobs 1\n" in said
    assert "train: reproduce --jobs 1 --profile smoke --fresh" in said
    assert "golden-there: test-golden 1\n" in said


@pytest.mark.first(3)
@pytest.mark.parametrize(("how", "part"), [*(("FAIL", part) for part in PARTS), ("KILL", PARTS[0])])
def test_a_part_that_fails_is_not_lost(run, how, part):
    """Nor does it keep the others from running."""
    status, said = run(**{how: part})
    assert status != 0, said
    assert {one for one in PARTS if f"== {one}: passed" in said} == set(PARTS) - {part}


def test_what_would_begin_late_is_left_out_and_told(run):
    status, said = run(LATEST="-1")
    assert status == 0, said
    assert {part for part in PARTS if f"== {part}: passed" in said} == set(ALWAYS)
    assert {part for part in PARTS if f"== {part}: left out" in said} == set(OTHERS)


@pytest.mark.parametrize("how", ["CHANGE", "LEAVE"])
def test_a_part_that_changes_the_repository_fails(run, how):
    status, said = run(**{how: "reproduce"})
    assert status != 0, said
    assert "== reproduce changed tracked files" in said


def test_what_is_not_committed_is_not_passed_over(run, tmp_path):
    (tmp_path / "Makefile").write_text(MAKEFILE + "\n")
    status, said = run()
    assert status == 1
    assert "changes are not in it" in said


def workflow(name):
    """A public workflow, what starts it, and the commands of its only job."""
    found = yaml.safe_load((paths.root() / ".github" / "workflows" / name).read_text())
    (job,) = found["jobs"].values()
    return found, found[True], [step.get("run") for step in job["steps"]]  # YAML: `on` is true


def test_the_public_workflow_calls_it():
    _, starts, commands = workflow("ci.yml")
    assert ".ci/run" in commands
    assert starts.keys() >= {"push", "pull_request"}


def test_another_publishes_the_site_if_its_owner_wants_it():
    found, starts, commands = workflow("site.yml")
    assert "make site" in commands
    assert "pull_request" not in starts  # of strangers
    assert found["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}
