"""Computing what a grid lacks, with a progress bar, each finished run a record at once."""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from .. import Failure, experiments, paths
from ..experiments.context import State
from ..experiments.needs import Needs
from ..experiments.protocol import PROTOCOLS
from ..records import store
from ..records.artifacts import Artifacts, Damaged
from ..records.spec import Parent, Spec
from ..records.workspace import Workspace
from ..replacing import in_words
from .estimate import cost
from .executors import Executor, WorkerLost
from .job import Job, attempt
from .loky_executor import Loky
from .plan import lacking, leaves, locate, parents_of, plan, with_engine
from .progress import runs_bar


def complete(
    names: Iterable[str], workspace: Workspace, jobs: int = 1, *, anew: bool = False
) -> None:
    """Compute what the grids of experiments lack, one caller after another; without the runs that
    another engine drives.

    Args:
        names: of the experiments.
        workspace: whose grids, records and artifacts.
        jobs: cores of this machine to use.
        anew: delete first what is recorded of them, but for what an interrupted call with it has
            recorded; `Workspace.end` says when what it began has come to its end.
    """
    names = list(names)
    with workspace.one_at_a_time(), Loky(jobs) as workers:
        if anew:
            workspace.begin(names)
        for name in names:
            records = workspace.records(name)
            plans = [plan(name, protocol, workspace, records) for protocol in PROTOCOLS]
            missing = with_engine(spec for one in plans for spec in one.missing)
            compute_missing(missing, workspace, executor=workers, label=name)


def compute_missing(
    missing: list[Spec],
    workspace: Workspace,
    *,
    path: Path | None = None,
    executor: Executor | None = None,
    device: str = "cpu",
    label: str = "runs",
    artifacts: Artifacts | None = None,
) -> int:
    """Compute specs, the longest first, and append their records to their experiment's file.

    Runs that they start from are computed before, as runs of their own, and not again if they are
    among those asked for.

    Args:
        missing: what to compute, of one experiment.
        workspace: where records and artifacts lie.
        path: a record file in place of the workspace's.
        executor: where to compute; None for this process.
        device: ``cpu`` or ``cuda``.
        label: of the progress bar.
        artifacts: where runs leave theirs, in place of the workspace's.

    Returns:
        The number of records written. Interrupted, it keeps those that were finished.

    Raises:
        Failure: if a worker was killed or a file could not be written, saying how many runs are
            recorded; after all others, for runs that diverged.
        Busy: if another process writes to the file.
        KeyboardInterrupt: if interrupted, saying how many runs are recorded.
    """
    if not missing:
        return 0
    executor, artifacts = executor or Loky(), artifacts or workspace.artifacts
    before = compute_parents(missing, workspace, executor=executor, device=device)
    specs = [spec for spec in missing if spec.id not in before]
    done, diverged = len(missing) - len(specs), []
    if path is not None and done:
        _copy(before & {spec.id for spec in missing}, missing[0].experiment, workspace, path)
    path = path or workspace.file(missing[0].experiment)
    specs.sort(key=cost, reverse=True)
    work = jobs(specs, workspace, executor, device, artifacts)
    with store.writer(path) as writer, runs_bar(len(specs), label) as bar:
        try:
            for finished in executor.map(attempt, work, needs):
                if isinstance(finished, str):
                    diverged.append(finished)
                else:
                    ships = experiments.get(finished.record["spec"]["experiment"]).ships
                    for file in finished.files:
                        artifacts.save(file, ships)
                    writer.append(finished.record)
                    shutil.rmtree(workspace.scratch / finished.record["run"], ignore_errors=True)
                    done += 1
                bar.update()
        except WorkerLost as error:
            raise Failure(f"{error}; {_recorded(specs, path)}") from None
        except BrokenPipeError:  # nobody reads the progress bar
            raise
        except OSError as error:  # a full disk, most often
            raise Failure(f"{in_words(error)}; {_recorded(specs, path)}") from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; {_recorded(specs, path)}") from None
    if diverged:
        raise Failure(
            f"{diverged[0]}; {len(diverged)} of {len(specs)} runs diverged, {done} are recorded"
        )
    return done


def jobs(
    specs: Iterable[Spec],
    workspace: Workspace,
    executor: Executor,
    device: str,
    artifacts: Artifacts | None = None,
) -> Iterator[Job]:
    """What workers are sent, one run at a time. Those that share no files with this process are
    sent the weights that a run starts from. ``artifacts`` as in `compute_missing`."""
    known, now = locate(specs, workspace), commit()
    artifacts = artifacts or workspace.artifacts
    for spec in specs:
        own = {key: known[key] for key in parents_of([spec])}
        job = Job(spec, own, device=device, commit=now, show=executor.here)
        if executor.shares_files:
            scratch = workspace.scratch / spec.id
            yield replace(job, artifacts=artifacts, scratch=scratch)
        else:
            contents = {name: workspace.artifacts.read(name) for name in set(own.values())}
            yield replace(job, contents=contents)


def needs(job: Job) -> Needs:
    """What a run takes, on the device that was asked for."""
    return replace(experiments.get(job.spec.experiment).needs(job.spec), device=job.device)


def _recorded(specs: list[Spec], path: Path) -> str:
    """What is on disk, which an interruption may have left one ahead of any count."""
    done = len({spec.id for spec in specs} & set(store.load(path)))
    return f"{done} of {len(specs)} runs are recorded, the same command computes the rest"


def _copy(runs: set[str], experiment: str, workspace: Workspace, path: Path) -> None:
    """Append records of the workspace to another file."""
    records = workspace.records(experiment)
    with store.writer(path) as writer:
        for run in sorted(runs):
            writer.append(records[run])


def compute_parents(specs: Iterable[Spec], workspace: Workspace, **options) -> set[str]:
    """Compute the runs that specs start from and whose weights are not there, each once, and return
    their ids. Their weights ship if their own grid keeps them, since notebooks show those."""
    specs = list(specs)
    if not lacking(specs, workspace):
        return set()
    runs_of: dict[str, dict[str, Spec]] = {}
    with workspace.one_at_a_time():  # who waited finds what the other one has computed
        for run, spec in lacking(specs, workspace).items():
            runs_of.setdefault(spec.experiment, {})[run] = spec
        for experiment, runs in runs_of.items():
            label = f"{experiment}, which these start from"
            kept = kept_by_grid(experiment, workspace.profile)
            shown = [spec for spec in runs.values() if set(spec.keep) <= kept.get(spec.id, set())]
            others = [spec for spec in runs.values() if spec not in shown]
            compute_missing(shown, workspace, label=label, **options)
            aside = workspace.artifacts.aside()
            compute_missing(others, workspace, label=label, artifacts=aside, **options)
    return {run for runs in runs_of.values() for run in runs}


def kept_by_grid(experiment: str, profile: str) -> dict[str, set[str]]:
    """By run id, the artifacts that an experiment's own grid wants."""
    known = experiments.get(experiment)
    specs = (spec for protocol in PROTOCOLS for spec in known.grid(profile, protocol))
    return {spec.id: set(spec.keep) for spec in specs if spec.keep}


def weights_of_parents(workspace: Workspace) -> Callable[[Parent], State]:
    """Loads the weights that runs start from.

    The function raises `Damaged` where they are not there, or not what their record says.
    """
    records = cache(workspace.records)

    def load(parent: Parent) -> State:
        record = records(parent.spec.experiment).get(parent.spec.id, {})
        if not leaves(record, (parent.artifact,), workspace.artifacts):
            raise Damaged(f"the weights of run {parent.spec.id[:12]} are not there")
        return workspace.artifacts.load(record["artifacts"][parent.artifact])

    return load


def check_device(device: str) -> None:
    """Raise ValueError if torch cannot compute on ``device``."""
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device is 'cuda'; this torch finds no CUDA device, allowed: cpu")


@cache
def commit() -> str:
    """The checkout's commit, with a + if tracked code differs from it; ``unknown`` without git."""
    if not paths.in_git(paths.root()):
        return "unknown"
    try:
        git = partial(
            subprocess.run, cwd=paths.root(), capture_output=True, text=True, check=True, timeout=10
        )
        head = git(["git", "rev-parse", "--short=12", "HEAD"]).stdout.strip()
        changed = git(["git", "status", "--porcelain", "--", "abstractor_lib"]).stdout.strip()
        return head + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return "unknown"
