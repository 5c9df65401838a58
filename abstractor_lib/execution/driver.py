"""Computing what a grid lacks, with a progress bar, each finished run a record at once."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from joblib.externals.loky.process_executor import TerminatedWorkerError
from tqdm import tqdm

from .. import Failure, experiments, paths
from ..records import store
from ..records.spec import Spec
from . import compute
from .compute import record
from .fanout import fan_out
from .plan import cost


def compute_missing(
    missing: list[Spec],
    path: Path,
    *,
    jobs: int = 1,
    device: str = "cpu",
    label: str = "runs",
    weights: Path | None = None,
) -> int:
    """Compute specs, the longest first, and append their records to ``path``.

    Args:
        missing: what to compute.
        path: a record file.
        jobs: worker processes.
        device: ``cpu`` or ``cuda``.
        label: of the progress bar.
        weights: folder of the weights that runs start from; what is not there is trained, before
            everything else. See `compute.weights`.

    Returns:
        The number of records written. Interrupted, it keeps those that were finished.

    Raises:
        Failure: if a worker was killed, or, after all others, for runs that diverged.
        Busy: if another process writes to ``path``.
    """
    if not missing:
        return 0
    done, diverged = 0, []
    specs = sorted(missing, key=cost, reverse=True)
    parents = sorted({(one["run"], one["trial"]) for s in specs for one in s.parents.values()})
    work = partial(attempt, device=device, commit=commit(), folder=weights)
    with store.writer(path) as writer, _progress(len(specs), label) as bar:
        try:
            if parents:  # each once, before two workers both miss it
                list(fan_out(partial(train_parent, folder=weights), parents, jobs))
            for finished in fan_out(work, specs, jobs):
                if isinstance(finished, str):
                    diverged.append(finished)
                else:
                    writer.append(finished)
                    done += 1
                bar.update()
        except TerminatedWorkerError:
            raise Failure(
                f"a worker process was killed (out of memory?); {done} of {len(specs)} runs are "
                "recorded, the same command computes the rest"
            ) from None
        except FloatingPointError as error:
            raise Failure(f"{error}, and other runs start from it; nothing is computed") from None
    if diverged:
        raise Failure(
            f"{diverged[0]}; {len(diverged)} of {len(specs)} runs diverged, {done} are recorded"
        )
    return done


def attempt(spec: Spec, **options) -> dict | str:
    """The record of a run, or in words how it diverged."""
    try:
        return record(spec, **options)
    except FloatingPointError as error:
        return str(error)


def train_parent(parent: tuple[str, int], folder: Path | None) -> None:
    """See to it that the weights of ``(run id, trial)`` are there."""
    run, trial = parent
    compute.weights(experiments.find(run), trial, folder)


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
