"""Computing one run of the sorting experiment.

Shapes: ``t`` trials, ``n`` sequences, ``m`` objects of a sequence, ``d`` features of an object.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks import sorting
from ...tasks.randomness import generator
from ...training.examples import Examples, first
from ...training.outcome import Outcome
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..supervised import stacked, supervised
from .settings import Model, Task

CHUNK = 1000  # test sequences decoded at once


class GivenRelations(nn.Module):
    """Abstract states from relations that are given, not computed: one round of messages.

    Returns:
        ``forward(relations)``: ``(b, m, m) -> (b, m, dim)``.
    """

    def __init__(self, length: int, model: Model):
        super().__init__()
        self.symbols = lib.LearnedSymbols(length, model.dim)
        self.messages = lib.SymbolicMessagePassing(model.dim, relations=1)
        self.feedforward = lib.FeedForward(model.dim, model.hidden, dropout=model.dropout)

    def forward(self, relations: Tensor, key_padding_mask: Tensor | None = None) -> Tensor:
        symbols = self.symbols(relations)  # (m, dim)
        return self.feedforward(self.messages(relations.unsqueeze(-3), symbols))


def build(model: Model, task: Task, fused: bool = True) -> lib.SequenceToSequence:
    """A freshly initialised model, ``(b, m, d), (b, m) -> (b, m, m)``: scores of each position.

    Args:
        fused: see `Heads`; not for trials that are trained together.
    """
    dim, heads = model.dim, lib.Heads(model.heads, model.key_dim, fused=fused)
    hidden, dropout = model.hidden, model.dropout
    target = nn.Embedding(task.length + 1, dim)  # one token a position, and the start

    def abstractor(features: int) -> lib.Abstractor:
        symbols = nn.Sequential(lib.LearnedSymbols(task.length, dim), lib.AddPositions(dim))
        return lib.Abstractor(
            features,
            heads,
            model.abstractor_layers,
            symbols=symbols,
            kind=model.kind,
            self_attention=model.self_attention,
            hidden=hidden,
            dropout=dropout,
        )

    if model.core in ("abstractor", "transformer"):
        relational = model.core == "abstractor"
        built = lib.sequence_to_sequence(
            "b" if relational else "transformer",
            nn.Linear(sum(task.dims), dim),
            target,
            task.length,
            dim=dim,
            heads=heads,
            layers={"encoder": model.encoder_layers, "decoder": model.decoder_layers},
            abstractor=abstractor if relational else None,
            hidden=hidden,
            dropout=dropout,
        )
        lib.initialise(built, model.initialisation)
        return built
    if model.core == "simple":  # symbols without positions and dropout
        source = lib.Embedded(nn.Linear(sum(task.dims), dim), lib.AddPositions(dim))
        layer = lib.AbstractorLayer(
            lib.RelationalCrossAttention(dim, heads, dropout=model.dropout),
            lib.FeedForward(dim, hidden, dropout=dropout),
            residual=True,
            norm=dim,
        )
        own = lib.AbstractorStack(lib.LearnedSymbols(task.length, dim), [layer])
    else:
        source, own = nn.Identity(), GivenRelations(task.length, model)
    decoder = lib.Decoder(
        [
            lib.DecoderLayer(dim, heads, hidden=hidden, dropout=dropout)
            for _ in range(model.decoder_layers)
        ],
        dropout=dropout,
    )
    built = lib.SequenceToSequence(
        source,
        lib.Embedded(target, lib.AddPositions(dim)),
        decoder,
        nn.Linear(dim, task.length),
        abstractors=[own],
        reads="input",
    )
    lib.initialise(built, model.initialisation)
    return built


@dataclass
class Trial:
    """The data of one trial: the objects, and a split of sequences of object numbers."""

    objects: sorting.Objects
    split: sorting.Split

    def examples(self, part: str, reads: str = "objects") -> tuple[np.ndarray, np.ndarray]:
        """Sources, ``(n, m, d)`` objects or ``(n, m, m)`` relations, and argsorts ``(n, m)``."""
        sequences = getattr(self.split, part)
        if reads == "relations":
            return sorting.relations(sequences), sorting.argsort(sequences)
        return self.objects.vectors[sequences], sorting.argsort(sequences)


def trial(task: Task, number: int, draw: int | None) -> Trial:
    """The data of trial ``number``; ``draw`` sets the objects and split if trials share them.

    Raises:
        ValueError: if there are fewer than ``task.train`` sequences to train on.
    """
    source = number if draw is None else draw
    objects = sorting.objects(generator(source, "objects"), task.counts, task.dims)
    counts = (task.pool, task.validation, task.test)
    found = sorting.split(generator(source, "split"), counts, task.length, len(objects.vectors))
    if not 1 <= task.train <= len(found.train):
        raise ValueError(f"train is {task.train}; allowed: 1 to {len(found.train)} sequences")
    subset = generator(number, "subset").permutation(len(found.train))[: task.train]
    return Trial(objects, found._replace(train=found.train[subset]))


def prefixes(argsorts: Tensor, start: int | None = None) -> Tensor:
    """What the decoder reads: the start token, then all positions but the last, ``(..., m)``.

    Args:
        argsorts: ``(..., m)``, or other tokens.
        start: the start token; None for the number after the last position.
    """
    number = argsorts.shape[-1] if start is None else start
    return torch.cat([torch.full_like(argsorts[..., :1], number), argsorts[..., :-1]], dim=-1)


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples]:
    """What the trials of a spec read and answer, by part: ``train``, ``validation`` or ``test``.

    Inputs are sources ``(t, n, m, d)`` and the positions before each, ``(t, n, m)``; targets are
    argsorts ``(t, n, m)``.
    """
    data = [trial(spec.task, number, spec.draw) for number in spec.trials]
    given = "relations" if spec.model.core == "relations" else "objects"

    def of(part: str) -> Examples:
        parts = (one.examples(part, given) for one in data)
        found = stacked(parts, context, spec.precision)
        targets = first(found.targets)
        return Examples((first(found.inputs), prefixes(targets)), targets)

    return of


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    read = examples(spec, context)

    def measured(fitted: Fitted) -> dict[str, list]:
        test = read("test")
        found = scores(fitted.parameters, test, spec)
        for name in spec.training.also:
            others = scores(fitted.further(name), test, spec)
            found |= {f"{name}_{metric}": values for metric, values in others.items()}
        return found

    return supervised(
        spec,
        context,
        read,
        lambda: build(spec.model, spec.task, fused=spec.trials.count == 1),
        measured,
    )


@torch.no_grad()
def decoded(model: lib.SequenceToSequence, sources: Tensor, shown: Tensor) -> tuple[Tensor, Tensor]:
    """The tokens that a model answers, ``(n, m)`` each: decoding greedily, and after the true ones.

    Args:
        model: trained, in evaluation mode.
        sources: ``(n, m, d)``.
        shown: the start token and the true tokens before each, ``(n, m)``.
    """
    greedy, forced = [], []
    length, start = shown.shape[-1], int(shown[0, 0])
    for at in range(0, len(sources), CHUNK):
        source = sources[at : at + CHUNK]
        greedy.append(lib.greedy_decode(model, source, length, start=start))
        forced.append(model(source, shown[at : at + CHUNK]).argmax(dim=-1))
    return torch.cat(greedy), torch.cat(forced)


def scores(parameters: dict[str, Tensor], test: Examples, spec: Spec) -> dict[str, list[float]]:
    """Accuracies of each trial on its test sequences.

    ``full_sequence_accuracy``: every position right, decoding greedily; ``elementwise_accuracy``:
    share of positions right, likewise; ``teacher_forcing_accuracy``: share of positions right
    after the true ones before them.
    """
    found: dict[str, list[float]] = {}
    (sources, shown), argsorts = test.inputs, test.targets
    for index in range(spec.trials.count):
        model = build(spec.model, spec.task).to(sources.device, sources.dtype).eval()
        model.load_state_dict({name: value[index] for name, value in parameters.items()})
        greedy, forced = decoded(model, sources[index], shown[index])
        right = greedy == argsorts[index]  # (n, m)
        after_truth = forced == argsorts[index]
        for name, hits in (
            ("full_sequence_accuracy", right.all(dim=-1)),
            ("elementwise_accuracy", right),
            ("teacher_forcing_accuracy", after_truth),
        ):
            found.setdefault(name, []).append(hits.double().mean().item())
    return found
