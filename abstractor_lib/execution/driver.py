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
        except FloatingPointError as error:
            raise Failure(f"{error}; {done} of {len(specs)} runs are recorded") from None
    return done


def _progress(total: int, label: str) -> tqdm:
    return tqdm(total=total, desc=label, unit="run", file=sys.stderr, mininterval=1, ncols=79)


def check_device(device: str) -> None:
    """Raise ValueError if torch cannot compute on ``device``."""
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device is 'cuda'; this torch finds no CUDA device, allowed: cpu")


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
