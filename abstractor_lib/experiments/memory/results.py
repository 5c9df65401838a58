"""What notebook 09 shows of its records: scores and differences of scores, with intervals."""

import math
from collections.abc import Iterator

import pandas as pd

from ...findings.statistics import Interval, difference_interval, mean_interval

NAMES = {
    "gaussian": "Gaussian kernel",
    "inner": "learned inner product",
    "metric": "learned metric",
    "neighbours": "nearest neighbours",
    "linear": "linear model",
}
RELATIONS = ("gaussian", "inner", "metric")
Intervals = dict[tuple[str, str, int], Interval]  # by data set, model and keys in memory


def sizes(table: pd.DataFrame) -> dict[str, list[int]]:
    """Data set -> the numbers of keys of a memory whose relation was learned on all its keys."""
    own = table[table["variant"] == table["dataset"]]
    return {name: sorted(rows["size"].unique().tolist()) for name, rows in own.groupby("dataset")}


def few(table: pd.DataFrame) -> int:
    """On how many keys the relation was learned where only the memory grows."""
    return int(table.loc[table["variant"] != table["dataset"], "train"].min())


def scores(table: pd.DataFrame) -> Intervals:
    """Mean scores of all models."""
    return _means(_learned(table), tuple(NAMES))


def gains(table: pd.DataFrame) -> Intervals:
    """By how much the score is greater than with the Gaussian kernel, in pairs of equal splits,
    simultaneously over the numbers of keys."""
    return {
        (dataset, model, size): difference_interval(
            wide[model, size], wide["gaussian", size], wide.columns.unique("size").size
        )
        for dataset, wide in _learned(table)
        for model in NAMES
        if model != "gaussian"
        for size in wide.columns.unique("size")
    }


def grown(table: pd.DataFrame) -> Intervals:
    """Mean scores where the relation was learned on the first `few` keys."""
    return _means(_grown(table), RELATIONS)


def since(table: pd.DataFrame) -> Intervals:
    """By how much the score is greater than with the first `few` keys, in pairs of equal splits,
    simultaneously over the numbers of keys."""
    start = few(table)
    return {
        (dataset, model, size): difference_interval(
            wide[model, size], wide[model, start], wide.columns.unique("size").size - 1
        )
        for dataset, wide in _grown(table)
        for model in RELATIONS
        for size in wide.columns.unique("size")
        if size > start
    }


def scores_table(table: pd.DataFrame) -> pd.DataFrame:
    """`scores`, a row a data set and number of keys, a column a relation."""
    found = scores(table)
    return pd.DataFrame(
        {"data": dataset, "keys": size}
        | {NAMES[model]: f"{found[dataset, model, size]}" for model in NAMES}
        for dataset, some in sizes(table).items()
        for size in some
    )


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """How many numbers a memory stores and a relation learns, a row a data set and number of
    keys."""
    rows = table[table["variant"] == table["dataset"]]
    found = rows.pivot_table(index=["variant", "size"], columns="model", values="parameters")
    found = found[list(NAMES)].rename(columns=lambda model: f"parameters, {NAMES[model]}")
    found.insert(0, "numbers stored", rows.groupby(["variant", "size"])["stored"].max())
    return found.astype(int).rename_axis(["data", "keys"]).reset_index().rename_axis(columns=None)


def wide(table: pd.DataFrame, dataset: str, size: int) -> pd.DataFrame:
    """Scores with one number of keys, splits down, models across."""
    rows = table[(table["variant"] == dataset) & (table["size"] == size)]
    return rows.pivot(index="trial", columns="model", values="score")


def _learned(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Of each data set scores, splits down, models and numbers of keys across."""
    for dataset, rows in table[table["variant"] == table["dataset"]].groupby("dataset"):
        yield dataset, rows.pivot(index="trial", columns=["model", "size"], values="score")


def _grown(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The same where only the memory grows, with its start."""
    start = few(table)
    for dataset, some in sizes(table).items():
        if start in some:
            first = (table["variant"] == dataset) & (table["size"] == start)
            rows = table[first | (table["variant"] == f"{dataset}, grown")]
            rows = rows.sort_values("size", kind="stable")
            yield dataset, rows.pivot(index="trial", columns=["model", "size"], values="score")


def _means(tables: Iterator[tuple[str, pd.DataFrame]], models: tuple[str, ...]) -> Intervals:
    return {
        (dataset, model, size): mean_interval(wide[model, size], within=(-math.inf, 1))
        for dataset, wide in tables
        for model in models
        for size in wide.columns.unique("size")
    }
