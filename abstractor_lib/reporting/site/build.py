"""From the repository to the site: its sources in ``build/site-source``, its pages in
``build/site``. No notebook is executed."""

import fnmatch
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from ... import Failure, paths
from ...findings.statistics import number
from .. import notebooks
from ..files import write
from ..index import Entry
from ..reproduce import index_entries, judged, studies
from ..tables import markdown
from . import api
from .links import FRONT, Links, notebook

CLAIMS, INDEX = "CLAIMS.md", "INDEX.md"
PAPERS = {
    "v1": "v1: Abstractors (2023)",
    "v3": "v3: Abstractors and relational cross-attention (2024)",
    "simplicial": "Logic and the 2-Simplicial Transformer",
    "curves": "Beyond Transformers for Function Learning",
}


def pages() -> list[str]:
    """The pages that the repository holds, relative to it.

    ``docs/index.md`` is what the front page has below the README.
    """
    root = paths.root()
    found = [FRONT, "CHANGELOG.md", *([CLAIMS] if (root / CLAIMS).is_file() else [])]
    found += [f"notebooks/{source.stem}.ipynb" for source in notebooks.sources()]
    found += [f"docs/{path.name}" for path in sorted((root / "docs").glob("*.md"))]
    return [name for name in found if name != "docs/index.md" and (root / name).is_file()]


def assemble(target: Path) -> list[str]:
    """Write the sources of the site.

    Args:
        target: their folder; what it held is gone. In ``target/_files`` lie the files that raw
            HTML names.

    Returns:
        The pages, relative to the folder.

    Raises:
        BrokenLink: if a page names a file that is not there.
    """
    root = paths.root()
    shutil.rmtree(target, ignore_errors=True)
    made = dict(_generated())
    links = Links(root, {*pages(), *made})
    written = api.pages(root)
    for name in pages():
        text = (root / name).read_text()
        if name.endswith(".ipynb"):
            written[name] = json.dumps(notebook(json.loads(text), name, links))
        elif name == FRONT:
            written["index.md"] = links.markdown(text, name) + _below(root)
        else:
            written[name] = links.markdown(text, name)
    for name, text in made.items():
        written[name] = links.markdown(text, name)
    for name, text in written.items():
        write(target / name, text)
    for name in links.files:
        content = (root / name).read_bytes()
        write(
            target / name,
            _table_page(Path(name).stem, content) if name.endswith(".md") else content,
        )
    for name in links.raw:
        write(target / "_files" / name, (root / name).read_bytes())
    return sorted(written)


def _table_page(name: str, content: bytes) -> bytes:
    """A table of ``figures``, which has no heading, as a page that no list of pages names."""
    return f"---\norphan: true\n---\n\n# {name}\n\n".encode() + content


def _below(root: Path) -> str:
    """The lists of pages, without patterns that no page fits, which Sphinx would warn of."""
    lines = (root / "docs" / "index.md").read_text().splitlines()
    empty = [one for one in lines if one.endswith("*") and not fnmatch.filter(pages(), f"{one}.*")]
    kept = [line for line in lines if line not in empty]
    return "\n" + "\n".join(kept) + "\n"


def _generated() -> Iterator[tuple[str, str]]:
    """Pages made here: the index, and the claims unless the repository holds them as a page."""
    yield INDEX, index_page(index_entries())
    if not (paths.root() / CLAIMS).is_file():
        yield CLAIMS, _claims_page()


def index_page(entries: list[Entry]) -> str:
    """The index as a page: a table a paper, a row an item."""
    unknown = sorted({entry.paper for entry in entries} - PAPERS.keys())
    if unknown:
        raise ValueError(f"the inventory names papers without a title: {', '.join(unknown)}")
    ids = [entry.id for entry in entries]
    parts = ["# Index of figures, tables and theorems\n"]
    for paper, title in PAPERS.items():
        rows = [_row(entry, ids) for entry in entries if entry.paper == paper]
        parts += [f"## {title}\n", markdown(pd.DataFrame(rows)) + "\n"] if rows else []
    return "\n".join(parts)


def _row(entry: Entry, ids: list[str]) -> dict[str, str]:
    """An item with its notebook and files, or why it is open; files of another item stand there."""
    kinds: dict[str, list[str]] = {}
    for name in entry.files:
        stem, _, kind = name.rpartition(".")
        kinds.setdefault(stem, []).append(kind)
    shown = []
    for stem, found in kinds.items():
        name = stem.removeprefix("figures/")
        owner = max((one for one in ids if name.startswith(f"{one}_")), key=len)
        links = [f"[table]({stem}.md)"] if "md" in found else []
        links += [
            f'<a href="{stem}.{one}">{one}</a>' for one in ("svg", "tex", "csv") if one in found
        ]
        files = ", ".join(links)
        topic = name.removeprefix(f"{owner}_").replace("_", " ")
        line = f"{topic}: {files}" if owner == entry.id else f'see <a href="#{owner}">{owner}</a>'
        shown += [line] if line not in shown else []
    notebook = f"[{entry.notebook}](notebooks/{entry.notebook}.ipynb)" if entry.notebook else ""
    return {
        "id": f'<span id="{entry.id}"></span>`{entry.id}`',
        "what": entry.title,
        "notebook": notebook + f"{'; ' if notebook else ''}{entry.reason}" * bool(entry.reason),
        "files": "<br>".join(shown),
    }


def _claims_page() -> str:
    rows = [
        {
            "item": f'<a href="{INDEX}#{one.item}">{one.item}</a>',
            "claim": one.statement,
            "protocol": one.protocol,
            "verdict": one.verdict,
            "measured": ""
            if one.measured is None
            else f"{number(one.measured)} [{number(one.low)}, {number(one.high)}]",
        }
        for one in judged(studies())
    ]
    return "# Claims\n\n" + markdown(pd.DataFrame(rows)) + "\n"


def build() -> Path:
    """Assemble the sources and let Sphinx build the pages, with warnings as errors.

    Returns:
        The front page.

    Raises:
        ModuleNotFoundError: without Sphinx; ``make site`` installs it.
        Failure: if Sphinx warned of anything.
    """
    from sphinx.cmd.build import main

    root = paths.root()
    source, target = root / "build" / "site-source", root / "build" / "site"
    assemble(source)
    shutil.rmtree(target, ignore_errors=True)
    folders = ["-c", root / "docs", "-d", source / ".doctrees", source, target]
    if main(["-q", "-W", "--keep-going", "-b", "html", *map(str, folders)]):
        raise Failure("the site has warnings, printed above")
    return target / "index.html"
