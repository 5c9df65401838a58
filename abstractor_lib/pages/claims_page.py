"""CLAIMS.md: every claim with its verdicts, by paper and section, in lines of 80 columns."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from .. import experiments, paths
from ..findings import statements
from ..findings.statements import Judged
from ..reporting import verdicts
from ..reporting.verdicts import Claim

WIDTH = 80
FOOT = "Statements, numbers, reasons: CLAIMS.md, `abstractor claims NAME`, or --full"
MARKUP = re.compile(r"^(?:[-+*>](?=\s|=)|#{1,6}\s|[-=]+\s*$|\d+(?=[.)]\s))")  # at a line's start

TOP = """# Which claims hold

`abstractor reproduce` and `abstractor readme` write this page from the records.

A *claim* is a statement that can be true or false. A program measures it and
gives the verdict; nobody types one. Each claim says whose it is. The paper
*states* it, the paper *suggests* it, or it is a *control* of ours. Only a
stated claim is said to hold or to fail.

Each claim is held against runs under up to three *protocols*:

{protocols}

Theory, 2-simplicial attention, Box World and function learning have one
protocol, `described`. Agents, layers that we train on relations of three
objects, and the papers' open questions have `sound`, since the papers have no
such runs (nonlinear measurements: `described`). Mathematics problems have
`described` and `published`; `published` is computed with the profile `paper`
alone.

The papers are called v1, v3, draft 003, simplicial and curves:
[docs/protocols.md](docs/protocols.md).

The verdicts:

| sign | stated | suggested | control | the interval of what was measured |
| --- | --- | --- | --- | --- |
{signs}

A claim is also undecided if it rests on fewer than five trials. A claim that
one number is greater than another has a margin of 0.01 on either side. A point
of a claim is undecided if, under `sound`, more than a tenth of the trials there
did not converge of a model whose further training could have changed the
verdict; and it does not hold by a tolerance that comes from draws and is above
{loose}. A claim about several points, such as a curve, has simultaneous
intervals. The point that decides is shown. *Post hoc* marks a claim that was
added, or whose rule was changed, or for which settings or trials changed, after
results had been seen.
*True by mathematics or arithmetic* marks a claim that cannot be false, or not
in expectation; its measurement checks our code. *False by mathematics or
arithmetic* marks a claim that no run could make true. Of some of these, the
papers' own printed numbers are measured. A claim of *no experiment yet* is not
run.
*Trials of one draw* share their data: their interval says nothing about other
draws.
[docs/statistics.md](docs/statistics.md) says which interval is used where.
"""
MEANING = {
    "holds": "lies where the claim is true",
    "fails": "lies where the claim is false",
    "undecided": "reaches across the border",
    "not run": "there is none: runs are missing",
}
COUNTS = """How many claims have which verdict, stated / suggested / controls:

| protocol | {signs} |
| --- | {rules} |
{rows}

{certain}

After a verdict stand an estimate with its 95 % interval, or a bracket, the
paper's number where it has one, and the count of trials or draws. *No interval*
stands where nothing bounds the estimate: there is one trial alone, or a rule
forbids a verdict. A number alone is computed and not estimated, or all trials
agree on it. *A over B* is the number of A minus that of B. *n = 100* names the
training set size, or the least and the greatest of several. A *likely reason*
is our explanation of why a claim fails. It says what was varied to support it,
or that it was not tested.

Sections:

{contents}
"""


def fill(text: str, indent: str = "", first: str | None = None, width: int = WIDTH) -> str:
    """Wrap Markdown text so that no line begins with what would be markup there.

    Args:
        indent: of all lines but the first.
        first: of the first line, by default the same.
        width: columns.

    Example:
        >>> print(fill("word " * 15 + "with - 1"))
        word word word word word word word word word word word word word word word with
        \\- 1
    """
    lines = textwrap.wrap(
        re.sub(r"\b([nkmd]) = (?=\d)", "\\1\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}", text),
        width - 1,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    safe = [lines[0]]
    for line in lines[1:]:
        rest = line[len(indent) :]
        markup = MARKUP.match(rest)
        if markup and markup[0].isdigit():
            rest = f"{markup[0]}\\{rest[markup.end() :]}"
        elif markup:
            rest = f"\\{rest}"
        safe.append(indent + rest)
    return "\n".join(safe).replace("\N{NO-BREAK SPACE}", " ")


def page(judged: Sequence[Judged]) -> str:
    """The whole page."""
    sections, numbers = verdicts.by_section(judged), verdicts.numbers(judged)
    parts = [_top(judged, sections)]
    names: set[str] = set()
    titles = {key: verdicts.section_title(*key) for key in sections}
    for key, section in sections.items():
        parts.append(f"## {titles[key]}\n")
        for origin, members in verdicts.by_origin(section).items():
            parts.append(f"### {verdicts.ORIGINS[origin]}\n")
            parts += [
                f'<a id="{claim[0].id}"></a>\n{entry(claim, names, numbers[claim[0].id])}'
                for claim in members
            ]
    targets = {title: f"#{anchor(title)}" for title in titles.values()}
    targets |= {name: link(name) for name in sorted(names)}
    parts.append("\n".join(f"[{name}]: {target}" for name, target in targets.items()) + "\n")
    return "\n".join(parts)


def anchor(heading: str) -> str:
    """What GitHub makes of a heading, for links within a page.

    Example:
        >>> anchor("v3, section 4.1: Object-sorting")
        'v3-section-41-object-sorting'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _top(judged: Sequence[Judged], sections: Mapping[tuple[str, str], list[Claim]]) -> str:
    from ..findings.rules import LOOSE  # takes pandas

    protocols = "\n".join(
        fill(f"`{name}`: {meaning}.", "  ", "- ") for name, meaning in verdicts.PROTOCOLS.items()
    )
    signs = "\n".join(
        "| "
        + " | ".join(
            [
                verdicts.SIGNS[name],
                *(statements.word(origin, name) for origin in verdicts.ORIGINS),
                MEANING[name],
            ]
        )
        + " |"
        for name in verdicts.VERDICTS
    )
    number = verdicts.counts(judged)
    rows = "\n".join(
        f"| `{protocol}` | "
        + " | ".join(
            " / ".join(str(number.get((o, protocol, name), 0)) for o in verdicts.ORIGINS)
            for name in verdicts.VERDICTS
        )
        + " |"
        for protocol in verdicts.PROTOCOLS
    )
    contents = "\n".join(
        f"- [{verdicts.section_title(*key)}] ({len(found)})" for key, found in sections.items()
    )
    heads = " | ".join(f"{verdicts.SIGNS[name]} {name}" for name in verdicts.VERDICTS)
    rules = " | ".join("---" for _ in verdicts.VERDICTS)
    return (
        TOP.format(protocols=protocols, signs=signs, loose=LOOSE)
        + "\n"
        + COUNTS.format(
            signs=heads, rules=rules, rows=rows, contents=contents, certain=_certain(judged)
        )
    )


def _certain(judged: Sequence[Judged]) -> str:
    """How many of the claims counted say nothing about the papers."""
    settled = {verdict.id for verdict in judged if verdict.certain}
    every = {verdict.id for verdict in judged}
    text = f"Mathematics or arithmetic decides {len(settled)} of these {len(every)} claims"
    return fill(f"{text} without any run; they say so.")


def entry(claim: Claim, names: set[str] | None = None, place: int | None = None) -> str:
    """One claim: statement, whose it is, a line a protocol, the likely reason where it fails.

    Args:
        claim: its verdicts, one a protocol.
        names: of the figures and notebooks that the entry links; they are added here.
        place: its number on the page.
    """
    first = claim[0]
    links = [first.figure] if first.figure else []
    links += _notebooks(first.id)
    if names is not None:
        names |= set(links)
    item = verdicts.item_label(first.item)
    about = [f"`{first.id}`", *([item] if item and item not in first.place else [])]
    if first.place:
        about.append(first.place)
    shown = [f"[{name}]" for name in links]
    if certain := verdicts.certainty(claim):
        about.append(f"*{certain}*")
    head = f"{place}. {first.statement}" if place else first.statement
    parts = [f"**{head}**", "; ".join(about) + ".", ", ".join(shown)]
    lines = [fill(part) for part in parts if part]
    text = "\\\n".join(lines) + "\n\n"
    text += "\n".join(fill(_verdict(one), "  ", "- ") for one in claim) + "\n"
    reason = verdicts.reason(claim)
    told = f"*Likely reason ({verdicts.support(claim)}):* {reason}."
    return text + (f"\n{fill(told)}\n" if reason else "")


def _verdict(verdict: Judged) -> str:
    """The line of one protocol."""
    said = f"`{verdict.protocol}`: {verdicts.SIGNS[verdict.verdict]} "
    said += f"**{statements.word(verdict.origin, verdict.verdict)}**"
    said += ", post hoc" * verdict.post_hoc
    return f"{said}: {verdicts.evidence(verdict)}."


def _notebooks(name: str) -> tuple[str, ...]:
    """The notebooks of a claim's experiment."""
    experiment = next((one.experiment for one in statements.read() if one.id == name), "")
    return experiments.get(experiment).notebooks if experiment else ()


def link(name: str) -> str:
    """Where a figure or notebook lies, relative to the repository.

    Raises:
        ValueError: if there is no such file.
    """
    for path in (f"notebooks/{name}.ipynb", f"figures/{name}.png", f"figures/{name}.md"):
        if (paths.root() / path).is_file():
            return path
    raise ValueError(f"{name!r} is linked, which is neither a notebook nor in figures/")


def listing(judged: Sequence[Judged], signs: Mapping[str, str]) -> Iterator[str]:
    """The verdicts for a terminal: a block a section, a line a claim, a column a protocol.

    Args:
        signs: of the verdicts.
    """
    for key, section in verdicts.by_section(judged).items():
        has = {one.protocol for claim in section for one in claim}
        columns = [name for name in verdicts.PROTOCOLS if name in has]
        told = {
            (
                one.id,
                one.protocol,
            ): f"{signs[one.verdict]} {statements.word(one.origin, one.verdict)}"
            for claim in section
            for one in claim
        }
        wide = max(map(len, [*told.values(), *columns]))
        left = min(WIDTH - len(columns) * (wide + 2), 50)
        yield verdicts.section_title(*key)
        for origin, members in verdicts.by_origin(section).items():
            heads = (f"  {name:{wide}}" for name in columns)
            yield f"  {verdicts.ORIGINS[origin]:{left - 2}}{''.join(heads)}".rstrip()
            for claim in members:
                first = claim[0]
                late = any(one.post_hoc for one in claim)
                name = f"{'*' if late else ' '}{'=' if first.certain else ' '} {first.id}"
                if len(name) > left:
                    yield name
                    name = ""
                cells = (f"  {told.get((claim[0].id, one), ''):{wide}}" for one in columns)
                yield f"{name:{left}}{''.join(cells)}".rstrip()
        yield ""
    yield "* post hoc: added or changed after results had been seen"
    yield "= decided by mathematics or arithmetic, without any run"
    yield FOOT


def in_full(judged: Sequence[Judged], signs: Mapping[str, str]) -> Iterator[str]:
    """Each claim as on the page, for a terminal, without marks of Markdown.

    Args:
        signs: of the verdicts.
    """
    characters = str.maketrans({verdicts.SIGNS[name]: sign for name, sign in signs.items()})
    for section in verdicts.by_section(judged).values():
        for claim in section:
            yield re.sub(r"[*`\\]", "", entry(claim)).translate(characters)
