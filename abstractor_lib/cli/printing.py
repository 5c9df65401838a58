"""Rows on standard output: a table that fits a terminal, or JSON and nothing else."""

import json
import math
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from .. import paths

WIDTH = 80  # columns of a terminal
COLOURS = {
    "green": ("holds", "supported", "yes"),
    "red": ("fails", "not supported", "no"),
    "yellow": ("undecided",),
    "bright_black": ("not run",),
}
_COLOUR = {word: colour for colour, words in COLOURS.items() for word in words}
_TOLD = re.compile(rf"[✓✗○·+x?.] ({'|'.join(sorted(_COLOUR, key=len, reverse=True))})\b")


def rows(table: Sequence[Mapping], as_json: bool, columns: Sequence[str]) -> None:
    """Print rows as JSON, ends without a bound as null, or the named columns as a table."""
    if as_json:
        endless = (-math.inf, math.inf)
        plain = [{k: None if v in endless else v for k, v in row.items()} for row in table]
        click.echo(json.dumps(plain, indent=1, allow_nan=False))
        return
    cells = [columns, *([str(row[name]) for name in columns] for row in table)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(columns))]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(line.rstrip())


def coloured(text: str) -> str:
    """Text with its verdicts, a sign and a word each, in colours.

    Example:
        >>> coloured("sound: ✓ holds: 0.9")
        'sound: \\x1b[32m✓ holds\\x1b[0m: 0.9'
    """
    return _TOLD.sub(lambda match: click.style(match[0], fg=_COLOUR[match[1]]), text)


def lines(texts: Iterable[str]) -> None:
    """Print lines, verdicts in colours where a terminal has them."""
    for text in texts:
        click.echo(coloured(text))


def field(name: str, values: Iterable[str], width: int = 10) -> Iterator[str]:
    """A name and what it is, value by value, wrapped to fit a terminal; nothing without values.

    Example:
        >>> list(field("files", ["a.csv", "b.svg"]))
        ['files     a.csv', '          b.svg']
    """
    first, rest = f"{name:{width}}", " " * width
    for value in values:
        yield from textwrap.wrap(
            value,
            WIDTH,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        first = rest


def relative(path: Path) -> str:
    """A file's name relative to the repository.

    Example:
        >>> relative(paths.data() / "claims.toml")
        'data/claims.toml'
    """
    root = paths.root()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def details(items: Sequence[Mapping], as_json: bool) -> None:
    """Print all about items of the papers, one after the other; see `places.row`."""
    if as_json:
        rows(items, as_json, [])
        return
    from ..reporting import verdicts

    shown = signs(verdicts.SIGNS, verdicts.PLAIN_SIGNS)
    for number, item in enumerate(items):
        lines([""] * bool(number))
        lines(_item(item, verdicts.item_label(item["id"]), shown))


def _item(item: Mapping, label: str, signs: Mapping[str, str]) -> Iterator[str]:
    name = f"{label}, {item['id']}" if label else item["id"]
    yield f"{name}: {item['status']}"
    yield from textwrap.wrap(item["title"], WIDTH)
    yield ""
    yield from field("open", [item["reason"]] * bool(item["reason"]))
    if item["notebook"]:
        told = [f"notebooks/{item['notebook']}.ipynb"]
        for cell in item["cells"]:
            about = ", ".join(cell["writes"]) or cell["heading"]
            told.append(f"cell {cell['number']} (line {cell['line']} of its .py): {about}")
        yield from field("notebook", [*told, *(f"also {name}" for name in item["further"])])
    yield from field("code", item["code"])
    if item["records"]:
        amount = f"{item['runs']} runs, {item['seconds'] / 3600:.1f} core hours"
        yield from field("records", [*item["records"], amount])
    yield from field("test", item["test"].split("::")[:1] + item["test"].split("::")[1:])
    claims: dict[str, list[str]] = {}
    for one in item["verdicts"]:
        late = ", post hoc" if one["post_hoc"] else ""
        told = f"{one['protocol']} {signs[one['verdict']]} {one['word']}{late}"
        claims.setdefault(one["claim"], []).append(told)
    each = [part for name, told in claims.items() for part in (name, "  " + ", ".join(told))]
    yield from field("verdicts", each)
    kinds: dict[str, list[str]] = {}
    for name in item["files"]:
        stem, _, kind = name.rpartition(".")
        kinds.setdefault(stem, []).append(kind)
    yield from field("files", [f"{stem}.{{{','.join(ends)}}}" for stem, ends in kinds.items()])


def line(text: str) -> str:
    """A line that fits a terminal; one that is too long ends with three dots.

    Example:
        >>> len(line("word " * 40)), line("word " * 40)[-8:]
        (80, 'rd wo...')
    """
    text = text.rstrip()
    return text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."


def signs(wanted: Mapping[str, str], plain: Mapping[str, str]) -> Mapping[str, str]:
    """The wanted signs if standard output can show them, else the plain ones."""
    try:
        "".join(wanted.values()).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return plain
    return wanted
