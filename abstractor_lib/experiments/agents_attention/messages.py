"""Agents whose 2-simplicial messages are changed: how much of a message does an agent need?

The message of an entity is the sum of products of values over pairs, weighed by attention. What the
virtual entities send themselves stays as it is.

Shapes: ``b`` states, ``t`` objects, ``f`` features.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn

from ...nn.agents import ActorCritic
from ...nn.simplicial_block import SimplicialBlock
from ...tasks.box_world.puzzles import Puzzles
from ..agents.play import win_rate

Change = Callable[[Tensor], Tensor]  # messages of states, (b, t, f), to what takes their place
CHANGES: dict[str, Change] = {
    "its own": lambda messages: messages,
    "the mean over the objects of its state": lambda messages: messages.mean(dim=1, keepdim=True),
    "the mean over all puzzles": lambda messages: messages.mean(dim=(0, 1), keepdim=True),
    "nothing": lambda messages: messages * 0,
}


class Changed(nn.Module):
    """A `TwoSimplicialAttention` of virtual entities, whose messages are changed."""

    def __init__(self, attention: Any, change: Change):
        super().__init__()
        self.attention, self.change = attention, change
        self.vectors = attention.vectors

    def attend(self, *parts: Any) -> Tensor:
        """Messages, ``(b, t, f)``; weights cannot be asked for."""
        messages = self.attention.attend(*parts)
        return self.change(messages).expand_as(messages)


def changed(agent: ActorCritic, change: str) -> ActorCritic:
    """The same agent, but an object gets another message than its own in both blocks.

    Args:
        agent: whose blocks have 2-simplicial attention and virtual entities.
        change: a name of `CHANGES`.

    Raises:
        ValueError: for another name, or an agent without 2-simplicial attention.
    """
    if change not in CHANGES:
        raise ValueError(f"change is {change!r}; expected one of {', '.join(CHANGES)}")
    agent = deepcopy(agent)
    blocks = [one for one in agent.modules() if isinstance(one, SimplicialBlock)]
    if not blocks or blocks[0].two is None:
        raise ValueError("agent has no 2-simplicial attention; expected one that has")
    for block in blocks:
        setattr(block, "two", Changed(block.two, CHANGES[change]))  # noqa: B010 (another type)
    return agent


@torch.no_grad()
def won(agent: ActorCritic, puzzles: Puzzles) -> pd.Series:
    """The share of puzzles that an agent wins, by what takes the place of its messages.

    Means are of all puzzles after as many decisions, which the agent plays side by side.
    """
    shares = {name: win_rate(changed(agent, name), puzzles, "tokens") for name in CHANGES}
    found = pd.Series(shares, name="late puzzles won").rename_axis("in place of its messages")
    found.attrs["puzzles"] = len(puzzles)
    return found
