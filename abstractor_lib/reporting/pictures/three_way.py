"""Pictures of attention layers on relations of three objects."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from .. import curves, figures
from ..keywords import Keywords
from ..looks import COLORS

TASKS = {"match3": "Match3", "coplanar": "coplanarity"}
NAMES = {
    "unsigned": "of pairs: unsigned (the paper's)",
    "trilinear": "of pairs: trilinear",
    "pairs": "of pairs: sum of dot products",
    "uniform": "of pairs: equal weights",
    "standard": "standard, 1 layer",
    "wide": "standard, 1 layer, wide",
    "two": "standard, 2 layers",
    "two_matched": "standard, 2 layers, wide",
    "deep": "standard, 5 layers",
}
# models that a learning curve shows; as many colours as can be told apart at a glance
COLOURS = {
    "unsigned": COLORS["blue"],
    "trilinear": COLORS["cyan"],
    "wide": COLORS["orange"],
    "two_matched": COLORS["red"],
    "deep": COLORS["brown"],
}
FAMILY = {
    label: COLORS["blue" if label.startswith("of pairs") else "orange"] for label in NAMES.values()
}
LINES = {"unsigned": "-", "trilinear": "--", "wide": "-", "two_matched": "-.", "deep": ":"}


def areas(table: pd.DataFrame | None) -> tuple[Figure, pd.DataFrame]:
    """Areas under the ROC curve, a panel a task, a row a model: dots are seeds, a dash is their
    mean. The dotted line is a script that looks at two objects alone.

    Args:
        table: columns ``model``, ``variant`` (the task), ``size``, ``trial``, ``test_auc`` and
            ``script_auc``; None where the grid is not complete, which leaves the panels empty.

    Returns:
        The figure, and a row for each dot, with the ``variant``.
    """
    figure, axes = figures.panels(list(TASKS.values()), 2, width=1.05, height=1.05, sharey=True)
    drawn = []
    for axis, task in zip(axes, TASKS, strict=True):
        axis.set_xlabel("area under the ROC curve")
        if table is None:
            curves.not_run(axis)
            continue
        rows = table[table["variant"].eq(task)]
        points = curves.strip(axis, rows, NAMES, "test_auc", FAMILY)
        drawn.append(points.assign(variant=task, script_auc=rows["script_auc"].mean()))
        axis.axvline(rows["script_auc"].mean(), color=figures.GREY, lw=0.8, ls=":")
        axis.set_xlim(0.5, 1.005)
    return figure, pd.concat(drawn) if drawn else pd.DataFrame()


def learning(histories: pd.DataFrame | None, sizes: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Accuracy while learning, a row of panels a task: against examples seen, and against the
    operations spent on them. A line is the mean over seeds.

    Args:
        histories: columns ``model``, ``variant``, ``trial``, ``size`` (examples of the whole run),
            ``update`` and ``validation_accuracy``; None where the grid is not complete.
        sizes: columns ``model``, ``variant`` and ``operations`` (of one example, forward).

    Returns:
        The figure, and its points: ``variant, model, examples, operations, mean, n``.
    """
    axes_of = {"examples": "million examples", "operations": "operations, 10¹²"}
    titles = [f"{task}" for task in TASKS.values() for _ in axes_of]
    figure, axes = figures.panels(titles, 2, width=1.05, height=0.85, sharey=True)
    points = _means(histories, sizes)
    places = [(task, x) for task in TASKS for x in axes_of]
    for axis, (task, x) in zip(axes, places, strict=True):
        axis.set_xlabel(axes_of[x])
        if points.empty:
            curves.not_run(axis)
            continue
        for name, colour in COLOURS.items():
            rows = points[points["variant"].eq(task) & points["model"].eq(name)]
            look: Keywords = {"color": colour, "ls": LINES[name], "label": NAMES[name]}
            axis.plot(rows[x] / SCALE[x], rows["mean"], lw=1.6, **look)
        axis.set_xlim(left=0)
    for axis in axes[::2]:
        axis.set_ylabel("validation accuracy")
    figures.legend(figure, axes, columns=3)
    return figure, points


SCALE: Mapping[str, float] = {"examples": 1e6, "operations": 1e12}
BACKWARD = 3  # forward and backward: each product gives two more


def _means(histories: pd.DataFrame | None, sizes: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds at each look, with what had been seen and spent by then."""
    columns = ["variant", "model", "examples", "operations", "mean", "n"]
    if histories is None:
        return pd.DataFrame(columns=columns)
    shown = histories[histories["model"].isin(list(COLOURS))].merge(sizes, on=["model", "variant"])
    last = shown.groupby("run")["update"].transform("max")
    shown["examples"] = shown["size"] * shown["update"] / last
    shown["operations"] = shown["operations"] * shown["examples"] * BACKWARD
    keys = ["variant", "model", "examples", "operations"]
    found = shown.groupby(keys, sort=False)["validation_accuracy"].agg(mean="mean", n="count")
    return found.reset_index()[columns]
