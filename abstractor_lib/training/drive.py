"""What goes step by step, driven to its end: with checkpoints, and telling how far it is."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # it imports torch
    from .checkpoint import Checkpoint

PROGRESS_SECONDS = 0.5  # between two reports
Progress = Callable[[int, int, str], None]  # updates done, those in all, how it goes in words


class Pace:
    """How many steps a second were made since it was first asked.

    Example:
        >>> pace = Pace(iter([10.0, 12.0]).__next__)
        >>> pace(0), pace(1000)
        (0.0, 500.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock = clock
        self._begun: tuple[float, int] | None = None

    def __call__(self, steps: int) -> float:
        now = self.clock()
        if self._begun is None:
            self._begun = now, steps
        then, before = self._begun
        return (steps - before) / (now - then) if steps > before else 0.0


class Stepping(Protocol):
    """What `drive` drives, such as a `Trainer` or an `ActorLearner`.

    Attributes:
        update, budget: steps so far, and those after which it ends.
        finished: whether it has ended.
    """

    update: int
    budget: int
    finished: bool

    def step(self) -> Any:
        """One step."""

    def told(self) -> str:
        """How it goes, in a few words; empty if there is nothing to say."""

    def state_dict(self) -> dict[str, Any]:
        """Everything that the rest depends on."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where a state was taken; a ValueError if it is another's."""


def drive(
    stepping: Stepping, checkpoint: "Checkpoint | None" = None, progress: Progress | None = None
) -> None:
    """Step to the end.

    Args:
        stepping: what is driven.
        checkpoint: where the state is saved now and then. A state that is found there is gone on
            from, and the end is exactly that of steps that were never interrupted. The caller
            clears it.
        progress: called now and then, and at the end, with the steps done, those in all and a
            note.
    """
    if checkpoint is not None:
        _resume(stepping, checkpoint)
    last = time.monotonic()
    while not stepping.finished:
        stepping.step()
        if checkpoint is not None and checkpoint.due():
            checkpoint.save(stepping.state_dict())
        if progress is not None and time.monotonic() - last >= PROGRESS_SECONDS:
            last = time.monotonic()
            progress(stepping.update, stepping.budget, stepping.told())
    if progress is not None:
        progress(stepping.budget, stepping.budget, stepping.told())


def _resume(stepping: Stepping, checkpoint: "Checkpoint") -> None:
    """Go on from the checkpoint, if there is one that fits."""
    state = checkpoint.load()
    if state is None:
        return
    try:
        stepping.load_state_dict(state)
    except ValueError as error:
        print(f"{checkpoint.path}: {error}; the run starts over", file=sys.stderr)
        checkpoint.before = 0.0
