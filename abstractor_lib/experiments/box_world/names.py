"""Names of metrics, and what they say as columns. `run` says what the metrics are."""

import pandas as pd

from ...records.frame import unfold

GROUPS = r"(?P<measure>win_rate|puzzles|share)_(?P<group>\w+)"
CHANCES = r"win_(?!rate_)(?P<player>\w+)"


def of_group(measure: str, group: str) -> str:
    """The name of a metric of a group of puzzles.

    Example:
        >>> of_group("win_rate", "late")
        'win_rate_late'
    """
    return f"{measure}_{group}"


def chance(player: str) -> str:
    """The name of a player's computed probability of a win."""
    return f"win_{player}"


def by_group(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each group of puzzles of each trial.

    Returns:
        Columns ``model``, ``variant``, ``trial``, ``group``, and ``win_rate``, ``puzzles``,
        ``share``; what a group lacks is NaN.
    """
    keys = ["model", "variant", "trial", "group"]
    long = unfold(table, GROUPS).astype({"value": float})
    wide = long.pivot(index=keys, columns="measure", values="value")
    measures = ["win_rate", "puzzles", "share"]
    return wide.reindex(columns=measures).rename_axis(columns=None).reset_index()


def chances(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each type of puzzle and player.

    Returns:
        Columns of the type, ``length``, ``lock``, ``key`` and ``probability``; ``player``; and
        ``value``, the probability of a win.
    """
    return unfold(table, CHANCES)
