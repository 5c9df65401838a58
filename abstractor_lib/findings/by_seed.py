"""By how much one model is ahead of others, seed by seed and task by task."""

from collections.abc import Mapping, Sequence
from itertools import product

import pandas as pd


def pairs(
    table: pd.DataFrame, model: str, others: Mapping[str, str], tasks: Sequence[str], metric: str
) -> pd.DataFrame:
    """The differences of a metric between every seed of a model and every seed of others.

    Args:
        table: a row a trained model.
        model: which.
        others: other models, and what they are called.
        tasks: variants.

    Returns:
        Columns ``task, other, difference``, a row for each pair of seeds.

    Example:
        >>> rows = [("a", 0.5), ("a", 0.7), ("b", 0.4), ("b", 0.6)]
        >>> table = pd.DataFrame(rows, columns=["model", "x"]).assign(variant="add")
        >>> pairs(table, "a", {"b": "B"}, ["add"], "x")["difference"].round(1).tolist()
        [0.1, -0.1, 0.3, 0.1]
    """
    known = table.groupby(["variant", "model"])[metric]
    rows = [
        (task, title, first - second)
        for task, (other, title) in product(tasks, others.items())
        if {(task, model), (task, other)} <= set(known.groups)
        for first, second in product(known.get_group((task, model)), known.get_group((task, other)))
    ]
    return pd.DataFrame(rows, columns=["task", "other", "difference"])


def one_sided(differences: pd.DataFrame) -> tuple[int, int, int]:
    """Of the comparisons of `pairs`, in how many all seeds of the model are ahead, in how many all
    of the other, and how many there are."""
    ends = differences.groupby(["task", "other"])["difference"].agg(["min", "max"])
    return int((ends["min"] > 0).sum()), int((ends["max"] < 0).sum()), len(ends)


def all_ahead(table: pd.DataFrame, metric: str, task: str, model: str, other: str) -> bool:
    """Whether on a task all seeds of a model are ahead of all seeds of another; True if there are
    none of one of them.

    Example:
        >>> table = pd.DataFrame({"variant": "add", "model": ["a", "b", "b"], "x": [3, 1, 2]})
        >>> all_ahead(table, "x", "add", "a", "b"), all_ahead(table, "x", "add", "b", "a")
        (True, False)
    """
    return bool((pairs(table, model, {other: other}, [task], metric)["difference"] > 0).all())
