"""Rows of a table by what they agree in."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd


def groups(
    table: pd.DataFrame, columns: Sequence[str], sort: bool = True
) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Rows that have the same values in some columns, and these values, one for each column.

    Args:
        sort: in ascending order of the values; otherwise as they come.

    Example:
        >>> table = pd.DataFrame({"model": ["b", "a", "b"], "trial": [0, 0, 0], "loss": [1, 2, 3]})
        >>> [(values, some.loss.tolist()) for values, some in groups(table, ["model", "trial"])]
        [(('a', 0), [2]), (('b', 0), [1, 3])]
    """
    for values, some in table.groupby(list(columns), sort=sort):
        yield values if isinstance(values, tuple) else (values,), some
