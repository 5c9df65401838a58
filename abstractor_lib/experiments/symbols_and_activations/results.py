"""Tables of the factorial: effects, marginal means, and how parameters differ."""

from collections.abc import Callable

import pandas as pd

from ...findings.factorial import holm
from ...findings.measures import Frames, NotRun, select
from .design import FACTORS
from .measures import apart, factorial
from .settings import TASKS

PROTOCOL = "sound"


def effects(frames: Frames) -> pd.DataFrame:
    """A row an effect and task: ``task, term, best, worst, spread, low, high, F, p, holm``.

    Main effects have the best and the worst level, and how far these lie apart; intervals are
    simultaneous over the pairs of levels of all factors and tasks. ``p`` is by permutation,
    ``holm`` adjusted for all effects of all tasks.
    """
    tables = []
    for task in TASKS:
        found = factorial(frames, PROTOCOL, task)
        rows = {}
        for name, levels in FACTORS.items():
            means = {level: found.level(name, level).estimate for level in levels}
            far = apart(found, name, len(TASKS) * len(FACTORS))
            best, worst = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
            rows[name] = {"best": str(best), "worst": str(worst), "spread": far.estimate}
            rows[name] |= {"low": far.low, "high": far.high}
        tests = found.tests().set_index("term")
        both = tests.join(pd.DataFrame(rows).T, how="outer").loc[tests.index]
        tables.append(both.reset_index().assign(task=task))
    names = ["task", "term", "best", "worst", "spread", "low", "high", "F", "p", "holm"]
    numbers = dict.fromkeys(["spread", "low", "high"], float)
    every = pd.concat(tables, ignore_index=True)
    return every.assign(holm=holm(every["p"]))[names].astype(numbers)


def levels(frames: Frames) -> pd.DataFrame:
    """A row a level and task: ``task, factor, level, mean, low, high, n``, marginal means with
    intervals that differences between seeds do not widen; see `Factorial.level`."""
    rows = []
    for task in TASKS:
        found = factorial(frames, PROTOCOL, task)
        for factor, every in FACTORS.items():
            for level in every:
                mean, low, high, n = found.level(factor, level)
                row = {"task": task, "factor": factor, "level": str(level), "mean": mean}
                rows.append(row | {"low": low, "high": high, "n": n})
    return pd.DataFrame(rows)


def cells(frames: Frames) -> pd.DataFrame:
    """A row a task and combination of symbols and activation: ``task, symbols, activation, mean``,
    the mean over depths."""
    rows = []
    for task in TASKS:
        found = factorial(frames, PROTOCOL, task)
        for symbols in FACTORS["symbols"]:
            for activation in FACTORS["activation"]:
                row = {"task": task, "symbols": symbols, "activation": activation}
                rows.append(row | {"mean": found.cell(symbols, activation)})
    return pd.DataFrame(rows)


def by_size(frames: Frames) -> pd.DataFrame:
    """A row a task, training size and factor: ``task, size, factor, spread, low, high``; intervals
    are simultaneous over all rows."""
    tables = {task: select(frames, PROTOCOL, variant=task) for task in TASKS}
    cells = [(task, size) for task, one in tables.items() for size in sorted(one["size"].unique())]
    rows = []
    for task, size in cells:
        found = factorial(frames, PROTOCOL, task, size)
        for factor in FACTORS:
            far = apart(found, factor, len(cells) * len(FACTORS))
            row = {"task": task, "size": int(size), "factor": factor}
            rows.append(row | {"spread": far.estimate, "low": far.low, "high": far.high})
    return pd.DataFrame(rows)


def parameters(table: pd.DataFrame) -> pd.DataFrame:
    """Parameters of the network, by task and depth down and by symbols across. (Activations have
    none.)"""
    found = table.pivot_table(
        index=["variant", "depth"], columns="symbols", values="parameters", aggfunc="first"
    )
    return found[list(FACTORS["symbols"])].astype(int)


def shown(table: Callable[[Frames], pd.DataFrame], frames: Frames) -> pd.DataFrame | None:
    """One of these tables; None where the grid is not complete, or has too few seeds."""
    try:
        return table(frames)
    except NotRun:
        return None
