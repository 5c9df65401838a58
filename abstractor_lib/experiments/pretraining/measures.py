"""Training sequences that pre-training saves: what claims of this experiment measure, and how many.

Where a model has not learned what it was pre-trained on, it shows nothing about pre-training.
"""

import math

import pandas as pd

from ...findings import sizes
from ...findings.measures import Frames, Measured, by_trial, select
from ...findings.registry import measure


@measure
def saved(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    level: float,
    metric: str = "full_sequence_accuracy",
    trials: int | None = None,
    paper: list[str] | None = None,
    learned: bool = True,
) -> Measured:
    """How many times the training sequences of a model with pre-training the same model needs
    without it.

    See `findings.sizes.size_ratio`.

    Args:
        models: with pre-training, and without.
        learned: over the trials whose pre-trained model has learned its own task; otherwise over
            all.

    Raises:
        NotRun: if none of the models that were pre-trained has learned, and they have to.
    """
    counted = of_learned(frames) if learned else frames
    (point,) = sizes.size_ratio(
        counted,
        protocol,
        models=models,
        level=level,
        metric=metric,
        trials=trials,
        paper=paper,
    ).points
    every, some = (
        select(one, protocol, model=models[0], variant="curve")["trial"].nunique()
        for one in (frames, counted)
    )
    left = (
        f"; the pre-trained model had learned in {some} of {every} trials" if some < every else ""
    )
    return Measured([point._replace(label=point.label + left)])


def over_all_trials(frames: Frames, protocol: str, **given) -> Measured:
    """As `saved`, over all trials, whether or not their pre-trained model has learned."""
    return saved(frames, protocol, **given | {"learned": False})


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


def sequences(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    level: float,
    metric: str = "full_sequence_accuracy",
    trials: int | None = None,
) -> tuple[float, float]:
    """Between how many training sequences pre-training saves on the way to a level: the median over
    trials, whether their pre-trained model has learned or not. Below zero, it costs sequences.

    Trials of one number share their objects and training sequences, so the difference is taken
    within each trial, from the ends of both its brackets; see `findings.sizes.bracket`.

    Args:
        models: with pre-training, and without.
        trials: count the first so many only.

    Raises:
        NotRun: if one of the models was not run.
    """
    fewer, more = (
        sizes.brackets(
            level, by_trial(select(frames, protocol, model=name, variant="curve"), metric)
        )
        for name in models
    )
    both = fewer.index.intersection(more.index).sort_values()[:trials]
    fewer, more = fewer.loc[both], more.loc[both]
    low, high = more["low"] - fewer["high"], more["high"] - fewer["low"]
    return sizes.median_bracket(pd.DataFrame({"low": low, "high": high}))


def in_words(low: float, high: float) -> str:
    """A bracket of sequences that are saved.

    Example:
        >>> in_words(700, 1900), in_words(1800, math.inf), in_words(-500, 500)
        ('700 to 1,900', 'more than 1,800', '-500 to 500')
        >>> in_words(-math.inf, 100), in_words(-math.inf, math.inf)
        ('less than 100', 'no bound')
    """
    if math.isinf(low):
        return "no bound" if math.isinf(high) else f"less than {high:,.0f}"
    return f"more than {low:,.0f}" if math.isinf(high) else f"{low:,.0f} to {high:,.0f}"
