"""Pictures of architectures on a task that needs the order of objects and their colours."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .. import figures
from ..keywords import Keywords

TITLES = {
    "sort": "sort (relations alone)",
    "sort_and_report": "sort and report (both)",
    "report": "report (colours alone)",
}
APART = 0.34  # between training sizes, of the distance between two models


def accuracies(
    table: pd.DataFrame | None, names: Mapping[str, str], metric: str = "full_sequence_accuracy"
) -> tuple[Figure, pd.DataFrame]:
    """Accuracies of architectures, a panel a task, a row a model: hollow dots are seeds, a filled
    one is their mean. Training sizes have colours.

    Args:
        table: columns ``model``, ``variant`` (the task), ``size``, ``trial`` and the metric; None
            where there are no records, which leaves the panels empty.
        names: of the models, from top to bottom, and what they are called.
        metric: a share.

    Returns:
        The figure, and the means: ``variant, model, size, mean, least, most, n``.
    """
    figure, axes = figures.panels(list(TITLES.values()), width=1.1, height=0.95)
    given = ["model", "variant", "size", "trial", metric]
    table = pd.DataFrame(columns=given) if table is None else table
    sizes = sorted(table["size"].unique())
    shown = {name: label for name, label in names.items() if name in set(table["model"])}
    rows = []
    for axis, task in zip(axes, TITLES, strict=True):
        run = set(table.loc[table["variant"].eq(task), "model"])
        for shade, size in enumerate(sizes):
            shift = APART * (shade - (len(sizes) - 1) / 2)
            for place, model in enumerate(shown):
                where = table["variant"].eq(task) & table["model"].eq(model)
                values = table.loc[where & table["size"].eq(size), metric].dropna()
                if values.empty:
                    continue
                row = {"mean": values.mean(), "least": values.min(), "most": values.max()}
                row["n"] = len(values)
                rows.append({"variant": task, "model": model, "size": size, **row})
                look: Keywords = {"color": f"C{shade}", "clip_on": False}
                at = place + shift
                hollow: Keywords = {"ms": 3, "mfc": "none", "alpha": 0.6}
                axis.plot(values, [at] * len(values), "o", **hollow, **look)
                axis.plot(row["mean"], at, "o", ms=5, **look)
        if not run:
            axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center")
        for place, model in enumerate(shown):
            if run and model not in run:
                axis.text(0.02, place, "not run", color=figures.GREY, va="center", fontsize=8)
        bottom = max(len(shown), 1) - 0.5
        axis.set(xlim=(0, 1), xlabel="full-sequence accuracy", ylim=(bottom, -0.5))
        axis.set_yticks(range(len(shown)), list(shown.values()))
    handles = [
        Line2D([], [], color=f"C{shade}", marker="o", ls="", label=f"{size:,} training sequences")
        for shade, size in enumerate(sizes)
    ]
    if handles:
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure, pd.DataFrame(rows, columns=[*given[1::-1], "size", "mean", "least", "most", "n"])
