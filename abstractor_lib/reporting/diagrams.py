"""Diagrams of models, drawn from what their modules pass to each other in a forward pass.

An arrow is drawn because the tensor that one block returned is the tensor that another received,
and its colour says what a derivative found in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from torch import Tensor, nn

from ..nn import (
    Abstractor,
    InnerProductRelation,
    MultiHeadAttention,
    MultiHeadRelation,
    SequenceToSequence,
)

FEATURES, RELATIONS, BOTH, NEITHER = "features", "relations", "both", "symbols"
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


@dataclass(frozen=True)
class Arrow:
    """One block's output, received by another, and what it carries of the source objects."""

    start: str
    end: str
    carries: str


def blocks(model: SequenceToSequence) -> dict[str, nn.Module]:
    """The blocks of a sequence-to-sequence model that a diagram shows, by their names in it."""
    found = {"input": model.source, "encoder": model.encoder}
    several = len(model.abstractors) > 1
    for number, abstractor in enumerate(model.abstractors, start=1):
        label = f" {number}" if several else ""
        found[f"symbols{label}"] = abstractor.symbols
        found[f"abstractor{label}"] = abstractor
    found |= {"concatenate": model.concatenate, "target": model.target, "decoder": model.decoder}
    return {name: module for name, module in found.items() if module is not None}


def arrows(model: SequenceToSequence, source: Tensor, target: Tensor) -> list[Arrow]:
    """What each block receives from which other, found by running the model.

    What an arrow carries is found by differentiating with respect to the embedded objects, twice:
    as the model is, and with the relations that its Abstractors compute held fixed. What still
    depends on the objects then has received their features.

    Args:
        model: put into evaluation mode, so that nothing is dropped between blocks.
        source, target: any input it takes.

    Returns:
        Arrows in the order in which blocks are first used. ``carries`` is ``features`` from the
        input itself, ``both`` where features arrive mixed with relations, ``relations`` where
        objects matter through relations only, and ``symbols`` where they do not matter.
    """
    pairs, whole = _run(model.eval(), source, target, fixed=False)
    _, without = _run(model, source, target, fixed=True)
    found = []
    for start, end in pairs:
        carries = FEATURES if start == "input" else BOTH if without[start] else NEITHER
        if carries == NEITHER and whole[start]:
            carries = RELATIONS
        if not end.startswith("symbols") or whole[end]:  # most symbols only count the objects
            found.append(Arrow(start, end, carries))
    return found


def _run(
    model: SequenceToSequence, source: Tensor, target: Tensor, fixed: bool
) -> tuple[list[tuple[str, str]], dict[str, bool]]:
    """Who received whose output, and whose output depends on the embedded objects."""
    made: dict[str, Tensor] = {}
    received: list[tuple[str, str]] = []
    hooks = []

    def receive(name: str, values) -> None:
        for tensor in _tensors(values):
            for start, other in made.items():
                if other is tensor and start != name and (start, name) not in received:
                    received.append((start, name))

    def keep(name: str, output: Tensor) -> Tensor:
        made[name] = output.requires_grad_() if name == "input" else output
        return made[name]

    for name, block in blocks(model).items():
        hooks += [
            block.register_forward_pre_hook(
                lambda _, args, kwargs, name=name: receive(name, (args, kwargs)), with_kwargs=True
            ),
            block.register_forward_hook(lambda _, args, output, name=name: keep(name, output)),
        ]
        if not isinstance(block, Abstractor):
            continue
        for layer in block.layers:  # symbols are made in the Abstractor, received by its layers
            hooks.append(
                layer.register_forward_pre_hook(lambda _, args, name=name: receive(name, args))
            )
        for part in block.modules() if fixed else ():
            if isinstance(part, MultiHeadAttention):
                projections = [one for one in (part.query, part.key) if one is not None]
            else:
                relation = isinstance(part, MultiHeadRelation | InnerProductRelation)
                projections = [part] if relation else []
            for one in projections:
                hooks.append(one.register_forward_hook(lambda _, args, output: output.detach()))
    try:
        model(source, target)
    finally:
        for hook in hooks:
            hook.remove()
    return received, {name: _depends(output, made["input"]) for name, output in made.items()}


def _depends(output: Tensor, on: Tensor) -> bool:
    if not output.requires_grad:
        return False
    weights = torch.linspace(1, 2, output.numel()).view_as(output)  # no symmetry to cancel in
    (gradient,) = torch.autograd.grad(
        (weights * output).sum(), on, allow_unused=True, retain_graph=True
    )
    return gradient is not None and bool(gradient.abs().max() > 0)


def _tensors(values) -> list[Tensor]:
    if isinstance(values, Tensor):
        return [values]
    if isinstance(values, Mapping):
        values = values.values()
    elif not isinstance(values, list | tuple):
        return []
    return [tensor for value in values for tensor in _tensors(value)]


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


@torch.no_grad()
def states(model: SequenceToSequence, source: Tensor, target: Tensor) -> dict[str, np.ndarray]:
    """The states of architecture (b) on one example, as v1 Figure 1 names them.

    Args:
        model: with an encoder and one Abstractor.
        source, target: batches of one.

    Returns:
        ``X`` objects, ``E`` encoder states, ``R`` relations of the first head of the Abstractor's
        first layer, ``S`` symbols, ``A`` abstract states, ``D`` decoder states; each a matrix with
        a row for each object or token.
    """
    model = model.eval()
    (abstractor,) = model.abstractors
    embedded = model.source(source)
    encoded = model.encoder(embedded)
    symbols = abstractor.symbols(encoded)
    layer = abstractor.layers[0].relational
    _, relations = layer(encoded, symbols, need_weights=True)
    abstract = abstractor(encoded)
    decoded = model.decoder(model.target(target), [abstract])
    found = {"X": source, "E": encoded, "R": relations[:, 0], "S": symbols, "A": abstract}
    return {
        name: (value[0] if value.dim() == 3 else value).numpy()
        for name, value in {**found, "D": decoded}.items()
    }


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
        len(rows), across, figsize=(1.75 * across, 1.95 * len(rows)), layout="constrained"
    )
    scales: dict[tuple[int, str], float] = {}
    for steps in rows.values():
        for column, (_, matrix, cmap) in enumerate(steps):
            largest = float(np.abs(matrix).max())
            scales[column, cmap] = max(scales.get((column, cmap), 0.0), largest)
    for line, (label, steps) in zip(axes, rows.items(), strict=True):
        for column, (axis, (title, matrix, cmap)) in enumerate(zip(line, steps, strict=True)):
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
