"""The printed tables of the paper on function learning, and the weights of their column "all"."""

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from ...findings.published import published
from .names import PATTERN

CLASSES = ("line", "rbf", "sine")
ROUNDING = 0.0005  # of numbers printed with three decimals


def printed(figure: str, what: str = "mean") -> pd.DataFrame:
    """The printed numbers of a table: models down, ``all`` and the classes across.

    Args:
        figure: ``tab_curves_1`` or ``tab_curves_2``.
        what: ``mean`` or ``sem``.

    Example:
        >>> printed("tab_curves_1").loc["relational", "line"].item()
        0.073
    """
    table = published(figure)
    table = table.assign(column=table["metric"].str.extract(PATTERN)["class"])
    every = table.pivot(index="series", columns="column", values=what)
    return every.loc[list(dict.fromkeys(table["series"])), ["all", *CLASSES]].dropna(subset="all")


def weights_of_all() -> pd.DataFrame:
    """Least and greatest weight of each class with which the column "all" is a weighted mean of
    the classes in all six rows, up to the rounding of the printed numbers, and the weights that
    fit the rows best.

    Returns:
        Classes down; ``best``, ``least``, ``greatest`` across.

    Raises:
        ValueError: if there are no such weights.

    Example:
        >>> weights_of_all().round(3).loc["line"].tolist()
        [0.441, 0.437, 0.445]
    """
    rows = pd.concat([printed("tab_curves_1"), printed("tab_curves_2")])
    classes, every = rows[list(CLASSES)].to_numpy(), rows["all"].to_numpy()
    # the last weight is what is left of 1
    free = classes[:, :2] - classes[:, 2:]
    best = np.linalg.lstsq(free, every - classes[:, 2], rcond=None)[0]
    found = [[*best, 1 - best.sum()]]
    # |sum_c w_c x_c - all| <= rounding of the left side and of the right side
    sides = np.concatenate([classes, -classes])
    limits = np.concatenate([every, -every]) + 2 * ROUNDING
    total = {"A_eq": np.ones((1, len(CLASSES))), "b_eq": [1.0]}
    for sign in (1, -1):
        ends = [linprog(sign * goal, sides, limits, **total) for goal in np.eye(len(CLASSES))]
        if not all(end.success for end in ends):
            raise ValueError(f"no weights of the classes give the column: {ends[0].message}")
        found.append([sign * end.fun for end in ends])
    return pd.DataFrame(found, ["best", "least", "greatest"], CLASSES).T
