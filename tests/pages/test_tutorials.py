"""The tutorials, followed to the letter: cells in a space of their own, a section in a copy."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from abstractor_lib import paths
from abstractor_lib.pages import notebooks

START, OWN = (
    paths.root() / "notebooks" / f"{name}.py" for name in ("00_start_here", "90_your_own_task")
)
ITERATING = {  # tests that iterate over experiments, notebooks or files
    "tests/test_golden.py": [],
    "tests/test_repository.py": [
        "test_imports_point_one_way_and_in_no_circle",
        "test_hooks_find_nothing",
        "test_torch_is_seeded_in_one_place",
        "test_nothing_is_unpickled_or_executed",
        "test_texts_are_read_and_written_as_utf_8",
        "test_library_code_never_asks_for_a_protocols_name",
        "test_the_tree_is_small_and_says_nothing_of_this_machine",
        "test_files_that_pages_link_exist",
        "test_the_generated_parts_of_the_readme_and_of_the_paper_are_up_to_date",
    ],
    "tests/records/test_spec.py": ["test_specs_round_trip_and_differ"],
    "tests/experiments/test_sentences.py": [
        "test_a_sentence_rests_on_what_could_be_otherwise[odd_one_out-symmetry]"
    ],
    "tests/findings/test_claims.py": ["test_shipped_claims_are_well_formed"],
    "tests/pages/test_notebooks.py": [
        "test_sources_keep_the_house_rules",
        "test_executed_notebooks_are_up_to_date",
    ],
    "tests/pages/test_shipped.py": ["test_artifacts_that_ship_are_those_that_records_name"],
    "abstractor_lib/tasks/odd_one_out.py": [],
}


def tutorial_cells(source):
    """The imports of a notebook, and its cells with the tag."""
    code = [cell for cell in notebooks.read(source).cells if cell.cell_type == "code"]
    imports = next(cell.source for cell in code if cell.source.startswith("import "))
    tagged = [cell.source for cell in code if "tutorial" in cell.metadata.get("tags", [])]
    return [imports.split("figures.style()")[0], *tagged]


def followed(source, **space):
    """What its tutorial cells leave; they need the imports and nothing else of the notebook."""
    for cell in tutorial_cells(source):
        exec(compile(cell, source.stem, "exec"), space)
    return space


def test_an_abstractor_in_your_own_model():
    assert len(tutorial_cells(START)) == 3
    assert followed(START)["scores"].shape == (8, 2)


@pytest.mark.slow
def test_a_task_of_your_own():
    """What the notebook says of its table holds."""
    left = followed(OWN, profile="laptop")
    accuracy, shares = left["accuracy"], left["shares"]
    assert list(accuracy) == ["symmetric Abstractor", "asymmetric Abstractor", "MLP"]
    symmetric, asymmetric, mlp = accuracy.values()
    assert symmetric.low > 0.9
    assert asymmetric.low > mlp.high
    assert mlp.low < 0.2 < mlp.high
    assert all(0 <= one.low <= one.high <= 1 for one in accuracy.values())
    learned = [sum(share > 0.6 for share in some) for some in shares.values()]
    assert learned[0] == 8 and 4 < learned[1] < 8 and learned[2] == 0


def test_the_first_notebook_names_the_others():
    """Its map has a line for each section of the papers and for the tutorial."""
    text = START.read_text()
    for source in notebooks.sources():
        if START < source <= OWN:
            assert f"| [{source.stem}]({source.stem}.ipynb) | " in text, source.stem


def blocks(kind):
    """The fenced blocks of one language in the notebook's text, in order."""
    text = "\n\n".join(cell.source for cell in notebooks.read(OWN).cells)
    return re.findall(rf"^```{kind}\n(.*?)^```", text, flags=re.S | re.M)


@pytest.fixture
def copy(tmp_path, repository_files):
    """A copy of the repository, with the files that the page has."""
    for path in repository_files:
        target = tmp_path / path.relative_to(paths.root())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for block in blocks("python"):
        path, content = file_of(block, tmp_path)
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    for block in blocks("toml"):
        path, content = file_of(block, tmp_path)
        if content not in path.read_text():  # also in a repository that has the section
            path.write_text(f"{path.read_text()}\n{content}")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "--all"], cwd=tmp_path, check=True)
    return tmp_path


def file_of(block, top):
    first, _, content = block.partition("\n")
    return top / first.removeprefix("# "), content


def test_the_page_has_six_files_a_claim_and_two_lists_of_commands():
    folders = [block.partition("\n")[0].removeprefix("# ") for block in blocks("python")]
    assert len(folders) == 6
    assert "in six files" in (paths.root() / "CONTRIBUTING.md").read_text()
    assert len(blocks("toml")) == 1
    assert len(blocks("console")) == 2


@pytest.mark.slow
def test_a_section_made_by_the_page_passes_the_tests(copy):
    """Its commands run; then all tests that iterate over experiments or notebooks pass."""
    known = {"abstractor": ["-m", "abstractor_lib.cli"], "python": []}

    def command(line):
        word, *rest = shlex.split(line)
        done = subprocess.run(
            [sys.executable, *known[word], *rest],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    compute, check = (block.splitlines() for block in blocks("console"))
    for line in compute:
        command(line)
    assert (copy / "notebooks" / "91_odd_one_out.ipynb").is_file()
    assert {path.suffix for path in (copy / "figures").glob("odd_one_out_accuracy.*")} == {
        *(".svg", ".png", ".csv")
    }
    assert check.pop() == "make test"
    status, claims = (json.loads(command(f"{line} --json")) for line in check)
    (mine,) = [row for row in status if row["experiment"] == "odd_one_out"]
    assert mine["protocol"] == "sound" and mine["found"] == mine["runs"] > 1
    (claim,) = [row for row in claims if row["id"] == "odd_one_out_symmetry"]
    assert claim["verdict"] != "not run"
    assert claim["statement"] in " ".join((copy / "CLAIMS.md").read_text().split())
    tests = [
        f"{file}::{name}" if name else file
        for file, names in ITERATING.items()
        for name in names or [""]
    ]
    chosen = "odd_one_out or not test_golden_losses"
    found = command(shlex.join(["python", "-m", "pytest", "-k", chosen, *tests]))
    assert re.search(r"^\d+ passed", found, re.M)
    assert "failed" not in found
