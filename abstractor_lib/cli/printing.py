"""Rows on standard output: a table that fits a terminal, or JSON and nothing else."""

import json
import math
import sys
from collections.abc import Mapping, Sequence

import click

WIDTH = 80  # columns of a terminal


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
