"""What the relations of a trained model hold: which attributes, and what a probe reads off them.

Shapes: ``r`` relation dimensions, 81 cards.
"""

import numpy as np
import pandas as pd

from ...tasks.randomness import generator
from ...tasks.set_game import ATTRIBUTES, CARDS, attributes
from ..same_different.probe import of_relations, probes


def agreement(relations: np.ndarray) -> pd.DataFrame:
    """How much of a relation each attribute's agreement explains: over all pairs of different
    cards, the share of the variance of R_k that "same value of the attribute" accounts for.

    The four agreements are nearly uncorrelated over these pairs, so the shares add up to about what
    all of them explain together, which is the column ``all``.

    Args:
        relations: ``(r, 81, 81)``.

    Returns:
        A row for each relation dimension; a column for each attribute, and ``all``.

    Example:
        >>> values = attributes(np.arange(CARDS))
        >>> colour = values[:, None, 1] == values[None, :, 1]
        >>> agreement(colour[None].astype(float)).round(2)["colour"].tolist()
        [1.0]
    """
    values = attributes(np.arange(CARDS))  # (81, 4)
    distinct = ~np.eye(CARDS, dtype=bool)
    same = (values[:, None] == values[None])[distinct].astype(float)  # (6480, 4)
    centred = same - same.mean(axis=0)
    rows = []
    for relation in relations:
        target = relation[distinct] - relation[distinct].mean()
        whole = float(target @ target) or 1.0
        alone = (centred.T @ target) ** 2 / (centred**2).sum(axis=0) / whole
        fitted = centred @ np.linalg.lstsq(centred, target, rcond=None)[0]
        rows.append([*alone, float(fitted @ fitted) / whole])
    index = pd.RangeIndex(1, len(rows) + 1, name="relation")
    return pd.DataFrame(rows, columns=[*ATTRIBUTES, "all"], index=index)


def inside(relations: np.ndarray, number: int) -> dict[str, float]:
    """Summary of a trial's relations.

    Args:
        relations: between all cards, before any softmax, ``(r, 81, 81)``.
        number: of the trial; it sets the triples on which probes are fitted and asked.

    Returns:
        ``number_share`` to ``shape_share``: of the relation that an attribute explains best, the
        share that it explains. ``explained_share``: what all attributes together explain of a
        relation, mean over relations. ``head_share``: the share of a relation that its best
        attribute explains, mean over relations. ``relations_value_accuracy`` and
        ``relations_same_accuracy``: of linear probes; see `same_different.probe`.

    Example:
        >>> values = attributes(np.arange(CARDS))
        >>> four = (values[:, None] == values[None]).transpose(2, 0, 1).astype(float)
        >>> found = inside(four, 0)
        >>> round(found["shape_share"], 3), round(found["relations_same_accuracy"], 3)
        (1.0, 1.0)
    """
    shares = agreement(relations)
    each = shares[list(ATTRIBUTES)]  # (r, 4)
    read = probes(of_relations(relations), generator(number, "probes"))
    return {
        **{f"{name}_share": float(each[name].max()) for name in ATTRIBUTES},
        "explained_share": float(shares["all"].mean()),
        "head_share": float(each.max(axis=1).mean()),
        **{f"relations_{what}_accuracy": accuracy for what, accuracy in read.items()},
    }
