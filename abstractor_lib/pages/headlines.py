"""Findings: sentences with computed numbers and their grounds.

``data/findings.toml`` lists them. Each names the verdicts that it rests on, so that none outlives
them. The README opens with those that come first; ``docs/findings.md`` has all.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass

from .. import paths
from ..findings import prose
from ..findings.claims import Judged
from .claims_page import fill, link

WIDTH = 200
TOP = """# What was found

Square brackets hold 95 % intervals; † marks what is *post hoc*. The words are in the
[glossary](glossary.md).
[CLAIMS.md](../CLAIMS.md) holds the claims that these findings rest on. `abstractor reproduce` and
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
        first: whether the README has it.
    """

    name: str
    text: str
    figure: str
    because: tuple[str, ...]
    first: bool = True


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
        try:
            others = prose.disagreements(finding.because, known)
            text = prose.fill(" ".join(finding.text.split()), known, {})
        except ValueError as error:
            raise ValueError(f"findings.toml, {finding.name!r}: {error}") from None
        named = (reason.split(" ")[0].partition(".") for reason in finding.because)
        grounds = {(claim, protocol) for claim, _, protocol in named}
        missing = [name for name in sorted(grounds) if known[name].verdict == "not run"]
        if len(others) > len(missing):
            raise Outdated(f"findings.toml, {finding.name!r}: {'; '.join(others)}")
        text = f"{text} [Figure]({root}{link(finding.figure)})"
        if missing:
            where = ", ".join(sorted({f"`{protocol}`" for _, protocol in missing}))
            text = f"*Not run: {finding.name}.* Runs are missing under {where}."
        lines.append(fill(text, "   ", f"{number}. ", width=WIDTH))
    return "\n".join(lines)
