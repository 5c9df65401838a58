"""Optimisers, learning rates over time, and gradients of bounded norm, for stacked parameters.

All optimisers here work elementwise, so the parameters of ``t`` trials can be stacked ``(t, ...)``
and given to one optimiser. The norm of a gradient does not: it is taken for each trial.
"""

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from .settings import Training


def optimiser(parameters: Iterable[Tensor], training: Training) -> torch.optim.Optimizer:
    """The optimiser of the settings."""
    parameters, rate = list(parameters), training.learning_rate
    gpu = parameters[0].is_cuda  # where the step may be recorded and replayed
    decay, betas = training.weight_decay, (training.beta_1, training.beta_2)
    if training.optimiser in ("adam", "adamw"):
        made = torch.optim.Adam if training.optimiser == "adam" else torch.optim.AdamW
        return made(
            parameters,
            lr=rate,
            betas=betas,
            eps=training.epsilon,
            weight_decay=decay,
            fused=True,
            capturable=gpu,
        )
    if training.optimiser == "rmsprop":
        return torch.optim.RMSprop(
            parameters,
            lr=rate,
            alpha=training.beta_2,
            eps=training.epsilon,
            weight_decay=decay,
            momentum=training.momentum,
        )
    return torch.optim.SGD(parameters, lr=rate, momentum=training.momentum, weight_decay=decay)


def rate_factor(update: int, budget: int, training: Training) -> float:
    """What the learning rate is multiplied with at an update, 1, 2, ... ``budget``.

    Example:
        >>> from dataclasses import replace
        >>> rules = Training("mse", 1e-3, 8, None, 8, 8, None, 0.0, None, "best", warmup=4)
        >>> [rate_factor(update, 8, replace(rules, schedule="linear")) for update in range(1, 9)]
        [0.25, 0.5, 0.75, 1.0, 1.0, 0.75, 0.5, 0.25]
    """
    if update <= training.warmup:
        return update / training.warmup
    if training.schedule == "constant":
        return 1.0
    done = (update - 1 - training.warmup) / (budget - training.warmup)  # from 0 to below 1
    if training.schedule == "linear":
        return 1.0 - done
    return (1.0 + math.cos(math.pi * done)) / 2


@torch.no_grad()
def clip(parameters: Iterable[Tensor], largest: float) -> Tensor:
    """Scale each trial's gradient, in place, to a norm of at most ``largest``.

    Args:
        parameters: stacked, ``(t, ...)``; those without a gradient are left out.
        largest: the bound, as in torch's ``clip_grad_norm_``.

    Returns:
        The norms before, ``(t,)``.

    Example:
        >>> weight = torch.zeros(2, 2, requires_grad=True)
        >>> weight.grad = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
        >>> clip([weight], 1.0)
        tensor([5.0000, 0.5000])
        >>> weight.grad
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
    gradients = [value.grad for value in parameters if value.grad is not None]
    squares = [gradient.flatten(1).square().sum(dim=1) for gradient in gradients]
    norms = torch.stack(squares).sum(dim=0).sqrt()  # (t,)
    factors = (largest / (norms + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factors.view(-1, *[1] * (gradient.dim() - 1)))
    return norms
