"""Computing what a grid lacks, with a progress bar, each finished run a record at once."""

import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from .. import Failure, experiments, paths
from ..records import store
from ..records.spec import Spec
from ..training.outcome import Parent
from . import compute
from .compute import record
from .executors import Executor, Needs, WorkerLost
from .loky_executor import Loky
from .plan import cost


class Start(NamedTuple):
    """The weights of a trial that another run starts from, as a worker is sent them."""

    spec: Spec
    trial: int
    content: bytes  # in the safetensors format

    def parent(self) -> Parent:
        """The same with its state dictionary."""
        from safetensors.torch import load

        return Parent(self.spec, self.trial, load(self.content))


class Job(NamedTuple):
    """A run, and by role the trials that it starts from: all that a worker has to be sent."""

    spec: Spec
    starts: Mapping[str, Start]

    def parents(self) -> dict[str, Parent]:
        """The trained models it starts from, by role."""
        return {role: start.parent() for role, start in self.starts.items()}


def compute_missing(
    missing: list[Spec],
    path: Path,
    *,
    executor: Executor | None = None,
    device: str = "cpu",
    label: str = "runs",
    weights: Path | None = None,
) -> int:
    """Compute specs, the longest first, and append their records to ``path``.

    Args:
        missing: what to compute.
        path: a record file.
        executor: where; None for this process.
        device: ``cpu`` or ``cuda``.
        label: of the progress bar.
        weights: folder of the weights that runs start from; what is not there is trained, before
            everything else. See `compute.weights`.

    Returns:
        The number of records written. Interrupted, it keeps those that were finished.

    Raises:
        Failure: if a worker was killed, or, after all others, for runs that diverged.
        Busy: if another process writes to ``path``.
        KeyboardInterrupt: if interrupted, saying how many runs are recorded.
    """
    if not missing:
        return 0
    executor = executor or Loky()
    done, diverged = 0, []
    specs = sorted(missing, key=cost, reverse=True)
    work = partial(attempt, device=device, commit=commit())
    with store.writer(path) as writer, _progress(len(specs), label) as bar:
        try:
            starts = starting_points(specs, weights, executor)
            jobs = (with_starts(spec, starts) for spec in specs)
            for finished in executor.map(work, jobs, lambda job: Needs(device=device)):
                if isinstance(finished, str):
                    diverged.append(finished)
                else:
                    writer.append(finished)
                    done += 1
                bar.update()
        except WorkerLost as error:
            raise Failure(f"{error}; {_recorded(specs, path)}") from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; {_recorded(specs, path)}") from None
        except FloatingPointError as error:
            raise Failure(f"{error}, and other runs start from it; nothing is computed") from None
    if diverged:
        raise Failure(
            f"{diverged[0]}; {len(diverged)} of {len(specs)} runs diverged, {done} are recorded"
        )
    return done


def _recorded(specs: list[Spec], path: Path) -> str:
    """What is on disk, which an interruption may have left one ahead of any count."""
    done = len({spec.id for spec in specs} & set(store.load(path)))
    return f"{done} of {len(specs)} runs are recorded, the same command computes the rest"


def attempt(job: Job, **options) -> dict | str:
    """The record of a run, or in words how it diverged."""
    try:
        return record(job.spec, given=job.parents(), **options)
    except FloatingPointError as error:
        return str(error)


def starting_points(
    specs: Iterable[Spec], folder: Path | None, executor: Executor
) -> dict[tuple[str, int], Start]:
    """The trials that ``specs`` start from, by (run id, trial). What is not in ``folder`` is
    trained, each once, and written there by this process. See `compute.weights`."""
    wanted = sorted({(one["run"], one["trial"]) for s in specs for one in s.parents.values()})
    runs = {run: experiments.find(run) for run in dict(wanted)}
    absent = [(run, trial) for run, trial in wanted if not compute.stored(run, trial, folder)]
    if absent:
        before = starting_points([runs[run] for run, _ in absent], folder, executor)
        jobs = ((with_starts(runs[run], before), trial) for run, trial in absent)
        for run, trial, content in executor.map(train, jobs):
            compute.save(run, trial, content, folder)
    return {
        (run, trial): Start(runs[run], trial, compute.stored(run, trial, folder).read_bytes())
        for run, trial in wanted
    }


def with_starts(spec: Spec, starts: Mapping[tuple[str, int], Start]) -> Job:
    """A run with the trials that it starts from."""
    return Job(spec, {role: starts[one["run"], one["trial"]] for role, one in spec.parents.items()})


def train(task: tuple[Job, int]) -> tuple[str, int, bytes]:
    """The weights of one trial of a run: run id, trial, content."""
    job, trial = task
    return job.spec.id, trial, compute.trained(job.spec, trial, job.parents())


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
