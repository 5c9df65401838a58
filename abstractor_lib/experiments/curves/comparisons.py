"""What claims on curves measure beside `findings.measures`, and what the printed tables hold.

The unit is a trained model. All models and trials extrapolate the same test curves.
"""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from ...findings.measures import Frames, Measured, Point, select
from ...findings.permutation import shift_interval
from ...findings.published import published
from ...findings.statistics import Interval, mean_interval

PRINTED = ("line", "rbf", "sine")
ROUNDING = 0.0005  # of numbers printed with three decimals


def apart(
    frames: Frames,
    protocol: str,
    *,
    pairs: list[list[str]],
    metrics: list[str],
    variant: str = "main",
) -> Measured:
    """By how much a metric of the first model of each pair exceeds that of the second, one point
    for each pair and metric: differences of means over trained models, with exact intervals by
    permutation, simultaneous over the points."""
    count = len(pairs) * len(metrics)
    points = []
    for pair in pairs:
        tables = [select(frames, protocol, model=name, variant=variant) for name in pair]
        for metric in metrics:
            found = shift_interval(*(table[metric] for table in tables), count)
            label = f"{metric}, {pair[0]} less {pair[1]}, {found.n} models each"
            points.append(Point(label, found))
    return Measured(points, math.nan)


def mean_of(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    metrics: list[str],
    variant: str = "main",
    paper: str | None = None,
) -> Measured:
    """The mean of metrics over trained models, one point for each model and metric; ``paper``
    names the printed table whose values are shown beside them."""
    count = len(models) * len(metrics)
    points = []
    for model in models:
        table = select(frames, protocol, model=model, variant=variant)
        for metric in metrics:
            found = mean_interval(table[metric], count)
            reported = None
            if paper:
                reported = published(paper, model).set_index("metric")["mean"].get(metric)
            points.append(Point(f"{metric} of {model}, {found.n} models", found, reported))
    return Measured(points, math.nan)


def above_floor(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    floor: str,
    metrics: list[str],
    variant: str = "main",
    floor_variant: str = "reference",
) -> Measured:
    """The least value of a metric over trained models less that of a floor, on the same curves;
    one point for each metric. It is no estimate, so it is its own interval."""
    below = select(frames, protocol, model=floor, variant=floor_variant).iloc[0]
    tables = [select(frames, protocol, model=name, variant=variant) for name in models]
    points = []
    for metric in metrics:
        values = pd.concat([table[metric] for table in tables])
        least = float(values.min() - below[metric])
        points.append(
            Point(f"{metric}, least of {len(values)}", Interval(least, least, least, len(values)))
        )
    return Measured(points, math.nan)


def printed(figure: str) -> pd.DataFrame:
    """The printed means of a table: models down, ``all`` and the classes across.

    Example:
        >>> printed("tab_curves_1").loc["relational", "line"].item()
        0.073
    """
    table = published(figure)
    table = table.assign(column=table["metric"].str.rpartition("_")[2])
    return table.pivot(index="series", columns="column", values="mean").dropna(subset=["all"])


def printed_all(frames: Frames, protocol: str) -> Measured:
    """How far the printed column "all" of Tables 1 and 2 lies from the plain mean of the printed
    classes, one point a row. Both are printed numbers, so each point is its own interval."""
    points = []
    for figure in ("tab_curves_1", "tab_curves_2"):
        table = printed(figure)
        for model, row in table.iterrows():
            off = float(row["all"] - row[list(PRINTED)].mean())
            points.append(Point(f"Table {figure[-1]}, {model}", Interval(off, off, off, 6)))
    return Measured(points, math.nan)


def weights_of_all() -> Mapping[str, tuple[float, float]]:
    """Least and greatest weight of each class with which the column "all" is a weighted mean of
    the classes in all six rows, up to the rounding of the printed numbers.

    Raises:
        ValueError: if there are no such weights.

    Example:
        >>> low, high = weights_of_all()["line"]
        >>> round(low, 3), round(high, 3)
        (0.437, 0.445)
    """
    rows = pd.concat([printed("tab_curves_1"), printed("tab_curves_2")])
    classes, every = rows[list(PRINTED)].to_numpy(), rows["all"].to_numpy()
    # |sum_c w_c x_c - all| <= rounding of the left side and of the right side
    sides = np.concatenate([classes, -classes])
    limits = np.concatenate([every, -every]) + 2 * ROUNDING
    found = {}
    for at, name in enumerate(PRINTED):
        ends = []
        for sign in (1, -1):
            goal = sign * np.eye(len(PRINTED))[at]
            total = {"A_eq": np.ones((1, len(PRINTED))), "b_eq": [1.0]}
            answer = linprog(goal, A_ub=sides, b_ub=limits, **total)
            if not answer.success:
                raise ValueError(f"no weights of the classes give the column: {answer.message}")
            ends.append(float(answer.x[at]))
        found[name] = (ends[0], ends[1])
    return found
