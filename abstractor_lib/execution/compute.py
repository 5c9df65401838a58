"""Computing a run: the one place where torch is seeded, and the record it leaves."""

import contextlib
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import torch
from tqdm import tqdm

from .. import experiments
from ..experiments.context import Context, State, silent
from ..records.artifacts import Artifacts, digest, packed, unpacked
from ..records.fingerprint import rounded, sealed
from ..records.spec import Parent, Spec, weights_name
from ..training.outcome import Outcome
from .machine import machine


def outcome(spec: Spec, context: Context | None = None) -> Outcome:
    """Compute a spec, seeded from its run id, on as many threads as it needs cores, which is what
    torch is left at; the caller's random state is left as it was."""
    experiment = experiments.get(spec.experiment)
    context = replace(context or Context(), seed=int(spec.id[:15], 16))
    torch.set_num_threads(experiment.needs(spec).cores)
    with torch.random.fork_rng(devices=[] if context.device == "cpu" else None):
        torch.manual_seed(context.seed)
        try:
            return experiment.compute(spec, context)
        except FloatingPointError as error:
            raise FloatingPointError(f"run {spec.id[:12]}: {error}") from None


@dataclass(frozen=True)
class Job:
    """A run to compute, and what a worker needs to know beside it.

    Attributes:
        spec: the run.
        parents: (run, artifact) -> name of the file that holds a parent's weights.
        artifacts: where these lie, and what the run leaves goes; None on a machine that does not
            share the driver's disk.
        given: name -> content of those files, for such a machine.
        device: ``cpu`` or ``cuda``.
        commit: of the checkout that asks for the run.
        scratch: folder for the run's checkpoints; None for one that ends with the run.
        show: draw a bar of the run's own progress.
    """

    spec: Spec
    parents: Mapping[tuple[str, str], str] = field(default_factory=dict)
    artifacts: Artifacts | None = None
    given: Mapping[str, bytes] = field(default_factory=dict)
    device: str = "cpu"
    commit: str = "unknown"
    scratch: Path | None = None
    show: bool = False

    def load(self, parent: Parent) -> State:
        """The weights of a parent."""
        name = self.parents[parent.spec.id, parent.artifact]
        if self.artifacts is None:
            return unpacked(self.given[name])
        return self.artifacts.load(name)


class Done(NamedTuple):
    """The record of a run, and the files it left that the driver has yet to write."""

    record: dict
    files: list[bytes]


def attempt(job: Job) -> Done | str:
    """Compute a run; if it diverges, say so in words."""
    try:
        return compute(job)
    except FloatingPointError as error:
        return str(error)


def compute(job: Job) -> Done:
    """Compute a run, write what it leaves, and return its record."""
    with contextlib.ExitStack() as stack:
        scratch = job.scratch
        if scratch is None:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        progress = stack.enter_context(updates_bar(job.spec)) if job.show else silent
        context = Context(job.device, progress=progress, scratch=scratch, load=job.load)
        found, content = record(job.spec, context, job.commit)
    if job.artifacts is None:
        return Done(found, list(content.values()))
    for file in content.values():
        job.artifacts.save(file)
    return Done(found, [])


@contextlib.contextmanager
def updates_bar(spec: Spec) -> Iterator[Callable[[int, int], None]]:
    """A bar of the updates of one run, for those that take longer than a moment."""
    words = {"desc": spec.id[:12], "unit": "update", "ncols": 79, "delay": 2.0}
    with tqdm(file=sys.stderr, leave=False, position=1, **words) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


def record(
    spec: Spec, context: Context | None = None, commit: str = "unknown"
) -> tuple[dict, dict[str, bytes]]:
    """Compute a spec; its record, and by name the contents of the artifacts that it leaves.

    The record's ``seconds`` are processor time on a CPU, so that neither a pause nor other work on
    the machine counts, and wall time on any other device.
    """
    context = context or Context()
    clock = time.process_time if context.device == "cpu" else time.perf_counter
    _forget_peak_memory()
    start = clock()
    result = outcome(spec, context)
    seconds = clock() - start
    content = artifacts(spec, result)
    found = {
        "run": spec.id,
        "spec": spec.canonical(),
        "metrics": rounded(result.metrics),
        "first_losses": rounded(result.first_losses),
        "curve": rounded(result.curve),
        "provenance": {
            **machine(context.device),
            "commit": commit,
            "date": datetime.now(UTC).date().isoformat(),
            "peak_memory_mib": _peak_memory_mib(),
            "seconds": round(seconds, 2),
        },
    }
    if result.fingerprint:
        found["fingerprint"] = rounded(result.fingerprint)
    if content:
        found["artifacts"] = {name: digest(file) for name, file in content.items()}
    return sealed(found), content


def artifacts(spec: Spec, result: Outcome) -> dict[str, bytes]:
    """By name the contents of what a run is to leave.

    Raises:
        ValueError: if it has no such thing.
    """
    made = dict(result.artifacts)
    for index, trial in enumerate(spec.trials if result.parameters else ()):
        made[weights_name(trial)] = {
            name: value[index].clone() for name, value in result.parameters.items()
        }
    unknown = [name for name in spec.keep if name not in made]
    if unknown:
        raise ValueError(
            f"keep is {unknown[0]!r} in a run of {spec.experiment}; allowed: {', '.join(made)}"
        )
    whose = {"experiment": spec.experiment, "run": spec.id}
    return {name: packed(made[name], {**whose, "artifact": name}) for name in spec.keep}


def alone() -> Context:
    """A context without a store: parents are computed when a run asks for them, each once."""
    states: dict[tuple[str, int], State] = {}

    def load(parent: Parent) -> State:
        key = (parent.spec.id, parent.trial)
        if key not in states:
            kept = replace(parent.spec, keep=(parent.artifact,))
            states[key] = unpacked(artifacts(kept, outcome(kept, context))[parent.artifact])
        return states[key]

    context = Context(load=load)
    return context


def _forget_peak_memory() -> None:
    """Begin anew to look for the largest memory in use, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_memory_mib() -> int:
    """The largest memory in use since it was last forgotten, else since the process began."""
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text()
        return round(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024 * 1024 if sys.platform == "darwin" else 1024))
