"""Long training: which of the weights that a run keeps extrapolate best, and how the error swings.

``table`` and ``history`` are those of trials and of what was seen during runs; without the runs of
long training panels say "not run".
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ... import figures
from ...curves.axes import not_run
from ...looks import COLORS, looks
from .results import CLASSES, DASHES, WATCHED, logarithmic, of

WEIGHTS = {"": "last", "averaged_": "averaged", "best_loss_": "best validation loss"}
MARKERS = {"": ("o", "blue"), "averaged_": ("s", "orange"), "best_loss_": ("^", "green")}


def by_weights(
    table: pd.DataFrame,
    labels: Mapping[str, str],
    references: Mapping[str, str],
    size: int,
    *,
    xlabel: str,
) -> tuple[Figure, pd.DataFrame]:
    """Extrapolation error by class of the last, the averaged and the best weights, a marker for
    each trained model, with their mean as a black dash.

    Args:
        labels: model -> what it is called, a row each.
        references: reference -> what it is called, a vertical line each.
        size: width of the models.

    Returns:
        The figure, and the points: ``class, model, weights, trial, value``.
    """
    figure, axes = figures.panels(list(CLASSES.values()), height=1.15)
    rows, points = _of_size(table, size), []
    for axis, name in zip(axes, CLASSES, strict=True):
        if rows.empty:
            not_run(axis)
        for at, model in enumerate(labels):
            for shift, prefix in zip((-0.27, 0.0, 0.27), WEIGHTS, strict=True):
                metric = f"{prefix}mse_{name}"
                if rows.empty or metric not in rows:
                    continue
                values = rows[rows["model"] == model].set_index("trial")[metric].dropna()
                marker, color = MARKERS[prefix]
                heights = at + shift + np.linspace(-0.08, 0.08, len(values))
                style = {"ls": "", "ms": 4.5, "mec": "white", "mew": 0.3}
                axis.plot(values, heights, marker=marker, color=COLORS[color], **style)
                if len(values) > 1:
                    axis.plot(values.mean(), at + shift, "|", color="black", ms=8, mew=1.2)
                what = WEIGHTS[prefix]
                points += [(name, model, what, trial, value) for trial, value in values.items()]
        for dash, reference in zip(DASHES, references, strict=False):
            for value in of(table, reference, f"mse_{name}") if len(rows) else ():
                axis.axvline(value, color="black", lw=1, ls=dash)
        axis.set(xlabel=xlabel, ylim=(len(labels) - 0.4, -0.6))
        if len(rows):
            logarithmic(axis, "x")
    axes[0].set_yticks(range(len(labels)), list(labels.values()))
    extra = {
        f"weights: {what}": {"marker": marker, "color": COLORS[color], "ls": "", "ms": 6}
        for what, (marker, color) in zip(WEIGHTS.values(), MARKERS.values(), strict=True)
    }
    lines = dict(zip(references.values(), DASHES, strict=False))
    extra |= {label: {"color": "black", "ls": dash} for label, dash in lines.items()}
    figures.legend(figure, axes, extra)
    return figure, pd.DataFrame(points, columns=["class", "model", "weights", "trial", "value"])


def swings(
    history: pd.DataFrame, labels: Mapping[str, str], size: int, *, ylabel: str
) -> tuple[Figure, pd.DataFrame]:
    """Extrapolation error of validation curves during training, a thin line for each trained model.

    Args:
        labels: model -> what it is called, a colour each.
        size: width of the models.

    Returns:
        The figure, and the points: ``class, model, trial, update, value``.
    """
    figure, axes = figures.panels(list(CLASSES.values()), sharey=False)
    rows, styles, points = _of_size(history, size), looks(labels.values()), []
    for axis, name in zip(axes, CLASSES, strict=True):
        metric = f"rolled_mse_{name}"
        if rows.empty or metric not in rows:
            not_run(axis)
            continue
        for model, label in labels.items():
            runs = rows[rows["model"] == model].dropna(subset=metric)
            for number, (trial, run) in enumerate(runs.groupby("trial")):
                style = {"color": styles[label].color, "lw": 0.9, "alpha": 0.8}
                named = {"label": label} if not number else {}
                axis.plot(run["update"], run[metric], **style, **named)
                part = run[["update", metric]].rename(columns={metric: "value"})
                points.append(part.assign(model=model, trial=trial, **{"class": name}))
        axis.set_xlabel("updates")
        logarithmic(axis, "y")
    axes[0].set_ylabel(ylabel)
    figures.legend(figure, axes)
    columns = ["class", "model", "trial", "update", "value"]
    return figure, pd.concat(points)[columns] if points else pd.DataFrame(columns=columns)


def _of_size(rows: pd.DataFrame, size: int) -> pd.DataFrame:
    """Those of long training with models of a width."""
    if rows.empty:
        return rows
    return rows[(rows["variant"] == WATCHED) & (rows["size"] == size)]
