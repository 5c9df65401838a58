"""Records as tables: a row for each trial, or for each number of a trial."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd


def frame(
    records: Iterable[Mapping],
    columns: Callable[[Mapping], Mapping],
    derived: Callable[[Mapping], Mapping],
) -> pd.DataFrame:
    """A row for each trial of each record.

    Args:
        records: run records.
        columns: an experiment's own columns, from a record's spec; ``model``, ``size`` and
            ``variant`` are those that `measures` reads.
        derived: an experiment's further metrics, from a trial's recorded ones.

    Returns:
        Columns ``run``, ``protocol``, ``draw``, ``trial``, the experiment's, and the metrics.
    """
    rows = []
    for record in records:
        spec = record["spec"]
        shared = {
            "run": record["run"],
            "protocol": spec["protocol"],
            "draw": spec["draw"],
            **columns(spec),
        }
        first, count = spec["trials"]["first"], spec["trials"]["count"]
        for index in range(count):
            metrics = {name: values[index] for name, values in record["metrics"].items()}
            rows.append({**shared, "trial": first + index, **metrics, **derived(metrics)})
    return pd.DataFrame(rows)


def unfold(table: pd.DataFrame, pattern: str) -> pd.DataFrame:
    """Metrics whose names carry data as rows, with that data in columns.

    Args:
        table: a row for each trial, such as that of `frame`.
        pattern: a regular expression of the whole name of such a metric. Its named groups become
            columns, numbers where they match digits alone; at least one group is in every name.

    Returns:
        The table's other columns, those of the pattern, and ``value``: a row for each trial and
        metric that the trial has. Rows keep the trial's index.

    Example:
        >>> trials = pd.DataFrame({"trial": [0, 1], "mse_step_01": [0.1, 0.2]})
        >>> unfold(trials, r"(?P<measure>\\w+)_step_(?P<step>\\d+)").iloc[1].to_dict()
        {'trial': 1, 'value': 0.2, 'measure': 'mse', 'step': 1}
    """
    names = table.columns.astype(str).to_series()
    parts = names.str.extract(f"^(?:{pattern})$").dropna(how="all")
    for group, said in parts.items():
        if said.notna().any() and said.dropna().str.isdecimal().all():
            parts[group] = pd.to_numeric(said)
    values = table[parts.index].to_numpy()  # trials x metrics
    metric, row = np.nonzero(pd.notna(values).T)  # trials of the first metric, of the second, ...
    long = table.drop(columns=parts.index).iloc[row].assign(value=values[row, metric])
    return long.assign(**parts.iloc[metric].set_axis(long.index))


def histories(records: Iterable[Mapping], columns: Callable[[Mapping], Mapping]) -> pd.DataFrame:
    """A row for each point of each record's curve: what was seen on the way.

    Returns:
        Columns ``run``, ``protocol``, ``draw``, ``trial`` (the first of the run's; curves are means
        over the trials trained together), the experiment's, ``update`` and what was recorded.
    """
    rows = []
    for record in records:
        spec = record["spec"]
        shared = {
            "run": record["run"],
            "protocol": spec["protocol"],
            "draw": spec["draw"],
            "trial": spec["trials"]["first"],
            **columns(spec),
        }
        rows.append(pd.DataFrame(record["curve"]).assign(**shared))
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
