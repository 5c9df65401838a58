"""Examples of several trials: what models are trained and validated on.

Shapes: ``t`` trials, ``n`` examples. An example may have several inputs (a source and a target
prefix, say) and several targets (one a position): axes after the second.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

Tensors = Tensor | tuple[Tensor, ...]


@dataclass
class Examples:
    """Inputs ``(t, n, ...)``, one or a tuple of them, and targets ``(t, n, ...)``, likewise.

    Raises:
        ValueError: if they are no tensors, or do not all begin with the same trials and examples.

    Example:
        >>> some = Examples(torch.zeros(2, 5, 3), torch.zeros(2, 5))
        >>> some.trials, len(some), [len(part) for part in some.chunks(2)]
        (2, 5, [2, 2, 1])
    """

    inputs: Tensors
    targets: Tensors

    def __post_init__(self):
        for name, given in (("inputs", self.inputs), ("targets", self.targets)):
            for one in listed(given):
                if not isinstance(one, Tensor):
                    raise ValueError(
                        f"{name} holds a {type(one).__name__}; expected a tensor, or a tuple of "
                        "tensors"
                    )
        inputs, targets = (
            [tuple(one.shape[:2]) for one in listed(given)] for given in (self.inputs, self.targets)
        )
        if len({*inputs, *targets}) > 1 or len(targets[0]) < 2:
            raise ValueError(
                f"inputs begin with {_joined(inputs)} and targets with {_joined(targets)}; "
                "expected the same (trials, examples) for all"
            )

    def __len__(self) -> int:
        return first(self.targets).shape[1]

    @property
    def trials(self) -> int:
        return first(self.targets).shape[0]

    @property
    def device(self) -> torch.device:
        return first(self.targets).device

    def map(self, function: Callable[[Tensor], Tensor]) -> "Examples":
        """The same function of every tensor."""
        return Examples(each(self.inputs, function), each(self.targets, function))

    def rows(self, start: int, stop: int) -> "Examples":
        """Examples ``start`` to ``stop`` of every trial."""
        return self.map(lambda given: given[:, start:stop])

    def chunks(self, size: int | None) -> Iterator["Examples"]:
        """These examples in order, ``size`` at a time; None: all at once."""
        if size is None or size >= len(self):
            yield self
            return
        for start in range(0, len(self), size):
            yield self.rows(start, start + size)


def listed(tensors: Tensors) -> tuple[Tensor, ...]:
    """The tensor alone, or all of several."""
    return tensors if isinstance(tensors, tuple) else (tensors,)


def first(tensors: Tensors) -> Tensor:
    """The tensor, or the first of several."""
    return listed(tensors)[0]


def each(tensors: Tensors, function: Callable[[Tensor], Tensor]) -> Tensors:
    """A function of the tensor, or of every one of several."""
    return tuple(map(function, tensors)) if isinstance(tensors, tuple) else function(tensors)


def _joined(shapes: Sequence[tuple[int, ...]]) -> str:
    return ", ".join(map(str, shapes))
