"""Whoever wants the models, tasks or theory alone installs torch and little else."""

import subprocess
import sys
import tomllib
from importlib.resources import files

import pytest
from packaging.requirements import Requirement

from abstractor_lib import paths

PROJECT = tomllib.loads((paths.root() / "pyproject.toml").read_text())["project"]
MODULES = {"pillow": "PIL", "pyyaml": "yaml", "import-linter": "importlinter"}
LIGHT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {extras!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
import importlib, pkgutil
import abstractor_lib
for room in ("nn", "tasks", "theory", "training"):
    package = importlib.import_module(f"abstractor_lib.{{room}}")
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
import torch
from abstractor_lib.nn import Abstractor
from abstractor_lib.theory.recovery import RobustRelationRecovery
print(tuple(Abstractor(16, heads=2, layers=1, symbols=5)(torch.randn(3, 5, 16)).shape))
"""


def extras() -> set[str]:
    """The modules of every optional dependency. (scikit-learn itself needs joblib and
    threadpoolctl, torch needs networkx, filelock and sympy.)"""
    groups = PROJECT["optional-dependencies"].values()
    names = {Requirement(line).name.lower() for group in groups for line in group}
    modules = {MODULES.get(name, name.replace("-", "_")) for name in names}
    return modules - {"joblib", "threadpoolctl", "networkx", "filelock", "sympy"}


def run(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_models_tasks_theory_and_training_need_no_extras():
    assert {"pandas", "seaborn", "papermill", "click", "tqdm", "PIL"} <= extras()
    found = run(LIGHT.format(extras=extras()))
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "(3, 5, 16)"


@pytest.mark.slow
def test_the_blocked_modules_are_really_absent():
    code = LIGHT.format(extras=extras()) + "\nimport abstractor_lib.reporting.tables"
    found = run(code)
    assert found.returncode == 1
    assert "No module named" in found.stderr


def test_core_is_torch_and_the_scientific_libraries():
    core = {Requirement(line).name for line in PROJECT["dependencies"]}
    assert core == {"torch", "numpy", "scipy", "scikit-learn"}
    assert PROJECT["requires-python"] == ">=3.11"


def test_type_hints_ship():
    assert (files("abstractor_lib") / "py.typed").is_file()
