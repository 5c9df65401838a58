"""Findings: sentences with computed numbers and their grounds.

``data/findings.toml`` lists them. Each names the verdicts that it rests on, so that none outlives
them. They make ``docs/findings.md``; what the README opens with is shorter (`front_page`).
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .. import paths
from ..findings import prose
from ..findings.claims import Judged
from .claims_page import fill, link

WIDTH = 200
TOP = """# What was found

Square brackets hold 95 % intervals. The mark † is for *post hoc*: something about a test was chosen
after results had been seen. [CLAIMS.md](../CLAIMS.md) says what, and holds the claims that these
findings rest on. The words are in the [glossary](glossary.md). `abstractor reproduce` and
`abstractor readme` write this page from the records.

"""


class Outdated(ValueError):
    """A finding says what the records no longer say."""


@dataclass(frozen=True)
class Finding:
    """A finding.

    Attributes:
        name: what errors call it.
        text: a template of `prose.fill`.
        figure: ``ID_topic`` of the figure that shows it.
        because: verdicts that it rests on, ``CLAIM.PROTOCOL VERDICT`` each.
    """

    name: str
    text: str
    figure: str
    because: tuple[str, ...]


def read() -> list[Finding]:
    """The findings of ``data/findings.toml``."""
    with (paths.data() / "findings.toml").open("rb") as file:
        entries = tomllib.load(file)["finding"]
    return [Finding(because=tuple(entry.pop("because")), **entry) for entry in entries]


def page(judged: Iterable[Judged]) -> str:
    """The page of all findings."""
    return f"{TOP}{numbered(read(), judged, '../')}\n"


def numbered(findings: Iterable[Finding], judged: Iterable[Judged], root: str = "") -> str:
    """The findings as a numbered list, each with its figure. A finding that rests on an incomplete
    grid says so and nothing else.

    Args:
        root: how to get to the repository's folder from where the list stands.

    Raises:
        Outdated: naming the finding, if a verdict is another than the one that it rests on.
        ValueError: if it names a claim or a figure that does not exist.
    """
    known = {(one.id, one.protocol): one for one in judged}
    lines = []
    for number, finding in enumerate(findings, start=1):
        where = f"findings.toml, {finding.name!r}"
        text = grounded(where, finding.text, finding.because, known)
        text = f"{text} [Figure]({root}{link(finding.figure)})"
        if missing := not_run(finding.because, known):
            text = f"*Not run: {finding.name}.* Runs are missing under {', '.join(missing)}."
        lines.append(fill(text, "   ", f"{number}. ", width=WIDTH))
    return "\n".join(lines)


def grounded(
    where: str, text: str, because: Iterable[str], known: Mapping[tuple[str, str], Judged]
) -> str:
    """A template with its numbers, if the verdicts that it rests on are those of the records, or
    not run.

    Args:
        where: what errors call it.
        because: ``CLAIM.PROTOCOL VERDICT`` each.
        known: the verdicts by claim and protocol.

    Raises:
        Outdated: if a verdict is another one.
        ValueError: if it names a claim that does not exist.
    """
    try:
        others = prose.disagreements(because, known)
        filled = prose.fill(" ".join(text.split()), known, {})
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    names = {_named(reason) for reason in because}
    if len(others) > sum(known[name].verdict == "not run" for name in names):
        raise Outdated(f"{where}: {'; '.join(others)}")
    return filled


def not_run(because: Iterable[str], known: Mapping[tuple[str, str], Judged]) -> list[str]:
    """The protocols under which a ground has not been run, as Markdown."""
    missing = (name for name in map(_named, because) if known[name].verdict == "not run")
    return sorted({f"`{protocol}`" for _, protocol in missing})


def _named(reason: str) -> tuple[str, str]:
    claim, _, protocol = reason.split(" ")[0].partition(".")
    return claim, protocol
