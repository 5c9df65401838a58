"""Long training: which of the weights that a run keeps extrapolate best, and how the error swings.

``table`` and ``history`` are those of `curves.names.tidy`, of trials and of what was seen during
runs; without the runs of long training panels say "not run".
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ....experiments.curves.grid import WATCHED
from ....experiments.curves.names import of
from ... import figures
from ...curves.axes import not_run
from ...keywords import Keywords
from ...looks import COLORS, STRONGER, looks
from .results import CLASSES, DASHES, STAR, logarithmic, printed_at

WEIGHTS = {"last": "last", "averaged": "averaged", "best_loss": "lowest validation loss"}
MARKERS = {  # in colours that no model of these figures has
    "last": ("o", COLORS["green"]),
    "averaged": ("s", STRONGER["magenta"]),
    "best_loss": ("^", "0.35"),
}
MEAN: Keywords = {"marker": "|", "ls": "", "color": "black", "ms": 8, "mew": 1.2}


def by_weights(
    table: pd.DataFrame,
    labels: Mapping[str, str],
    references: Mapping[str, str],
    size: int,
    *,
    xlabel: str,
    printed: pd.DataFrame | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Extrapolation error by class of the last, the averaged and the best weights, a marker for
    each trained model, with their mean as a black dash.

    Args:
        labels: model -> what it is called, a row each.
        references: reference -> what it is called, a vertical line each.
        size: width of the models.
        printed: as that of `by_class`.

    Returns:
        The figure, and the points: ``class, model, weights, trial, value``.
    """
    figure, axes = figures.panels(list(CLASSES.values()), height=1.15)
    rows, points = table[(table["variant"] == WATCHED) & (table["size"] == size)], []
    for axis, name in zip(axes, CLASSES, strict=True):
        if rows.empty:
            not_run(axis)
        for at, model in enumerate(labels if len(rows) else ()):
            for shift, weights in zip((-0.27, 0.0, 0.27), WEIGHTS, strict=True):
                values = of(rows, model, "mse", name, variant=WATCHED, weights=weights)
                marker, color = MARKERS[weights]
                heights = at + shift + np.linspace(-0.08, 0.08, len(values))
                style: Keywords = {"ls": "", "ms": 4.5, "mec": "white", "mew": 0.3}
                axis.plot(values, heights, marker=marker, color=color, **style)
                if len(values) > 1:
                    axis.plot(values.mean(), at + shift, **MEAN)
                what = WEIGHTS[weights]
                points += [(name, model, what, trial, value) for trial, value in values.items()]
            beside = printed_at(axis, printed, model, "mse", name, at + 0.42)
            points += [(*one[:3], None, one[3]) for one in beside]
        for dash, reference in zip(DASHES, references, strict=False):
            for value in of(table, reference, "mse", name) if len(rows) else ():
                axis.axvline(value, color="black", lw=1, ls=dash)
        for at in range(1, len(labels)):
            axis.axhline(at - 0.5, color="0.9", lw=0.8, zorder=0)
        axis.set(xlabel=xlabel, ylim=(len(labels) - 0.5, -0.5))
        if len(rows):
            logarithmic(axis, "x")
    axes[0].set_yticks(range(len(labels)), list(labels.values()))
    extra: dict[str, Keywords] = {
        f"weights: {what}": {"marker": marker, "color": color, "ls": "", "ms": 6}
        for what, (marker, color) in zip(WEIGHTS.values(), MARKERS.values(), strict=True)
    }
    extra["mean over seeds"] = MEAN
    if printed is not None:
        extra["printed in the paper"] = STAR
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
    chosen = (history["variant"] == WATCHED) & (history["size"] == size)
    rows, styles = history[chosen & (history["measure"] == "rolled_mse")], looks(labels.values())
    columns, points = ["class", "model", "trial", "update", "value"], []
    for axis, name in zip(axes, CLASSES, strict=True):
        here = rows[rows["class"] == name]
        if here.empty:
            not_run(axis)
            continue
        for model, label in labels.items():
            runs = here[here["model"] == model].groupby("trial")
            for number, (_, run) in enumerate(runs):
                style: Keywords = {"color": styles[label].color, "lw": 0.9, "alpha": 0.8}
                named = {"label": label} if not number else {}
                axis.plot(run["update"], run["value"], **style, **named)
                points.append(run[columns])
        axis.set_xlabel("updates")
        logarithmic(axis, "y")
    axes[0].set_ylabel(ylabel)
    figures.legend(figure, axes)
    return figure, pd.concat(points) if points else pd.DataFrame(columns=columns)
