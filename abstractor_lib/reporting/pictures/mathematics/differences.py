"""By how much one model is ahead of others, seed by seed and task by task, as dots."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...curves import not_run
from ...figures import panels


def differences(
    pairs: pd.DataFrame | None, tasks: Sequence[str], others: Sequence[str], xlabel: str
) -> tuple[Figure, pd.DataFrame]:
    """Pairs of seeds as dots: a panel for each other model, a row for each task.

    Args:
        pairs: what `findings.by_seed.pairs` returns; None for not run.
        tasks: the rows.
        others: the panels.
        xlabel: what the difference is of.

    Returns:
        The figure and its points.
    """
    figure, axes = panels(list(others), columns=4, width=0.85, height=0.8)
    most = 1 if pairs is None or pairs.empty else 1.1 * pairs["difference"].abs().max()
    for axis, other in zip(axes, others, strict=True):
        axis.axvline(0, color="0.6", lw=0.8)
        axis.set_xlabel(xlabel)
        axis.set_xlim(-most, most)
        axis.xaxis.set_major_locator(MaxNLocator(5))
        if pairs is None:
            not_run(axis)
            continue
        mine = pairs[pairs["other"] == other]
        axis.plot(mine["difference"], mine["task"].map(list(tasks).index), "o", ms=4, alpha=0.6)
        middle = mine.groupby("task")["difference"].mean()
        axis.plot(middle, [list(tasks).index(task) for task in middle.index], "k|", ms=10)
    axes[0].set_yticks(range(len(tasks)), list(tasks))
    axes[0].set_ylim(len(tasks) - 0.5, -0.5)
    points = pd.DataFrame(columns=["task", "other", "difference"]) if pairs is None else pairs
    return figure, points
