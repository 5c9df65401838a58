"""What computing a run leaves, before it becomes a record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

CURVE_POINTS = 32
FIRST_LOSSES = 10  # of a record


@dataclass
class Outcome:
    """Per-trial metrics, the losses of the first updates, a short curve, and the weights.

    Attributes:
        metrics: name -> one number (or None) per trial.
        first_losses: training loss of each of the first 10 updates, mean over trials.
        curve: name -> at most 32 numbers, means over trials; its axis is ``update``.
        parameters: name -> ``(t, ...)``.
        fingerprint: quantity -> its first numbers, by which a run on another machine is known
            again; empty if the losses of the first updates are that. See `Repeats`.
        artifacts: what else the run may leave beside its record, name -> tensors.
        data: what was read from disk, name -> SHA-256; empty if the spec determines the data.
    """

    metrics: dict[str, list]
    first_losses: list[float]
    curve: dict[str, list] = field(default_factory=dict)
    parameters: dict[str, Tensor] = field(default_factory=dict)
    fingerprint: dict[str, list[float]] = field(default_factory=dict)
    artifacts: dict[str, Mapping[str, Tensor]] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)


def curve(history: Sequence[dict]) -> dict[str, list]:
    """At most 32 evenly spaced entries of a fit's history, means over the trials still running."""
    if not history:
        return {}
    chosen = np.unique(np.linspace(0, len(history) - 1, CURVE_POINTS).round().astype(int))
    names = [name for name in history[0] if name != "update"]
    picked = {"update": [history[i]["update"] for i in chosen]}
    for name in names:
        picked[name] = [history[i][name].nanmean().item() for i in chosen]
    return picked


def by_name(trials: Sequence[dict]) -> dict[str, list]:
    """Dictionaries of one number per trial, turned into lists over trials."""
    return {name: [trial[name] for trial in trials] for name in trials[0]}
