"""Fit several trials of one model together, with torch.func.

The parameters of ``t`` independent trials are stacked along a first axis and one vectorised
forward pass serves them all. Losses are summed over trials, so each trial's gradient is what it
would be alone; early stopping is a mask.

Shapes: ``t`` trials, ``n`` examples, ``b`` examples of a batch, ``o`` outputs. An example may have
several inputs (a source and a target prefix, say) and several targets (one a position): axes after
the second.
"""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional as F

from .outcome import FIRST_LOSSES
from .settings import Training

Parameters = dict[str, Tensor]
Inputs = Tensor | tuple[Tensor, ...]


@dataclass
class Examples:
    """Inputs ``(t, n, ...)``, one or a tuple of them, and integer targets ``(t, n, ...)``."""

    inputs: Inputs
    targets: Tensor


@dataclass
class Fitted:
    """What `fit` leaves.

    Attributes:
        parameters: chosen weights, each ``(t, ...)``.
        first_losses: training losses of the first updates, mean over trials.
        history: one entry per validation: ``update`` and, as ``(t,)`` tensors, ``loss``
            (training, mean since the last entry) and, if validated, ``validation_loss`` and
            ``validation_accuracy``; NaN for trials that were stopped before.
        updates: updates until each trial was stopped, ``(t,)``.
        stopped: whether early stopping ended the trial, ``(t,)``.
    """

    ensemble: "Ensemble"
    parameters: Parameters
    first_losses: list[float]
    history: list[dict] = field(default_factory=list)
    updates: Tensor | None = None
    stopped: Tensor | None = None

    def predict(self, inputs: Inputs) -> Tensor:
        """Outputs on ``(t, n, ...)`` without dropout, ``(t, n, o)``."""
        return self.ensemble.predict(self.parameters, inputs)


class Ensemble:
    """``count`` models of one shape, called as one.

    Args:
        build: makes one initialised model; called ``count`` times.
        count: number of trials.
    """

    def __init__(self, build: Callable[[], nn.Module], count: int, device: str = "cpu"):
        models = [build() for _ in range(count)]
        stacked, buffers = stack_module_state(models)
        if buffers:
            raise ValueError(f"the model has buffers ({', '.join(buffers)}); expected none")
        self.count = count
        self.initial: Parameters = {
            name: value.detach().to(device) for name, value in stacked.items()
        }
        self._module = copy.deepcopy(models[0]).to("meta")

    def __call__(self, parameters: Parameters, inputs: Inputs) -> Tensor:
        """Outputs of every trial on its own inputs, ``(t, n, ...) -> (t, n, o)``."""
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)

        def one(parameters: Parameters, inputs: tuple[Tensor, ...]) -> Tensor:
            return functional_call(self._module, parameters, inputs)

        if self.count == 1:  # a plain call: torch.func would only cost
            alone = {name: value.squeeze(0) for name, value in parameters.items()}
            return one(alone, tuple(given.squeeze(0) for given in inputs)).unsqueeze(0)
        return vmap(one, randomness="different")(parameters, inputs)

    @torch.no_grad()
    def predict(self, parameters: Parameters, inputs: Inputs) -> Tensor:
        """As a call, without dropout and gradients."""
        self._module.eval()
        outputs = self(parameters, inputs)
        self._module.train()
        return outputs


def losses(outputs: Tensor, targets: Tensor, loss: str) -> Tensor:
    """Mean loss of each trial: outputs ``(t, n, o)``, targets ``(t, n)`` -> ``(t,)``."""
    if loss == "cross_entropy":
        each = F.cross_entropy(outputs.flatten(0, -2), targets.flatten(), reduction="none")
        return each.view_as(targets).flatten(1).mean(dim=1)
    each = F.binary_cross_entropy_with_logits(
        outputs.squeeze(-1), targets.to(outputs.dtype), reduction="none"
    )
    return each.mean(dim=1)


def correct(outputs: Tensor, targets: Tensor) -> Tensor:
    """Which predictions are right: outputs ``(t, n, o)``, targets ``(t, n)`` -> bool ``(t, n)``."""
    predicted = outputs.argmax(-1) if outputs.shape[-1] > 1 else outputs.squeeze(-1) > 0
    return predicted == targets


def batches(examples: Examples, size: int) -> Iterator[Examples]:
    """Batches without end: each trial in its own new order at each epoch, the last batch short."""
    trials, count = examples.targets.shape[:2]
    rows = torch.arange(trials, device=examples.targets.device).unsqueeze(1)
    while True:
        order = torch.rand(trials, count, device=rows.device).argsort(dim=1)
        inputs = _each(examples.inputs, lambda given, order=order: given[rows, order])
        targets = examples.targets[rows, order]
        for start in range(0, count, size):
            part = slice(start, start + size)
            yield Examples(_each(inputs, lambda given, part=part: given[:, part]), targets[:, part])


def _each(inputs: Inputs, function: Callable[[Tensor], Tensor]) -> Inputs:
    return tuple(map(function, inputs)) if isinstance(inputs, tuple) else function(inputs)


class Stopping:
    """Which weights each trial keeps, and when it stops; see `Training` for the rules."""

    def __init__(self, training: Training, parameters: Parameters):
        self.training = training
        first = next(iter(parameters.values()))
        self.best = torch.full(first.shape[:1], math.inf, device=first.device)  # (t,)
        self.wait = torch.zeros_like(self.best, dtype=torch.int64)
        self.stopped = torch.zeros_like(self.best, dtype=torch.bool)
        self.kept = {name: value.detach().clone() for name, value in parameters.items()}

    def validated(self, loss: Tensor, parameters: Parameters) -> Tensor:
        """Take in the validation losses ``(t,)``; return which trials stop now, ``(t,)``."""
        rules = self.training
        better = (loss + rules.min_delta < self.best) & ~self.stopped
        self.best = torch.where(better, loss, self.best)
        if better.any():
            for name, value in parameters.items():
                mask = better.view(-1, *[1] * (value.dim() - 1))
                self.kept[name] = torch.where(mask, value.detach(), self.kept[name])
        progress = better
        if rules.baseline is not None:
            progress = better & (loss + rules.min_delta < rules.baseline)
        self.wait = torch.where(progress, 0, self.wait + 1)
        if rules.patience is None:
            return torch.zeros_like(self.stopped)
        now = (self.wait >= rules.patience) & ~self.stopped
        self.stopped |= now
        return now

    def chosen(self, last: Parameters) -> Parameters:
        """The weights that the trials end with."""
        keep_best = torch.ones_like(self.stopped)
        if self.training.restore == "best_if_stopped":
            keep_best = self.stopped
        return {
            name: torch.where(
                keep_best.view(-1, *[1] * (value.dim() - 1)), self.kept[name], value.detach()
            )
            for name, value in last.items()
        }


def fit(
    build: Callable[[], nn.Module],
    train: Examples,
    validation: Examples | None,
    training: Training,
    limit: int | None = None,
) -> Fitted:
    """Train one model per trial with Adam (Kingma & Ba 2015).

    Randomness (weights, order of batches, dropout) comes from torch's default generator, which
    the caller seeds.

    Args:
        build: makes one initialised model, ``(b, ...) -> (b, o)``.
        train, validation: examples; their first axis sets the number of trials. Validation
            examples are read only where the settings monitor validation.
        training: the settings.
        limit: stop after this many updates (an audit needs only the first).

    Returns:
        `Fitted`.

    Raises:
        FloatingPointError: if a training or validation loss is not finite.
    """
    trials, count = train.targets.shape[:2]
    per_epoch = math.ceil(count / training.batch_size)
    budget = training.updates or training.epochs * per_epoch
    every = training.validate_every or per_epoch
    budget = budget if limit is None else min(budget, limit)

    ensemble = Ensemble(build, trials, device=str(train.targets.device))
    parameters = {name: value.requires_grad_() for name, value in ensemble.initial.items()}
    optimiser = torch.optim.Adam(
        parameters.values(),
        lr=training.learning_rate,
        betas=(training.beta_1, training.beta_2),
        eps=training.epsilon,
        fused=True,
    )
    stopping = Stopping(training, parameters)
    fitted = Fitted(ensemble, {}, [])
    fitted.updates = torch.full((trials,), budget)
    since = []  # training losses since the last validation

    stream = batches(train, training.batch_size)
    for update in range(1, budget + 1):
        batch = next(stream)
        loss = losses(ensemble(parameters, batch.inputs), batch.targets, training.loss)  # (t,)
        optimiser.zero_grad()
        loss.sum().backward()
        optimiser.step()
        since.append((loss.detach(), batch.targets.shape[1]))
        if update <= FIRST_LOSSES:
            fitted.first_losses.append(loss.mean().item())
        if update % every and update < budget:
            continue
        found = {"loss": torch.stack([loss for loss, _ in since]).mean(dim=0)}
        if training.monitor == "training":
            seen = torch.tensor([size for _, size in since], device=loss.device)
            whole = torch.stack([loss for loss, _ in since], dim=1)  # (t, batches)
            found["loss"] = watched = (whole * seen).sum(dim=1) / seen.sum()
        else:
            outputs = ensemble.predict(parameters, validation.inputs)
            watched = losses(outputs, validation.targets, training.loss)
            right = correct(outputs, validation.targets).flatten(1).float()
            found |= {"validation_loss": watched, "validation_accuracy": right.mean(dim=1)}
        since = []
        running = ~stopping.stopped
        for name, losses_seen in (("training", found["loss"]), ("validation", watched)):
            if not torch.isfinite(losses_seen[running]).all():
                raise FloatingPointError(f"the {name} loss is not finite at update {update}")
        now = stopping.validated(watched, parameters)
        shown = {name: torch.where(running, value, torch.nan) for name, value in found.items()}
        fitted.history.append({"update": update, **shown})
        fitted.updates[now.cpu()] = update
        if stopping.stopped.all():
            break
    fitted.stopped = stopping.stopped
    fitted.parameters = stopping.chosen(parameters)
    return fitted


def summary(fitted: Fitted, training: Training) -> dict[str, list]:
    """Metrics of the fit itself, one number per trial; no losses if nothing was validated.

    ``validation_loss`` and ``validation_accuracy`` are the lowest and the highest that were seen,
    which need not be those of the weights kept.
    A trial has ``converged`` if its best validation loss improved by less than 1 % in the last
    fifth of the validations, or its validation accuracy reached 0.99.
    """
    ends = {"updates": fitted.updates.tolist(), "stopped_early": fitted.stopped.long().tolist()}
    if training.monitor == "training":
        return ends
    loss = torch.stack([entry["validation_loss"] for entry in fitted.history])  # (v, t)
    accuracy = torch.stack([entry["validation_accuracy"] for entry in fitted.history])
    best = loss.nan_to_num(nan=math.inf).cummin(dim=0).values
    accuracy = accuracy.nan_to_num(nan=0.0)
    earlier = best[max(math.ceil(0.8 * len(best)) - 1, 0)]
    converged = (best[-1] > 0.99 * earlier) | (accuracy.amax(dim=0) >= 0.99)
    return {
        "validation_loss": best[-1].tolist(),
        "validation_accuracy": accuracy.amax(dim=0).tolist(),
        **ends,
        "converged": converged.long().tolist(),
    }
