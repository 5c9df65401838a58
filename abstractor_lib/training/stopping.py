"""Which weights a trial keeps, and when it stops.

Shapes: ``t`` trials.
"""

import math
from typing import Any

import torch
from torch import Tensor

from .ensemble import State
from .settings import Training
from .state import copied


class Stopping:
    """Which weights each trial keeps, and when it stops; see `Training` for the rules.

    Args:
        training: the rules.
        state: what changes in training (parameters, buffers), each ``(t, ...)``.

    Attributes:
        seen: validations so far.
        best: lowest validation loss so far, of those that count, ``(t,)``.
        wait: validations since the last progress, ``(t,)``.
        stopped: which trials have stopped, ``(t,)``.
        kept: the state at the lowest validation loss, or where a trial reached the goal.
        highest: highest validation accuracy so far, ``(t,)``.
        accurate: the state at the highest validation accuracy, if the rules ask for it.
        averaged: the moving average of the states, if the rules ask for it.
    """

    def __init__(self, training: Training, state: State):
        self.training = training
        first = next(iter(state.values()))
        self.seen = 0
        self.best = torch.full(first.shape[:1], math.inf, device=first.device)  # (t,)
        self.wait = torch.zeros_like(self.best, dtype=torch.int64)
        self.stopped = torch.zeros_like(self.best, dtype=torch.bool)
        self.kept = {name: value.detach().clone() for name, value in state.items()}
        self.highest = torch.full_like(self.best, -math.inf)
        self.accurate = copied(state) if "best_accuracy" in training.also else {}
        self.averaged = copied(state) if training.average is not None else {}

    @torch.no_grad()
    def updated(self, state: State) -> None:
        """Take in the state after an update."""
        average = self.training.average
        if average is None:
            return
        for name, mean in self.averaged.items():  # m <- m + (1 - average) (w - m)
            running = (~self.stopped).view(-1, *[1] * (mean.dim() - 1))
            if mean.is_floating_point():
                mean += (1 - average) * running * (state[name] - mean)
            else:  # a count, such as that of batches
                mean.copy_(torch.where(running, state[name], mean))

    def validated(self, loss: Tensor, state: State, accuracy: Tensor | None = None) -> Tensor:
        """Take in the losses that are watched (or what else is to fall) and the validation
        accuracies, ``(t,)`` each; return which trials stop now, ``(t,)``."""
        rules = self.training
        self.seen += 1
        if self.seen <= rules.ignored:
            return torch.zeros_like(self.stopped)
        better = (loss + rules.min_delta < self.best) & ~self.stopped
        self.best = torch.where(better, loss, self.best)
        there = torch.zeros_like(self.stopped)
        if rules.goal is not None:
            if accuracy is None:
                raise ValueError(f"goal is {rules.goal}, but no accuracy is validated")
            there = (accuracy >= rules.goal) & ~self.stopped
        if (better | there).any():
            self.kept = _chosen(better | there, state, self.kept)
        if self.accurate:
            if accuracy is None:
                raise ValueError("also names best_accuracy, but no accuracy is validated")
            higher = (accuracy > self.highest) & ~self.stopped
            self.highest = torch.where(higher, accuracy, self.highest)
            self.accurate = _chosen(higher, state, self.accurate)
        progress = better
        if rules.baseline is not None:
            progress = better & (loss + rules.min_delta < rules.baseline)
        self.wait = torch.where(progress, 0, self.wait + 1)
        now = there
        if rules.patience is not None:
            now = now | ((self.wait >= rules.patience) & ~self.stopped)
        self.stopped |= now
        return now

    def chosen(self, last: State) -> State:
        """The state that the trials end with."""
        keep_best = torch.isfinite(self.best) | (self.training.ignored == 0)
        if self.training.restore == "best_if_stopped":
            keep_best = self.stopped
        return _chosen(keep_best, self.kept, last)

    def others(self, last: State) -> dict[str, State]:
        """The further states that the rules ask for, by name."""
        found = {
            "final": last,
            "best_loss": self.kept,
            "best_accuracy": self.accurate,
            "averaged": self.averaged,
        }
        return {name: found[name] for name in self.training.also}

    def state_dict(self) -> dict[str, Any]:
        """Everything that `validated` changes."""
        return {
            "seen": self.seen,
            "best": self.best,
            "wait": self.wait,
            "stopped": self.stopped,
            "kept": self.kept,
            "highest": self.highest,
            "accurate": self.accurate,
            "averaged": self.averaged,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where the state was taken."""
        device, self.seen = self.best.device, state["seen"]
        self.best, self.wait, self.stopped = (
            state[name].to(device) for name in ("best", "wait", "stopped")
        )
        self.highest = state["highest"].to(device)
        self.kept = {name: state["kept"][name].to(device) for name in self.kept}
        self.accurate = {name: state["accurate"][name].to(device) for name in self.accurate}
        self.averaged = {name: state["averaged"][name].to(device) for name in self.averaged}


def _chosen(mask: Tensor, state: State, others: State) -> State:
    """The trials where ``mask`` ``(t,)`` is true from one state, the rest from the other."""
    return {
        name: torch.where(
            mask.view(-1, *[1] * (value.dim() - 1)), state[name].detach(), value.detach()
        )
        for name, value in others.items()
    }
