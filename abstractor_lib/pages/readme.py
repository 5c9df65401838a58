"""The generated parts of README.md: lists, verdicts, advice, counts of claims, times, notebooks."""

import json
import platform
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
from joblib import cpu_count

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
            "machine": f"{cpu_count()} cores, {platform.machine()}",
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
            + (f", without {missing} runs that have no record" if missing else ""),
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
    """What became of claims, as a table: those that the papers state, those that they suggest,
    those that are true or false by mathematics (`Claim.certain`) and so say nothing about a paper,
    and controls of ours. A claim counts once, with the verdicts under all protocols together.
    """
    found = verdicts.census(judged)
    ours = found["certain"] - (found["claims"] - found["stated"] - found["suggested"])
    rows = [
        {"claims": f"{name} by the papers", "in all": found[name], **_outcomes(found, name)}
        for name in ("stated", "suggested")
    ]
    settled = {name: str(found[f"certain.{name}"]) for name in ("holds", "fails")}
    label = f"settled by mathematics or arithmetic, {ours} of them controls of ours"
    rows += [
        {"claims": label, "in all": found["certain"], **settled},
        {"claims": "other controls of ours", "in all": found["controls"]},
    ]
    shown = markdown(pd.DataFrame([row for row in rows if row["in all"]]).fillna(""))
    held = [f"{origin}.holds" for origin in ("stated", "suggested")]
    every, free = (sum(found[f"{name}{end}"] for name in held) for end in ("", ".free"))
    said = (
        f"**Of {every} claims of the papers that hold in experiments, {free} have no †:** all that "
        "they test was laid down before their runs, some of it after pilots. "
    )
    return (
        f"{shown}\n\n{said if every else ''}*{found['claims']} claims of the papers come from "
        f"{found['quotations']} quotations; a figure or a theorem counts as one.*"
    )


def _outcomes(found: Mapping[str, int], origin: str) -> dict[str, str]:
    """How many claims have each verdict, and of those that hold or fail how many are not post hoc
    under any protocol that gives it; of those that fail, how many hold under another protocol."""
    counts = {}
    for name in verdicts.VERDICTS:
        counts[name] = str(found[f"{origin}.{name}"])
        if name in ("holds", "fails") and found[f"{origin}.{name}"]:
            counts[name] += f" ({found[f'{origin}.{name}.free']})"
        if name == "fails":
            counts["of these, hold under another protocol"] = str(found[f"{origin}.mixed"])
    return counts


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
