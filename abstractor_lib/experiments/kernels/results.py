"""Tables of trials of the kernel experiment, arranged as its notebook shows them.

In each the column ``size`` is what a figure has on its horizontal axis.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ...theory.kernels import MERCER as KERNELS
from .grid import MERCER, ON_INTERVAL

BY_HAND = ("built", "relu", "relu_built")  # networks with one hidden layer of ReLU units


class Sizes(NamedTuple):
    """What a grid varies: numbers of features, and widths of trained networks."""

    ranks: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def middle(self) -> int:
        """The number of features in the middle."""
        return self.ranks[len(self.ranks) // 2]


def sizes(table: pd.DataFrame) -> Sizes:
    """The sizes that a table of trials has."""
    ranks = table.loc[table["model"].eq("nystrom"), "size"]
    widths = table.loc[table["model"].eq("proof"), "width"]
    return Sizes(tuple(sorted(set(ranks))), tuple(sorted(set(widths))))


def largest(name: str) -> float:
    """The largest value of a kernel; 1 for ``vector``, whose worst dimensions have that.

    Example:
        >>> largest("polynomial"), largest("vector")
        (8.0, 1.0)
    """
    if name not in KERNELS:
        return 1.0
    points = KERNELS[name].domain.grid(100)
    return round(float(KERNELS[name](points, points).max()), 3)


def relations() -> pd.DataFrame:
    """The seven Mercer kernels, a row each."""
    rows = {
        name: (one.formula, largest(name), "exact" if one.eigenpairs else "Nyström")
        for name, one in KERNELS.items()
    }
    return pd.DataFrame(rows, ["r(x, y)", "largest value", "eigenpairs"]).T


def networks(table: pd.DataFrame) -> pd.DataFrame:
    """All but what is built by hand, with the ``lower_bound`` of the error of any features."""
    rows = table[~table["model"].isin(BY_HAND)].copy()
    rows["lower_bound"] = rows["sup_floor"] / rows["relation"].map(largest)
    return rows


def by_features(table: pd.DataFrame) -> pd.DataFrame:
    """Of the largest width; ``series`` is the truncated series, exact where that is known."""
    rows = networks(table)
    known = rows.loc[rows["model"].eq("series"), "relation"]
    spare = rows["model"].eq("nystrom") & rows["relation"].isin(known)
    kept = rows["width"].isin([0, sizes(table).widths[-1]]) & ~spare
    return rows[kept].replace({"model": {"nystrom": "series"}})


def by_width(table: pd.DataFrame) -> pd.DataFrame:
    """Networks with the most features, by the units of a hidden layer."""
    rows = networks(table)
    rows = rows[rows["size"].eq(sizes(table).ranks[-1]) & rows["width"].gt(0)]
    return rows.assign(size=rows["width"])


def by_hand(table: pd.DataFrame) -> pd.DataFrame:
    """Networks on [0, 1] by hidden units, with the most features; ``grown`` are networks that are
    built by hand with as many features as units."""
    built = table[table["model"].isin(BY_HAND)]
    rank = sizes(table).ranks[-1]
    grown = built[built["model"].eq("built") & built["size"].eq(built["width"])]
    tanh = table[table["model"].eq("mlp") & table["relation"].isin(ON_INTERVAL)]
    parts = [
        built[built["size"].eq(rank)],
        grown.assign(model="grown"),
        tanh[tanh["size"].eq(rank)],
    ]
    rows = pd.concat(parts)
    return rows.assign(size=rows["width"])


def panels(table: pd.DataFrame, names=MERCER) -> dict[str, pd.DataFrame]:
    """A table of trials for each relation."""
    return {name: table[table["relation"] == name] for name in names}


def means(table: pd.DataFrame, *index: str, metric: str = "relative_error") -> pd.DataFrame:
    """The mean of a metric over trials, by ``index``, with a column for each model."""
    return table.groupby([*index, "model"], sort=False)[metric].mean().unstack("model")


def apart(table: pd.DataFrame) -> pd.DataFrame:
    """Which of two ways to train a network has all its trials below all of the other way, by
    relation and width."""
    ends = by_width(table).groupby(["model", "relation", "width"])["relative_error"]
    ends = ends.agg(["min", "max"])
    proof = ends.loc["proof"].sort_index()
    trained = ends.loc["mlp"].reindex(proof.index)
    found = pd.Series("not separated", proof.index)
    found[proof["max"] < trained["min"]] = "networks of the proof"
    found[trained["max"] < proof["min"]] = "trained networks"
    found = found.unstack("width").loc[list(MERCER)]
    return found.rename_axis(index=None, columns="width")


def geometry(table: pd.DataFrame) -> pd.DataFrame:
    """The worst trial of each Mercer kernel, with the most features and the largest width."""
    rank, width = sizes(table).ranks[-1], sizes(table).widths[-1]
    rows = table[table["model"].eq("mlp") & table["size"].eq(rank) & table["width"].eq(width)]
    rows = rows[rows["relation"].isin(MERCER)].groupby("relation", sort=False)
    return rows.agg({"smallest_eigenvalue": "min", "triangle": "max", "distance_error": "max"})


def last_losses(table: pd.DataFrame, histories: pd.DataFrame) -> pd.DataFrame:
    """How training ended on [0, 1], with the most features and the largest width: the last
    ``loss`` of a run, and by how much it had ``fall``en during the last tenth of evaluations."""
    rank, width = sizes(table).ranks[-1], sizes(table).widths[-1]
    seen = histories[histories["width"].eq(width) & histories["size"].eq(rank)]
    seen = seen[seen["relation"].isin(ON_INTERVAL)].sort_values("update", kind="stable")
    ninth = {
        run: np.interp(0.9 * one["update"].max(), one["update"], one["loss"])
        for run, one in seen.groupby("run")
    }
    last = seen.groupby("run").last()
    return last.assign(fall=1 - last["loss"] / pd.Series(ninth))
