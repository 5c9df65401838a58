"""What a decoder keeps of the positions and contexts that it has seen.

Shapes: ``b`` batch, ``h`` heads, ``m`` objects or tokens, ``k`` key width, ``d`` features.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

Kept = tuple[Tensor, Tensor]


def keep(attention: nn.Module, states: Tensor) -> Kept:
    """What a cache keeps of states that ``attention`` will attend to."""
    if hasattr(attention, "keys_values"):
        return attention.keys_values(states, states)
    return states, states


@dataclass
class LayerCache:
    """Keys and values that a decoder layer has seen: its own, and those of each context.

    As a `MultiHeadAttention` projects them, ``(b, h, m, k)``; for another attention the states
    themselves, ``(b, m, d)``. ``read`` are the contexts that they are of, each with its version: a
    context that is another tensor, or was changed in place, is projected anew.
    """

    batch: tuple[int, ...] | None = None
    own: Kept | None = None
    contexts: list[Kept] = field(default_factory=list)
    read: list[tuple[Tensor, int]] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Positions that it has seen."""
        return 0 if self.own is None else self.own[0].shape[-2]

    def extended(self, kept: Kept, batch: tuple[int, ...]) -> Kept:
        """Its own keys and values, with those of the positions that follow."""
        if self.own is None:
            self.batch, self.own = batch, kept
            return kept
        if batch != self.batch:
            raise ValueError(
                f"y has batch dimensions {batch}; expected {self.batch}, those that its cache "
                "began with"
            )
        pairs = zip(self.own, kept, strict=True)
        self.own = tuple(torch.cat(pair, dim=-2) for pair in pairs)
        return self.own

    def of_context(self, index: int, context: Tensor, attention: nn.Module) -> Kept:
        """What ``attention`` attends to of a context."""
        uncounted = torch.compiler.is_compiling() or context.is_inference()
        version = 0 if uncounted else context._version
        if index == len(self.read):
            self.contexts.append(keep(attention, context))
            self.read.append((context, version))
        elif self.read[index][0] is not context or self.read[index][1] != version:
            self.contexts[index], self.read[index] = keep(attention, context), (context, version)
        return self.contexts[index]
