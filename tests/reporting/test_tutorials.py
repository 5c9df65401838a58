"""The tutorials of the first notebook, followed to the letter."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from abstractor_lib import paths
from abstractor_lib.reporting import notebooks

START = paths.root() / "notebooks" / "00_start_here.py"


def tutorial_cells():
    notebook = notebooks.read(START)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    imports = next(cell.source for cell in code if cell.source.startswith("from copy"))
    return [imports.split("figures.style()")[0]] + [
        cell.source for cell in code if "tutorial" in cell.metadata.get("tags", [])
    ]


def test_tutorial_cells_stand_alone():
    """They need the notebook's imports and nothing else of it; their assertions hold."""
    cells = tutorial_cells()
    assert len(cells) == 7 and sum("assert" in cell for cell in cells) == 2
    space = {}
    for cell in cells:
        exec(compile(cell, "tutorial", "exec"), space)
    assert space["accuracy"]["Abstractor"].low > 0.9


@pytest.fixture
def copy(tmp_path):
    """A copy of the library and its data, to which the section is added as the tutorial says."""
    for name in ("abstractor_lib", "data"):
        shutil.copytree(
            paths.root() / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(paths.root() / "pyproject.toml", tmp_path)
    written = 0
    for cell in notebooks.read(START).cells:
        for block in re.findall(r"```python\n(.*?)```", cell.source, flags=re.S):
            first, _, content = block.partition("\n")
            path = tmp_path / first.removeprefix("# ")
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
            written += 1
    assert written == 3
    known = tmp_path / "abstractor_lib" / "experiments" / "__init__.py"
    pattern = r"EXPERIMENTS = \((.*?),?\s*\)"
    more = r'EXPERIMENTS = (\1, "odd_one_out")'
    known.write_text(re.sub(pattern, more, known.read_text(), flags=re.S))
    return tmp_path


def test_the_section_of_the_tutorial_runs(copy):
    def command(*words):
        done = subprocess.run(
            [sys.executable, "-m", "abstractor_lib.cli", *words],
            cwd=copy,
            env={"PYTHONPATH": str(copy), "PATH": "", "HOME": str(copy)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    command("run", "odd_one_out", "--profile", "smoke", "--jobs", "1")
    rows = json.loads(command("status", "--profile", "smoke", "--json"))
    found = {row["protocol"]: row for row in rows if row["experiment"] == "odd_one_out"}
    assert found["sound"]["runs"] == found["sound"]["fresh"] == 2
    assert list(found) == ["sound"]
    record = json.loads(next((copy / "build").rglob("odd_one_out.jsonl")).open().readline())
    assert len(record["metrics"]["test_accuracy"]) == 5
