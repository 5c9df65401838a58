"""Where an item of the papers is done: cell, code, records, and the verdicts on its claims."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .. import paths
from ..findings import statements
from ..findings.statements import Judged
from ..records import files
from ..records.workspace import Workspace
from . import index, names

PACKAGE = "abstractor_lib"


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook's source.

    Attributes:
        number: its place among the cells, from 1, the same in the ``.py`` and the ``.ipynb`` file.
        line: where it begins in the ``.py`` file.
        heading: the last heading above it.
        text: its lines.
    """

    number: int
    line: int
    heading: str
    text: str

    @property
    def code(self) -> bool:
        """Whether it is not text."""
        return "[markdown]" not in self.text.partition("\n")[0]


@cache
def cells(source: Path) -> tuple[Cell, ...]:
    """The cells of a notebook's ``.py`` file."""
    found: list[Cell] = []
    heading, lines = "", source.read_text(encoding="utf-8").splitlines()
    starts = [k for k, line in enumerate(lines) if line.startswith("# %%")]
    for number, (start, end) in enumerate(
        zip(starts, [*starts[1:], len(lines)], strict=True), start=1
    ):
        text = "\n".join(lines[start:end])
        if "[markdown]" in lines[start]:
            heads = re.findall(r"^# #+ (.*)$", text, re.M)
            heading = heads[-1] if heads else heading
        found.append(Cell(number, start + 1, heading, text))
    return tuple(found)


def cell_of(entry: index.Entry) -> Cell | None:
    """The first cell that writes a figure or table of an item; None if no notebook does.

    An item that is shown by another one's figure has that figure's cell.
    """
    if not entry.notebook:
        return None
    stems = dict.fromkeys(Path(name).stem for name in entry.files)
    shown = index.catalogue()["item"].get(entry.id, {}).get("figure", "")
    starts = [f"{name}_" for name in (entry.id, shown) if name]
    code = [one for one in cells(_source(entry.notebook)) if one.code]
    for sought in (*starts, *stems):
        for cell in code:
            if f'"{sought}' in cell.text:
                return cell
    return None


def drawing_cells() -> dict[str, tuple[str, int]]:
    """The notebook whose cell writes a figure or table, and the number of the cell, by the name of
    the file."""
    left = {path.stem for path in (paths.root() / "figures").iterdir()}
    found: dict[str, tuple[str, int]] = {}
    for source in sorted((paths.root() / "notebooks").glob("*.py")):
        for stem, number in _writing(source, left - found.keys()).items():
            found[stem] = (source.stem, number)
    return found


def _writing(source: Path, stems: set[str]) -> dict[str, int]:
    """The first cell of a notebook that names a file, by the name of the file: in full, or else
    with a part that a loop fills in."""
    left, found = set(stems), {}
    for strings in (r'[^f]"(\w+)"', r'f"(\w+\{\w+\})"'):
        for cell in cells(source):
            texts = re.findall(strings, cell.text) if cell.code else []
            named = "|".join(re.sub(r"\{\w+\}", r"\\w+", text) for text in texts)
            here = {name for name in left if re.fullmatch(named, name)}
            found |= dict.fromkeys(here, cell.number)
            left -= here
    return found


def _source(notebook: str) -> Path:
    return paths.root() / "notebooks" / f"{notebook}.py"


def drawing(entry: index.Entry) -> dict[int, list[str]]:
    """The cells of an item's own notebook that write its figures and tables: the number of the
    cell -> names of files without endings; the item's first cell is there in any case."""
    first = cell_of(entry)
    if first is None:
        return {}
    found: dict[int, list[str]] = {first.number: []}
    stems = dict.fromkeys(Path(name).stem for name in entry.files)
    for stem, number in _writing(_source(entry.notebook), set(stems)).items():
        found.setdefault(number, []).append(stem)
    return {number: sorted(found[number]) for number in sorted(found)}


def code_of(entry: index.Entry) -> list[str]:
    """``FILE: FUNCTION`` of what computes an item's runs, and of what its cell calls."""
    found = []
    if entry.experiment:
        found.append(f"{PACKAGE}/experiments/{entry.experiment}/run.py: compute")
    cell = cell_of(entry)
    if cell is not None:
        found += _called(cell, _imported(_source(entry.notebook)))
    return list(dict.fromkeys(found))


@cache
def _imported(source: Path) -> dict[str, str]:
    """Name in a notebook -> ``abstractor_lib.MODULE`` or ``abstractor_lib.MODULE.OBJECT``."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE
        for alias in node.names
    }


def _called(cell: Cell, imported: dict[str, str]) -> Iterator[str]:
    """The functions of this package that a cell names, in their order."""
    nodes = [node for node in ast.walk(ast.parse(cell.text)) if isinstance(node, ast.expr)]
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{imported.get(node.value.id, '')}.{node.attr}"
        elif isinstance(node, ast.Name):
            name = imported.get(node.id, "")
        else:
            continue
        module, _, function = name.rpartition(".")
        path = module.replace(".", "/") + ".py"
        if module and not function.isupper() and (paths.root() / path).is_file():
            yield f"{path}: {function}"


def records_of(entry: index.Entry) -> list[str]:
    """The record files of an item's experiment."""
    if not entry.experiment:
        return []
    path = Workspace().file(entry.experiment)
    both = (files.plain(path), files.packed(path))
    return [one.relative_to(paths.root()).as_posix() for one in both if one.is_file()]


def claims_of(entry: index.Entry) -> list[statements.Claim]:
    """The claims about an item, or about what it is another paper's alias of."""
    return names.about(statements.read(), [entry.id, *entry.aliases])


def row(entry: index.Entry, judged: list[Judged]) -> dict:
    """All of it as plain values: the entry with ``cell``, ``code``, ``records`` and ``verdicts``.

    Args:
        judged: verdicts, those on its claims among them.
    """
    wanted = {claim.id for claim in claims_of(entry)}
    drawn = drawing(entry)
    every = cells(_source(entry.notebook)) if drawn else ()
    return {
        **entry.row(),
        "cells": [
            {
                "number": number,
                "line": every[number - 1].line,
                "heading": every[number - 1].heading,
                "writes": stems,
            }
            for number, stems in drawn.items()
        ],
        "code": code_of(entry),
        "records": records_of(entry),
        "verdicts": [
            {
                "claim": one.id,
                "protocol": one.protocol,
                "verdict": one.verdict,
                "word": statements.word(one.origin, one.verdict),
                "post_hoc": one.post_hoc,
            }
            for one in judged
            if one.id in wanted
        ],
    }
