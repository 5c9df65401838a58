"""The generated parts of README.md: notebooks, measured times, and the table of results."""

import json
import os
import platform
import re
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from .. import paths
from ..findings.claims import ORDER, Judged
from ..findings.statistics import number
from . import notebooks
from .files import write
from .tables import markdown

SIGNS = {"holds": "holds", "fails": "**fails**", "undecided": "undecided", "not run": "not run"}


def timings_file() -> Path:
    """Where noted wall times lie."""
    return paths.data() / "timings.json"


def time_command(name: str, command: Sequence[str]) -> int:
    """Run a command and note its wall time under ``name``; returns its exit status.

    A command that fails is not noted.
    """
    start = time.monotonic()
    status = subprocess.run(list(command), check=False).returncode
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
    return json.loads(path.read_text()) if path.is_file() else {}


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
            "measured on": "sum of the records' own times"
            + (f", without {missing} runs that are being computed" if missing else ""),
        }
    )
    return markdown(pd.DataFrame(rows, columns=["command", "wall time", "measured on"]))


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.1f} min"


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


def results_table(judged: Sequence[Judged]) -> str:
    """One row a claim, a column a protocol; failing claims first."""
    by_claim: dict[str, dict] = {}
    rank: dict[str, int] = {}
    for one in judged:
        row = by_claim.setdefault(
            one.id,
            {
                "item": f"`{one.item}`",
                "claim": one.statement,
                **dict.fromkeys(("described", "published", "sound"), ""),
            },
        )
        cell = SIGNS[one.verdict]
        if one.measured is not None:
            point = one.note.split(";")[0]
            low, high = number(one.low), number(one.high)
            cell += f"<br>{number(one.measured)} [{low}, {high}]<br>{point}"
        if one.measured is not None and one.published is not None:
            cell += f"<br>paper: {number(one.published)}"
        row[one.protocol] = cell
        rank[one.id] = min(rank.get(one.id, 9), ORDER[one.verdict])
    ordered = sorted(by_claim, key=lambda name: rank[name])
    columns = ["item", "claim", "described", "published", "sound"]
    return markdown(pd.DataFrame([by_claim[name] for name in ordered], columns=columns))


def update(judged: Sequence[Judged], core_seconds: float, missing: int = 0) -> bool:
    """Rewrite the generated parts of README.md; returns whether it changed. See `timings_table`."""
    path = paths.root() / "README.md"
    content = path.read_text()
    for name, made in (
        ("notebooks", notebooks_table()),
        ("timings", timings_table(core_seconds, missing)),
        ("results", results_table(judged)),
    ):
        block = f"<!-- {name}: generated -->\n{made}\n<!-- end -->"
        pattern = rf"<!-- {name}: generated -->\n.*?<!-- end -->"
        content, count = re.subn(pattern, lambda _, block=block: block, content, flags=re.S)
        if count != 1:
            raise ValueError(f"README.md has {count} parts '{name}'; expected one")
    return write(path, content)
