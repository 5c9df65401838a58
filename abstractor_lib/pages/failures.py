"""docs/what_fails.md: what of the papers fails, the likely reason, what was tried."""

from collections.abc import Sequence

from ..findings.claims import Judged
from ..reporting import verdicts
from .claims_page import fill, link

TOP = """# What fails, and why

`abstractor reproduce` and `abstractor readme` write this page from the records.

Each entry is a statement that a paper makes or suggests, and that our runs speak
against under at least one protocol. *Why* is our explanation. It says what was
varied to support it, or that nothing was. Many statements fail under one
protocol and hold under another. Three kinds of failure are frequent: the text
and the public code differ; training ended before a model had learned; and a
sentence says more than its figure.

✗ fails (*not supported*, if the paper only suggests it), ○ undecided, ✓ holds,
† chosen after results had been seen. *A over B* is the number of A minus that
of B; *n =* names training set sizes; *worst of 6 points* is the point that
speaks most against the claim. [CLAIMS.md](../CLAIMS.md) has all words. What
mathematics or arithmetic settles, without any training, stands at the end.
"""

FOLD = "<details><summary>Statements that are false without any run</summary>\n"


def page(judged: Sequence[Judged]) -> str:
    """The whole page, by paper and section."""
    parts, certain = [TOP], []
    for key, section in verdicts.by_section(judged).items():
        failing = [
            claim
            for claim in section
            if verdicts.whole(claim) == "fails" and claim[0].origin != "control"
        ]
        certain += [claim for claim in failing if claim[0].certain]
        if measured := [claim for claim in failing if not claim[0].certain]:
            parts.append(f"## {verdicts.section_title(*key)}\n")
            parts += map(entry, measured)
    if certain:
        parts += ["## Settled by mathematics or arithmetic\n", FOLD, *map(entry, certain)]
        parts.append("</details>\n")
    return "\n".join(parts)


def entry(claim: verdicts.Claim) -> str:
    """One statement: where it stands, what came out, why, and a figure."""
    first = claim[0]
    reason = verdicts.reason(claim)
    tried = "" if first.certain else f" ({verdicts.support(claim)})"
    why = f"{reason}{tried}" if reason else "not known"
    lines = [fill(f"**{first.statement}**")]
    lines.append(fill(f"The paper {_verb(first)} it: {first.place}.") if first.place else "")
    lines.append("\n".join(fill(_told(one), "  ", "- ") for one in claim))
    lines.append(fill(f"*Why:* {why}."))
    shown = f"[Figure](../{link(first.figure)}), " if first.figure else ""
    lines.append(f"{shown}[claim](../CLAIMS.md#{first.id})")
    return "\n\n".join(line for line in lines if line) + "\n"


def _verb(claim: Judged) -> str:
    return "states" if claim.origin == "stated" else "suggests"


def _told(one: Judged) -> str:
    word = f"{verdicts.SIGNS[one.verdict]} {one.word}"
    return f"`{one.protocol}`: {word}: {verdicts.evidence(one)}."
