"""What README.md opens with: three short lists, verdicts at a glance, and advice.

``data/front_page.toml`` has their words. Numbers and verdicts come from the records; a line whose
grounds have changed is an error (`headlines.grounded`).
"""

import string
import tomllib
from collections.abc import Iterable, Mapping
from typing import Literal

import pandas as pd

from .. import paths
from ..findings.claims import Judged
from ..reporting import verdicts
from ..reporting.tables import markdown
from .claims_page import fill, link
from .headlines import grounded, not_run

FILE = "front_page.toml"
WIDTH = 290
Known = Mapping[tuple[str, str], Judged]


def read() -> dict[str, list[dict]]:
    """The entries of ``data/front_page.toml``: each ``line``, each ``row``, each ``advice``."""
    with (paths.data() / FILE).open("rb") as file:
        return tomllib.load(file)


def by_protocol(judged: Iterable[Judged]) -> Known:
    """Verdicts by claim and protocol."""
    return {(one.id, one.protocol): one for one in judged}


def bullets(name: Literal["reproduces", "differs", "learned"], known: Known) -> str:
    """One of the lists. Each line has a number and a figure; one whose runs are missing says so."""
    lines = []
    for number, line in enumerate(read()["line"], start=1):
        if line["list"] == name:
            text = grounded(f"{FILE}, line {number}", line["text"], line["because"], known)
            if missing := not_run(line["because"], known):
                text = f"*Not run:* runs are missing under {', '.join(missing)}."
            shown = f"{text} *({settings(line['text'])})* [Figure]({link(line['figure'])})"
            lines.append(fill(shown, "  ", "- ", width=WIDTH))
    return "\n".join(lines)


def settings(template: str) -> str:
    """The protocols whose numbers a template names.

    Example:
        >>> settings("It is {a.sound:.2f}, or {b.described} with {a.sound:paper}.")
        'described, sound'
    """
    fields = [name for _, name, _, _ in string.Formatter().parse(template) if name]
    return ", ".join(sorted({name.partition(".")[2] for name in fields}))


def glance(known: Known) -> str:
    """The table of verdicts: what a paper says, a protocol a column; each mark leads to its claim.

    Raises:
        ValueError: for a row whose claim does not exist.
    """
    rows = []
    for row in read()["row"]:
        found = marks(row["claim"], known)
        others = marks(row["also"], known) if "also" in row else {}
        found = {protocol: mark or others.get(protocol, "") for protocol, mark in found.items()}
        rows.append({"what a paper says": row["says"], **found})
    return markdown(pd.DataFrame(rows))


def marks(claim: str, known: Known) -> dict[str, str]:
    """The verdicts on a claim as marks, by protocol; empty where none is planned.

    Raises:
        ValueError: for a claim that does not exist.
    """
    own = {protocol: one for (name, protocol), one in known.items() if name == claim}
    if not own:
        raise ValueError(f"{FILE}: a row names {claim!r}, which is no claim")
    return {name: _mark(own[name]) if name in own else "" for name in verdicts.PROTOCOLS}


def _mark(one: Judged) -> str:
    """A verdict as a mark, a word and a link."""
    return f"[{verdicts.SIGNS[one.verdict]} {one.word}](CLAIMS.md#{one.id})"


def advice(known: Known) -> str:
    """Kinds of tasks, what we would use today, and the measurement behind it."""
    rows = [
        {
            "task": entry["task"],
            "what we would use": entry["use"],
            "because": grounded(f"{FILE}, advice {number}", entry["text"], entry["because"], known),
        }
        for number, entry in enumerate(read()["advice"], start=1)
    ]
    return markdown(pd.DataFrame(rows))
