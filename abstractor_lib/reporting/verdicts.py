"""How verdicts are told: signs, words, numbers, and the claims in order, by paper and section.

Only of what a paper states is it said that it holds or fails. What a paper suggests is supported or
not, and a control of ours has the answer yes or no.
"""

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from .. import paths
from ..findings import reasons, statements
from ..findings.interval import Interval, number
from ..findings.statements import Judged

PROTOCOLS = {
    "described": "the settings that the paper's text gives",
    "published": "the settings that the authors' public code and logs show",
    "sound": "what we would choose today: fresh data for every trial, the same budget of training "
    "for all models, best validation checkpoint",
}
ORIGINS = {
    "stated": "The paper states",
    "suggested": "The paper suggests",
    "control": "Controls of ours",
}
VERDICTS = ("holds", "fails", "undecided", "not run")
SIGNS = {"holds": "✓", "fails": "✗", "undecided": "○", "not run": "·"}
PLAIN_SIGNS = {"holds": "+", "fails": "x", "undecided": "?", "not run": "."}
KINDS = {
    "alg": "Algorithm",
    "app": "Appendix",
    "cond": "Condition",
    "eq": "Eq.",
    "fig": "Figure",
    "fn": "Footnote",
    "lem": "Lemma",
    "rem": "Remark",
    "tab": "Table",
    "thm": "Theorem",
}
Claim = Sequence[Judged]  # the verdicts on one claim, one a protocol


def measured(interval: Interval) -> str:
    """An estimate with its interval, or the bracket where there is no estimate.

    An interval that is all that a share, or a difference of shares, can be tells nothing. A number
    that is computed, or on which all trials agree, stands alone.

    Example:
        >>> measured(Interval(0.805, 0.772, 0.838, 20)), measured(Interval(2e-15, 1e-15, 3e-15, 5))
        ('0.805 [0.772, 0.838]', '2e-15 [1e-15, 3e-15]')
        >>> measured(Interval(math.nan, 1, 4 / 3, 5)), measured(Interval(math.nan, 2, math.inf, 9))
        ('between 1 and 1.333', 'more than 2')
        >>> measured(Interval(math.nan, 0.0, math.inf, 5))
        'no bound'
        >>> measured(Interval(0.148, -1.0, 1.0, 1)), measured(Interval(2.5, -math.inf, math.inf, 1))
        ('0.148 (no interval)', '2.500 (no interval)')
        >>> measured(Interval(1.99, 1.99, 1.99, 7))
        '1.990'
    """
    if interval.exact:
        return number(interval.estimate)
    if math.isnan(interval.estimate):
        if (interval.low, interval.high) == (0, math.inf):
            return "no bound"
        low, high = (
            f"{value:.0f}" if float(value).is_integer() else number(value)
            for value in (interval.low, min(interval.high, 1e300))
        )
        return f"more than {low}" if interval.high == math.inf else f"between {low} and {high}"
    if (interval.low, interval.high) in ((-1, 1), (0, 1), (-math.inf, math.inf)):
        return f"{number(interval.estimate)} (no interval)"
    return f"{number(interval.estimate)} [{number(interval.low)}, {number(interval.high)}]"


def details(verdict: Judged) -> str:
    """Of its note, what neither the mark `post hoc` nor the likely reason says: point, trials."""
    told, _, _ = verdict.note.partition("likely reason (")
    parts = [part for part in told.split("; ") if part and part != "post hoc"]
    return spoken("; ".join(parts))


@cache
def _names(folder: Path) -> dict[str, str]:
    with (folder / "names.toml").open("rb") as file:
        return tomllib.load(file)


def spoken(text: str) -> str:
    """A text with code names of models and quantities in words; see ``data/names.toml``.

    Example:
        >>> spoken("mlp_wide over transformer, mse_line, 5 seeds of a_kind")
        'wide MLP over Transformer, mean square error on lines, 5 seeds of a kind'
    """
    names = _names(paths.data())
    said = re.sub(r"\b[a-z]\w*\b", lambda found: names.get(found[0], found[0]), text)
    return said.replace("_", " ")


def evidence(verdict: Judged) -> str:
    """What was measured, the paper's number, the point that decides, trials.

    Example:
        >>> verdict = Judged("id", "fig_v3_04a", "v3", "It is so.", "sound", 0.9, None, None, None,
        ...                  0, "not run", "the grid is incomplete")
        >>> evidence(verdict)
        'the grid is incomplete'
    """
    parts = []
    if verdict.interval is not None:
        parts.append(measured(verdict.interval))
        if verdict.published is not None:
            parts.append(f"the paper has {number(verdict.published)}")
    return "; ".join([*parts, details(verdict)])


def reason(claim: Claim) -> str:
    """The likely reason why it fails under some protocol, if one is known."""
    return next((one.reason.rstrip(".") for one in claim if one.reason), "")


def support(claim: Claim) -> str:
    """What was varied to support that reason, or that nothing was."""
    return next((reasons.support(one.tested) for one in claim if one.reason), "")


def certainty(claim: Claim) -> str:
    """What is said of a claim that mathematics or arithmetic decides; empty for others."""
    if not claim[0].certain:
        return ""
    if whole(claim) == "fails":
        return "false by mathematics or arithmetic, without any run"
    return "true by mathematics or arithmetic; checks the code"


@cache
def _papers(folder: Path) -> dict[str, dict]:
    with (folder / "papers.toml").open("rb") as file:
        return tomllib.load(file)


def papers() -> dict[str, dict]:
    """``data/papers.toml``: name, title and sections of each paper."""
    return _papers(paths.data())


def _place(section: str) -> list:
    """What sections are sorted by. Letters, of appendices, come after numbers."""
    parts = re.split(r"\W", section)
    return [(not part.isdigit(), int(part) if part.isdigit() else part) for part in parts]


def section_title(paper: str, section: str) -> str:
    """A section as headings name it.

    Example:
        >>> section_title("v3", "4.1"), section_title("v3", "9.9")
        ('v3, section 4.1: Discriminative relational tasks', 'v3, section 9.9')
    """
    known = papers().get(paper, {})
    title = known.get("sections", {}).get(section, "")
    return f"{known.get('name', paper)}, section {section}{': ' if title else ''}{title}"


def item_label(item: str, paper: str = "") -> str:
    """What an inventory item is called; empty for a passage of the text.

    Args:
        item: its id.
        paper: the paper that is spoken of; only another one is named.

    Example:
        >>> item_label("fig_v3_04a"), item_label("eq_v1_3_18", "v1"), item_label("cond_v1_A", "v1")
        ('v3 Figure 4a', 'Eq. 3.18', 'Condition A')
        >>> item_label("txt_v3_4_1")
        ''
    """
    kind, of, label = (*item.split("_", 2), "", "")[:3]
    if kind not in KINDS or not label:
        return ""
    name = f"{KINDS[kind]} {label.lstrip('0').replace('_', '.')}"
    return name if of == paper else f"{papers().get(of, {}).get('name', of)} {name}"


def by_section(judged: Iterable[Judged]) -> dict[tuple[str, str], list[Claim]]:
    """The claims of each (paper, section): stated ones first, of these the failing ones first, then
    suggested ones and controls, each in the order of ``data/claims.toml``."""
    grouped: dict[str, list[Judged]] = {}
    for verdict in judged:
        grouped.setdefault(verdict.id, []).append(verdict)
    place = {claim.id: k for k, claim in enumerate(statements.read())}
    names, origins = list(papers()), list(ORIGINS)

    def key(claim: Claim):
        first = claim[0]
        fails = any(verdict.verdict == "fails" for verdict in claim)
        return (
            names.index(first.paper) if first.paper in names else len(names),
            _place(first.section),
            origins.index(first.origin),
            first.origin == "stated" and not fails,
            place.get(first.id, len(place)),
        )

    sections: dict[tuple[str, str], list[Claim]] = {}
    for claim in sorted(grouped.values(), key=key):
        claim.sort(key=lambda verdict: list(PROTOCOLS).index(verdict.protocol))
        sections.setdefault((claim[0].paper, claim[0].section), []).append(claim)
    return sections


def numbers(judged: Iterable[Judged]) -> dict[str, int]:
    """The numbers of the claims, by id: their places in CLAIMS.md, from 1."""
    names = (claim[0].id for section in by_section(judged).values() for claim in section)
    return {name: place for place, name in enumerate(names, 1)}


def by_origin(section: Iterable[Claim]) -> dict[str, list[Claim]]:
    """Claims by whose they are; origins that none has are left out."""
    split = {
        origin: [claim for claim in section if claim[0].origin == origin] for origin in ORIGINS
    }
    return {origin: members for origin, members in split.items() if members}


def counts(judged: Iterable[Judged]) -> Mapping[tuple[str, str, str], int]:
    """How many claims there are by (origin, protocol, verdict)."""
    tally: dict[tuple[str, str, str], int] = {}
    for verdict in judged:
        key = (verdict.origin, verdict.protocol, verdict.verdict)
        tally[key] = tally.get(key, 0) + 1
    return tally


def quotations(listed: Iterable[Claim]) -> set[tuple[str, str]]:
    """The passages that claims are made of, each once, with their papers: what the places of claims
    quote, or a place that quotes nothing.

    Example:
        >>> from dataclasses import replace
        >>> claim = Judged("a", "", "v3", "", "sound", *[None] * 4, 0, "holds", "")
        >>> places = 'v3 4.1: "it learns"', '"it learns", v3 4.1 and "it sorts"', "Figure 5"
        >>> claims = [[replace(claim, place=place)] for place in places]
        >>> sorted(passage for _, passage in quotations(claims))
        ['Figure 5', 'it learns', 'it sorts']
    """
    return {
        (claim[0].paper, passage)
        for claim in listed
        for passage in re.findall(r'"([^"]+)"', claim[0].place) or [claim[0].place]
    }


def whole(claim: Claim) -> str:
    """One word for all protocols: ``fails`` if the claim fails under one of them, ``holds`` if it
    holds under all that have been run, else ``undecided``; ``not run`` if nothing was."""
    verdicts = {one.verdict for one in claim}
    if "fails" in verdicts:
        return "fails"
    if verdicts <= {"holds", "not run"}:
        return "holds" if "holds" in verdicts else "not run"
    return "undecided"


def free_of_post_hoc(claim: Claim) -> bool:
    """Whether it is post hoc under none of the protocols that decide: those whose verdict is that
    of the whole."""
    return not any(one.post_hoc for one in claim if one.verdict == whole(claim))


def census(judged: Iterable[Judged]) -> dict[str, int]:
    """What became of the claims, each counted once with its verdicts under all protocols together.

    ``claims`` are the papers' and ``quotations`` the passages that they are made of; ``controls``
    are ours. ``certain.holds`` and ``certain.fails`` say nothing about a paper; see
    `Claim.certain`. Of all others, those ``stated`` and those ``suggested``: ``stated`` alone is
    how many, ``stated.tested`` how many were run, and ``stated.holds``, ``stated.fails``,
    ``stated.undecided`` and ``stated.not run`` what came of them, ``stated.holds.free`` without any
    that is post hoc; ``stated.mixed`` fail under one protocol and hold under another.
    """
    known = [claim for section in by_section(judged).values() for claim in section]
    open_ones = [claim for claim in known if not claim[0].certain]
    theirs = [claim for claim in known if claim[0].origin != "control"]
    certain = [whole(claim) for claim in known if claim[0].certain]
    found = {
        "claims": len(theirs),
        "quotations": len(quotations(theirs)),
        "controls": sum(claim[0].origin == "control" for claim in open_ones),
        **{f"certain.{name}": certain.count(name) for name in ("holds", "fails")},
        "certain": len(certain),
    }
    for origin in ("stated", "suggested"):
        group = [claim for claim in open_ones if claim[0].origin == origin]
        found[origin] = len(group)
        for name in VERDICTS:
            having = [claim for claim in group if whole(claim) == name]
            found[f"{origin}.{name}"] = len(having)
            found[f"{origin}.{name}.free"] = sum(map(free_of_post_hoc, having))
        found[f"{origin}.tested"] = len(group) - found[f"{origin}.not run"]
        words = [{one.verdict for one in claim} for claim in group]
        found[f"{origin}.mixed"] = sum({"holds", "fails"} <= some for some in words)
    return found
