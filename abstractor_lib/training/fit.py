"""Fit several trials of one model together, and say how it went."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import nn

from .checkpoint import Checkpoint
from .drive import Progress, drive
from .ensemble import State
from .examples import Examples
from .objectives import Measure, Objective, correct
from .settings import Training
from .sources import Source
from .trainer import Fitted, Trainer

__all__ = ["Examples", "Fitted", "correct", "fit", "summary"]


def fit(
    build: Callable[[], nn.Module],
    train: Examples | Source,
    validation: Examples | Sequence[Examples] | None,
    training: Training,
    limit: int | None = None,
    *,
    objective: Objective | Measure | None = None,
    checkpoint: Checkpoint | None = None,
    progress: Progress | None = None,
    watch: Callable[[State], State] | None = None,
    replay: bool = False,
) -> Fitted:
    """Train one model per trial, to the end.

    Args:
        build, train, validation, training, objective, watch, replay: see `Trainer`.
        limit: stop after this many updates (an audit needs only the first).
        checkpoint: where the state is saved now and then. A state that is found there is gone on
            from, and the result is exactly that of a run that was never interrupted. The caller
            clears it.
        progress: called now and then, and at the end, with the updates done, those in all and a
            note.

    Returns:
        `Fitted`.

    Raises:
        FloatingPointError: if a training or validation loss is not finite.
        ValueError: for settings that make no sense, or do not fit the data.

    Example:
        >>> rules = Training(
        ...     loss="mse", learning_rate=0.1, batch_size=4, epochs=2, updates=None,
        ...     validate_every=None, patience=None, min_delta=0.0, baseline=None, restore="best")
        >>> some = Examples(torch.randn(3, 8, 5), torch.randn(3, 8, 1))
        >>> fitted = fit(lambda: nn.Linear(5, 1), some, some, rules)
        >>> fitted.predict(some.inputs).shape, fitted.parameters["weight"].shape
        (torch.Size([3, 8, 1]), torch.Size([3, 1, 5]))
    """
    ways = {"objective": objective, "limit": limit, "watch": watch, "replay": replay}
    trainer = Trainer(build, train, validation, training, **ways)
    drive(trainer, checkpoint, progress)
    return trainer.result()


def summary(fitted: Fitted, training: Training) -> dict[str, list]:
    """Metrics of the fit itself, one number per trial; no losses if nothing was validated.

    ``validation_loss`` and ``validation_accuracy`` are the lowest and the highest that were seen,
    which need not be those of the weights kept; there is no accuracy where no answer is right.
    A trial has ``converged`` if its best validation loss improved by less than 1 % in the last
    fifth of the validations, or its validation accuracy reached 0.99.
    """
    ends = {"updates": fitted.updates.tolist(), "stopped_early": fitted.stopped.long().tolist()}
    if training.monitor == "training":
        return ends
    loss = torch.stack([entry["validation_loss"] for entry in fitted.history])  # (v, t)
    best = loss.nan_to_num(nan=math.inf).cummin(dim=0).values
    earlier = best[max(math.ceil(0.8 * len(best)) - 1, 0)]
    converged = best[-1] > torch.where(earlier < 0, 1.01 * earlier, 0.99 * earlier)
    found = {"validation_loss": best[-1].tolist()}
    if "validation_accuracy" in fitted.history[0]:
        accuracy = torch.stack([entry["validation_accuracy"] for entry in fitted.history])
        highest = accuracy.nan_to_num(nan=0.0).amax(dim=0)
        found["validation_accuracy"] = highest.tolist()
        converged |= highest >= 0.99
    return {**found, **ends, "converged": converged.long().tolist()}
