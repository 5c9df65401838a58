"""A fit that goes step by step, and whose state can be taken and put back.

The parameters of ``t`` independent trials are stacked along a first axis. Losses are summed over
trials, so each trial's gradient is what it would be alone; early stopping is a mask.

Shapes: ``t`` trials, ``b`` examples of a batch, ``o`` outputs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from ..nn.arguments import check_maker
from . import objectives, settings
from .ensemble import Ensemble, State
from .examples import Examples, Tensors
from .objectives import Measure, Objective
from .optimiser import clip, optimiser, rate_factor
from .outcome import FIRST_LOSSES
from .replay import Replay
from .settings import Training
from .sources import Resident, Source
from .state import columns, copied, random_state, rows, set_random_state
from .stopping import Stopping
from .validation import validate


@dataclass
class Fitted:
    """What a fit leaves.

    Attributes:
        state: chosen parameters and buffers, each ``(t, ...)``.
        first_losses: training losses of the first updates, mean over trials.
        history: one entry per validation: ``update`` and, as ``(t,)`` tensors, ``loss``
            (training, mean since the last entry) and, if validated, ``validation_loss`` and, if
            answers can be right, ``validation_accuracy``, and what is watched; NaN for trials that
            were stopped before.
        updates: updates until each trial was stopped, ``(t,)``.
        stopped: whether early stopping, or the goal, ended the trial, ``(t,)``.
        others: further weights, name -> as ``state``; see ``also`` of `Training`.
    """

    ensemble: Ensemble
    state: State
    first_losses: list[float]
    history: list[dict]
    updates: Tensor
    stopped: Tensor
    others: dict[str, State] = field(default_factory=dict)

    @property
    def parameters(self) -> State:
        """The models' state dictionaries, stacked: each ``(t, ...)``."""
        return self.ensemble.saved(self.state)

    def further(self, name: str) -> State:
        """State dictionaries, likewise stacked, of further weights."""
        return self.ensemble.saved(self.others[name])

    def predict(self, inputs: Tensors, chunk: int | None = None) -> Tensor:
        """Outputs on ``(t, n, ...)`` without dropout, ``(t, n, o)``; ``chunk`` examples at once."""
        parts = Examples(inputs, inputs).chunks(chunk)
        return torch.cat([self.ensemble.predict(part.inputs, self.state) for part in parts], dim=1)


class Trainer:
    """Trains one model per trial, an update at a time.

    Randomness (weights, order of batches, dropout) comes from torch's default generator, which the
    caller seeds.

    Args:
        build: makes one initialised model, ``(b, ...) -> (b, o)``.
        train: examples, or a `Source` of batches; they set the number of trials and the device.
        validation: examples, or several of them whose shapes differ; read only where the settings
            monitor validation.
        training: the settings.
        objective: for the loss ``custom``: an `Objective`, or a function from outputs and targets
            to the losses of the trials.
        limit: stop after this many updates. The learning rate still follows the whole budget.
        watch: gives further numbers for the history, name -> ``(t,)``, from the parameters and
            buffers, each ``(t, ...)``, at each look.
        replay: record the update and replay it where it runs on a GPU (see `Replay`): for batches
            of a few shapes, models without buffers and learning rates that stay.

    Attributes:
        update: updates so far.
        budget: updates after which training ends.
        finished: whether it has ended, by its budget or because all trials have stopped.

    Raises:
        ValueError: for settings that make no sense, or do not fit the source, for validation
            examples of another number of trials, and for a model in the place of ``build``.

    Example:
        >>> rules = Training(
        ...     loss="mse", learning_rate=0.1, batch_size=4, epochs=2, updates=None,
        ...     validate_every=None, patience=None, min_delta=0.0, baseline=None, restore="best")
        >>> some = Examples(torch.randn(3, 8, 5), torch.randn(3, 8, 1))
        >>> trainer = Trainer(lambda: nn.Linear(5, 1), some, some, rules)
        >>> while not trainer.finished:
        ...     losses = trainer.step()
        >>> trainer.update, losses.shape, len(trainer.result().history)
        (4, torch.Size([3]), 2)
    """

    def __init__(
        self,
        build: Callable[[], nn.Module],
        train: Examples | Source,
        validation: Examples | Sequence[Examples] | None,
        training: Training,
        *,
        objective: Objective | Measure | None = None,
        limit: int | None = None,
        watch: Callable[[State], State] | None = None,
        replay: bool = False,
    ):
        check_maker("build", build)
        settings.check(training)
        self.training = training
        self.watch = watch
        self.objective = objectives.objective(training.loss, objective)
        self.source = Resident(train, training.batch_size) if isinstance(train, Examples) else train
        given = [validation] if isinstance(validation, Examples) else validation
        self.validation: Sequence[Examples] = given or ()
        if training.monitor != "training" and not self.validation:
            raise ValueError(
                f"validation is None with monitor {training.monitor!r}; expected examples"
            )
        for examples in self.validation if training.monitor != "training" else ():
            if examples.trials != self.source.trials:
                raise ValueError(
                    f"validation holds {examples.trials} trials; "
                    f"expected {self.source.trials}, as many as train"
                )
        self.planned, self.every = _plan(training, self.source.per_epoch)
        self.budget = settings.within(self.planned, limit)
        trials, device = self.source.trials, self.source.device
        self.ensemble = Ensemble(build, trials, device, training.together)
        self._optimiser = optimiser(self.ensemble.trained.values(), training)
        self._stopping = Stopping(training, self._changing())
        steady = training.schedule == "constant" and not training.warmup
        still = steady and not self.ensemble.buffers and torch.device(device).type == "cuda"
        self.replay, self._recorded = replay and still, None
        self._launched = 0  # updates in this process, which lay out what a recorded one uses
        self._first_losses: list[float] = []
        self._history: list[dict] = []
        self._updates = torch.full((trials,), self.budget)
        self._since: list[tuple[Tensor, int]] = []  # losses since the last look, batch sizes
        self.update = 0
        self.finished = self.budget == 0

    def step(self) -> Tensor:
        """One update of every trial, and a look at how it goes when one is due.

        Returns:
            The training losses, ``(t,)``.

        Raises:
            FloatingPointError: if a training or validation loss is found not to be finite.
            RuntimeError: if the training has ended.
        """
        if self.finished:
            raise RuntimeError(f"the training ended at update {self.update}")
        self.update += 1
        batch = next(self.source)
        self._launched += 1
        if self.replay and self._launched > FIRST_LOSSES and self._recorded is None:
            self._recorded = Replay(self._updated)
        loss = (self._recorded or self._updated)(batch)  # (t,)
        self._since.append((loss, len(batch)))
        if self.update <= FIRST_LOSSES:
            self._first_losses.append(loss.mean().item())
        if self.update % self.every == 0 or self.update == self.budget:
            self._look()
        return loss

    def told(self) -> str:
        """Nothing: a bar of updates says enough."""
        return ""

    def _updated(self, batch: Examples) -> Tensor:
        """The losses on a batch, ``(t,)``, by which the parameters have been moved."""
        loss = self.objective(self.ensemble(batch.inputs), batch.targets)  # (t,)
        self._optimiser.zero_grad()
        loss.sum().backward()
        self._move()
        return loss.detach()

    def _move(self) -> None:
        """One step of the optimiser along the gradients."""
        rules = self.training
        if rules.clip is not None:
            clip(self.ensemble.trained.values(), rules.clip)
        factor = rate_factor(self.update, self.planned, rules)
        for group in self._optimiser.param_groups:
            group["lr"] = rules.learning_rate * factor
        self._optimiser.step()
        if rules.average is not None:
            self._stopping.updated(self._changing())

    def _look(self) -> None:
        """Take down the losses, validate, and see which weights to keep and which trials stop."""
        losses = [loss for loss, _ in self._since]
        found = {"loss": torch.stack(losses).mean(dim=0)}
        if self.training.monitor == "training":
            sizes = torch.tensor([size for _, size in self._since], device=self.source.device)
            whole = torch.stack(losses, dim=1)  # (t, batches)
            found["loss"] = watched = (whole * sizes).sum(dim=1) / sizes.sum()
        else:
            chunk = self.training.validation_chunk
            scores = validate(self.ensemble.predict, self.validation, self.objective, chunk)
            found |= {f"validation_{name}": value for name, value in scores.items()}
            watched = scores["loss"]
        self._since = []
        running = ~self._stopping.stopped
        for name, seen in (("training", found["loss"]), ("validation", watched)):
            if not torch.isfinite(seen[running]).all():
                raise FloatingPointError(f"the {name} loss is not finite at update {self.update}")
        accuracy, falling = found.get("validation_accuracy"), watched
        if self.training.monitor == "accuracy":
            if accuracy is None:
                raise ValueError("monitor is 'accuracy', but no accuracy is validated")
            falling = -accuracy
        now = self._stopping.validated(falling, self._changing(), accuracy)
        if self.watch is not None:
            with torch.no_grad():
                found |= self.watch(self.ensemble.state())
        shown = {name: torch.where(running, value, torch.nan) for name, value in found.items()}
        self._history.append({"update": self.update, **shown})
        self._updates[now.cpu()] = self.update
        self.finished = self.update == self.budget or bool(self._stopping.stopped.all())

    def _changing(self) -> State:
        """What training changes."""
        return self.ensemble.trained | self.ensemble.buffers

    def result(self) -> Fitted:
        """What the fit leaves, as it is now."""
        frozen, last = self.ensemble.frozen, self._changing()
        return Fitted(
            self.ensemble,
            frozen | self._stopping.chosen(last),
            list(self._first_losses),
            list(self._history),
            self._updates.clone(),
            self._stopping.stopped.clone(),
            {name: frozen | copied(state) for name, state in self._stopping.others(last).items()},
        )

    def state_dict(self) -> dict[str, Any]:
        """A copy of everything that the rest of the training depends on: tensors and JSON values,
        in dictionaries and lists. torch's random state and the source's position are part of it.
        """
        moments = self._optimiser.state_dict()["state"]
        names = list(self.ensemble.trained)
        return copied(
            {
                "update": self.update,
                "budget": self.budget,
                "finished": self.finished,
                "trained": self.ensemble.trained,
                "buffers": self.ensemble.buffers,
                "optimiser": {names[index]: value for index, value in moments.items()},
                "stopping": self._stopping.state_dict(),
                "source": self.source.state_dict(),
                "random": random_state(self.source.device),
                "first_losses": self._first_losses,
                "history": columns(self._history),
                "updates": self._updates,
                "since": columns([{"loss": loss, "size": size} for loss, size in self._since]),
            }
        )

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where a state was taken, by a trainer of the same arguments.

        Raises:
            ValueError: if the state is of another training; nothing is changed then.
        """
        if state["budget"] != self.budget:
            raise ValueError(f"the state's budget is {state['budget']}; expected {self.budget}")
        for kind in ("trained", "buffers"):
            shapes = [
                {name: tuple(value.shape) for name, value in values.items()}
                for values in (state[kind], getattr(self.ensemble, kind))
            ]
            if shapes[0] != shapes[1]:
                raise ValueError(
                    f"the state's {kind} have the shapes {shapes[0]}; expected {shapes[1]}"
                )
        state, device = copied(state), self.source.device
        with torch.no_grad():
            for name, value in self.ensemble.trained.items():
                value.copy_(state["trained"][name])
        self.ensemble.buffers = {
            name: state["buffers"][name].to(device) for name in self.ensemble.buffers
        }
        moments = {
            index: state["optimiser"][name]
            for index, name in enumerate(self.ensemble.trained)
            if name in state["optimiser"]
        }
        groups = self._optimiser.state_dict()["param_groups"]
        self._optimiser.load_state_dict({"state": moments, "param_groups": groups})
        self._stopping.load_state_dict(state["stopping"])
        self._recorded, self._launched = None, 0
        self.source.load_state_dict(state["source"])
        self.update, self.finished = state["update"], state["finished"]
        self._first_losses, self._updates = state["first_losses"], state["updates"]
        self._history = rows(state["history"], device)
        since = rows(state["since"], device)
        self._since = [(entry["loss"], entry["size"]) for entry in since]
        set_random_state(state["random"], device)  # last: nothing may draw after it


def _plan(training: Training, per_epoch: int | None) -> tuple[int, int]:
    """The budget in updates, and after how many of them to look how it goes."""
    if per_epoch is None:
        if training.updates is None:
            raise ValueError("updates is None with a source that has no epochs; expected a number")
        if training.validate_every is None:
            raise ValueError(
                "validate_every is None with a source that has no epochs; expected a number"
            )
        return training.updates, training.validate_every
    budget = training.updates or (training.epochs or 0) * per_epoch  # one of them is given
    return budget, training.validate_every or per_epoch
