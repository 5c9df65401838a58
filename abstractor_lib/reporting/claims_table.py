"""Claims as a notebook shows them: verdicts and numbers at a glance, what is claimed beside them,
and in small type what decided, the likely reason and whose claim it is."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from ..findings.interval import number
from ..findings.statements import POST_HOC, Judged, word
from .common_words import shortened
from .verdicts import (
    ORIGINS,
    PROTOCOLS,
    SIGNS,
    Claim,
    by_section,
    certainty,
    details,
    measured,
    reason,
    support,
)

TOP = "text-align: left; vertical-align: top;"
NARROW = f"{TOP} white-space: nowrap;"


class ClaimsTable:
    """A row a claim: under each protocol its verdict, the estimate with its interval and the
    paper's number where there is one; then the claim. What several claims begin or end with is said
    once, above. Those that were not run follow as a list.

    Args:
        judged: verdicts, in any order.
    """

    def __init__(self, judged: Iterable[Judged]):
        listed = [claim for section in by_section(judged).values() for claim in section]
        self.run = [claim for claim in listed if any(one.verdict != "not run" for one in claim)]
        self.waiting = [claim for claim in listed if claim not in self.run]
        self.protocols = [
            name for name in PROTOCOLS if any(one.protocol == name for c in self.run for one in c)
        ]

    def __add__(self, other: "ClaimsTable") -> "ClaimsTable":
        """The claims of both."""
        claims = [*self.run, *self.waiting, *other.run, *other.waiting]
        return ClaimsTable(one for claim in claims for one in claim)

    def __len__(self) -> int:
        return len(self.run) + len(self.waiting)

    def __repr__(self) -> str:
        """A line a claim: signs in the order of the protocols, and its id."""
        lines = [" ".join(self.protocols)] * bool(self.run)
        for claim in [*self.run, *self.waiting]:
            signs = {one.protocol: SIGNS[one.verdict] for one in claim}
            lines.append(f"{''.join(signs.get(p, ' ') for p in self.protocols)} {claim[0].id}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        texts = [said(claim) for claim in self.run]
        letters, short = shortened(texts)
        parts = [
            f"<p><b>{letter}</b> stands for: {_text(words)}</p>"
            for letter, words in letters.items()
        ]
        parts += [self._table(short)] * bool(self.run)
        origins = {claim[0].origin for claim in self.run}
        if len(origins) > 1:
            listed = "; ".join(
                f"<i>{one}</i>: {word(one, 'holds')} or {word(one, 'fails')}"
                for one in ORIGINS
                if one in origins
            )
            parts.append(f"<p><small>Words for verdicts: {listed}.</small></p>")
        if self.waiting:
            lines = "".join(f"<li>{_waiting(claim)}</li>" for claim in self.waiting)
            title = f"<summary>Not run: {len(self.waiting)}</summary>"
            parts.append(f"<details>{title}<ul>{lines}</ul></details>")
        return "\n".join(parts)

    def _table(self, texts: Sequence[str]) -> str:
        head = "".join(f'<th style="{NARROW}">{name}</th>' for name in self.protocols)
        rows = []
        for claim, text in zip(self.run, texts, strict=True):
            by_name = {one.protocol: one for one in claim}
            cells = [_verdict(by_name.get(name)) for name in self.protocols]
            narrow = "".join(f'<td style="{NARROW}">{cell}</td>' for cell in cells)
            told = f"{_letters(_text(text))}<br><small>{_beneath(claim)}</small>"
            rows.append(f'<tr>{narrow}<td style="{TOP}">{told}</td></tr>')
        head += f'<th style="{TOP}">claim</th>'
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def said(claim: Claim) -> str:
    """What is claimed, with a word on claims that mathematics decides."""
    certain = f" ({text[0].upper()}{text[1:]}.)" if (text := certainty(claim)) else ""
    return claim[0].statement + certain


def _verdict(one: Judged | None) -> str:
    """A cell: the verdict and its numbers, a line each; empty where the protocol is not asked."""
    if one is None:
        return ""
    lines = [
        f"{SIGNS[one.verdict]} <b>{word(one.origin, one.verdict)}</b>{one.post_hoc * POST_HOC}"
    ]
    if one.interval is not None:
        lines += measured(one.interval).replace(" [", "\n[").split("\n")
        if one.published is not None:
            lines.append(f"paper: {number(one.published)}")
    return "<br>".join(lines)


def _beneath(claim: Claim) -> str:
    """What decided under each protocol, the likely reason, and whose claim it is."""
    told = [(one.protocol, details(one)) for one in claim]
    if len(told) > 1:
        told = [(name, f"<i>{name}</i>: {_text(text)}") for name, text in told]
    else:
        told = [(name, _text(text)) for name, text in told]
    parts = [text for _, text in told]
    if why := reason(claim):
        parts.append(f"<i>likely reason</i>: {_text(f'{why} ({support(claim)})')}")
    return "; ".join(parts) + f"<br>{_whose(claim)}"


def _waiting(claim: Claim) -> str:
    why = dict.fromkeys(details(one) for one in claim)
    return f"{_text(said(claim))}<br><small>{_text('; '.join(why))}<br>{_whose(claim)}</small>"


def _whose(claim: Claim) -> str:
    first = claim[0]
    return f"<i>{first.origin}</i>: {_text(first.place)}; <code>{first.id}</code>"


def _letters(html: str) -> str:
    """With letters that stand for words in bold.

    Example:
        >>> _letters("A … x wins … B")
        '<b>A</b> … x wins … <b>B</b>'
    """
    html = re.sub(r"^([A-Z]) … ", r"<b>\1</b> … ", html)
    return re.sub(r" … ([A-Z])$", r" … <b>\1</b>", html)


def _text(text: str) -> str:
    """Plain text as HTML, with what stands between backticks as code.

    Example:
        >>> _text("`a` < b")
        '<code>a</code> &lt; b'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
