"""Updates recorded as CUDA graphs and replayed: a GPU need not wait for the launch of each of their
thousands of small kernels."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from .examples import Examples, listed


@dataclass
class Recorded:
    """An update of one shape: the batch that it reads, and the losses that it leaves, ``(t,)``."""

    graph: torch.cuda.CUDAGraph
    batch: Examples
    losses: Tensor


class Replay:
    """An update that is recorded once for each shape of batch.

    Args:
        update: computes an update from a batch on a GPU, without looking at a number, ``-> (t,)``;
            what it reads and changes stays where it is in memory. Called before, so that everything
            that it keeps is there.
    """

    def __init__(self, update: Callable[[Examples], Tensor]):
        self.update = update
        self.recorded: dict[tuple[torch.Size, ...], Recorded] = {}
        self._memory = torch.cuda.graph_pool_handle()  # one for all: they never run at once

    def __call__(self, batch: Examples) -> Tensor:
        """The losses of an update on a batch, ``(t,)``."""
        given = _tensors(batch)
        shapes = tuple(one.shape for one in given)
        if shapes not in self.recorded:
            self.recorded[shapes] = self._record(batch)
        found = self.recorded[shapes]
        for one, place in zip(given, _tensors(found.batch), strict=True):
            place.copy_(one)
        found.graph.replay()
        return found.losses.clone()

    def _record(self, batch: Examples) -> Recorded:
        """An update of the shape of a batch. It is not computed yet."""
        graph, place = torch.cuda.CUDAGraph(), batch.map(torch.clone)
        with torch.cuda.graph(graph, pool=self._memory):
            losses = self.update(place)
        return Recorded(graph, place, losses)


def _tensors(batch: Examples) -> tuple[Tensor, ...]:
    return listed(batch.inputs) + listed(batch.targets)
