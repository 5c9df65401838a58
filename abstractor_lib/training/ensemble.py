"""Several models of one shape, called as one, with torch.func.

Shapes: ``t`` trials, ``n`` examples, ``o`` outputs.
"""

import copy
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn.attention import SDPBackend, sdpa_kernel

from .examples import Tensors

State = dict[str, Tensor]


class Ensemble:
    """``count`` models of one shape, called as one.

    Their parameters and buffers are stacked along a first axis and live here, not in the caller's
    models. Each trial has its own buffers: running statistics of batch norm, say, are updated by a
    call in training mode and left alone by `predict`.

    Args:
        build: makes one initialised model; called ``count`` times.
        count: number of trials.
        device: where the state lives.
        together: call all trials in one vectorised pass; otherwise one after another.

    Attributes:
        trained: parameters that require a gradient, each ``(t, ...)``.
        frozen: parameters that do not.
        buffers: all others.

    Raises:
        ValueError: if there is no model, the models differ in shape, or no parameter requires a
            gradient.

    Example:
        >>> ensemble = Ensemble(lambda: nn.Linear(3, 2), count=4)
        >>> ensemble(torch.zeros(4, 7, 3)).shape
        torch.Size([4, 7, 2])
    """

    def __init__(
        self,
        build: Callable[[], nn.Module],
        count: int,
        device: str | torch.device = "cpu",
        together: bool = True,
    ):
        if count < 1:
            raise ValueError(f"count is {count}; expected at least 1")
        models = [build() for _ in range(count)]
        try:
            parameters, buffers = stack_module_state(models)
        except (RuntimeError, KeyError) as error:
            raise ValueError(f"the models of the trials differ ({error})") from None
        self.count, self.together = count, together
        self.trained: State = {}
        self.frozen: State = {}
        for name, value in parameters.items():
            kind = self.trained if value.requires_grad else self.frozen
            kind[name] = value.detach().to(device)
        if not self.trained:
            raise ValueError("the model has no parameter that requires a gradient")
        for value in self.trained.values():
            value.requires_grad_()
        self.buffers: State = {name: value.to(device) for name, value in buffers.items()}
        self._names = _names(models[0])
        self._saved = list(models[0].state_dict())
        self._module = copy.deepcopy(models[0]).to("meta")  # its weights are never used
        self._modes = [(module, module.training) for module in self._module.modules()]

    def __call__(self, inputs: Tensors) -> Tensor:
        """Outputs of every trial on its own inputs, ``(t, n, ...) -> (t, n, o)``, each part of
        the model in the mode, training or not, that ``build`` left it in.

        Raises:
            ValueError: if the model cannot be called for all trials together.
        """
        outputs, buffers = self._call(self.state(), inputs)
        self.buffers = {name: value.detach() for name, value in buffers.items()}
        return outputs

    @torch.no_grad()
    def predict(self, inputs: Tensors, state: State | None = None) -> Tensor:
        """As a call, without dropout and gradients, and of another state if one is given."""
        self._module.eval()
        try:
            return self._call(self.state() if state is None else state, inputs)[0]
        finally:
            for module, training in self._modes:
                module.training = training

    def state(self) -> State:
        """Everything that a call reads, each ``(t, ...)``."""
        return self.trained | self.frozen | self.buffers

    def saved(self, state: State) -> State:
        """What of a state belongs to the models' state dictionaries, under all its names."""
        return {name: state[self._names[name]] for name in self._saved if name in self._names}

    def _call(self, state: State, inputs: Tensors) -> tuple[Tensor, State]:
        """Outputs, and the buffers after the call."""
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        if self.together and self.count > 1:
            try:
                with self._kernels():
                    return vmap(self._one, randomness="different")(state, inputs)
            except RuntimeError as error:
                if not re.search("vmap|[Bb]atching rule", str(error)):
                    raise
                raise ValueError(
                    f"together is True, but the model cannot be vectorised over trials ({error}); "
                    "expected False"
                ) from error
        states = zip(*(self._apart(value) for value in state.values()), strict=True)
        given = zip(*(self._apart(value) for value in inputs), strict=True)
        found = [
            self._one(dict(zip(state, values, strict=True)), alone)
            for values, alone in zip(states, given, strict=True)
        ]
        outputs = _stack([outputs for outputs, _ in found])
        return outputs, {name: _stack([left[name] for _, left in found]) for name in self.buffers}

    def _kernels(self) -> AbstractContextManager:
        """Of attention: under vmap those that a GPU has ready refuse masks."""
        on_gpu = next(iter(self.trained.values())).is_cuda
        return sdpa_kernel(SDPBackend.MATH) if on_gpu else nullcontext()

    def _one(self, state: State, inputs: tuple[Tensor, ...]) -> tuple[Tensor, State]:
        """One trial's outputs, and its buffers after the call."""
        given = {alias: state[name] for alias, name in self._names.items()}
        outputs = functional_call(self._module, given, inputs)
        return outputs, {name: given[name] for name in self.buffers}  # put there by torch

    def _apart(self, value: Tensor) -> tuple[Tensor, ...]:
        return value.unbind() if self.count > 1 else (value.squeeze(0),)


def _stack(values: list[Tensor]) -> Tensor:
    return torch.stack(values) if len(values) > 1 else values[0].unsqueeze(0)


def _names(model: nn.Module) -> dict[str, str]:
    """Every name of a parameter or buffer, and the first name of the same tensor: tied weights
    have several."""
    named = [
        *model.named_parameters(remove_duplicate=False),
        *model.named_buffers(remove_duplicate=False),
    ]
    seen: dict[int, str] = {}
    return {name: seen.setdefault(id(value), name) for name, value in named}
