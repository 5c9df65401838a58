"""The page of all figures, tables and theorems of the papers: what ``abstractor index`` prints."""

import pandas as pd

from ...reporting.tables import markdown
from ..index import Entry

PAPERS = {
    "v1": "v1: Abstractors (2023)",
    "v3": "v3: Abstractors and relational cross-attention (2024)",
    "simplicial": "Logic and the 2-Simplicial Transformer",
    "curves": "Beyond Transformers for Function Learning",
}


def page(entries: list[Entry]) -> str:
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
    for stem, suffixes in kinds.items():
        name = stem.removeprefix("figures/")
        owner = max((one for one in ids if name.startswith(f"{one}_")), key=len)
        links = [f"[table]({stem}.md)"] if "md" in suffixes else []
        links += [
            f'<a href="{stem}.{one}">{one}</a>' for one in ("svg", "tex", "csv") if one in suffixes
        ]
        files = ", ".join(links)
        topic = name.removeprefix(f"{owner}_").replace("_", " ")
        line = f"{topic}: {files}" if owner == entry.id else f'see <a href="#{owner}">{owner}</a>'
        shown += [line] if line not in shown else []
    stems = [stem for stem in (entry.notebook, *entry.further) if stem]
    notebook = ", ".join(f"[{stem}](notebooks/{stem}.ipynb)" for stem in stems)
    return {
        "id": f'<span id="{entry.id}"></span>`{entry.id}`',
        "what": entry.title,
        "notebook": notebook + f"{'; ' if notebook else ''}{entry.reason}" * bool(entry.reason),
        "files": "<br>".join(shown),
    }
