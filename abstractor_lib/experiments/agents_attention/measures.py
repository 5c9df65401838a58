"""What claims on the attention of agents measure."""

import numpy as np
import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.registry import measure
from ...findings.statistics import CONFIDENCE, Interval, mean_interval


@measure
def of_one_agent(
    frames: Frames, protocol: str, *, metric: str, seed: int = 0, over: str | None = None
) -> Measured:
    """The mean of a metric of one trained agent, over draws of puzzles; ``over``: minus that other
    metric on the same puzzles. It speaks of this agent alone."""
    rows = _agent(frames, protocol, seed)
    values = rows[metric].astype(float)
    if over is not None:
        values = values - rows[over].astype(float)
    puzzles = int(rows["size"].iloc[0])
    label = f"seed {seed}, {len(values)} draws of {puzzles:,} puzzles"
    return Measured([Point(label, mean_interval(values))])


@measure
def over_untrained(frames: Frames, protocol: str, *, metric: str, seed: int = 0) -> Measured:
    """By how much a metric of one trained agent exceeds that of an untrained one, each on as many
    puzzles. The unit is the agent: the interval holds the shifts that an exact permutation test of
    one agent against the others does not reject."""
    rows = select(frames, protocol)
    value = float(_agent(frames, protocol, seed)[metric].iloc[0])
    others = rows[rows["model"].eq("untrained")][metric].astype(float).to_numpy()
    label = f"seed {seed} against {len(others)} untrained agents"
    return Measured([Point(label, one_against(value, others))])


@measure
def over_seeds(frames: Frames, protocol: str, *, metric: str, over: str | None = None) -> Measured:
    """The mean of a metric over trained agents, each its mean over draws of puzzles; ``over``:
    minus that other metric."""
    rows = select(frames, protocol)
    means = rows[rows["model"].eq("trained")].groupby("variant")
    values = means[metric].mean()
    if over is not None:
        values = values - means[over].mean()
    if len(values) < 2:
        raise NotRun("one trained model alone")
    label = f"{len(values)} seeds, from {values.min():.2f} to {values.max():.2f}"
    return Measured([Point(label, mean_interval(values))])


def one_against(value: float, others: np.ndarray) -> Interval:
    """Exact interval of the shift of one value against others of which it would be one more, were
    there no shift: all of the line if these are fewer than 39.

    Example:
        >>> [round(x, 2) for x in one_against(50.0, np.arange(39.0))]
        [31.0, 12.0, 50.0, 1]
    """
    apart = np.sort(value - others)
    out = int((1 - CONFIDENCE) / 2 * (len(apart) + 1) + 1e-9)
    low, high = (apart[out - 1], apart[-out]) if out else (-np.inf, np.inf)
    return Interval(float(value - others.mean()), float(low), float(high), 1)


def _agent(frames: Frames, protocol: str, seed: int) -> pd.DataFrame:
    """The trials of a trained agent."""
    rows = select(frames, protocol)
    rows = rows[rows["model"].eq("trained") & rows["variant"].eq(f"seed {seed}")]
    if rows.empty:
        raise NotRun(f"no trained agent of seed {seed}")
    return rows.sort_values("trial", kind="stable")
