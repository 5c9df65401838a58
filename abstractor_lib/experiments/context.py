"""What a run is given besides its spec: none of it changes the result."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from torch import Tensor

from .. import __version__
from ..records.fingerprint import CERTAIN_LOSSES
from ..records.spec import Parent, Spec
from ..training.checkpoint import Checkpoint
from ..training.drive import Progress
from ..training.outcome import FIRST_LOSSES

State = Mapping[str, Tensor]
CHECKPOINT_SECONDS = 60.0  # between two checkpoints


def silent(done: int, total: int, note: str) -> None:
    """Progress that nobody looks at."""


def refuse(parent: Parent) -> State:
    """Of a context without artifacts."""
    raise ValueError(f"the weights of run {parent.spec.id[:12]} were not given to this context")


@dataclass(frozen=True)
class Context:
    """What the function that computes a run works with.

    Attributes:
        device: ``cpu`` or ``cuda``.
        seed: what torch's default generator was seeded with, from the run id, for processes that a
            run starts itself.
        first_numbers: stop once the fingerprint is known; an audit on another machine needs no
            more.
        progress: called with updates done, updates in all and a note, now and then.
        scratch: a folder of the run's own that outlives the process, for checkpoints; None if a
            run that is killed begins again.
        load: the weights of a parent.
    """

    device: str = "cpu"
    seed: int = 0
    first_numbers: bool = False
    progress: Progress = silent
    scratch: Path | None = None
    load: Callable[[Parent], State] = field(default=refuse)
    _checkpoints: dict[str, Checkpoint] = field(default_factory=dict, repr=False)

    @property
    def limit(self) -> int | None:
        """Updates of an optimiser with line searches after which to stop, or None for all."""
        return FIRST_LOSSES if self.first_numbers else None

    def fitting(self, spec: Spec) -> dict:
        """What `training.fit.fit` is told of a run's surroundings: where to stop, whom to tell of
        progress, and where to leave checkpoints, which take safetensors."""
        limit = CERTAIN_LOSSES if self.first_numbers else None
        return {"limit": limit, "progress": self.progress, "checkpoint": self.checkpoint(spec)}

    def checkpoint(self, spec: Spec) -> Checkpoint | None:
        """Where a run leaves its state now and then, with the seconds spent by `clock`; the same
        object whenever it is asked for."""
        if self.scratch is None or self.first_numbers or not find_spec("safetensors"):
            return None
        if spec.id not in self._checkpoints:
            identity = f"{spec.id} {__version__}"
            found = Checkpoint(self.scratch, identity, CHECKPOINT_SECONDS, self.clock)
            self._checkpoints[spec.id] = found
        return self._checkpoints[spec.id]

    @property
    def clock(self) -> Callable[[], float]:
        """Processor time on a CPU, so that neither a pause nor other work on the machine counts;
        wall time on any other device."""
        return time.process_time if self.device == "cpu" else time.perf_counter

    def parent(self, spec: Spec, role: str) -> tuple[Parent, State]:
        """The parent of a spec in a role, with its weights.

        Raises:
            ValueError: if the spec has no such parent, or its weights are missing or damaged.
        """
        if role not in spec.parents:
            raise ValueError(f"role is {role!r}; allowed: {', '.join(spec.parents) or 'none'}")
        return spec.parents[role], self.load(spec.parents[role])


HERE = Context()  # what a caller of its own needs: this machine's processor
