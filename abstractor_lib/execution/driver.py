"""Computing what a grid lacks, with a progress bar, each finished run a record at once."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from .. import Failure, paths
from ..records import store
from ..records.spec import Spec
from .compute import record
from .fanout import fan_out
from .plan import cost


def compute_missing(
    missing: list[Spec], path: Path, *, jobs: int = 1, device: str = "cpu", label: str = "runs"
) -> int:
    """Compute specs, the longest first, and append their records to ``path``.

    Returns:
        The number of records written. Interrupted, it keeps those that were finished.

    Raises:
        Failure: if a worker was killed.
        Busy: if another process writes to ``path``.
    """
    if not missing:
        return 0
    done = 0
    specs = sorted(missing, key=cost, reverse=True)
    work = partial(record, device=device, commit=commit())
    with store.writer(path) as writer, _progress(len(specs), label) as bar:
        try:
            for finished in fan_out(work, specs, jobs):
                writer.append(finished)
                done += 1
                bar.update()
        except TerminatedWorkerError:
            raise Failure(
                f"a worker process was killed (out of memory?); {done} of {len(specs)} runs are "
                "recorded, the same command computes the rest"
            ) from None
    return done


def _progress(total: int, label: str) -> tqdm:
    return tqdm(total=total, desc=label, unit="run", file=sys.stderr, mininterval=1, ncols=79)


def shard(specs: list[Spec], part: str) -> list[Spec]:
    """The ``i``-th of ``k`` shares of ``specs``, from ``"i/k"`` with i from 1.

    Raises:
        ValueError: if ``part`` has another form.

    Example:
        >>> shard(list("abcde"), "2/3")
        ['b', 'e']
    """
    try:
        index, count = (int(number) for number in part.split("/"))
    except ValueError:
        index, count = 0, 0
    if not 1 <= index <= count:
        raise ValueError(f"--shard is {part!r}; expected i/k with 1 <= i <= k, such as 1/4")
    return specs[index - 1 :: count]


def commit() -> str:
    """The checkout's commit, with a + if tracked code differs from it; ``unknown`` without git."""
    try:
        git = partial(
            subprocess.run, cwd=paths.root(), capture_output=True, text=True, check=True, timeout=10
        )
        head = git(["git", "rev-parse", "--short=12", "HEAD"]).stdout.strip()
        changed = git(["git", "status", "--porcelain", "--", "abstractor_lib"]).stdout.strip()
        return head + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return "unknown"
