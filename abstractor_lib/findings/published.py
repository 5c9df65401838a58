"""What the papers report: ``data/published``, one CSV a figure."""

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
    table = pd.read_csv(path)
    if series is None:
        return table.sort_values(["series", "x"])
    points = table[table["series"] == series].sort_values("x")
    if points.empty:
        allowed = ", ".join(table["series"].unique())
        raise ValueError(f"series is {series!r}; {figure} has: {allowed}")
    return points
