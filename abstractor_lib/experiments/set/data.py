"""The data of a trial of SET classification, and what its answers are worth.

Shapes: ``n`` test rows.
"""

import numpy as np

from ...tasks import set_triples
from ...tasks.randomness import generator
from ...tasks.set_game import attributes, is_set
from ...tasks.set_triples import Parts, Rows
from .settings import Task

ATTRIBUTES = 4
OTHERS = r"other_(?P<broken>\d+)_accuracy"  # names of accuracies by how many attributes are broken


def trial(task: Task, number: int, draw: int | None) -> Parts:
    """The rows of trial ``number``; ``draw`` sets the data set and its split if trials share them.

    Raises:
        ValueError: if there are fewer than ``task.train`` rows to train on.
    """
    source = number if draw is None else draw
    found = set_triples.parts(
        generator(source, "triples"),
        (task.pool, task.validation, task.test),
        split=task.split,
        order=task.order,
        positives=task.positives,
        negatives=task.negatives,
    )
    if not 1 <= task.train <= task.pool:
        raise ValueError(f"train is {task.train}; allowed: 1 to {task.pool} rows")
    subset = generator(number, "subset").permutation(task.pool)[: task.train]
    return found._replace(train=found.train.take(subset))


def accuracies(data: Parts, answers: np.ndarray) -> dict[str, float | None]:
    """What the answers on the test rows are worth, ``(n,)`` of 0 and 1.

    ``test_accuracy`` is on all rows by their labels, ``true_accuracy`` by the rule of SET, which
    differs where labels are wrong. Of test SETs, ``seen_accuracy`` is on those
    whose three cards are a training row too, in whatever order, and ``new_accuracy`` on the others;
    ``seen_share`` says how many are seen. ``other_accuracy`` is on rows that are truly no SET, and
    ``other_1_accuracy`` to ``other_4_accuracy`` on those that break the rule in so many
    attributes. ``mislabelled_share`` is that of SETs among rows that are called none. None where
    there is no such row.
    """
    test = data.test
    right = answers == test.labels
    seen = set_triples.seen(test, data.train)
    called, true = test.labels == 1, is_set(test.cards)
    broken = broken_attributes(test.cards)
    found = {
        "test_accuracy": float(right.mean()),
        "true_accuracy": float((answers == true).mean()),
        "seen_accuracy": _mean(right[called & seen]),
        "new_accuracy": _mean(right[called & ~seen]),
        "other_accuracy": _mean(right[~true]),
        "seen_share": _mean(seen[called]),
        "mislabelled_share": _mean(true[~called]),
    }
    for count in range(1, ATTRIBUTES + 1):
        found[f"other_{count}_accuracy"] = _mean(right[broken == count])
    return found


def broken_attributes(triples: np.ndarray) -> np.ndarray:
    """In how many attributes three cards break the rule of a SET, ``(n, 3) -> (n,)``.

    Example:
        >>> broken_attributes(np.array([[0, 1, 2], [0, 1, 5]])).tolist()
        [0, 1]
    """
    return (attributes(triples).sum(axis=-2) % 3 != 0).sum(axis=-1)


def _mean(hits: np.ndarray) -> float | None:
    return float(hits.mean()) if hits.size else None


def taken(rows: Rows, embeddings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Embedded rows ``(n, 3, d)`` and their labels ``(n,)``."""
    return embeddings[rows.cards], rows.labels
