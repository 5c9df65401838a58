"""V-trace: what a state was worth, from plays of a policy that is not quite the one that learns.

Shapes: ``t`` steps of a play, ``w`` worlds.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class Returns(NamedTuple):
    """What a play says, ``(t, w)`` each: ``values``, what the values are to become, and
    ``advantages``, by how much each action was better than its state."""

    values: Tensor
    advantages: Tensor


@torch.no_grad()
def vtrace(
    ratios: Tensor,
    discounts: Tensor,
    rewards: Tensor,
    values: Tensor,
    *,
    largest_ratio: float = 1.0,
    largest_trace: float = 1.0,
) -> Returns:
    """V-trace targets and advantages of plays of ``t`` steps.

    Args:
        ratios: probability of each action under the policy that learns, as a multiple of that under
            the policy that played, ``(t, w)``.
        discounts: of what follows each step, ``(t, w)``; 0 where the episode ended with it.
        rewards: of each step, ``(t, w)``.
        values: of the states before each step, and of the last one, ``(t + 1, w)``.
        largest_ratio, largest_trace: where ratios are cut, rho and c of the source. With infinite
            ones and equal policies the targets are discounted sums of rewards.

    Raises:
        ValueError: if the shapes do not fit.

    Source: Espeholt et al., IMPALA (2018), equation 1 and section 4.2.

    Example:
        >>> some = torch.ones(2, 1)
        >>> vtrace(some, 0.5 * some, some, torch.zeros(3, 1)).values.T
        tensor([[1.5000, 1.0000]])
    """
    if not ratios.shape == discounts.shape == rewards.shape == values[1:].shape:
        shapes = ", ".join(str(tuple(one.shape)) for one in (ratios, discounts, rewards, values))
        raise ValueError(
            f"ratios, discounts, rewards and values have the shapes {shapes}; expected (t, w) "
            "thrice, and (t + 1, w)"
        )
    rho = ratios.clamp(max=largest_ratio)
    trace = ratios.clamp(max=largest_trace)
    deltas = rho * (rewards + discounts * values[1:] - values[:-1])  # (t, w)
    beyond = torch.zeros_like(values[0])  # v_{s+1} - V(x_{s+1}), (w,)
    corrections = []
    for step in reversed(range(len(rewards))):
        # v_s = V(x_s) + delta_s + gamma c_s (v_{s+1} - V(x_{s+1}))
        beyond = deltas[step] + discounts[step] * trace[step] * beyond
        corrections.append(beyond)
    targets = values[:-1] + torch.stack(corrections[::-1])  # (t, w)
    following = torch.cat([targets[1:], values[-1:]])
    advantages = rho * (rewards + discounts * following - values[:-1])
    return Returns(targets, advantages)
