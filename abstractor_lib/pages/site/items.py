"""What is looked for in the site: the page that lists figures, tables and theorems of the papers,
as ``abstractor index`` does, the cells of notebooks that a search for "Figure 5b" leads to, and the
sections that answer what people often ask."""

import re
from collections.abc import Iterable, Mapping

import pandas as pd

from ...reporting.tables import markdown
from ...reporting.verdicts import item_label
from .. import places
from ..index import Entry

ASKED = {  # words that people search for -> the page and the heading that answer
    "citation, cite, licence, license": ("README.md", "Citation and licence"),
    "BibTeX, cite BibTeX, arXiv": ("docs/citing.md", "How to cite"),
    "seed, seeds, random seed, reproducibility": (
        "docs/how_numbers_are_made.md",
        "What repeats, and how exactly",
    ),
    "learning rate, batch size, optimizer, hyperparameters, settings": (
        "docs/deviations.md",
        "Deviations",
    ),
    "confidence interval, intervals": ("docs/statistics.md", "Which interval"),
    "length generalisation, length generalization": (
        "notebooks/17_open_questions.ipynb",
        "Longer sequences than those of the training",
    ),
    "install, installation, GPU, CUDA": ("README.md", "Two commands"),
}
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


def mark(
    content: dict, stem: str, entries: Iterable[Entry], drawing: Mapping[str, tuple[str, int]]
) -> dict:
    """An executed notebook with the names of items before the cells that draw them, as entries of
    the site's index, where its search looks first, and with a place to link to before each figure.

    Args:
        content: the notebook as JSON; it is changed.
        stem: its name.
        entries: of the index.
        drawing: the notebook and cell that draw a figure, by its name; see `places.drawing_cells`.
    """
    shown: dict[int, list[str]] = {}
    for name, (notebook, number) in drawing.items():
        if notebook == stem:
            shown.setdefault(number - 1, []).append(f'<a id="{name}"></a>')
    names: dict[int, list[str]] = {}
    for entry in entries:
        cell = places.cell_of(entry) if entry.notebook == stem else None
        if cell is not None:
            names.setdefault(cell.number - 1, []).extend(_names(entry.id))
    marked = []
    for number, cell in enumerate(content["cells"]):
        lines = _entries(names.get(number, []))
        lines += sorted(shown.get(number, []))
        if lines:
            text = {"cell_type": "markdown", "metadata": {}, "source": "\n".join(lines)}
            marked.append({"id": f"named-{number}", **text})
        cell["source"] = asked("".join(cell["source"]), f"notebooks/{stem}.ipynb")
        marked.append(cell)
    content["cells"] = marked
    return content


def asked(text: str, page: str) -> str:
    """The text of a page, or of a cell, in which the headings of `ASKED` are entries of the site's
    index.

    Example:
        >>> print(asked("## Citation and licence\\n\\nCite it.", "README.md"))  # doctest: +ELLIPSIS
        ## Citation and licence
        <BLANKLINE>
        ```{index} ! single: citation
        ...
        Cite it.
    """
    for words, (whose, heading) in ASKED.items():
        if whose == page:
            lines = "\n".join(_entries(words.split(", ")))
            pattern = rf"(?m)^(#+ {re.escape(heading)})$"
            text = re.sub(pattern, lambda found, lines=lines: f"{found[1]}\n\n{lines}", text)
    return text


def _entries(names: Iterable[str]) -> list[str]:
    return [f"```{{index}} ! single: {name}\n```" for name in names]


def _names(item: str) -> list[str]:
    """What people search an item by: its id, its number, and its number with its paper.

    Example:
        >>> _names("fig_v3_05b"), _names("txt_v3_4_1")
        (['fig_v3_05b', 'v3 Figure 5b', 'Figure 5b'], ['txt_v3_4_1'])
    """
    label = item_label(item)
    return [item, label, label.partition(" ")[2]] if label else [item]
