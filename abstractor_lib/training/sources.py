"""Where batches come from: examples in memory, padded sequences by length, or a generator.

A source gives batches without end. Its position can be saved and restored, so that a run goes on
with the batch that it would have seen next.

Shapes: ``t`` trials, ``n`` examples, ``m`` positions.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from .examples import Examples, each, listed


class Source(Protocol):
    """Batches without end.

    Attributes:
        trials: number of trials that each batch serves.
        device: of the batches.
        per_epoch: batches of an epoch; None if there are no epochs.
    """

    trials: int
    device: torch.device
    per_epoch: int | None

    def __next__(self) -> Examples:
        """The next batch, ``(t, b, ...)``."""

    def state_dict(self) -> dict[str, Any]:
        """The position: tensors, and values that JSON can hold."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go to a position."""


class Resident:
    """Examples in memory: each trial in its own new order at each epoch, the last batch short.

    The order is drawn from torch's default generator.

    Args:
        examples: of all trials.
        batch_size: examples of a batch.

    Raises:
        ValueError: if there are no examples, or the batches hold none.

    Example:
        >>> source = Resident(Examples(torch.zeros(2, 5, 3), torch.zeros(2, 5)), batch_size=2)
        >>> source.per_epoch, [len(next(source)) for _ in range(4)]
        (3, [2, 2, 1, 2])
    """

    def __init__(self, examples: Examples, batch_size: int):
        if len(examples) < 1:
            raise ValueError("examples is empty; expected at least one example")
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}; expected at least 1")
        self.examples, self.batch_size = examples, batch_size
        self.trials, self.device = examples.trials, examples.device
        self.per_epoch = math.ceil(len(examples) / batch_size)
        self.position = self.per_epoch  # the first batch begins an epoch

    def __next__(self) -> Examples:
        if self.position == self.per_epoch:
            self._begin(*self.arrange())
        start = int(self.starts[self.position])
        self.position += 1
        return self._shuffled.rows(start, start + self.batch_size)

    def arrange(self) -> tuple[Tensor, Tensor]:
        """A new epoch: the order of each trial's examples, ``(t, n)``, and where batches start."""
        count = len(self.examples)
        order = torch.rand(self.trials, count, device=self.device).argsort(dim=1)
        return order, torch.arange(0, count, self.batch_size)

    def _begin(self, order: Tensor, starts: Tensor) -> None:
        rows = torch.arange(self.trials, device=self.device).unsqueeze(1)
        self.order, self.starts, self.position = order, starts, 0
        self._shuffled = self.examples.map(lambda given: given[rows, order])

    def state_dict(self) -> dict[str, Any]:
        if self.position == self.per_epoch:  # the next batch begins an epoch
            return {"position": self.position}
        return {"position": self.position, "order": self.order, "starts": self.starts}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if "order" in state:
            self._begin(state["order"].to(self.device), state["starts"])
        self.position = state["position"]


class Bucketed(Resident):
    """Padded sequences in batches of similar length, each cut to the longest of its batch.

    At each epoch the examples are shuffled, sorted by length in pools of ``pool`` batches and cut
    into batches; the batches come in random order, the same for all trials. A small pool mixes
    more, a large one pads less. Sequences of equal length are always mixed.

    Args:
        examples: padded at the end; sequences along the third axis, ``(t, n, m, ...)``.
        lengths: for each input and then each target its true lengths ``(t, n)``, or None if it is
            not a sequence. Examples are sorted by the first, then by the second, and so on.
        batch_size: examples of a batch.
        pool: batches sorted together; None: all.

    Raises:
        ValueError: if the lengths do not fit the examples.

    Example:
        >>> tokens, lengths = torch.tensor([[[1, 0, 0], [2, 3, 4], [5, 0, 0]]]), [[1, 3, 1]]
        >>> some = Examples(tokens, torch.zeros(1, 3))
        >>> source = Bucketed(some, (torch.tensor(lengths), None), batch_size=2)
        >>> sorted(next(source).inputs.shape for _ in range(2))
        [torch.Size([1, 1, 3]), torch.Size([1, 2, 1])]
    """

    def __init__(
        self,
        examples: Examples,
        lengths: Sequence[Tensor | None],
        batch_size: int,
        pool: int | None = None,
    ):
        super().__init__(examples, batch_size)
        tensors = listed(examples.inputs) + listed(examples.targets)
        if len(lengths) != len(tensors) or all(length is None for length in lengths):
            raise ValueError(
                f"lengths has {len(lengths)} entries; expected {len(tensors)}, one for each input "
                "and target, at least one of them not None"
            )
        for tensor, length in zip(tensors, lengths, strict=True):
            if length is not None:
                _check_lengths(tensor, length)
        if pool is not None and pool < 1:
            raise ValueError(f"pool is {pool}; expected at least 1, or None")
        self.pool = pool
        self.lengths = [None if length is None else length.to(self.device) for length in lengths]

    def arrange(self) -> tuple[Tensor, Tensor]:
        order, starts = super().arrange()
        size = len(self.examples) if self.pool is None else self.pool * self.batch_size
        pools = []
        for pool in order.split(size, dim=1):
            for length in reversed(self.lengths):  # stable, so the first counts most
                if length is not None:
                    by_length = length.gather(1, pool).argsort(dim=1, stable=True)
                    pool = pool.gather(1, by_length)
            pools.append(pool)
        return torch.cat(pools, dim=1), starts[torch.randperm(len(starts))]

    def _begin(self, order: Tensor, starts: Tensor) -> None:
        super()._begin(order, starts)
        self._longest = []  # of each batch, for each input and then each target
        for length in self.lengths:
            if length is None:
                self._longest.append([None] * self.per_epoch)
                continue
            batches = length.gather(1, order).split(self.batch_size, dim=1)
            self._longest.append(torch.stack([batch.max() for batch in batches]).tolist())

    def __next__(self) -> Examples:
        batch = super().__next__()
        number = int(self.starts[self.position - 1]) // self.batch_size
        longest = [of_batches[number] for of_batches in self._longest]
        cut = iter(longest)  # inputs, then targets

        def trimmed(given: Tensor) -> Tensor:
            stop = next(cut)
            return given if stop is None else given[:, :, :stop]

        return Examples(each(batch.inputs, trimmed), each(batch.targets, trimmed))


class Generated:
    """Examples drawn anew for every batch.

    Args:
        draw: ``draw(generator, update)`` gives inputs and targets, ``(b, ...)`` each, of one trial
            for an update (1, 2, ...); arrays or tensors, the inputs perhaps a tuple of them, of
            the model's precision.
        generators: one numpy Generator per trial.
        device: where the batches go.
        per_epoch: batches that are called an epoch, if any.

    Raises:
        ValueError: if there is no generator.

    Example:
        >>> def draw(generator, update):
        ...     x = generator.standard_normal((4, 3), dtype="float32")
        ...     return x, x.sum(axis=1, keepdims=True)
        >>> source = Generated(draw, [np.random.default_rng(number) for number in range(2)])
        >>> next(source).inputs.shape
        torch.Size([2, 4, 3])
    """

    def __init__(
        self,
        draw: Callable[[np.random.Generator, int], tuple[Any, Any]],
        generators: Sequence[np.random.Generator],
        device: str | torch.device = "cpu",
        per_epoch: int | None = None,
    ):
        if not generators:
            raise ValueError("generators is empty; expected one per trial")
        self.draw, self.generators = draw, list(generators)
        self.trials, self.device = len(self.generators), torch.device(device)
        self.per_epoch = per_epoch
        self.update = 0

    def __next__(self) -> Examples:
        self.update += 1
        drawn = [self.draw(generator, self.update) for generator in self.generators]
        inputs, targets = zip(*drawn, strict=True)
        return Examples(self._stacked(inputs), self._stacked(targets))

    def _stacked(self, trials: tuple) -> Any:
        if isinstance(trials[0], tuple):
            return tuple(self._stacked(parts) for parts in zip(*trials, strict=True))
        return torch.stack([torch.as_tensor(one) for one in trials]).to(self.device)

    def state_dict(self) -> dict[str, Any]:
        states = [_plain(generator.bit_generator.state) for generator in self.generators]
        return {"update": self.update, "generators": states}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.update = state["update"]
        for generator, saved in zip(self.generators, state["generators"], strict=True):
            generator.bit_generator.state = saved


def _plain(state: Any) -> Any:
    """A bit generator's state without arrays, which JSON does not know."""
    if isinstance(state, dict):
        return {name: _plain(value) for name, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state


def _check_lengths(tensor: Tensor, length: Tensor) -> None:
    if tensor.dim() < 3 or length.shape != tensor.shape[:2]:
        raise ValueError(
            f"lengths hold the shape {tuple(length.shape)} for a tensor of shape "
            f"{tuple(tensor.shape)}; expected (t, n) for (t, n, m, ...)"
        )
    if int(length.min()) < 1 or int(length.max()) > tensor.shape[2]:
        raise ValueError(
            f"lengths go from {int(length.min())} to {int(length.max())}; "
            f"expected 1 to {tensor.shape[2]}"
        )
