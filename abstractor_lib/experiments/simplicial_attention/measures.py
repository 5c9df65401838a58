"""What the claims on 2-simplicial attention measure beyond means."""

import numpy as np
import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.registry import measure
from ...findings.statistics import Interval, mean_interval
from .grid import FIXED_ENTITIES, FIXED_VIRTUAL

TOWARDS = {"entities": 1.0, "virtual": 2.0, "all pairs": 3.0, "root": 2.0}  # what the paper says


def growth(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The counted runs by what grows in them, smallest first."""
    counted = rows[rows["model"] == "cost"].sort_values(["entities", "virtual"])
    n, m = counted["entities"], counted["virtual"]
    return {
        "entities": counted[(m == FIXED_VIRTUAL) & (n >= 2**10) & (n != m)],
        "virtual": counted[(n == FIXED_ENTITIES) & np.log2(m).mod(1).eq(0) & (m >= 8)],
        "all pairs": counted[n == m],
        "root": counted[(m**2 == n) & (n > m)],
    }


def exponent(rows: pd.DataFrame, along: str) -> float:
    """Slope of log operations on the logarithm of what grows, between the two largest sizes."""
    x, y = (np.log2(rows[name].astype(float)) for name in (along, "operations"))
    return float((y.iloc[-1] - y.iloc[-2]) / (x.iloc[-1] - x.iloc[-2]))


@measure
def exponents(frames: Frames, protocol: str, *, of: list[str]) -> Measured:
    """Exponents of the counted operations at the largest sizes, beside those of the paper. A count
    has no error, so it is its own interval; its ``n`` is the number of sizes."""
    found = growth(select(frames, protocol, model="cost"))
    points = []
    for name in of:
        rows = found[name]
        if len(rows) < 2:
            raise NotRun(f"fewer than two sizes of {name}")
        value = exponent(rows, "virtual" if name == "virtual" else "entities")
        points.append(Point(name, Interval(value, value, value, len(rows)), TOWARDS[name]))
    return Measured(points)


@measure
def squares(frames: Frames, protocol: str) -> Measured:
    """Mean of the squared share of random triples in each dimension, beside 3 / n - 2 / n^2."""
    table = select(frames, protocol, model="triples")
    groups = list(table.groupby("size"))
    points = [
        Point(
            f"n = {size}, {len(rows)} trials",
            mean_interval(rows["mean_square"], len(groups), (0.0, 1.0)),
            float(rows["expected"].iloc[0]),
        )
        for size, rows in groups
    ]
    return Measured(points)
