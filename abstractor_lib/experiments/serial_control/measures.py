"""What claims on serial control measure. Updates are part of each statement, so convergence is not
asked for."""

import numpy as np
import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.registry import measure
from ...findings.statistics import difference_interval, mean_interval

FEWEST = 2  # seeds


@measure
def heads_kept(
    frames: Frames, protocol: str, *, world: str, arm: str, heads: str = "given"
) -> Measured:
    """The mean number of heads, in the test, with which an arm keeps the accuracy to 0.01 of that
    with all heads in validation: the mean over seeds."""
    rows = _rows(frames, protocol, heads, world)
    interval = mean_interval(rows[f"{arm}_heads"], within=(0.0, 4.0))
    return Measured([Point(f"{arm}, {heads} heads, {world}, {interval.n} seeds", interval)])


@measure
def share_of_best(
    frames: Frames, protocol: str, *, world: str, arm: str, best: str = "best_adaptive"
) -> Measured:
    """The mean number of heads of an arm as a multiple of that which the best rule of the world
    needs, both at an accuracy of 0.01 below that with all heads, of the arm in validation: the mean
    over seeds. The label has the same for a best rule that loses as much as the arm in the test."""
    rows = _rows(frames, protocol, "given", world)
    interval = mean_interval(rows[f"{arm}_heads"] / rows[f"{best}_heads"], within=(0.0, 4.0))
    label = f"{arm} over {best}, {world}, {interval.n} seeds"
    at_its_loss = mean_interval(share_at_its_loss(rows, arm), within=(0.0, 4.0))
    label += f"; where the best rule loses as much as the arm in the test: {at_its_loss:.3f}"
    return Measured([Point(label, interval)])


def share_at_its_loss(rows: pd.DataFrame, arm: str) -> pd.Series:
    """Heads of an arm as a multiple of those with which the best rule loses as much accuracy as the
    arm loses in the test, between the recorded points of the rule's curve: by row."""
    shares = []
    for _, row in rows.iterrows():
        names = [name for name in row.index if name.startswith("best_adaptive_accuracy_")]
        curve = pd.DataFrame(
            {"accuracy": row[names].tolist()}
            | {"heads": row[[name.replace("accuracy", "heads") for name in names]].tolist()}
        ).sort_values(["accuracy", "heads"])
        accuracy = curve["accuracy"].max() - row[f"{arm}_lost"]
        shares.append(row[f"{arm}_heads"] / np.interp(accuracy, curve["accuracy"], curve["heads"]))
    return pd.Series(shares, index=rows.index)


@measure
def fewer_heads(
    frames: Frames, protocol: str, *, world: str, arms: list[str], heads: str = "given"
) -> Measured:
    """How many heads more the second of two arms evaluates than the first, both at an accuracy of
    0.01 below that with all heads: the mean paired difference over seeds."""
    rows = _rows(frames, protocol, heads, world)
    first, second = (rows[f"{arm}_heads"] for arm in arms)
    interval = difference_interval(second, first, within=(-4.0, 4.0))
    words = f"{arms[1]} less {arms[0]}, {heads} heads, {world}, {interval.n} seeds"
    return Measured([Point(words, interval)])


@measure
def accuracy_lead(
    frames: Frames, protocol: str, *, world: str, arms: list[str], heads: str = "given"
) -> Measured:
    """By how much the first of two arms is more accurate than the second, in the mean over mean
    numbers of heads from 1 to 4: the mean paired difference over seeds."""
    rows = _rows(frames, protocol, heads, world)
    first, second = (rows[f"{arm}_area"] for arm in arms)
    interval = difference_interval(first, second, within=(-1.0, 1.0))
    words = f"{arms[0]} over {arms[1]}, {heads} heads, {world}, {interval.n} seeds"
    return Measured([Point(words, interval)])


@measure
def accuracy_lost(
    frames: Frames, protocol: str, *, world: str, arm: str, heads: str = "given"
) -> Measured:
    """The test accuracy that an arm loses against all heads where 0.01 was lost in validation: the
    mean over seeds."""
    rows = _rows(frames, protocol, heads, world)
    interval = mean_interval(rows[f"{arm}_lost"], within=(-1.0, 1.0))
    return Measured([Point(f"{arm}, {heads} heads, {world}, {interval.n} seeds", interval)])


def _rows(frames: Frames, protocol: str, heads: str, world: str) -> pd.DataFrame:
    """A row a seed, by seed."""
    rows = select(frames, protocol)
    rows = rows[rows["model"].eq(heads) & rows["variant"].eq(world)].set_index("trial")
    if len(rows) < FEWEST:
        raise NotRun(f"no runs of {heads} heads in the world {world}, or one seed alone")
    return rows
