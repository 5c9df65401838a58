"""Which Python `make` takes, with fake ones on the PATH; the folder has spaces and umlauts."""

import os
import shutil
import subprocess
import sys

import pytest

from abstractor_lib import paths

ROOT = paths.root()
FAKE = """#!/bin/sh
if [ "$1" = -m ]; then
    mkdir -p "$3/bin" && printf '#!/bin/sh\\n' > "$3/bin/python" && chmod +x "$3/bin/python"
    echo "made by $(basename "$0")"
else
    exec '{python}' -c "import sys; sys.version_info = {version}; {more}; $2"
fi
"""
NO_VENV = "sys.modules['ensurepip'] = None"


@pytest.fixture
def make(tmp_path):
    """Runs make in a copy, with fake pythons on the PATH: name -> version, or version and what else
    is done."""
    folder = tmp_path / "mit Leerzeichen und Umläuten äöü"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copyfile(ROOT / name, folder / name)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "mkdir", "chmod", "basename", "grep", "touch"):
        (tools / name).symlink_to(shutil.which(name))

    def run(pythons, *words):
        for name, (version, *more) in pythons.items():
            fake = tools / name
            fake.parent.mkdir(exist_ok=True)
            text = FAKE.format(python=sys.executable, version=version, more="; ".join(more) or "0")
            fake.write_text(text)
            fake.chmod(0o755)
        outer = ("MAKE", "MFLAGS", "PYTHON", "TORCH", "BIN")  # of the make that runs this
        env = {name: value for name, value in os.environ.items() if not name.startswith(outer)}
        done = subprocess.run(
            [shutil.which("make"), *words, ".venv/installed"],
            cwd=folder,
            env={**env, "PATH": str(tools)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr, folder

    return run


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("pythons", "taken"),
    [
        ({"python3.11": ((3, 11, 9),), "python3.14": ((3, 14, 0),)}, "python3.14"),
        ({"python3": ((3, 15, 0),), "python3.12": ((3, 12, 1),)}, "python3.12"),
        ({"python3.13": ((3, 13, 2), NO_VENV), "python3.11": ((3, 11, 5),)}, "python3.11"),
        ({"python3": ((3, 10, 1),), "python": ((3, 13, 0),)}, "python"),
        ({"python3.14": ((3, 14, 1), "sys.exit(127)"), "python3": ((3, 12, 8),)}, "python3"),
    ],
    ids=["newest", "too new", "no venv", "another name", "broken"],
)
def test_the_newest_python_that_fits_is_taken(make, pythons, taken):
    status, said, errors, folder = make(pythons)
    assert status == 0, errors
    assert f"made by {taken}\n" in said
    assert (folder / ".venv" / "installed").is_file()


@pytest.mark.parametrize("pythons", [{}, {"python3.11": ((3, 11, 4),), "python3": ((3, 15, 0),)}])
def test_without_one_a_sentence_says_which_are_needed(make, pythons):
    status, _, errors, folder = make(pythons)
    assert status == 2
    assert errors.splitlines()[0] == (
        "make: there is no Python 3.11.5 to 3.14 with venv; make PYTHON=/path/to/python names one"
    )
    assert not (folder / ".venv").exists()


def test_a_python_can_be_named_also_by_a_path_with_spaces(make, tmp_path):
    named = tmp_path / "tools" / "my pythons" / "python 3"
    pythons = {"python3.14": ((3, 14, 0),), "my pythons/python 3": ((3, 12, 0),)}
    status, said, errors, _ = make(pythons, f"PYTHON={named}")
    assert (status, "made by python 3\n" in said) == (0, True), errors


def test_one_that_is_named_and_does_not_fit_is_refused(make):
    status, _, errors, folder = make({"python3": ((3, 9, 0),)}, "PYTHON=python3")
    assert status == 2
    assert errors.startswith("make: python3 is not Python 3.11.5 to 3.14 with venv; ")
    assert not (folder / ".venv").exists()


def test_pages_name_these_versions():
    """And the versions of the container file and of the workflow are among them."""
    for name in ("README.md", "CONTRIBUTING.md", "ARTIFACT.md", "requirements.lock"):
        text = " ".join((ROOT / name).read_text().split())
        assert "Python 3.11.5 to 3.14" in text, name
    makefile = (ROOT / "Makefile").read_text()
    listed = makefile.partition("PYTHONS := ")[2].splitlines()[0].split()
    versions = [name.removeprefix("python") for name in listed if "." in name]
    assert versions == ["3.14", "3.13", "3.12", "3.11"]
    container = (ROOT / "Containerfile").read_text()
    assert container.partition("FROM python:")[2].partition("-")[0] in versions
