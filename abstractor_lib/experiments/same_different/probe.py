"""What of the cards' attributes passes a bottleneck of relations: linear probes.

A probe is a logistic regression. It is fitted on triples of 54 cards and asked about triples of the
other 27, so that it cannot know a card by heart.

Shapes: ``n`` triples, ``f`` features that a probe reads.
"""

from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ...tasks.set_game import ATTRIBUTES, CARDS, attributes
from ...tasks.set_triples import TEST_CARDS

FITTED, ASKED = 2000, 1000  # triples


def triples(random: np.random.Generator, cards: np.ndarray, count: int) -> np.ndarray:
    """``count`` triples of different cards, each in random order, ``(count, 3)``."""
    return random.permuted(np.tile(cards, (count, 1)), axis=1)[:, :3]


def of_relations(relations: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Reads the relations ``(r, 81, 81)`` between the cards of triples, ``(n, 3) -> (n, 9 r)``."""

    def read(chosen: np.ndarray) -> np.ndarray:
        found = relations[:, chosen[:, :, None], chosen[:, None, :]]  # (r, n, 3, 3)
        return found.transpose(1, 0, 2, 3).reshape(len(chosen), -1)

    return read


def of_embeddings(embeddings: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Reads the embeddings ``(81, d)`` of the cards of triples, ``(n, 3) -> (n, 3 d)``."""
    return lambda chosen: embeddings[chosen].reshape(len(chosen), -1)


def probes(
    read: Callable[[np.ndarray], np.ndarray], random: np.random.Generator
) -> dict[str, float]:
    """Accuracies of linear probes, means over the four attributes.

    Args:
        read: triples to what a probe reads of them, ``(n, 3) -> (n, f)``.
        random: draws the cards and the triples.

    Returns:
        ``value``: which value an attribute of the first card has (chance level 1/3). ``same``:
        whether the first two cards agree in an attribute (about 2/3 by always saying no).

    Example:
        >>> values = np.eye(3)[attributes(np.arange(81))].reshape(81, 12)
        >>> probes(of_embeddings(values), np.random.default_rng(0))["value"]
        1.0
    """
    order = random.permutation(CARDS)
    fitted = triples(random, order[TEST_CARDS:], FITTED)
    asked = triples(random, order[:TEST_CARDS], ASKED)
    seen, unseen = read(fitted), read(asked)
    scores: dict[str, list[float]] = {"value": [], "same": []}
    for k in range(len(ATTRIBUTES)):
        known, wanted = attributes(fitted)[..., k], attributes(asked)[..., k]  # (n, 3)
        for name, target, answer in (
            ("value", known[:, 0], wanted[:, 0]),
            ("same", known[:, 0] == known[:, 1], wanted[:, 0] == wanted[:, 1]),
        ):
            probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
            scores[name].append(float(probe.fit(seen, target).score(unseen, answer)))
    return {name: float(np.mean(values)) for name, values in scores.items()}
