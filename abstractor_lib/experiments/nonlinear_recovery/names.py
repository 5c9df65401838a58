"""Names of the metrics with a number of measurements in them, and tables without."""

import pandas as pd

from ...records.frame import unfold

AT = r"cosine_of_(?P<rows>\d+)"


def name(rows: int) -> str:
    """The cosine of the answer with u, from so many measurements.

    Example:
        >>> name(64)
        'cosine_of_0064'
    """
    return f"cosine_of_{rows:04d}"


def by_rows(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each problem with Gaussian A and number of measurements, ``rows``: ``cosine``."""
    table = table[table["source"].eq("gaussian")]
    scores = [name for name in ("cosine", "error") if name in table]  # of trained models
    long = unfold(table.drop(columns=scores), AT)
    return long.rename(columns={"value": "cosine"})
