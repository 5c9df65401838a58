"""Notebooks run by papermill alone, as a reader runs them: from a folder of their own, with real
kernels, in a copy of the checkout, so that what they compute is not found beforehand."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

from abstractor_lib import paths
from abstractor_lib.records import store

NOTEBOOKS = ("09_memory", "06_message_passing", "05_mercer_kernels")  # of one experiment each


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what notebooks read."""
    top = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("abstractor_lib", "notebooks"):
        shutil.copytree(paths.root() / name, top / name, ignore=ignored)
    (top / "data").symlink_to(paths.data())
    return top


def papermill(checkout, name, output, *parameters):
    """Run a notebook's source through jupytext and papermill, from the output's folder."""
    folder = output.parent
    variables = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    convert = [sys.executable, "-m", "jupytext", "--to", "ipynb", "--output", "-"]
    source = subprocess.run(
        [*convert, checkout / "notebooks" / f"{name}.py"],
        cwd=folder,
        env=variables,
        capture_output=True,
        timeout=60,
        check=True,
    )
    return subprocess.run(
        [sys.executable, "-m", "papermill", "-", output, "--no-progress-bar", *parameters],
        cwd=folder,
        env=variables,
        input=source.stdout,
        capture_output=True,
        timeout=300,
    )


COMPUTE = ("-p", "profile", "smoke", "-p", "compute", "True", "-p", "fresh", "True")


def test_three_at_once_compute_what_is_missing_and_then_nothing(checkout, tmp_path):
    def run(name):
        return papermill(checkout, name, tmp_path / f"{name}.ipynb", *COMPUTE)

    def recorded():
        files = (checkout / "build" / "smoke" / "records").glob("*.jsonl")
        return {path.name: path.read_bytes() for path in files}

    with ThreadPoolExecutor(len(NOTEBOOKS)) as threads:
        for done in threads.map(run, NOTEBOOKS):
            assert done.returncode == 0, done.stderr.decode()[-2000:]
    before = recorded()
    assert len(before) == len(NOTEBOOKS)
    assert all(store.load(checkout / "build/smoke/records" / name) for name in before)
    for name in NOTEBOOKS:
        cells = nbformat.read(tmp_path / f"{name}.ipynb", as_version=4).cells
        pictures = [
            o for c in cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})
        ]
        assert pictures
    again = run(NOTEBOOKS[0])
    assert again.returncode == 0 and recorded() == before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (("-p", "profil", "smoke"), "parameter 'profil' is unknown; allowed: profile, fresh, "),
        (("-p", "profile", "tiny"), "profile is 'tiny'; allowed: smoke, laptop, paper"),
        (("-p", "compute", "yes"), "parameter compute is 'yes'; expected bool"),
    ],
)
def test_bad_parameters_are_told_in_one_sentence(checkout, tmp_path, parameters, message):
    output = tmp_path / "out.ipynb"
    done = papermill(checkout, NOTEBOOKS[0], output, *parameters)
    assert done.returncode == 1
    told = done.stderr.decode()
    assert message in told and "Traceback" not in told.split("Exception encountered")[1]
    cells = nbformat.read(output, as_version=4).cells
    (error,) = [o for c in cells for o in c.get("outputs", []) if o["output_type"] == "error"]
    assert len(error["traceback"]) == 1 and message in error["traceback"][0]
