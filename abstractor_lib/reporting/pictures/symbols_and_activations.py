"""Pictures of a factorial of symbols, activation and depth: marginal means, combinations."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from .. import figures

TITLES = {"order": "order relation", "set": "SET", "sorting": "sorting"}
COLOURS = {"symbols": "C0", "activation": "C1", "depth": "C2"}
NAMES = {"symbols": "symbols", "activation": "activation", "depth": "layers"}
GAP = 1  # rows between two factors
CHANCE = {"order": 0.5, "set": 0.5, "sorting": 0.1}


def marginal_means(
    table: pd.DataFrame | None, factors: Mapping[str, tuple]
) -> tuple[Figure, pd.DataFrame]:
    """Marginal means of test accuracy, a panel a task, a row a level, a colour a factor. Bars are
    intervals that differences between seeds do not widen; a line is the mean of all runs, a dotted
    one chance level. Panels share one axis.

    Args:
        table: columns ``task, factor, level, mean, low, high, n``; None where there are no records,
            which leaves the panels empty.
        factors: name -> levels, from top to bottom.

    Returns:
        The figure, and what it shows.
    """
    figure, axes = figures.panels(list(TITLES.values()), width=0.9, height=1.25)
    names = ["task", "factor", "level", "mean", "low", "high", "n"]
    table = pd.DataFrame(columns=names) if table is None else table
    rows, at = {}, 0
    for factor, levels in factors.items():
        for level in levels:
            rows[factor, str(level)] = at
            at += 1
        at += GAP
    labels = [f"{NAMES[name]}: {level}" if name == "depth" else level for name, level in rows]
    for axis, task in zip(axes, TITLES, strict=True):
        own = table[table["task"].eq(task)]
        if own.empty:
            axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center")
        else:
            axis.axvline(own["mean"].mean(), color=figures.GREY, lw=0.8)
            axis.axvline(CHANCE[task], color="black", ls=":")
        for row in own.itertuples():
            place, colour = rows[row.factor, row.level], COLOURS[row.factor]
            axis.plot([row.low, row.high], [place, place], color=colour, lw=2)
            axis.plot(row.mean, place, "o", color=colour, ms=5)
        axis.set(xlabel="test accuracy", xlim=(0, 1), ylim=(at - GAP - 0.5, -0.5))
        axis.set_yticks(list(rows.values()), labels)
    return figure, table[names]


def combinations(
    table: pd.DataFrame | None, factors: Mapping[str, tuple]
) -> tuple[Figure, pd.DataFrame]:
    """Mean test accuracy of each combination of symbols and activation, a panel a task: colours
    from chance level to 1, and the number.

    Args:
        table: columns ``task, symbols, activation, mean``; None where there are no records.
        factors: name -> levels.

    Returns:
        The figure, and what it shows.
    """
    figure, axes = figures.panels(list(TITLES.values()), width=0.95, height=1.0)
    names = ["task", "symbols", "activation", "mean"]
    table = pd.DataFrame(columns=names) if table is None else table
    down, across = list(factors["symbols"]), list(factors["activation"])
    for axis, task in zip(axes, TITLES, strict=True):
        own = table[table["task"].eq(task)]
        axis.set_xticks(range(len(across)), across, rotation=30)
        axis.set_yticks(range(len(down)), down)
        axis.set(xlim=(-0.5, len(across) - 0.5), ylim=(len(down) - 0.5, -0.5))
        if own.empty:
            axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center")
            continue
        means = own.pivot(index="symbols", columns="activation", values="mean")
        means = means.loc[down, across].astype(float)
        middle = (1 + CHANCE[task]) / 2
        axis.imshow(means.round(3), cmap="cividis", vmin=CHANCE[task], vmax=1, aspect="auto")
        for i, first in enumerate(down):
            for j, second in enumerate(across):
                value = means.loc[first, second]
                colour = "black" if value > middle else "white"
                axis.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour)
    return figure, table[names]
