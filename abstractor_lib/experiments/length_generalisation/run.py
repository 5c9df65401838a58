"""Computing one run: a sorter is trained on short sequences and tested on longer ones.

Metrics, each with a length at its end, such as ``full_sequence_accuracy_20``. Of what the decoder
writes, decoding greedily: ``full_sequence_accuracy``, ``elementwise_accuracy``, and
``output_pairs``, the share of pairs of objects in the right order. ``probe_pairs``: the same share
by a linear read-out of each object's rank from its state, fitted on lengths of the training; and
``untrained_pairs``, of the states of a model that was not trained. Of scripts, which know all
objects: ``attribute_...`` sorts by the main attribute alone, ties as they come; ``linear_...`` by
the linear function of an object's features that is closest to its rank among all objects.

Shapes: ``t`` trials, ``b`` sequences, ``m`` objects of a sequence, ``d`` features.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from sklearn.linear_model import LinearRegression, Ridge
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import sorting
from ...tasks.positions import randomised_positions
from ...tasks.randomness import generator
from ...training.examples import Examples
from ...training.outcome import Outcome
from ...training.sources import Generated
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..supervised import supervised
from .settings import Model, Task

BLOCK = 50  # sequences with the same randomised positions, in the test


class Sorter(nn.Module):
    """Objects to their order: a core makes a state of each object, a decoder points at states.

    Returns:
        ``forward(objects, chosen, positions)``: ``(b, m, d)``, the objects chosen before each step
        but the first, ``(b, m - 1)``, and positions ``(b, m)``, the same for the whole batch, to
        logits ``(b, m, m)``. Positions are read by models with randomised ones alone.
    """

    def __init__(self, model: Model, task: Task):
        super().__init__()
        dim, heads = model.dim, lib.Heads(model.heads, model.key_dim)
        self.randomised = model.randomised
        self.embed = lib.MLP([sum(task.dims), model.hidden, dim])
        self.positions = None
        if model.core == "abstractor":
            symbols = {
                "learned": lambda: lib.LearnedSymbols(task.span, dim),
                "sinusoidal": lambda: lib.SinusoidalSymbols(dim),
                "relative": lambda: lib.RelativeSymbols(dim),
            }[model.positions]()
            self.core = lib.Abstractor(
                dim, heads, model.layers, symbols=symbols, hidden=model.hidden, dropout=0.0
            )
        else:
            attention: Callable[[], nn.Module] = {
                "bias": lambda: lib.RelativeBiasAttention(
                    dim, heads, buckets=model.buckets, farthest=model.farthest
                ),
                "rotary": lambda: lib.RotaryAttention(dim, heads),
            }.get(model.positions, lambda: lib.MultiHeadAttention(dim, heads))
            layers = [
                lib.EncoderLayer(dim, attention(), model.hidden, dropout=0.0)
                for _ in range(model.layers)
            ]
            self.core = lib.Encoder(layers, dropout=0.0)
            if model.positions == "sinusoidal":
                self.positions = lib.AddPositions(dim, scale=False)
        decoder = lib.Decoder(
            [
                lib.DecoderLayer(dim, heads, model.hidden, dropout=0.0)
                for _ in range(model.decoder_layers)
            ],
            dropout=0.0,
        )
        self.pointer = lib.PointerDecoder(decoder, dim)
        lib.initialise(self)

    def states(self, objects: Tensor, positions: Tensor) -> Tensor:
        """A state of each object, ``(b, m, dim)``."""
        given = {"positions": positions[0]} if self.randomised else {}
        embedded = self.embed(objects)  # (b, m, dim)
        if isinstance(self.core, lib.Abstractor):
            return self.core(embedded, **given)
        if self.positions is not None:
            embedded = self.positions(embedded, **given)
        return self.core(embedded)

    def forward(self, objects: Tensor, chosen: Tensor, positions: Tensor) -> Tensor:
        return self.pointer(self.states(objects, positions), chosen)


class Sequences(NamedTuple):
    """Sequences of one length: objects ``(b, m, d)``, their argsort ``(b, m)``, and positions
    ``(b, m)``, the same for all."""

    objects: np.ndarray
    argsorts: np.ndarray
    positions: np.ndarray

    @property
    def example(self) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """Inputs and targets, as models take them."""
        return (self.objects, self.argsorts[:, :-1], self.positions), self.argsorts


@cache
def objects(task: Task, trial: int) -> sorting.Objects:
    """The objects of a trial."""
    return sorting.objects(generator(trial, "objects"), task.counts, task.dims)


def draw(
    random: np.random.Generator, task: Task, known: sorting.Objects, count: int, length: int
) -> Sequences:
    """Sequences of distinct objects, uniform. Positions are randomised ones, whoever reads them: so
    all arms see the same sequences."""
    numbers = sorting.sequences(random, count, length, len(known.vectors))
    positions = randomised_positions(random, length, task.span)
    return Sequences(
        known.vectors[numbers], sorting.argsort(numbers), np.tile(positions, (count, 1))
    )


def blocks(task: Task, trial: int, part: str, length: int) -> Iterator[Sequences]:
    """The sequences of ``validation``, ``test`` or ``probe`` that have a length, in blocks."""
    random = generator(trial, f"length_generalisation, {part}, {length}")
    left = getattr(task, part)
    while left:
        count = min(BLOCK, left)
        yield draw(random, task, objects(task, trial), count, length)
        left -= count


def examples(
    spec: Spec, context: Context = HERE
) -> Callable[[str], Generated | Sequence[Examples]]:
    """What the trials of a spec read and answer: ``train``, new sequences of one length for each
    batch; ``validation``, a part for each block."""
    task, trials = spec.task, list(spec.trials)

    def batch(known: sorting.Objects, random: np.random.Generator) -> tuple:
        length = int(random.choice(task.trained))
        return draw(random, task, known, spec.training.batch_size, length).example

    def part(name: str) -> Generated | Sequence[Examples]:
        if name == "train":
            generators = [generator(one, "length_generalisation, train") for one in trials]
            known = objects(task, trials[0])
            return Generated(lambda random, _: batch(known, random), generators, context.device)
        (trial,) = trials
        parts = [one for m in task.trained for one in blocks(task, trial, name, m)]
        return [_tensors(one, context) for one in parts]

    return part


def _tensors(given: Sequences, context: Context) -> Examples:
    """Sequences as the examples of one trial."""
    inputs, targets = given.example
    found = Examples(
        tuple(torch.from_numpy(one)[None] for one in inputs), torch.from_numpy(targets)[None]
    )
    return found.map(lambda one: one.to(context.device))


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the sorter of a spec, which has one trial."""

    def scores(fitted: Fitted) -> dict[str, list]:
        models = [Sorter(spec.model, spec.task).to(context.device).eval() for _ in range(2)]
        trained, untrained = models
        trained.load_state_dict({name: one[0] for name, one in fitted.parameters.items()})
        found = measured(trained, untrained, spec.task, spec.trials.first)
        found |= {"parameters": sum(one.numel() for one in trained.parameters())}
        return {name: [value] for name, value in found.items()}

    return supervised(
        spec, context, examples(spec, context), lambda: Sorter(spec.model, spec.task), scores
    )


@torch.no_grad()
def measured(trained: Sorter, untrained: Sorter, task: Task, trial: int) -> dict[str, float]:
    """The metrics of a sorter, each with the length at its end."""
    known = objects(task, trial)
    probes = {"probe": trained, "untrained": untrained}
    readouts = {name: probe(model, task, trial) for name, model in probes.items()}
    line = LinearRegression().fit(known.vectors.astype(float), np.arange(len(known.vectors)))
    found: dict[str, float] = {}
    for length in task.lengths:
        sums: dict[str, list[np.ndarray]] = {}

        def add(name: str, orders: np.ndarray, truth: np.ndarray, sums: dict = sums) -> None:
            for metric, values in right(orders, truth).items():
                sums.setdefault(f"{name}{metric}", []).append(values)

        for one in blocks(task, trial, "test", length):
            truth = one.argsorts
            given = [torch.from_numpy(part).to(_device(trained)) for part in one[::2]]
            states = trained.states(*given)
            add("", trained.pointer.greedy(states).cpu().numpy(), truth)
            for name, readout in readouts.items():
                read = states if name == "probe" else untrained.states(*given)
                add(f"{name}_", readout(read).argsort(axis=1), truth)
            first = one.objects[..., : task.dims[0]]  # equal main attributes are equal vectors
            main = (first[..., None, :] == known.vectors[:, : task.dims[0]]).all(axis=-1)
            add("attribute_", main.argmax(axis=-1).argsort(axis=1, kind="stable"), truth)
            flat = one.objects.reshape(-1, one.objects.shape[-1]).astype(float)
            add("linear_", line.predict(flat).reshape(truth.shape).argsort(axis=1), truth)
        for name, values in sums.items():
            if name.startswith(("probe", "untrained")) and not name.endswith("pairs"):
                continue
            found[f"{_plain(name)}_{length}"] = float(np.concatenate(values).mean())
    return found


def _plain(name: str) -> str:
    return "output_pairs" if name == "pairs" else name


def right(orders: np.ndarray, truth: np.ndarray) -> dict[str, np.ndarray]:
    """How right each of some orders is: all of it, the share of its places, the share of its pairs.

    Args:
        orders, truth: objects in ascending order, ``(b, m)``.

    Returns:
        ``(b,)`` each.

    Example:
        >>> found = right(np.array([[0, 2, 1]]), np.array([[0, 1, 2]]))
        >>> {name: round(float(one[0]), 2) for name, one in found.items()}
        {'full_sequence_accuracy': 0.0, 'elementwise_accuracy': 0.33, 'pairs': 0.67}
    """
    ranks = orders.argsort(axis=1)  # (b, m)
    placed = np.take_along_axis(ranks, truth, axis=1)  # places given to the truly first, ...
    m = truth.shape[1]
    before = placed[:, :, None] < placed[:, None, :]  # (b, m, m)
    upper = np.triu(np.ones((m, m), dtype=bool), 1)
    hits = orders == truth
    return {
        "full_sequence_accuracy": hits.all(axis=1).astype(float),
        "elementwise_accuracy": hits.mean(axis=1),
        "pairs": before[:, upper].mean(axis=1),
    }


@torch.no_grad()
def probe(model: Sorter, task: Task, trial: int) -> Callable[[Tensor], np.ndarray]:
    """A linear read-out of each object's rank over the length, 0 to 1, from its state.

    Fitted by ridge regression on lengths of the training, on sequences of its own.

    Returns:
        States ``(b, m, dim)`` to ``(b, m)``.
    """
    states, ranks = [], []
    for length in task.trained:
        for one in blocks(task, trial, "probe", length):
            given = [torch.from_numpy(part).to(_device(model)) for part in one[::2]]
            states.append(model.states(*given).flatten(0, 1).cpu().double().numpy())
            ranks.append(one.argsorts.argsort(axis=1).ravel() / (length - 1))
    fitted = Ridge(alpha=1.0).fit(np.concatenate(states), np.concatenate(ranks))

    def read(some: Tensor) -> np.ndarray:
        flat = some.flatten(0, -2).cpu().double().numpy()
        return fitted.predict(flat).reshape(some.shape[:-1])

    return read


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device
