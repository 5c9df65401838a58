"""Computing one run of the card embedders: a network, and its embeddings of the 81 cards.

Shapes: ``n`` images, ``c`` channels of 50 x 70 pixels, ``d`` features, 12 values.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ... import nn as lib
from ...records.spec import Spec, weights_name
from ...tasks import set_cards, set_game
from ...tasks.randomness import generator
from ...training.fit import Examples
from ...training.objectives import Objective
from ...training.outcome import Outcome
from ...training.trainer import Fitted
from ..context import Context
from ..supervised import supervised
from .settings import Model, Task

VALUES = 12  # four attributes of three values


class Network(nn.Module):
    """An embedder of cards and a dense layer on twelve values, ``(b, c, 50, 70) -> (b, 12)``."""

    def __init__(self, model: Model, channels: int):
        super().__init__()
        self.embed = lib.ImageEmbedder(
            channels,
            set_cards.HEIGHT,
            set_cards.WIDTH,
            dim=model.dim,
            filters=model.filters,
            hidden=model.hidden,
            activation=model.activation,
        )
        self.values = nn.Linear(model.dim, VALUES)

    def forward(self, images: Tensor) -> Tensor:
        return self.values(self.embed(images))


def build(model: Model, channels: int) -> Network:
    """A freshly initialised network."""
    made = Network(model, channels)
    lib.initialise(made, model.initialisation)
    return made


class Deck(NamedTuple):
    """The 81 cards: images ``(81, c, 50, 70)`` and, as twelve bits, their values ``(81, 12)``."""

    images: Tensor
    values: Tensor


def deck(task: Task) -> Deck:
    """The deck, drawn."""
    images = set_cards.deck(palette=task.palette, alpha=task.channels == 4)  # (81, 50, 70, c)
    values = np.eye(3)[set_game.attributes(np.arange(set_game.CARDS))]  # (81, 4, 3)
    images = torch.from_numpy(images).permute(0, 3, 1, 2).contiguous()
    return Deck(images, torch.from_numpy(values.reshape(-1, VALUES)).float())


def drawn(task: Task, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The cards to train and to validate on."""
    if task.drawn is None:
        return np.arange(set_game.CARDS), np.arange(0)
    cards = generator(number, "cards").integers(0, set_game.CARDS, task.drawn)
    held_out = round(task.validation * task.drawn)
    return cards[held_out:], cards[:held_out]


def _losses(outputs: Tensor, targets: Tensor) -> Tensor:
    """Binary cross-entropy of twelve logits ``(t, n, 12)``, a mean for each trial."""
    each = F.binary_cross_entropy_with_logits(outputs, targets, reduction="none")
    return each.flatten(1).mean(dim=1)


def _right(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs > 0) == (targets > 0.5)


VALUE_BITS = Objective(_losses, _right)


def compute(spec: Spec, context: Context) -> Outcome:
    """Train one network and embed the deck; torch's default generator is the caller's to seed."""
    (number,) = spec.trials
    cards, images = deck(spec.task), deck(spec.task).images
    rows = dict(zip(("train", "validation"), drawn(spec.task, number), strict=True))

    def examples(part: str) -> Examples | None:
        some = torch.from_numpy(rows[part])
        if not len(some):
            return None
        return Examples(images[some][None], cards.values[some][None]).map(
            lambda given: given.to(context.device)
        )

    def embedded(fitted: Fitted) -> tuple[Tensor, Tensor]:
        """Embeddings ``(81, d)`` and outputs ``(81, 12)`` of the deck."""
        network = build(spec.model, spec.task.channels).eval()
        network.load_state_dict({name: value[0].cpu() for name, value in fitted.parameters.items()})
        with torch.no_grad():
            embeddings = network.embed(images)
            return embeddings, network.values(embeddings)

    def scores(fitted: Fitted) -> dict[str, list]:
        embeddings, outputs = embedded(fitted)
        return {**read_off(outputs, cards.values), **apart(embeddings)}

    def leaves(fitted: Fitted) -> dict:
        return {"artifacts": {weights_name(number): {"embeddings": embedded(fitted)[0]}}}

    return supervised(
        spec,
        context,
        examples,
        lambda: build(spec.model, spec.task.channels),
        scores,
        leaves,
        objective=VALUE_BITS,
    )


def read_off(outputs: Tensor, values: Tensor) -> dict[str, list]:
    """Over the whole deck: the share of the twelve bits that come out right, the share of cards
    all of whose bits do, and the loss."""
    right = _right(outputs, values)
    return {
        "bit_accuracy": [right.float().mean().item()],
        "card_accuracy": [right.all(dim=1).float().mean().item()],
        "deck_loss": [_losses(outputs[None], values[None]).item()],
    }


def apart(embeddings: Tensor) -> dict[str, list]:
    """How far the two closest cards are apart, as a share of the mean distance of two cards, and
    how many features are not the same for all cards."""
    distances = torch.pdist(embeddings.double())
    return {
        "closest_pair": [(distances.min() / distances.mean()).item()],
        "live_features": [int((embeddings.std(dim=0) > 1e-6).sum())],
    }
