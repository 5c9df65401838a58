"""Pictures of one Abstractor and chains of Abstractors on relations between relations."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...findings.statistics import FEW, mean_interval
from .. import figures
from ..keywords import Keywords

TITLES = {
    "rises": "rises: above the last?",
    "rank": "rank: how many below?",
    "same": "same: which are the same?",
    "alike": "alike: which are similar?",
}
REFERENCES: dict[str, tuple[str, Keywords]] = {
    "own_accuracy": ("best guess from the own pair", {"ls": ":", "color": "0.3"}),
    "number_accuracy": ("knows how many attributes are shared", {"ls": "--", "color": "0.6"}),
    "script_accuracy": ("script that compares relations", {"ls": "-", "color": "0.3"}),
}
COLUMNS = ["variant", "model", "mean", "low", "high", "n"]


def accuracies(
    table: pd.DataFrame | None, names: Mapping[str, str], highlighted: str
) -> tuple[Figure, pd.DataFrame]:
    """Accuracies of models, a panel a task, a row a model: hollow dots are seeds, a filled one with
    a bar is their mean with its 95 % interval (Student-t), which fewer than five seeds do not have.

    Args:
        table: columns ``model``, ``variant`` (the task), ``test_accuracy`` and the metrics of
            ``REFERENCES``; None where there are no records, which leaves the panels empty.
        names: of the models, from top to bottom, and what they are called.
        highlighted: the model that has a colour of its own.

    Returns:
        The figure, and the means: ``variant, model, mean, low, high, n``.
    """
    figure, axes = figures.panels(list(TITLES.values()), columns=4, width=0.75, height=1.05)
    given = ["model", "variant", "test_accuracy", *REFERENCES]
    table = pd.DataFrame(columns=given) if table is None else table
    rows = []
    for axis, task in zip(axes, TITLES, strict=True):
        of_task = table[table["variant"].eq(task)]
        for place, model in enumerate(names):
            values = of_task.loc[of_task["model"].eq(model), "test_accuracy"].dropna()
            if values.empty:
                continue
            row = _summary(values)
            rows.append({"variant": task, "model": model, **row})
            look: Keywords = {"color": "C1" if model == highlighted else "C0", "clip_on": False}
            axis.plot(values, [place] * len(values), "o", ms=3, mfc="none", alpha=0.6, **look)
            axis.plot(row["mean"], place, "o", ms=5, **look)
            axis.plot([row["low"], row["high"]], [place, place], lw=1.6, **look)
        for metric, (_, line) in REFERENCES.items():
            if metric in of_task and of_task[metric].notna().any():
                axis.axvline(of_task[metric].mean(), lw=1, zorder=0, **line)
        if of_task.empty:
            axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center")
        axis.set(xlim=(0.4, 1.01), xlabel="accuracy", ylim=(len(names) - 0.5, -0.5))
        axis.set_yticks(range(len(names)), list(names.values()))
    handles = [Line2D([], [], label=label, **line) for label, line in REFERENCES.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure, pd.DataFrame(rows, columns=COLUMNS)


def _summary(values: pd.Series) -> dict[str, float]:
    """Mean and interval of some seeds; no interval of fewer than five."""
    if len(values) < FEW:
        return {"mean": values.mean(), "low": float("nan"), "high": float("nan"), "n": len(values)}
    mean, low, high, n = mean_interval(values, within=(0.0, 1.0))
    return {"mean": mean, "low": low, "high": high, "n": n}
