"""Diagrams of models, drawn from what `tracing` finds in a forward pass."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from .tracing import BOTH, FEATURES, NEITHER, RELATIONS, Arrow

COLORS = {  # those of v3 Figure 1: red object features, blue relations, purple both
    FEATURES: "#d9544d",
    RELATIONS: "#4a7ebb",
    BOTH: "#8e63b0",
    NEITHER: "#8c8c8c",
}
CARRIED = {
    FEATURES: "features of objects",
    RELATIONS: "relations",
    BOTH: "both, mixed",
    NEITHER: "symbols or target",
}


def table(drawn: Mapping[str, list[Arrow]]) -> pd.DataFrame:
    """Arrows of several models as rows ``panel, start, end, carries``."""
    rows = [
        (panel, one.start, one.end, one.carries) for panel, some in drawn.items() for one in some
    ]
    return pd.DataFrame(rows, columns=["panel", "start", "end", "carries"])


_ROWS = {"symbols": -1.0, "abstractor": 0.0, "target": 2.0}  # the others lie on row 1
_PITCH, _WIDTH, _HEIGHT = 1.75, 1.25, 0.46


def places(found: list[Arrow]) -> dict[str, tuple[float, float]]:
    """Where each block lies: columns by the longest way from the input, rows by its kind."""
    column = {name: 0 for one in found for name in (one.start, one.end)}
    for _ in found:
        for one in found:
            column[one.end] = max(column[one.end], column[one.start] + 1)
    for one in found:  # what only one block reads stands above or below it
        if one.start.startswith(("symbols", "target")):
            column[one.start] = column[one.end]
    return {name: (_PITCH * x, _ROWS.get(name.split()[0], 1.0)) for name, x in column.items()}


def draw(axis: Axes, found: list[Arrow], title: str) -> None:
    """Boxes and arrows of one model; an arrow's colour is what it carries."""
    where = places(found)
    for one in found:
        start, end = (np.array(where[name]) for name in (one.start, one.end))
        edge = _to_edge(end - start)
        axis.add_patch(
            FancyArrowPatch(
                start + edge,
                end - edge,
                arrowstyle="-|>",
                mutation_scale=10,
                color=COLORS[one.carries],
                lw=1.6,
                shrinkA=1,
                shrinkB=1,
            )
        )
    for name, (x, y) in where.items():
        relational = name.startswith("abstractor")
        axis.add_patch(
            FancyBboxPatch(
                (x - _WIDTH / 2, y - _HEIGHT / 2),
                _WIDTH,
                _HEIGHT,
                boxstyle="round,pad=0,rounding_size=0.1",
                fc=sns.light_palette(COLORS[RELATIONS], 8)[2] if relational else "white",
                ec="0.3",
                lw=1,
                zorder=3,
            )
        )
        axis.text(x, y, name.capitalize(), ha="center", va="center", fontsize=6.5, zorder=4)
    axis.set(xlim=(-0.8, 4 * _PITCH + 0.8), ylim=(-1.35, 2.35), aspect="equal")
    axis.set_title(title, fontsize=8)
    axis.set_axis_off()


def _to_edge(way: np.ndarray) -> np.ndarray:
    """From the middle of a box to its edge, in the direction of ``way``."""
    with np.errstate(divide="ignore"):
        return way * min(np.array([_WIDTH, _HEIGHT]) / 2 / np.abs(way))


def architectures(drawn: Mapping[str, list[Arrow]], columns: int = 2) -> Figure:
    """One panel a model, titled by its key, with one legend."""
    rows = -(-len(drawn) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(4.0 * columns, 2.0 * rows), squeeze=False, layout="constrained"
    )
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (title, found) in zip(axes.flat, drawn.items(), strict=False):
        draw(axis, found, title)
    handles = [
        plt.Line2D([], [], color=color, lw=2, label=CARRIED[name]) for name, color in COLORS.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


FRAMEWORK = [
    ("input", "encoder"),
    ("encoder", "abstractor"),
    ("symbols", "abstractor"),
    ("abstractor", "decoder"),
]


def framework(found: Mapping[str, np.ndarray], drawn: Sequence[Arrow]) -> Figure:
    """v1 Figure 1 with the states of a real model in it: encoder, abstract and decoder states, and
    the relational bottleneck between the first two.

    Args:
        found: its `states`.
        drawn: its `arrows`, which give the figure's arrows their colours.

    Raises:
        ValueError: if the model lacks one of the figure's arrows.
    """
    carried = {(one.start, one.end): one.carries for one in drawn}
    for pair in FRAMEWORK:
        if pair not in carried:
            raise ValueError(f"drawn has no arrow from {pair[0]} to {pair[1]}; expected one")
    figure = plt.figure(figsize=(8.4, 3.9))
    width, height = 0.135, 0.36
    spots = {  # name: left, bottom, title, colour
        "X": (0.03, 0.5, "objects X", "Reds"),
        "E": (0.22, 0.5, "encoder states E", "Purples"),
        "R": (0.42, 0.5, "relations R", "Blues"),
        "S": (0.42, 0.04, "symbols S", "Greys"),
        "A": (0.63, 0.5, "abstract states A", "Blues"),
        "D": (0.83, 0.5, "decoder states D", "Blues"),
    }
    for name, (left, bottom, title, cmap) in spots.items():
        axis = figure.add_axes((left, bottom, width, height))
        axis.imshow(found[name], cmap=cmap, aspect="auto")
        axis.set_title(title, fontsize=8)
        axis.set(xticks=[], yticks=[])
    middle = 0.5 + height / 2
    links = [  # from, to, which arrow of the model this is
        ((0.17, middle), (0.215, middle), ("input", "encoder")),
        ((0.36, middle), (0.415, middle), ("encoder", "abstractor")),
        ((0.56, middle), (0.625, middle), ("abstractor", "decoder")),
        ((0.56, 0.04 + height / 2), (0.69, 0.485), ("symbols", "abstractor")),
        ((0.77, middle), (0.825, middle), ("abstractor", "decoder")),
    ]
    for start, end, pair in links:
        figure.add_artist(
            FancyArrowPatch(
                start,
                end,
                transform=figure.transFigure,
                arrowstyle="-|>",
                mutation_scale=11,
                color=COLORS[carried[pair]],
                lw=1.8,
            )
        )
    line = {"color": "0.2", "ls": "--", "lw": 1, "transform": figure.transFigure}
    figure.add_artist(plt.Line2D([0.388, 0.388], [0.03, 0.96], **line))
    note = "relational bottleneck:\nonly inner products of\nobjects pass"
    figure.text(0.375, 0.2, note, ha="right", va="center", fontsize=8)
    figure.text(0.6, 0.1, "symbols depend on\nno object's features", fontsize=8)
    return figure


def computation(rows: Mapping[str, Sequence[tuple[str, np.ndarray, str]]]) -> Figure:
    """What goes into a layer, step by step, a row of matrices for each layer.

    Args:
        rows: label of a row -> ``(title, matrix, colour map)`` for each step. Steps of one column
            and colour map share their scale.
    """
    across = max(len(steps) for steps in rows.values())
    figure, axes = plt.subplots(
        len(rows),
        across,
        figsize=(1.75 * across, 1.95 * len(rows)),
        layout="constrained",
        squeeze=False,
    )
    scales: dict[tuple[int, str], float] = {}
    for steps in rows.values():
        for column, (_, matrix, cmap) in enumerate(steps):
            largest = float(np.abs(matrix).max())
            scales[column, cmap] = max(scales.get((column, cmap), 0.0), largest)
    for line, (label, steps) in zip(axes, rows.items(), strict=True):
        for axis in line[len(steps) :]:
            axis.set_axis_off()
        for column, (axis, (title, matrix, cmap)) in enumerate(zip(line, steps, strict=False)):
            largest = scales[column, cmap] or 1.0
            low = 0.0 if matrix.min() >= 0 else -largest
            axis.imshow(matrix, cmap=cmap, vmin=low, vmax=largest, aspect="auto")
            axis.set(xticks=[], yticks=[])
            axis.set_title(title, fontsize=7.5)
            square = matrix.shape[0] == matrix.shape[1]
            axis.set_xlabel("j" if square else "feature", fontsize=7, labelpad=2)
            axis.set_ylabel("i", fontsize=7, labelpad=2)
        line[0].set_ylabel(f"{label}\ni", fontsize=8)
    return figure
