"""What claims measure where a trial succeeds or does not: counts with exact intervals.

A trial succeeds if its metric reaches a level.
"""

import pandas as pd

from .counts import rate_difference_interval, rate_interval
from .measures import (
    Frames,
    Measured,
    NotRun,
    Point,
    select,
    shared_draw,
)


def outcomes(
    frames: Frames,
    protocol: str,
    model: str,
    size: int,
    metric: str,
    one_draw: bool = False,
    variant: str = "curve",
) -> pd.DataFrame:
    """The independent trials of a model at a size, with the column ``metric``.

    Where trials share a draw of the data and further draws were made, one trial of each draw, the
    first: trials of one draw share its luck. With ``one_draw`` they are the trials of the first
    draw all the same, and what is measured holds for that draw. ``variant`` is what the column of
    that name holds.
    """
    rows = select(frames, protocol, model=model, size=size)
    further = rows[rows["variant"] == "draw"]
    rows = rows[rows["variant"] == variant]
    if not one_draw and len(further):
        rows = pd.concat([rows[rows["trial"] == 0], further[further["trial"] == 0]])
    if rows[metric].notna().sum() == 0:
        raise NotRun(f"no {metric} of {model} at {size} under {protocol}")
    return rows.dropna(subset=metric)


def success(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    size: int,
    level: float,
    metric: str = "test_accuracy",
    one_draw: bool = False,
    variant: str = "curve",
) -> Measured:
    """The share of trials that reach ``level`` at a training size."""
    rows = outcomes(frames, protocol, model, size, metric, one_draw, variant)
    reached = int((rows[metric] >= level).sum())
    interval = rate_interval(reached, len(rows))
    label = f"{_at(size, variant)}{reached} of {len(rows)} {_kind(rows)}"
    return Measured([Point(label, interval, rising=rows)])


def more_succeed(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    size: int,
    level: float,
    metric: str = "test_accuracy",
    one_draw: bool = False,
    variant: str = "curve",
) -> Measured:
    """By how much a larger share of the first model's trials reaches ``level`` than of the
    second's, at a training size."""
    found = [outcomes(frames, protocol, name, size, metric, one_draw, variant) for name in models]
    counts = [(int((rows[metric] >= level).sum()), len(rows)) for rows in found]
    interval = rate_difference_interval(*counts)
    shown = " against ".join(f"{reached} of {trials}" for reached, trials in counts)
    label = f"{_at(size, variant)}{shown} {_kind(found[0])}"
    rising, falling = found
    return Measured([Point(label, interval, rising=rising, falling=falling)])


def _at(size: int, variant: str) -> str:
    """Which training size; other variants may use ``size`` for something else."""
    return f"n = {size}, " if variant == "curve" else ""


def _kind(rows: pd.DataFrame) -> str:
    return "draws" if (rows["variant"] == "draw").any() else f"trials{shared_draw(rows)}"
