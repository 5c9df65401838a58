"""From the repository to the site: its sources in ``build/site-source``, its pages in
``build/site``. No notebook is executed."""

import fnmatch
import json
import shutil
from pathlib import Path

from ... import Failure, paths
from ...reporting.files import write
from .. import notebooks, places, release
from ..reproduce import index_entries
from . import api, exhibits, items
from .links import FRONT, Links, notebook

INDEX = "INDEX.md"
EXHIBITS = "EXHIBITS.md"
CHANGELOG = "CHANGELOG.md"


def pages() -> list[str]:
    """The pages that the repository holds, relative to it.

    ``docs/index.md`` is what the front page has below the README.
    """
    root = paths.root()
    names = [FRONT, "CLAIMS.md", "ARTIFACT.md", CHANGELOG, "CONTRIBUTING.md", "SECURITY.md"]
    names += [f"notebooks/{source.stem}.ipynb" for source in notebooks.sources()]
    names += [f"docs/{path.name}" for path in sorted((root / "docs").glob("*.md"))]
    return [name for name in names if name != "docs/index.md" and (root / name).is_file()]


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
    cells = places.drawing_cells()
    drawn = {name: f"notebooks/{stem}.ipynb" for name, (stem, _) in cells.items()}
    links = Links(root, {*pages(), INDEX, EXHIBITS}, drawn)
    written = api.pages(root)
    entries = index_entries()
    written[INDEX] = links.markdown(items.page(entries), INDEX)
    written[EXHIBITS] = exhibits.page()
    for name in pages():
        text = (root / name).read_text(encoding="utf-8")
        if name.endswith(".ipynb"):
            content = notebook(json.loads(text), name, links)
            written[name] = json.dumps(items.mark(content, Path(name).stem, entries, cells))
        elif name == CHANGELOG:
            written[name] = links.markdown(_with_the_next_release(root, text), name)
        elif name == FRONT:
            front = exhibits.linked(links.markdown(text, name))
            written["index.md"] = items.asked(front, name) + _below(root)
        else:
            written[name] = items.asked(links.markdown(text, name), name)
    for name, text in written.items():
        write(target / name, text)
    for name in links.files:
        content = (root / name).read_bytes()
        head = _page_head(name, content) if name.endswith(".md") else b""
        write(target / name, head + content)
    for name in links.raw:
        write(target / "_files" / name, (root / name).read_bytes())
    return sorted(written)


def _with_the_next_release(root: Path, changelog: str) -> str:
    """The changelog with the changes since the last release, which are files of their own."""
    title, _, older = changelog.partition("\n## ")
    return f"{title}\n{release.draft(root)}\n## {older}"


def _page_head(name: str, content: bytes) -> bytes:
    """What makes a file a page, such as a table of ``figures``: a heading if it has none, and that
    no list of pages names it."""
    heading = "" if content.startswith(b"# ") else f"# {Path(name).stem}\n\n"
    return f"---\norphan: true\n---\n\n{heading}".encode()


def _below(root: Path) -> str:
    """The lists of pages, without patterns that no page fits, which Sphinx would warn of."""
    lines = (root / "docs" / "index.md").read_text(encoding="utf-8").splitlines()
    empty = [one for one in lines if one.endswith("*") and not fnmatch.filter(pages(), f"{one}.*")]
    kept = [line for line in lines if line not in empty]
    return "\n" + "\n".join(kept) + "\n"


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
