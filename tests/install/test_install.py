"""What `pip install` gives, from wheel and source distribution, each in an empty environment.

Needs what pip installs from; `make test-install`.
"""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest

from abstractor_lib import paths

ROOT = paths.root()
EXTRAS = ("pandas", "click", "matplotlib", "jupyterlab", "papermill", "gymnasium", "ray")


def call(*words, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=1500, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory, repository_files):
    """Wheel and source distribution, built from a copy, so that nothing is left here."""
    top = tmp_path_factory.mktemp("built")
    copy = top / "Quelle äöü"
    for path in repository_files:
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    call(sys.executable, "-m", "venv", top / "builder")
    python = top / "builder" / "bin" / "python"
    call(python, "-m", "pip", "install", "--quiet", "build", "twine")
    call(python, "-m", "build", "--outdir", top / "dist", copy)
    call(python, "-m", "twine", "check", "--strict", *(top / "dist").iterdir())
    return {path.suffix: path for path in (top / "dist").iterdir()}


def test_both_hold_the_library_and_no_records(built):
    with zipfile.ZipFile(built[".whl"]) as wheel:
        names = wheel.namelist()
    library = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "abstractor_lib").rglob("*")
        if path.suffix in (".py", ".css", ".js", ".json", ".svg") or path.name == "py.typed"
    }
    assert {name for name in names if ".dist-info/" not in name} == library
    with tarfile.open(built[".gz"]) as source:
        inside = {name.partition("/")[2] for name in source.getnames()}
    assert library <= inside
    assert not any(name.startswith(("data/", "figures/")) for name in inside)
    assert all(path.stat().st_size < 3 * 2**19 for path in built.values())  # code alone: 1.2 MiB


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """An environment with torch alone, which is what TORCH says, as for `make`."""
    folder = tmp_path_factory.mktemp("empty")
    call(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    torch = os.environ.get("TORCH", "torch==2.13.0").split()
    call(python, "-m", "pip", "install", "--quiet", *torch)
    return python


LEAST = """
import importlib, pkgutil
import numpy as np
import abstractor_lib.theory as theory
from abstractor_lib.theory.kernels import MERCER
from abstractor_lib.theory.nonlinear_measurements import logistic

for one in pkgutil.walk_packages(theory.__path__, "abstractor_lib.theory."):
    importlib.import_module(one.name)
assert np.isfinite(MERCER["sphere"].eigenpairs(4)[1](np.eye(3))).all()
a = np.random.default_rng(0).standard_normal((200, 10))
found = np.abs(logistic(a, np.sign(a[:, 3])))
assert found.argmax() == 3 and (found > 0).sum() < 5  # an l1 penalty, not an l2 one
"""


def test_the_least_versions_do(built, tmp_path):
    """Those of scikit-learn and scipy that `pyproject.toml` still allows."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    least = [one.replace(">=", "==") for one in wanted if one.startswith("sci")]
    assert len(least) == 2
    call(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    torch = os.environ.get("TORCH", "torch==2.13.0").split()
    call(python, "-m", "pip", "install", "--quiet", *torch)
    call(python, "-m", "pip", "install", "--quiet", built[".whl"], *least)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    call(python, "-c", LEAST, cwd=tmp_path, env=env)


@pytest.mark.parametrize("kind", [".whl", ".gz"])
def test_the_example_of_the_readme_runs(built, empty, tmp_path, kind):
    """None of the packages that come along is an extra's."""
    call(empty, "-m", "pip", "install", "--quiet", built[kind])
    listed = call(empty, "-m", "pip", "list", "--format", "freeze").lower()
    assert "abstractor-companion" in listed
    assert not [name for name in EXTRAS if re.search(rf"^{name}==", listed, re.M)]
    (example,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    call(empty, "-c", example, cwd=tmp_path, env=env)
    call(empty, "-m", "pip", "uninstall", "--quiet", "--yes", "abstractor-companion")
