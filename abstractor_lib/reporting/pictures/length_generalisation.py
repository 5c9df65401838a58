"""The picture of length generalisation: accuracy and probe against the length of the test."""

import re

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...findings.statistics import mean_interval
from .. import figures
from ..curves.axes import not_run
from ..looks import COLORS

PANELS = {
    "abstractor": "Abstractor, by its symbols",
    "transformer": "Transformer, by its positions",
}
ROWS = {
    "full_sequence_accuracy": "full-sequence accuracy",
    "probe_pairs": "pairs ordered by the probe",
}
ARMS = {  # name -> label, colour, whether positions are randomised
    "learned": ("learned", "blue", False),
    "learned_randomised": ("learned", "blue", True),
    "sinusoidal": ("sinusoidal", "orange", False),
    "sinusoidal_randomised": ("sinusoidal", "orange", True),
    "relative": ("relative", "green", False),
    "relative_randomised": ("relative", "green", True),
    "transformer": ("sinusoidal", "orange", False),
    "transformer_randomised": ("sinusoidal", "orange", True),
    "transformer_bias": ("relative bias", "green", False),
    "transformer_rotary": ("rotary", "purple", False),
    "transformer_none": ("none", "grey", False),
}
MARKERS = {"blue": "o", "orange": "s", "green": "^", "purple": "D", "grey": "X"}
CHANCE = {"full_sequence_accuracy": 0.0, "probe_pairs": 0.5}


def by_length(
    table: pd.DataFrame | None, trained: tuple[int, int] = (5, 10)
) -> tuple[Figure, pd.DataFrame]:
    """Accuracy of whole sequences, and pairs that a linear read-out of the states orders rightly,
    against the number of objects: a line an arm, the mean over seeds with its 95 % interval.

    Args:
        table: columns ``model``, ``variant``, ``trial`` and the metrics, a row a run; None if
            nothing was run.
        trained: shortest and longest length of the training, which are shaded.

    Returns:
        The figure, and its points.
    """
    titles, sizes = [*PANELS.values(), "", ""], {"width": 1.3, "height": 0.95}
    figure, axes = figures.panels(titles, columns=2, sharey="row", **sizes)
    cells = [(metric, core) for metric in ROWS for core in PANELS]
    points = []
    for axis, (metric, core) in zip(axes, cells, strict=True):
        axis.axvspan(*trained, color="0.93", zorder=0)
        axis.set(ylim=(-0.03, 1.03) if CHANCE[metric] == 0 else (0.47, 1.015), ylabel=ROWS[metric])
        axis.set_xlabel("objects of a test sequence")
        if table is None:
            not_run(axis)
            continue
        if CHANCE[metric]:
            axis.axhline(CHANCE[metric], color="black", lw=1, ls=":")
        rows = table[table["variant"].eq(core)]
        for name in dict.fromkeys(rows["model"]):
            points += _line(axis, rows[rows["model"].eq(name)], str(name), metric)
    for axis in axes[:2] if table is not None else ():
        axis.legend(loc="lower left", fontsize=7)
    return figure, pd.DataFrame(points)


def _line(axis: Axes, rows: pd.DataFrame, name: str, metric: str) -> list[dict]:
    """One arm in one panel, and its points."""
    label, ink, randomised = ARMS[name]
    lengths = sorted(
        int(found[1]) for one in rows if (found := re.fullmatch(rf"{metric}_(\d+)", str(one)))
    )
    points = []
    for length in lengths:
        values = rows[f"{metric}_{length}"].dropna()
        point = {"metric": metric, "model": name, "length": length, "mean": values.mean()}
        if len(values) > 1:
            interval = mean_interval(values, within=(0.0, 1.0))
            point |= {"low": interval.low, "high": interval.high}
        points.append(point | {"n": len(values)})
    drawn = pd.DataFrame(points)
    axis.plot(
        drawn["length"],
        drawn["mean"],
        color=COLORS[ink],
        marker=MARKERS[ink],
        ms=4,
        mfc="white" if randomised else COLORS[ink],
        ls="--" if randomised else "-",
        label=f"{label}, randomised" if randomised else label,
    )
    if "low" in drawn:
        axis.fill_between(
            drawn["length"], drawn["low"], drawn["high"], color=COLORS[ink], alpha=0.1
        )
    return points
