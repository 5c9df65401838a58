"""Names of the metrics with a number of measurements in them, and tables without."""

import pandas as pd

from ...records.frame import unfold

AT = r"(?P<metric>cosine)_of_(?P<rows>\d+)"


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
    gone = [column for column in table if table[column].isna().all() and column != "draw"]
    long = unfold(table.drop(columns=gone), AT)
    return long.rename(columns={"value": "cosine"}).drop(columns="metric", errors="ignore")
