"""RMSProp as TensorFlow has it, which is not as torch has it.

Epsilon stands inside the root, and the mean square begins at one, not at zero. With a large epsilon
both change what is learned: torch's step along a small gradient is 1 / sqrt(epsilon) times longer.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor


class TensorFlowRMSprop(torch.optim.Optimizer):
    """RMSProp with epsilon inside the root: ``s <- a s + (1 - a) g^2``, ``w <- w - r g / sqrt(s +
    e)``, and s = 1 at the start.

    Args:
        parameters: to be moved.
        lr: the learning rate r.
        decay: a, of the mean square.
        epsilon: e.

    Raises:
        ValueError: for a rate or epsilon that is not positive, or a decay outside [0, 1).

    Source: Logic and the 2-Simplicial Transformer, appendix E, with the form that the optimiser had
    in TensorFlow 1.

    Example:
        >>> weight = torch.zeros(1, requires_grad=True)
        >>> optimiser = TensorFlowRMSprop([weight], lr=0.5, decay=0.5, epsilon=0.5)
        >>> (2 * weight).sum().backward()
        >>> optimiser.step()
        >>> weight  # - 0.5 * 2 / sqrt(0.5 * 1 + 0.5 * 4 + 0.5)
        tensor([-0.5774], requires_grad=True)
    """

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: float,
        decay: float = 0.99,
        epsilon: float = 0.1,
    ):
        if not (lr > 0 and epsilon > 0 and 0 <= decay < 1):
            raise ValueError(
                f"lr is {lr}, decay {decay} and epsilon {epsilon}; expected positive numbers, and "
                "a decay from 0 to below 1"
            )
        super().__init__(parameters, {"lr": lr, "decay": decay, "epsilon": epsilon})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move the parameters along their gradients."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                if not state:
                    state["square"] = torch.ones_like(weight)
                square = state["square"].mul_(group["decay"])
                square.addcmul_(weight.grad, weight.grad, value=1 - group["decay"])
                length = (square + group["epsilon"]).sqrt_()
                weight.addcdiv_(weight.grad, length, value=-group["lr"])
        return loss
