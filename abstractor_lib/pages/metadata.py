"""What machines read of the repository, made from CITATION.cff: codemeta.json and an RO-Crate.

Both are JSON-LD, which plain dictionaries hold. ``abstractor readme`` writes codemeta.json, and
``abstractor release`` puts ``ro-crate-metadata.json`` into the archive.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from .. import __version__, paths
from . import index, notebooks

CODEMETA = "codemeta.json"
CRATE = "ro-crate-metadata.json"
CONTEXT = "https://w3id.org/ro/crate/1.2/context"
PROFILE = "https://w3id.org/ro/crate/1.2"
TYPES = {"article": "ScholarlyArticle", "conference-paper": "ScholarlyArticle", "report": "Report"}
DATA = ("CLAIMS.md", "data/claims.toml", "data/inventory.csv", "CITATION.cff", "LICENSE")


def citation() -> dict[str, Any]:
    """CITATION.cff."""
    return yaml.safe_load((paths.root() / "CITATION.cff").read_text(encoding="utf-8"))


def project() -> dict[str, Any]:
    """The table ``project`` of pyproject.toml."""
    return tomllib.loads((paths.root() / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def versions() -> dict[str, str]:
    """The version as each file has it; that of the changelog is its newest."""
    root = paths.root()
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+) \(", changelog, re.M)
    return {
        "pyproject.toml": project()["version"],
        "abstractor_lib/__init__.py": __version__,
        "CITATION.cff": str(citation()["version"]),
        CODEMETA: json.loads((root / CODEMETA).read_text(encoding="utf-8"))["version"],
        "CHANGELOG.md": newest[1] if newest else "none",
    }


def codemeta(cited: Mapping, described: Mapping) -> str:
    """The text of codemeta.json.

    Args:
        cited: `citation`.
        described: `project`; CITATION.cff has no place for what an installation needs.
    """
    known = {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        **_general(cited),
        "license": _license(cited),
        "author": [_author(one) for one in cited["authors"]],
        "description": described["description"],
        "dateModified": cited["date-released"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {described['requires-python']}",
        "softwareRequirements": list(described["dependencies"]),
        "referencePublication": [_publication(one) for one in cited["references"]],
    }
    return _dumped(known)


def crate(cited: Mapping, described: Mapping, entries: Iterable[index.Entry]) -> str:
    """The text of ``ro-crate-metadata.json``: the figures, and that a notebook drew them from
    records.

    Args:
        cited: `citation`.
        described: `project`.
        entries: the index, which knows the figures of a notebook.
    """
    drawn: dict[str, set[str]] = {}
    for entry in entries:
        if entry.notebook:
            drawn.setdefault(entry.notebook, set()).update(entry.files)
    actions = [_drawing(stem, sorted(files)) for stem, files in sorted(drawn.items())]
    parts = sorted(
        {*DATA}.union(*drawn.values(), *({one["@id"] for one in _used(stem)} for stem in drawn))
    )
    authors = []
    for k, one in enumerate(cited["authors"], start=1):
        known = _author(one)
        identifier = known.pop("id", f"#author-{k}")
        authors.append({"@id": identifier, "@type": known.pop("type"), **known})
    root = {
        "@id": "./",
        "@type": "Dataset",
        **_general(cited),
        "license": {"@id": _license(cited)},
        "author": [{"@id": one["@id"]} for one in authors],
        "description": described["description"],
        "hasPart": [{"@id": name} for name in parts],
        "mentions": [{"@id": action["@id"]} for action in actions],
    }
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": PROFILE},
        },
        root,
        {"@id": _license(cited), "@type": "CreativeWork", "name": cited["license"]},
        *({"@id": name, "@type": "File", "name": name.rpartition("/")[2]} for name in parts),
        *authors,
        *actions,
    ]
    return _dumped({"@context": CONTEXT, "@graph": graph})


def _general(cited: Mapping) -> dict[str, Any]:
    """What both say of the repository. An address and a DOI are there if CITATION.cff has them."""
    known = {
        "name": cited["title"],
        "version": str(cited["version"]),
        "datePublished": str(cited["date-released"]),
        "keywords": list(cited["keywords"]),
    }
    if "repository-code" in cited:
        known["codeRepository"] = cited["repository-code"]
    if "doi" in cited:
        known["identifier"] = f"https://doi.org/{cited['doi']}"
    return known


def _license(cited: Mapping) -> str:
    return f"https://spdx.org/licenses/{cited['license']}"


def _author(one: Mapping) -> dict[str, str]:
    """A person, or an organisation, which has one name."""
    if "name" in one:
        return {"type": "Organization", "name": one["name"]}
    names = {"givenName": one["given-names"], "familyName": one["family-names"]}
    known = {"type": "Person", **names, "name": " ".join(names.values())}
    return known | ({"id": one["orcid"]} if "orcid" in one else {})


def _publication(one: Mapping) -> dict[str, Any]:
    identifiers = [entry["value"] for entry in one.get("identifiers", ())]
    return {
        "type": TYPES[one["type"]],
        "name": one["title"],
        "author": [_author(author) for author in one["authors"]],
        "datePublished": str(one["year"]),
        **({"identifier": identifiers} if identifiers else {}),
    }


def _used(stem: str) -> list[dict[str, str]]:
    """The notebook, and the record files that it reads."""
    folder = paths.data() / "records"
    names = index.notebook_experiments(stem)
    files = [path for name in names for path in sorted(folder.glob(f"{name}.jsonl*"))]
    used = [f"notebooks/{stem}.ipynb", *(f"data/records/{path.name}" for path in files)]
    return [{"@id": name} for name in used]


def _drawing(stem: str, files: Iterable[str]) -> dict[str, Any]:
    """That a notebook drew figures from records."""
    instrument, *records = _used(stem)
    return {
        "@id": f"#{stem}",
        "@type": "CreateAction",
        "name": notebooks.title(notebooks.find(stem)),
        "instrument": instrument,
        "object": records,
        "result": [{"@id": name} for name in files],
    }


def _dumped(known: Mapping) -> str:
    return json.dumps(known, indent=2, ensure_ascii=False) + "\n"
