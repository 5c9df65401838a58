"""codemeta.json and the RO-Crate against CITATION.cff and the files."""

import json
from functools import cache

import pytest
import yaml

from abstractor_lib import paths
from abstractor_lib.pages import metadata
from abstractor_lib.pages.reproduce import index_entries

ROOT = paths.root()
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_codemeta_says_what_the_citation_says():
    shipped = json.loads((ROOT / "codemeta.json").read_text())
    assert (
        metadata.codemeta(metadata.citation(), metadata.project())
        == (ROOT / "codemeta.json").read_text()
    )
    assert shipped["name"] == CITATION["title"]
    assert shipped["version"] == CITATION["version"]
    assert shipped["datePublished"] == CITATION["date-released"]
    assert shipped["license"].endswith(f"/{CITATION['license']}")
    assert shipped["keywords"] == CITATION["keywords"]
    assert [one["name"] for one in shipped["author"]] == [a["name"] for a in CITATION["authors"]]
    for told, cited in zip(shipped["referencePublication"], CITATION["references"], strict=True):
        assert (told["name"], told["datePublished"]) == (cited["title"], str(cited["year"]))
        names = [f"{one['given-names']} {one['family-names']}" for one in cited["authors"]]
        assert [one["name"] for one in told["author"]] == names


OWNED = {
    **CITATION,
    "repository-code": "https://example.org/abstractor",
    "doi": "10.5072/zenodo.1",
    "authors": [
        {"given-names": "Ada", "family-names": "Byron", "orcid": "https://orcid.org/0000-0002"}
    ],
}


@pytest.mark.slow
def test_what_the_owner_fills_in_arrives():
    made = json.loads(metadata.codemeta(OWNED, metadata.project()))
    assert made["codeRepository"] == "https://example.org/abstractor"
    assert made["identifier"] == "https://doi.org/10.5072/zenodo.1"
    assert made["author"][0]["id"] == "https://orcid.org/0000-0002"
    crate = graph(OWNED)
    assert crate["./"]["identifier"] == "https://doi.org/10.5072/zenodo.1"
    assert crate["https://orcid.org/0000-0002"]["name"] == "Ada Byron"


@cache
def entries():
    return index_entries()


def graph(cited):
    made = json.loads(metadata.crate(cited, metadata.project(), entries()))
    assert made["@context"] == "https://w3id.org/ro/crate/1.2/context"
    return {one["@id"]: one for one in made["@graph"]}


def references(value):
    if isinstance(value, dict) and value.keys() == {"@id"}:
        yield value["@id"]
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from references(one)


def test_the_crate_is_flat_and_names_files_that_are_there():
    """What RO-Crate 1.2 asks of the descriptor and of the root, and of every entity."""
    known = graph(CITATION)
    descriptor, root = known["ro-crate-metadata.json"], known["./"]
    assert descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.2"}
    assert {"name", "description", "datePublished", "license", "hasPart"} <= root.keys()
    for one in known.values():
        assert one["@type"], one
        given = set(references([value for key, value in one.items() if key != "@id"]))
        assert given - {"https://w3id.org/ro/crate/1.2"} <= known.keys(), one
    files = [one["@id"] for one in known.values() if one["@type"] == "File"]
    assert set(files) == set(references(root["hasPart"]))
    assert all((ROOT / name).is_file() for name in files)


def test_a_figure_is_drawn_by_its_notebook_from_records():
    action = graph(CITATION)["#09_memory"]
    assert action["instrument"] == {"@id": "notebooks/09_memory.ipynb"}
    assert list(references(action["object"])) == ["data/records/memory.jsonl"]
    drawn = list(references(action["result"]))
    assert drawn
    assert all(name.startswith("figures/txt_v1_5") for name in drawn)


@pytest.mark.parametrize("name", ["pyproject.toml", "CITATION.cff", "codemeta.json"])
def test_versions_are_read_from_their_files(name):
    version = metadata.versions()[name]
    assert version[0].isdigit()
    assert version in (ROOT / name).read_text()
