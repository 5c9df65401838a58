"""A run as a worker is sent it, and what the worker sends back."""

import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .. import experiments
from ..experiments.context import Context, State, silent
from ..records.artifacts import Artifacts, unpacked
from ..records.spec import Parent, Spec
from . import compute
from .progress import updates_bar


@dataclass(frozen=True)
class Job:
    """A run to compute, and what a worker needs to know beside it.

    Attributes:
        spec: the run.
        parents: (run, artifact) -> name of the file that holds a parent's weights.
        artifacts: where these lie, and what the run leaves goes; None on a machine that does not
            share the driver's disk.
        contents: name -> what those files hold, for such a machine.
        device: ``cpu`` or ``cuda``.
        commit: of the checkout that asks for the run.
        scratch: folder for the run's checkpoints; None for one that ends with the run.
        show: draw a bar of the run's own progress.
    """

    spec: Spec
    parents: Mapping[tuple[str, str], str] = field(default_factory=dict)
    artifacts: Artifacts | None = None
    contents: Mapping[str, bytes] = field(default_factory=dict)
    device: str = "cpu"
    commit: str = "unknown"
    scratch: Path | None = None
    show: bool = False

    def load(self, parent: Parent) -> State:
        """The weights of a parent."""
        name = self.parents[parent.spec.id, parent.artifact]
        if self.artifacts is None:
            return unpacked(self.contents[name])
        return self.artifacts.load(name)


class Done(NamedTuple):
    """The record of a run, and the files it left that the driver has yet to write."""

    record: dict
    files: list[bytes]


def attempt(job: Job) -> Done | str:
    """Compute a run; if it diverges, say so in words."""
    try:
        return perform(job)
    except FloatingPointError as error:
        return str(error)


def perform(job: Job) -> Done:
    """Compute a run, write what it leaves, and return its record."""
    with contextlib.ExitStack() as stack:
        scratch = job.scratch
        if scratch is None:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        progress = stack.enter_context(updates_bar(job.spec)) if job.show else silent
        context = Context(job.device, progress=progress, scratch=scratch, load=job.load)
        record, content = compute.record(job.spec, context, job.commit)
    if job.artifacts is None:
        return Done(record, list(content.values()))
    for file in content.values():
        job.artifacts.save(file, experiments.get(job.spec.experiment).ships)
    return Done(record, [])
