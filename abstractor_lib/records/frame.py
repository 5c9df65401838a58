"""Records as tables, one row a trial."""

from collections.abc import Callable, Iterable, Mapping

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
