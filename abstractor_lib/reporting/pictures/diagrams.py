"""Diagrams of models, drawn from what `tracing` finds in a forward pass."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from ...nn.tracing import BOTH, FEATURES, NEITHER, RELATIONS, Arrow
from ..keywords import Keywords

LETTERS = 8  # points, of titles; boxes and colour bars have smaller ones
SHADES = 24  # of a colour map: a PNG's palette of 256 holds those of five, and of text
COLORS = {  # those of v3 Figure 1: red object features, blue relations, purple both
    FEATURES: "#d9544d",
    RELATIONS: "#4a7ebb",
    BOTH: "#8e63b0",
    NEITHER: "#8c8c8c",
}
STYLES = {  # readable in grey
    FEATURES: "-",
    RELATIONS: (0, (2.4, 0.8)),
    BOTH: (0, (3, 0.7, 0.7, 0.7)),
    NEITHER: (0, (0.9, 0.7)),
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
        (panel, arrow.start, arrow.end, arrow.carries)
        for panel, arrows in drawn.items()
        for arrow in arrows
    ]
    return pd.DataFrame(rows, columns=["panel", "start", "end", "carries"])


ARCHITECTURES = {  # of v3 Figure 2, with the titles of their panels
    "a": "(a) purely relational",
    "b": "(b) purely relational, with an encoder",
    "c": "(c) partially relational, two streams",
    "d": "(d) partially relational, one after the other",
    "e": "(e) relations between relations",
    "transformer": "Transformer, for comparison",
}
_ROWS = {"symbols": -1.0, "abstractor": 0.0, "target": 2.0}  # the others lie on row 1
_PITCH, _WIDTH, _HEIGHT = 2.3, 1.68, 0.58


def places(arrows: list[Arrow]) -> dict[str, tuple[float, float]]:
    """Where each block lies: columns by the longest way from the input, rows by its kind."""
    column = {name: 0 for arrow in arrows for name in (arrow.start, arrow.end)}
    for _ in arrows:
        for arrow in arrows:
            column[arrow.end] = max(column[arrow.end], column[arrow.start] + 1)
    for arrow in arrows:  # what only one block reads stands above or below it
        if arrow.start.startswith(("symbols", "target")):
            column[arrow.start] = column[arrow.end]
    return {name: (_PITCH * x, _ROWS.get(name.split()[0], 1.0)) for name, x in column.items()}


def draw(axis: Axes, arrows: list[Arrow], title: str) -> None:
    """Boxes and arrows of one model; colour and line style of an arrow are what it carries."""
    where = places(arrows)
    for arrow in arrows:
        start, end = (np.array(where[name]) for name in (arrow.start, arrow.end))
        edge = _to_edge(end - start)
        for part in _arrow(start + edge, end - edge, arrow.carries):
            axis.add_patch(part)
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
        axis.text(x, y, name.capitalize(), ha="center", va="center", fontsize=6.6, zorder=4)
    axis.set(xlim=(-0.9, 4 * _PITCH + 1.4), ylim=(-1.35, 2.4), aspect="equal")
    axis.set_title(title, fontsize=LETTERS, loc="left", x=0.0)
    axis.set_axis_off()


def _arrow(start: np.ndarray, end: np.ndarray, carries: str, **options) -> list[FancyArrowPatch]:
    """A shaft in the line style of what is carried, and a head."""
    near = start + 0.85 * (end - start)
    first, middle, last = ((x, y) for x, y in (start, near, end))
    options |= {"color": COLORS[carries], "lw": 1.7, "shrinkB": 0}
    look: Keywords = {"arrowstyle": "-", "ls": STYLES[carries], "capstyle": "butt", "shrinkA": 1}
    return [
        FancyArrowPatch(first, middle, **look, **options),
        FancyArrowPatch(middle, last, arrowstyle="-|>", mutation_scale=10, shrinkA=0, **options),
    ]


def _to_edge(way: np.ndarray) -> np.ndarray:
    """From the middle of a box to its edge, in the direction of ``way``."""
    with np.errstate(divide="ignore"):
        return way * min(np.array([_WIDTH, _HEIGHT]) / 2 / np.abs(way))


def architectures(drawn: Mapping[str, list[Arrow]]) -> Figure:
    """One panel a model, titled by its key, two side by side, with one legend."""
    rows = -(-len(drawn) // 2)
    figure, axes = plt.subplots(
        rows, 2, figsize=(8.4, 1.9 * rows), squeeze=False, layout="constrained"
    )
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (title, arrows) in zip(axes.flat, drawn.items(), strict=False):
        draw(axis, arrows, title)
    handles = [
        plt.Line2D([], [], color=color, ls=STYLES[name], lw=2, label=CARRIED[name])
        for name, color in COLORS.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=3)
    return figure


FRAMEWORK = [
    ("input", "encoder"),
    ("encoder", "abstractor"),
    ("symbols", "abstractor"),
    ("abstractor", "decoder"),
]


def framework(states: Mapping[str, np.ndarray], drawn: Sequence[Arrow]) -> Figure:
    """v1 Figure 1 with the states of a real model in it: encoder, abstract and decoder states, and
    the relational bottleneck between the first two.

    Args:
        states: its `states`.
        drawn: its `arrows`, which give the figure's arrows their colours and line styles.

    Raises:
        ValueError: if the model lacks one of the figure's arrows.
    """
    carried = {(arrow.start, arrow.end): arrow.carries for arrow in drawn}
    for pair in FRAMEWORK:
        if pair not in carried:
            raise ValueError(f"drawn has no arrow from {pair[0]} to {pair[1]}; expected one")
    figure = plt.figure(figsize=(8.4, 4.3))
    width, height, top = 0.135, 0.27, 0.62
    spots = {  # name: left, bottom, title, colour map, what columns are
        "X": (0.03, top, "objects X", "Reds", "feature"),
        "E": (0.225, top, "encoder states E", "Purples", "feature"),
        "R": (0.43, top, "relations R", "Blues", "object j"),
        "S": (0.43, 0.14, "symbols S", "Greys", "feature"),
        "A": (0.635, top, "abstract states A", "Blues", "feature"),
        "D": (0.84, top, "decoder states D", "Blues", "feature"),
    }
    for name, (left, bottom, title, cmap, across) in spots.items():
        axis = figure.add_axes((left, bottom, width, height))
        _matrix(axis, states[name], cmap, across)
        axis.set_title(title, fontsize=LETTERS)
        axis.set_ylabel("token" if name == "D" else "object i", fontsize=7, labelpad=2)
    middle = top + height / 2
    links = [  # from, to, which arrow of the model this is
        ((0.172, middle), (0.203, middle), ("input", "encoder")),
        ((0.367, middle), (0.408, middle), ("encoder", "abstractor")),
        ((0.572, middle), (0.613, middle), ("abstractor", "decoder")),
        ((0.572, 0.14 + height / 2), (0.702, 0.49), ("symbols", "abstractor")),
        ((0.777, middle), (0.818, middle), ("abstractor", "decoder")),
    ]
    for start, end, pair in links:
        for part in _arrow(
            np.array(start), np.array(end), carried[pair], transform=figure.transFigure
        ):
            figure.add_artist(part)
    line: Keywords = {"color": "0.2", "ls": "--", "lw": 1, "transform": figure.transFigure}
    figure.add_artist(plt.Line2D([0.388, 0.388], [0.03, 0.96], **line))
    note = "relational bottleneck:\nonly inner products of\nencoder states pass"
    figure.text(0.375, 0.14 + height / 2, note, ha="right", va="center", fontsize=LETTERS)
    figure.text(0.63, 0.19, "symbols depend on\nno object's features", fontsize=LETTERS)
    return figure


def computation(
    rows: Mapping[str, Sequence[tuple[str, np.ndarray, str]]], between: Sequence[str] = ()
) -> Figure:
    """What goes into a layer, step by step, a row of matrices for each layer. It is narrow, so that
    its words can be read on a phone.

    Args:
        rows: label of a row -> ``(title, matrix, colour map)`` for each step. Steps of one column
            and colour map share their scale.
        between: signs such as ``=`` between a step and the next.
    """
    across = max(len(steps) for steps in rows.values())
    figure, axes = plt.subplots(
        len(rows),
        across,
        figsize=(0.92 * across, 2.1 * len(rows)),
        gridspec_kw={"wspace": 0.36, "hspace": 0.95},
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
            square = matrix.shape[0] == matrix.shape[1]
            named = "object j" if square else "feature"
            _matrix(axis, matrix, cmap, named, scales[column, cmap], letters=LETTERS)
            axis.set_title(title, fontsize=LETTERS)
            if column < len(between):
                where = {"transform": axis.transAxes, "ha": "center", "va": "center"}
                axis.text(1.19, 0.5, between[column], fontsize=10, **where)
        line[0].set_ylabel(f"{label}\nobject i", fontsize=LETTERS)
    return figure


def _matrix(
    axis: Axes,
    matrix: np.ndarray,
    cmap: str,
    across: str,
    largest: float | None = None,
    letters: float = 6.5,
) -> None:
    """A matrix with a colour bar under it, which ends at two digits of the largest value."""
    largest = float(np.abs(matrix).max()) if largest is None else largest
    digit = 10.0 ** np.floor(np.log10(largest) - 1) if largest > 0 else 1.0
    largest = float(np.ceil(largest / digit) * digit) or 1.0
    low = 0.0 if matrix.min() >= 0 else -largest
    shades = plt.get_cmap(cmap, SHADES)
    image = axis.imshow(matrix, cmap=shades, vmin=low, vmax=largest, aspect="auto")
    axis.set(xticks=[], yticks=[])
    axis.set_xlabel(across, fontsize=max(letters, 7), labelpad=2)
    bar = axis.inset_axes((0.0, -0.28, 1.0, 0.06))
    axis.figure.colorbar(image, cax=bar, orientation="horizontal", ticks=[low, largest])
    bar.set_xticklabels([f"{tick:g}" for tick in (low, largest)], fontsize=letters)
    for label, side in zip(bar.get_xticklabels(), ("left", "right"), strict=True):
        label.set_horizontalalignment(side)
    bar.tick_params(length=2, pad=1)
