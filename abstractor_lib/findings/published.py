"""What the papers report: ``data/published``, one CSV a figure."""

from functools import cache
from pathlib import Path

import pandas as pd

from .. import paths


def published(figure: str, series: str | None = None) -> pd.DataFrame:
    """The published points of a figure, or of one of its series, by increasing ``x``.

    Raises:
        ValueError: if there are none.
    """
    path = paths.data() / "published" / f"{figure}.csv"
    if not path.is_file():
        raise ValueError(f"figure is {figure!r}; data/published has no such file")
    table = _read(path, path.stat().st_mtime_ns)
    if series is None:
        return table.sort_values(["series", "x"])
    points = table[table["series"] == series].sort_values("x", kind="stable")
    if points.empty:
        allowed = ", ".join(table["series"].unique())
        raise ValueError(f"series is {series!r}; {figure} has: {allowed}")
    return points


@cache
def _read(path: Path, changed: int) -> pd.DataFrame:
    """A file as it was at that time; claims ask for each of them many times."""
    return pd.read_csv(path)
