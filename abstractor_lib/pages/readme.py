"""The generated parts of README.md: lists, verdicts, advice, counts of claims, times, notebooks."""

import json
import os
import platform
import re
import subprocess
import textwrap
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from .. import paths
from ..findings.claims import Judged
from ..reporting import verdicts
from ..reporting.files import write
from ..reporting.tables import markdown
from . import front_page, notebooks


def timings_file() -> Path:
    """Where noted wall times lie."""
    return paths.data() / "timings.json"


def time_command(name: str, command: Sequence[str]) -> int:
    """Run a command and note its wall time under ``name``; returns its exit status, which is 128
    and the signal's number if a signal ended it.

    A command that fails is not noted.
    """
    start = time.monotonic()
    status = subprocess.run(list(command), check=False).returncode
    status = 128 - status if status < 0 else status
    seconds = time.monotonic() - start
    if status == 0:
        known = timings()
        known[name] = {
            "command": " ".join(command),
            "seconds": round(seconds),
            "date": datetime.now(UTC).date().isoformat(),
            "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        }
        write(timings_file(), json.dumps(known, indent=1, sort_keys=True) + "\n")
    return status


def timings() -> dict[str, dict]:
    """Noted wall times by name."""
    path = timings_file()
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def timings_table(core_seconds: float, missing: int = 0) -> str:
    """The noted wall times as a table, with what training everything takes.

    Args:
        core_seconds: computing time of the shipped records, which they carry themselves.
        missing: runs that have no record yet and are not in it.
    """
    rows = [
        {
            "command": f"`{found['command']}`",
            "wall time": minutes(found["seconds"]),
            "measured on": f"{found['machine']}, {found['date']}",
        }
        for found in timings().values()
    ]
    rows.append(
        {
            "command": "`.venv/bin/abstractor reproduce --fresh`",
            "wall time": f"{minutes(core_seconds / 2)} on two cores",
            "measured on": "sum of the records' own times, estimated where a GPU computed them"
            + (f", without {missing} runs that are being computed" if missing else ""),
        }
    )
    return markdown(pd.DataFrame(rows, columns=["command", "wall time", "measured on"]))


def minutes(seconds: float) -> str:
    """A time as people read it.

    Example:
        >>> minutes(40), minutes(150), minutes(9000)
        ('40 s', '2.5 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


def notebooks_table() -> str:
    """The notebooks with their titles."""
    rows = [
        {
            "notebook": f"[{source.stem}](notebooks/{source.stem}.ipynb)",
            "is about": notebooks.title(source),
        }
        for source in notebooks.sources()
    ]
    return markdown(pd.DataFrame(rows))


def verdict_counts(judged: Sequence[Judged]) -> str:
    """What became of the papers' claims: how many we made of how many quotations, and a line each
    for those stated and those suggested.

    A claim counts once, with the verdicts under all protocols together. Claims that are true by
    mathematics (`Claim.certain`) say nothing about a paper; they, and controls of ours, are counted
    in lines of their own.
    """
    found = verdicts.census(judged)
    lines = [
        f"{found['claims']} claims come from {found['quotations']} quotations of the papers. (A "
        "figure or a theorem counts as one.)"
    ]
    for origin, verb, holds, fails in (
        ("stated", "state", "hold", "fail"),
        ("suggested", "suggest", "are supported", "are not supported"),
    ):
        of = {name: found[f"{origin}.{name}"] for name in (*verdicts.VERDICTS, "tested")}
        told = (
            f"The papers {verb} {found[origin]} claims. {of['tested']} were tested: {of['holds']} "
            f"{holds} under every protocol that has been run{_free(found, f'{origin}.holds')}, "
            f"{of['fails']} {fails} under at least one{_free(found, f'{origin}.fails')}, and the "
            f"other {of['undecided']} are undecided under at least one."
        )
        if missing := of["not run"]:
            told += f" {'One has' if missing == 1 else f'{missing} have'} not been run."
        lines.append(told)
    if found["certain"]:
        papers = found["claims"] - found["stated"] - found["suggested"]
        lines.append(
            f"Mathematics or arithmetic settles {found['certain']} without any run, {papers} of "
            f"the papers' claims and {found['certain'] - papers} controls of ours: "
            f"{found['certain.holds']} hold, which checks our code; {found['certain.fails']} fail."
        )
    if found["controls"]:
        lines.append(
            f"{found['controls']} more are controls of ours. They test why a claim holds or fails."
        )
    item = textwrap.TextWrapper(200, initial_indent="- ", subsequent_indent="  ")
    return "\n".join(map(item.fill, lines))


def _free(found: Mapping[str, int], which: str) -> str:
    """How many of the claims with a verdict are not post hoc under any protocol that gives it."""
    if not found[which]:
        return ""
    return f" ({found[f'{which}.free']} of them without †)"


def bibtex() -> str:
    """The entries of docs/citing.md, a line each."""
    page = (paths.root() / "docs" / "citing.md").read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"(?ms)^```bibtex\n(.*?)^```$", page))
    entries = (" ".join(entry.split()) for entry in blocks.replace("}\n@", "}\n\n@").split("\n\n"))
    return "\n".join(["```bibtex", *(one.replace(", }", "}") for one in entries), "```"])


def parts(judged: Sequence[Judged], core_seconds: float, missing: int = 0) -> dict[str, str]:
    """The generated parts of README.md by name. See `timings_table`."""
    known = front_page.by_protocol(judged)
    return {
        "reproduces": front_page.bullets("reproduces", known),
        "differs": front_page.bullets("differs", known),
        "learned": front_page.bullets("learned", known),
        "glance": front_page.glance(known),
        "advice": front_page.advice(known),
        "verdicts": verdict_counts(judged),
        "timings": timings_table(core_seconds, missing),
        "notebooks": notebooks_table(),
        "bibtex": bibtex(),
    }


def block(name: str, made: str) -> str:
    """A generated part as it stands in the page, between its marks."""
    return f"<!-- {name}: generated -->\n{made}\n<!-- end -->"


def update(judged: Sequence[Judged], core_seconds: float, missing: int = 0) -> bool:
    """Rewrite the generated parts of README.md; returns whether it changed. See `timings_table`."""
    path = paths.root() / "README.md"
    content = path.read_text(encoding="utf-8")
    for name, made in parts(judged, core_seconds, missing).items():
        whole = block(name, made)
        pattern = rf"<!-- {name}: generated -->\n.*?<!-- end -->"
        content, count = re.subn(pattern, lambda _, whole=whole: whole, content, flags=re.S)
        if count != 1:
            raise ValueError(f"README.md has {count} parts '{name}'; expected one")
    return write(path, content)
