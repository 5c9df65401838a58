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
from ...training import fit as fitting
from ...training.fit import Examples
from ...training.objectives import Objective
from ...training.outcome import Outcome, curve
from ..context import Context
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
    return lib.initialise(Network(model, channels), model.initialisation)


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
    train, validation = drawn(spec.task, number)

    def examples(chosen: np.ndarray) -> Examples:
        rows = torch.from_numpy(chosen)
        return Examples(images[rows][None], cards.values[rows][None]).map(
            lambda given: given.to(context.device)
        )

    fitted = fitting.fit(
        lambda: build(spec.model, spec.task.channels),
        examples(train),
        examples(validation) if len(validation) else None,
        spec.training,
        objective=VALUE_BITS,
        **context.fitting(spec),
    )
    if context.first_numbers:
        return Outcome({}, fitted.first_losses)
    network = build(spec.model, spec.task.channels).eval()
    network.load_state_dict({name: value[0].cpu() for name, value in fitted.parameters.items()})
    with torch.no_grad():
        embeddings = network.embed(images)  # (81, d)
        outputs = network.values(embeddings)  # (81, 12)
    metrics = {
        **read_off(outputs, cards.values),
        **apart(embeddings),
        **fitting.summary(fitted, spec.training),
    }
    artifact = {weights_name(number): {"embeddings": embeddings}}
    return Outcome(metrics, fitted.first_losses, curve(fitted.history), artifacts=artifact)


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
