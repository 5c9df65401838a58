"""Minimising a smooth loss over all data at once, with L-BFGS (Liu & Nocedal 1989)."""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def minimise(parameters: Iterable[Tensor], loss: Callable[[], Tensor], updates: int) -> list[float]:
    """Minimise ``loss()`` over ``parameters``, in place.

    Args:
        parameters: of double precision, for the line search.
        loss: computes it anew from the parameters.
        updates: iterations, each with a strong Wolfe line search.

    Returns:
        The losses of all evaluations, in order.

    Raises:
        FloatingPointError: at the first loss that is not finite.

    Example:
        >>> x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
        >>> seen = minimise([x], lambda: (x - 1).square().sum(), updates=5)
        >>> round(x.item(), 6), seen[0]
        (1.0, 4.0)
    """
    optimiser = torch.optim.LBFGS(
        list(parameters),
        lr=1.0,
        max_iter=updates,
        history_size=30,
        tolerance_grad=0.0,
        tolerance_change=0.0,
        line_search_fn="strong_wolfe",
        max_eval=3 * updates,
    )
    seen: list[float] = []

    def closure() -> Tensor:
        optimiser.zero_grad()
        value = loss()
        seen.append(value.item())
        if not math.isfinite(seen[-1]):
            raise FloatingPointError(f"the loss is not finite at evaluation {len(seen)}")
        value.backward()
        return value

    optimiser.step(closure)
    return seen
