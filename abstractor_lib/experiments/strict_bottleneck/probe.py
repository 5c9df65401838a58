"""Probes: what can be read of an object's own attributes, from its abstract state and elsewhere.

A probe is fitted on some objects and asked about others, so that it cannot know an object by heart.
Where the attribute is a rank, which says nothing of objects that were not trained on, the other
object of a pair is another one.

Shapes: ``t`` trials, ``n`` examples, ``m`` objects of an example, ``f`` features that a probe
reads, ``k`` attributes.
"""

from typing import NamedTuple

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn

from ...nn import MLP
from ...tasks import order as pairs
from ...tasks import set_game
from ...training.examples import first
from ...training.fit import Examples, correct, fit
from ...training.settings import Training
from .settings import Probing

PARTS = ("fitted", "chosen", "asked")
QUARTERS = 4


class Questions(NamedTuple):
    """What the probes of one trial are fitted on, chosen by and asked, the parts one after another.

    Attributes:
        objects: object numbers, ``(n, m)``; the first one is asked for.
        labels: its attributes, ``(n, k)``.
        answer: what the task itself has to know of it: the order of the pair; in which attributes
            the cards agree; the place of the object among the sorted ones, ``(n, f)``.
        sizes: how many examples each part has.
    """

    objects: np.ndarray
    labels: np.ndarray
    answer: np.ndarray
    sizes: tuple[int, int, int]


def of_order(random: np.random.Generator, count: int, probing: Probing) -> Questions:
    """Pairs of ``count`` objects in their order: in which quarter is the rank of the first?

    Second objects of the three parts differ: half of them, an eighth, and the others.

    Example:
        >>> probing = Probing(496, 124, 372, 8, 1)
        >>> found = of_order(np.random.default_rng(0), 32, probing)
        >>> found.sizes, np.bincount(found.labels[:, 0]).tolist()
        ((496, 124, 372), [248, 248, 248, 248])
    """
    every = pairs.pairs(count)
    seconds = random.permutation(count)
    parts = np.split(seconds, [count // 2, count // 2 + count // 8])
    drawn = [every[np.isin(every[:, 1], part)] for part in parts]
    wanted = [getattr(probing, name) for name in PARTS]
    drawn = [random.permutation(one)[:most] for one, most in zip(drawn, wanted, strict=True)]
    objects = np.concatenate(drawn)
    labels = objects[:, :1] * QUARTERS // count
    fitted, chosen, asked = map(len, drawn)
    return Questions(objects, labels, pairs.precedes(objects)[:, None], (fitted, chosen, asked))


def of_set(random: np.random.Generator, number: int, probing: Probing) -> Questions:
    """Triples of cards: which values do the attributes of the first card have?

    The first cards that probes are asked about are those whose values add up to ``number`` modulo
    3, 27 cards in which each value is as frequent; 9 others choose the weights.

    Example:
        >>> found = of_set(np.random.default_rng(0), 0, Probing(60, 30, 60, 8, 1))
        >>> found.objects.shape, found.labels.shape, found.answer.shape
        ((150, 3), (150, 4), (150, 12))
    """
    values = set_game.attributes(np.arange(set_game.CARDS))  # (81, 4)
    asked = values.sum(axis=1) % 3 == number % 3
    objects, sizes = _held_out(random, asked, 9, 3, probing)
    return Questions(objects, values[objects[:, 0]], set_game.same(objects), sizes)


def of_sorting(
    random: np.random.Generator,
    number: int,
    attributes: np.ndarray,
    length: int,
    probing: Probing,
) -> Questions:
    """Sequences of objects: which ranks do the attributes of the first object have?

    The first objects that probes are asked about are those whose ranks add up to ``number`` modulo
    the number of first ranks; an eighth of the objects choose the weights.

    Args:
        attributes: ranks of the objects' attributes, ``(N, 2)``.
        length: of a sequence.
    """
    ranks = attributes[:, 0].max() + 1
    asked = attributes.sum(axis=1) % ranks == number % ranks
    chosen = max(len(attributes) // 8, 1)
    objects, sizes = _held_out(random, asked, chosen, length, probing)
    place = (objects < objects[:, :1]).sum(axis=1)  # objects are numbered in their order
    return Questions(objects, attributes[objects[:, 0]], np.eye(length)[place], sizes)


def _held_out(
    random: np.random.Generator, asked: np.ndarray, chosen: int, length: int, probing: Probing
) -> tuple[np.ndarray, tuple[int, int, int]]:
    """Examples ``(n, length)`` of distinct objects whose first ones differ between the parts."""
    others = random.permutation(np.flatnonzero(~asked))
    groups = (others[chosen:], others[:chosen], np.flatnonzero(asked))
    sizes = (probing.fitted, probing.chosen, probing.asked)
    count = sum(sizes)
    firsts = np.concatenate(
        [random.choice(part, size) for part, size in zip(groups, sizes, strict=True)]
    )
    rest = random.permuted(np.tile(np.arange(len(asked)), (count, 1)), axis=1)  # (n, N)
    other = rest[rest != firsts[:, None]].reshape(count, -1)[:, : length - 1]
    return np.concatenate([firsts[:, None], other], axis=1), sizes


def standardised(features: np.ndarray, fitted: int) -> np.ndarray:
    """Features ``(n, f)`` less their mean and over their deviation on the first ``fitted`` rows;
    one that is constant there is left at zero.

    Example:
        >>> standardised(np.array([[0.0, 5], [2, 5], [4, 6]]), 2).tolist()
        [[-1.0, 0.0], [1.0, 0.0], [3.0, 0.0]]
    """
    mean, spread = features[:fitted].mean(axis=0), features[:fitted].std(axis=0)
    still = spread <= 1e-6 * np.maximum(np.abs(mean), 1.0)
    return np.where(still, 0.0, (features - mean) / np.where(still, 1.0, spread))


def linear(features: np.ndarray, questions: Questions) -> float:
    """The accuracy of logistic regressions on what they are asked, the mean over attributes.

    Args:
        features: what they read of each example, ``(n, f)``.

    Example:
        >>> found = of_set(np.random.default_rng(0), 0, Probing(200, 30, 60, 8, 1))
        >>> linear(np.eye(3)[found.labels].reshape(len(found.labels), -1), found)
        1.0
    """
    fitted, _, asked = questions.sizes
    known = standardised(features, fitted)
    scores = []
    for label in questions.labels.T:
        probe = LogisticRegression(max_iter=300).fit(known[:fitted], label[:fitted])
        scores.append(float(probe.score(known[-asked:], label[-asked:])))
    return float(np.mean(scores))


def network(features: list[np.ndarray], questions: list[Questions], probing: Probing) -> list:
    """The accuracies of networks with one hidden layer, one a trial, fitted together; likewise the
    mean over attributes. torch's default generator is the caller's to seed.

    Args:
        features: of each trial, ``(n, f)``.
        questions: of each trial, with as many examples.
    """
    sizes, labels = questions[0].sizes, np.stack([one.labels for one in questions])  # (t, n, k)
    read = [standardised(one, sizes[0]).astype(np.float32) for one in features]
    inputs, targets = torch.from_numpy(np.stack(read)), torch.from_numpy(labels).long()
    parts = [
        Examples(*one)
        for one in zip(inputs.split(list(sizes), 1), targets.split(list(sizes), 1), strict=True)
    ]
    count, classes, width = labels.shape[2], int(labels.max()) + 1, inputs.shape[2]

    def build() -> nn.Module:
        answers = nn.Unflatten(-1, (count, classes))
        return nn.Sequential(MLP([width, probing.hidden, count * classes]), answers)

    fitted = fit(build, parts[0], parts[1], training(probing))
    right = correct(fitted.predict(parts[2].inputs), first(parts[2].targets))  # (t, n, k)
    return right.double().mean(dim=(1, 2)).tolist()


def training(probing: Probing) -> Training:
    """How a probe that is a network is fitted."""
    return Training(
        loss="cross_entropy",
        learning_rate=3e-3,
        batch_size=128,
        epochs=None,
        updates=probing.updates,
        validate_every=min(25, probing.updates),
        patience=None,
        min_delta=0.0,
        baseline=None,
        restore="best",
    )


def chance(questions: Questions) -> float:
    """Of who knows how many values each attribute has: the mean over attributes.

    Example:
        >>> round(chance(of_set(np.random.default_rng(0), 0, Probing(60, 30, 60, 8, 1))), 3)
        0.333
    """
    return float(np.mean(1 / (questions.labels.max(axis=0) + 1)))
