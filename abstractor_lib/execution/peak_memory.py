"""The largest memory that a run had in use."""

import contextlib
import re
import resource
import sys
from pathlib import Path


def forget() -> None:
    """Begin anew to look for the largest memory in use, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def mib() -> int:
    """The largest memory in use since it was last forgotten, else since the process began."""
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text()
        if found := re.search(r"VmHWM:\s+(\d+) kB", status):
            return round(int(found[1]) / 1024)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024))
