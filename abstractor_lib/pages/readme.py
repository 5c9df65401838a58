"""The generated parts of README.md: findings, what became of the claims, times, notebooks."""

import json
import os
import platform
import re
import subprocess
import textwrap
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from .. import paths
from ..findings.claims import Judged
from ..reporting import verdicts
from ..reporting.files import write
from ..reporting.tables import markdown
from . import headlines, notebooks


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
            "wall time": _minutes(found["seconds"]),
            "measured on": f"{found['machine']}, {found['date']}",
        }
        for found in timings().values()
    ]
    rows.append(
        {
            "command": "`.venv/bin/abstractor reproduce --fresh`",
            "wall time": f"{_minutes(core_seconds / 2)} on two cores",
            "measured on": "sum of the records' own times, estimated where a GPU computed them"
            + (f", without {missing} runs that are being computed" if missing else ""),
        }
    )
    return markdown(pd.DataFrame(rows, columns=["command", "wall time", "measured on"]))


def _minutes(seconds: float) -> str:
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
    known = [claim for section in verdicts.by_section(judged).values() for claim in section]
    claims = [claim for claim in known if not claim[0].certain]
    ours = [claim for claim in known if claim[0].origin != "control"]
    passages = len(verdicts.quotations(ours))
    lines = [
        f"We made {len(ours)} claims of {passages} quotations of the papers. (A figure or a "
        "theorem counts as a quotation.)"
    ]
    for origin, verb, holds, fails in (
        ("stated", "state", "hold", "fail"),
        ("suggested", "suggest", "are supported", "are not supported"),
    ):
        group = [claim for claim in claims if claim[0].origin == origin]
        each = [verdicts.whole(claim) for claim in group]
        count = {name: each.count(name) for name in verdicts.VERDICTS}
        missing, tested = count["not run"], len(each) - count["not run"]
        told = (
            f"The papers {verb} {len(each)} claims. {tested} were tested: {count['holds']} {holds} "
            f"under every protocol that has been run{_free(group, 'holds')}, {count['fails']} "
            f"{fails} under at least one{_free(group, 'fails')}, and the other "
            f"{count['undecided']} are undecided under at least one."
        )
        if missing:
            told += f" {'One has' if missing == 1 else f'{missing} have'} not been run."
        lines.append(told)
    proven = [verdicts.whole(claim) for claim in known if claim[0].certain]
    if proven:
        lines.append(
            f"Mathematics or arithmetic settles {len(proven)} more without any run: "
            f"{proven.count('holds')} hold, which checks our code; {proven.count('fails')} fail."
        )
    controls = sum(claim[0].origin == "control" for claim in claims)
    if controls:
        lines.append(f"{controls} more are controls of ours. They test why a claim holds or fails.")
    item = textwrap.TextWrapper(100, initial_indent="- ", subsequent_indent="  ")
    return "\n".join(map(item.fill, lines))


def _free(claims: Sequence[verdicts.Claim], verdict: str) -> str:
    """How many of the claims with a verdict are not post hoc under any protocol that gives it."""
    which = [claim for claim in claims if verdicts.whole(claim) == verdict]
    if not which:
        return ""
    free = sum(verdicts.free_of_post_hoc(claim) for claim in which)
    return f" ({free} of the {len(which)} without *post hoc* in the protocols that decide)"


def parts(judged: Sequence[Judged], core_seconds: float, missing: int = 0) -> dict[str, str]:
    """The generated parts of README.md by name. See `timings_table`."""
    return {
        "findings": headlines.numbered([one for one in headlines.read() if one.first], judged),
        "verdicts": verdict_counts(judged),
        "timings": timings_table(core_seconds, missing),
        "notebooks": notebooks_table(),
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
