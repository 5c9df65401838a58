"""What claims of this experiment measure: training sequences that pre-training saves.

Where a model has not learned what it was pre-trained on, it shows nothing about pre-training.
"""

import pandas as pd

from ...findings import sizes
from ...findings.measures import Frames, Measured


def saved(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    level: float,
    metric: str = "full_sequence_accuracy",
    trials: int | None = None,
    paper: list[str] | None = None,
) -> Measured:
    """How many times the training sequences of a model with pre-training the same model needs
    without it, over the trials whose pre-trained model has learned its own task.

    See `findings.sizes.size_ratio`.

    Args:
        models: with pre-training, and without.

    Raises:
        NotRun: if none of the models that were pre-trained has learned.
    """
    return sizes.size_ratio(
        of_learned(frames),
        protocol,
        models=models,
        level=level,
        metric=metric,
        trials=trials,
        paper=paper,
    )


def of_learned(frames: Frames) -> dict[str, pd.DataFrame]:
    """The tables without the runs that started from a model that had not learned its task.

    Example:
        >>> table = pd.DataFrame({"trial": [0, 1, 2], "parent_learned": [None, 1.0, 0.0]})
        >>> of_learned({"a protocol": table})["a protocol"]["trial"].tolist()
        [0, 1]
    """
    found = {}
    for protocol, table in frames.items():
        if "parent_learned" in table:
            table = table[table["parent_learned"].isna() | (table["parent_learned"] == 1)]
        found[protocol] = table
    return found
