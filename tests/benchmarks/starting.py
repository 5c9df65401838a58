"""Commands that need no torch: processor time and wall time of a later call.

    python tests/benchmarks/starting.py

Medians of seven calls after one that may have to compute. Calls of all commands are interleaved, so
that what else the machine does falls on all alike. Beside them stand Python with no program, and
with the imports of torch and pandas, which these commands do without.
"""

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from abstractor_lib.records.workspace import Workspace

PROGRAM = str(Path(sys.executable).with_name("abstractor"))
RUN = next(iter(Workspace().records("order")))
CALLS = (
    ["--help"],
    ["status"],
    ["claims"],
    ["claims", "Figure 5b"],
    ["claims", "--verdict", "fails", "--paper", "v3"],
    ["index"],
    ["index", "fig_v3_05b"],
    ["show", RUN],
    ["export", "order"],
)
REPEATS = 7


def main() -> None:
    commands = {"python": [sys.executable, "-c", "pass"]}
    commands["import torch, pandas"] = [sys.executable, "-c", "import torch, pandas"]
    for call in CALLS:
        name = "abstractor " + " ".join("RUN" if one == RUN else one for one in call)
        commands[name] = [PROGRAM, *call]
    for command in commands.values():
        _seconds(command)
    found = {name: [] for name in commands}
    for _ in range(REPEATS):
        for name, command in commands.items():
            found[name].append(_seconds(command))
    print(f"{'seconds, medians of ' + str(REPEATS):<48}{'processor':>12}{'wall':>8}")
    for name, times in found.items():
        processor, wall = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:<48}{processor:>12.2f}{wall:>8.2f}")


def _seconds(command: list[str]) -> tuple[float, float]:
    """Processor time and wall time of a command."""
    before, begun = _used(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return _used() - before, time.perf_counter() - begun


def _used() -> float:
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return of_children.ru_utime + of_children.ru_stime


if __name__ == "__main__":
    main()
