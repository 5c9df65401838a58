"""Computing one run on abstract rules.

The trials of a spec are trained together.

Metrics: ``test_accuracy``, on sequences of withheld objects; ``known_accuracy``, of the same
weights on validation sequences of training objects, which says whether the task was learned at all;
``validation_accuracy``, the highest that was seen; ``neighbour_accuracy``, of the training sequence
whose pixels are nearest; ``parameters``, all, and ``encoder_parameters``.

Shapes: ``b`` sequences, ``m`` objects of a sequence, ``d`` features, ``o`` answers, ``f`` of a
body.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from torch import Tensor, nn

from ... import nn as lib
from ...records.spec import Spec
from ...tasks.abstract_rules import GAMES, Game, nearest
from ...tasks.characters import PIXELS, characters
from ...training.examples import Examples, first
from ...training.fit import correct
from ...training.outcome import Outcome
from ...training.trainer import Fitted
from ..context import HERE, Context
from ..supervised import stacked, supervised
from .data import OBJECTS, order, sequences
from .settings import Model, Task

CHUNK = 250  # sequences at a time
PARTS: dict[str, tuple[int, ...]] = {"match_to_sample": (2, 2, 2)}  # normalised by themselves


class Places(nn.Module):
    """Objects, each with its place as one of ``m`` further features, ``(b, m, d) -> (b, m, d +
    m)``."""

    def forward(self, objects: Tensor) -> Tensor:
        m = objects.shape[-2]
        place = torch.eye(m, dtype=objects.dtype, device=objects.device)
        return torch.cat([objects, place.expand(*objects.shape[:-1], m)], dim=-1)


class FromNumbers(nn.Module):
    """Sequences of object numbers to scores of answers.

    Each object is embedded once for a whole batch: in training those that training may use, the
    ``known`` first; else all. This gives the same numbers as embedding each image of a sequence.

    Args:
        images: of all objects, ``(n, 1, 32, 32)``; no part of the weights.
        known: how many of them training uses.
        embed: images to embeddings, ``(n, 1, 32, 32) -> (n, d)``.
        norm: over the objects of a sequence, ``(b, m, d) -> (b, m, d)``.
        answer: ``(b, m, d) -> (b, o)``.

    Returns:
        ``forward(numbers)``: ``(b, m) -> (b, o)``.
    """

    images: Tensor

    def __init__(
        self, images: Tensor, known: int, embed: nn.Module, norm: nn.Module, answer: nn.Module
    ):
        super().__init__()
        self.register_buffer("images", images, persistent=False)
        self.known, self.embed, self.norm, self.answer = known, embed, norm, answer

    def forward(self, numbers: Tensor) -> Tensor:
        table = self.embed(self.images[: self.known] if self.training else self.images)  # (n, d)
        return self.answer(self.norm(table[numbers]))  # (b, o)


def encoder(model: Model) -> nn.Sequential:
    """Two strided convolutions and a dense layer, ``(n, 1, 32, 32) -> (n, dim)``."""
    filters, left = model.filters, PIXELS // (4 * 2)
    return nn.Sequential(
        nn.Conv2d(1, filters, 8, stride=4, padding=2),  # (n, filters, 8, 8)
        nn.ReLU(),
        nn.Conv2d(filters, filters, 4, stride=2, padding=1),  # (n, filters, 4, 4)
        nn.ReLU(),
        nn.Flatten(-3),
        nn.Linear(filters * left * left, model.dim),
    )


def body(model: Model, m: int) -> tuple[nn.Module, int]:
    """Normalised objects to features of the whole sequence, ``(b, m, d) -> (b, f)``, and ``f``."""
    dim, heads, hidden = model.dim, lib.Heads(model.heads, fused=False), model.hidden
    half, wide = model.heads // 2, dim + m
    flat, units = m * dim, hidden // 2

    def layer(attention: nn.Module | lib.Heads) -> nn.Module:
        known = lib.AddPositions(dim, scale=False)
        return nn.Sequential(known, lib.EncoderLayer(dim, attention, hidden, dropout=0.0))

    def abstractor(symmetric: bool) -> nn.Module:
        relations = replace(heads, symmetric=symmetric)
        return lib.Abstractor(dim, relations, 1, symbols=m, hidden=hidden, dropout=0.0)

    def linear() -> nn.Module:
        return lib.PairwiseAbstractor(
            lambda: lib.MultiHeadRelation(
                dim, model.heads, dim // model.heads, symmetric=True, activation="linear"
            ),
            relations=model.heads,
            symbols=m,
            symbol_dim=dim,
            hidden=hidden,
            norm=False,
            dropout=0.0,
        )

    def dual() -> nn.Module:
        symbols = lib.LearnedSymbols(m, dim)
        attention = lib.DualAttention(dim, half, half, symbols=symbols, relations=model.heads)
        return layer(attention)

    def flattened(part: nn.Module) -> tuple[nn.Module, int]:
        return nn.Sequential(part, nn.Flatten(-2)), flat

    def predinet() -> tuple[nn.Module, int]:
        count, width = 2 * model.heads, dim // model.heads
        network = lib.PrediNet(m, wide, heads=count, key_dim=width // 4, relations=width)
        return nn.Sequential(Places(), network), count * width

    def pairs() -> tuple[nn.Module, int]:
        network = lib.MLP([2 * wide, hidden, hidden], activate_last=True)
        return nn.Sequential(Places(), lib.RelationNetwork(network, reduction="mean")), hidden

    made = {
        "abstractor": lambda: flattened(abstractor(symmetric=False)),
        "symmetric_abstractor": lambda: flattened(abstractor(symmetric=True)),
        "linear_abstractor": lambda: flattened(linear()),
        "dual_attention": lambda: flattened(dual()),
        "esbn": lambda: (lib.SymbolBindingNetwork(dim, key_dim=dim, hidden=units), units),
        "corelnet": lambda: (lib.CoRelNet(lib.PlainRelation("softmax")), m * m),
        "predinet": predinet,
        "relation_network": pairs,
        "transformer": lambda: flattened(layer(heads)),
        "mlp": lambda: flattened(nn.Identity()),
    }
    return made[model.name]()


def width(features: int, answers: int, parameters: int) -> int:
    """How wide both hidden layers of a network have to be for it to have about so many parameters,
    at least 16.

    Example:
        >>> width(10, 2, 1000)
        25
        >>> sum(one.numel() for one in lib.MLP([10, 25, 25, 2]).parameters())
        977
    """
    linear = features + answers + 2
    exact = (math.sqrt(linear**2 + 4 * (parameters - answers)) - linear) / 2
    return max(16, round(exact))


def answering(model: Model, game: Game) -> nn.Sequential:
    """Body and network, ``(b, m, d) -> (b, o)``."""
    part, features = body(model, game.length)
    left = model.parameters - count(part)
    wide = width(features, game.answers, max(left, 1000))
    return nn.Sequential(part, lib.MLP([features, wide, wide, game.answers]))


def count(module: nn.Module) -> int:
    """Parameters of a module."""
    return sum(one.numel() for one in module.parameters())


@cache
def pictures(trial: int) -> Tensor:
    """Images of the objects in a trial's order, from 0 to 1, ``(100, 1, 32, 32)``."""
    return torch.from_numpy(characters()[order(trial)]).unsqueeze(1).float() / 255


def build(model: Model, task: Task, trial: int) -> FromNumbers:
    """A freshly initialised model of one trial."""
    known = OBJECTS - task.withheld
    answer = answering(model, GAMES[task.name])
    norm = lib.TemporalContextNorm(model.dim, parts=PARTS.get(task.name))
    images = pictures(trial)
    return FromNumbers(images, known, encoder(model), norm, answer)


def examples(spec: Spec, part: str, context: Context = HERE) -> Examples:
    """What a spec's trials read and answer in ``train``, ``validation`` or ``test``."""
    return stacked((sequences(spec.task, trial, part) for trial in spec.trials), context)


def neighbours(task: Task, trial: int) -> float:
    """The accuracy of the training sequence whose pixels are nearest, on some test sequences."""
    flat = pictures(trial).flatten(1).double().numpy()
    squares = (flat**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * flat @ flat.T  # squared, (n, n)
    test, answers = sequences(task, trial, "test")
    found = nearest(*sequences(task, trial, "train"), test[: task.compared], distances)
    return float(np.mean(found == answers[: task.compared]))


def by_norms(task: Task, trial: int) -> float:
    """The accuracy on test sequences of gradient boosting that reads the norms of the normalised
    pixels of each object, and nothing else: what normalisation tells without a relation."""
    flat = pictures(trial).flatten(1)  # (n, p)
    norm = lib.TemporalContextNorm(flat.shape[1], parts=PARTS.get(task.name))

    def read(part: str) -> tuple[np.ndarray, np.ndarray]:
        drawn, answers = sequences(task, trial, part)
        with torch.no_grad():
            norms = [norm(flat[some]).norm(dim=-1) for some in torch.from_numpy(drawn).split(CHUNK)]
        return torch.cat(norms).numpy(), answers  # (b, m) and (b,)

    boosted = HistGradientBoostingClassifier(random_state=0).fit(*read("train"))
    return float(boosted.score(*read("test")))


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the trials of a spec; torch's default generator is the caller's to seed."""
    trials = iter(spec.trials)  # each has images of its own, in its own order

    def scores(fitted: Fitted) -> dict[str, list]:
        found: dict[str, list] = {}
        for name, part in (("test_accuracy", "test"), ("known_accuracy", "validation")):
            given = examples(spec, part, context)
            right = correct(fitted.predict(given.inputs, CHUNK), first(given.targets))
            found[name] = right.double().mean(dim=1).tolist()
        found["neighbour_accuracy"] = [neighbours(spec.task, trial) for trial in spec.trials]
        model = build(spec.model, spec.task, spec.trials.first)
        found["parameters"] = [count(model)] * spec.trials.count
        found["encoder_parameters"] = [count(model.embed)] * spec.trials.count
        return found

    return supervised(
        spec,
        context,
        lambda part: examples(spec, part, context),
        lambda: build(spec.model, spec.task, next(trials)),
        scores,
    )
