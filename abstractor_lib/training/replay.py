"""An update recorded once as a CUDA graph and replayed: a GPU need not wait for the launch of each
of its thousands of small kernels."""

from collections.abc import Callable

import torch
from torch import Tensor

from .examples import Examples, listed


class Replay:
    """An update of one shape, recorded when made and computed when called.

    Args:
        update: computes an update from a batch, without looking at a number, ``-> (t,)``; what it
            reads and changes stays where it is in memory. Called before, so that everything that
            it keeps is there.
        batch: of the shape of all later ones, on a GPU.
    """

    def __init__(self, update: Callable[[Examples], Tensor], batch: Examples):
        self.batch = batch.map(torch.clone)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.losses = update(self.batch)

    def __call__(self, batch: Examples) -> Tensor:
        """The losses of an update on a batch, ``(t,)``.

        Raises:
            ValueError: for a batch of another shape.
        """
        there, here = (listed(one.inputs) + listed(one.targets) for one in (batch, self.batch))
        for given, place in zip(there, here, strict=True):
            if given.shape != place.shape:
                raise ValueError(
                    f"a batch has the shape {tuple(given.shape)}; expected {tuple(place.shape)}, "
                    "that of the update which is replayed"
                )
            place.copy_(given)
        self.graph.replay()
        return self.losses.clone()
