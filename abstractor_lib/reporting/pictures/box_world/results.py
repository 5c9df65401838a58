"""Win rates of scripts, by group and type of puzzle, and what rules and motifs tell.

``table`` is a protocol's table of trials.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ....experiments.box_world import results
from ....experiments.box_world.results import BRIDGED, NAMES, RULES, WORLDS
from ....tasks.box_world import Game, Kind, Puzzles, motifs
from ....tasks.box_world.puzzles import Box, boxes_of
from ... import figures
from ...curves.bars import bars, interval_table
from ...figures import GREY
from ...keywords import Keywords
from .board import board
from .colours import signs
from .graph import graph

GROUPS = {"all": "all puzzles", "first": "early bridge", "late": "late bridge"}
CLOSE = 0.9  # where the enlarged panel begins
ONE_COLOUR = "even_key"  # the best script that looks at one colour of a box
LEFT_OUT = ("anything", "nearest", "no_bridge_nearest")  # win as much as others that are shown
CHANCE = 0.5  # on late bridges, of players that never look at keys
EXAMPLES = (
    (Kind(3, 2, 5), "source"),
    (Kind(3, 2, 5), "sink"),
    (Kind(2), "the Gem's own sink"),
    (Kind(2, 1, 4), "no motif without the Gem"),
)


def win_rates(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Scripts, a row each, by group of puzzles, without those that a table alone has; below them,
    of all puzzles, what is published, and once more where training ended.

    Returns:
        The figure, and the points of all scripts: ``player, group, estimate, low, high, n``.
    """
    found = interval_table(results.win_rates(table), ["player", "group"])
    every, known = dict.fromkeys(found.index.get_level_values(0)), results.levels()
    order = [name for name in every if name not in LEFT_OUT]
    agents = {
        "agents, start of training": known.start,
        "agents, on the plateau": known.plateau,
        "relational agents, end": known.relational,
        "simplicial agents, end": known.simplicial,
    }
    names = [*(NAMES[name] for name in order), *agents]
    titles = [*GROUPS.values(), "all puzzles, enlarged"]
    figure, axes = figures.panels(titles, 4, width=0.8, height=1.3)
    for axis, group in zip(axes, [*GROUPS, "all"], strict=True):
        points = found.xs(group, level="group").loc[order]
        bars(axis, points, "a script", at=range(len(order)), sideways=True, ls="", ms=5)
        axis.axhline(len(order) - 0.5, color=GREY, lw=0.6)
        axis.set(
            xlim=(min(0.3, points["low"].min()), 1.04),
            xlabel="win rate",
            ylim=(len(names) - 0.4, -0.6),
        )
    hollow: Keywords = {"marker": "D", "mfc": "none", "color": "black", "ls": "", "ms": 5}
    places = range(len(order), len(names))
    runs = [*known.single, *known.simplicial_runs]
    rows = [places[2]] * len(known.single) + [places[3]] * len(known.simplicial_runs)
    close = axes[-1]
    close.set_xlim(CLOSE, 1.004)
    for axis in (axes[0], close):
        axis.plot(runs, rows, "|", color=GREY, ms=9, label="published, one run")
        axis.plot(list(agents.values()), places, label="published, mean of runs", **hollow)
    if ONE_COLOUR in order:
        close.axvline(found.loc[(ONE_COLOUR, "all"), "estimate"], color=GREY, lw=0.8, ls="--")
    axes[2].axvline(CHANCE, color="black", lw=1, ls=":")
    axes[2].text(CHANCE + 0.02, len(names) - 1, "chance", va="center", fontsize=8)
    axes[0].set_yticks(range(len(names)), names)
    figures.legend(figure, axes[:1])
    return figure, found.reset_index()


def by_type(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The win rate of each script on each type of puzzle with a bridge, as a picture with numbers.

    Returns:
        The figure, and the points: ``player, type, estimate, low, high, n``.
    """
    found = interval_table(results.by_type(table), ["player", "type"])
    order = [*dict.fromkeys(found.index.get_level_values(0))]
    matrix = found["estimate"].unstack().reindex(order, columns=[str(kind) for kind in BRIDGED])
    return _matrix(
        matrix.set_axis([NAMES[name] for name in order]), "win rate"
    ), found.reset_index()


def rules(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """For each type with a bridge, the share of states in which a rule names the bridge alone: a
    row a rule, as a picture with numbers.

    Returns:
        The figure, and the points: ``type, states``, and a column for each rule.
    """
    found = results.rules(table)
    matrix = found.set_index("type")[list(RULES)].rename(columns=RULES).T
    return _matrix(matrix, "share of states", height=0.85), found


def _matrix(matrix: pd.DataFrame, label: str, height: float = 1.15) -> Figure:
    """Shares as a picture with numbers, a column a type of puzzle."""
    figure, (axis,) = figures.panels([""], width=2.6, height=height)
    image = axis.imshow(matrix, cmap="viridis", vmin=0, vmax=1, aspect="auto")
    for row, column in np.ndindex(matrix.shape):
        value = matrix.iat[row, column]
        ink = "black" if value > 0.6 else "white"
        axis.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    axis.set_xticks(range(matrix.shape[1]), matrix.columns, rotation=45, ha="right")
    axis.set_yticks(range(len(matrix)), matrix.index)
    axis.set_xlabel("type of puzzle")
    figure.colorbar(image, ax=axis, label=label)
    return figure


def standard(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Scripts in Box World without bridges, a row for each and world.

    Returns:
        The figure, and the points: ``world, player, estimate, low, high, n``.
    """
    found = interval_table(results.standard(table), ["world", "player"])
    labels = [NAMES[player] + WORLDS[world] for world, player in found.index]
    figure, (axis,) = figures.panels(["standard Box World"], width=1.5, height=0.85)
    bars(axis, found, "a script", at=range(len(found)), sideways=True, ls="")
    axis.set_yticks(range(len(found)), labels)
    axis.invert_yaxis()
    axis.set(xlim=(0, 1.04), xlabel="win rate")
    return figure, found.reset_index()


def puzzle(puzzles: Puzzles) -> tuple[Figure, pd.DataFrame]:
    """The first of some puzzles: its board, and its graph.

    Returns:
        The figure, and the boxes: ``key, lock``.
    """
    kind, height = puzzles.kind(), 2.8 if puzzles.rules.locks == 2 else 3.2
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, height), layout="constrained")
    board(left, Game(puzzles).picture(), signs(puzzles), "board and inventory")
    more = f", type {kind}" if kind.lock else ""
    graph(right, puzzles, title=f"graph of the puzzle{more}")
    return figure, pd.DataFrame(puzzles.boxes(), columns=["key", "lock"])


def motif_examples(many: Puzzles) -> tuple[Figure, pd.DataFrame]:
    """Graphs of puzzles with a source, a sink, the Gem's own sink, and a bridge that meets
    no other box than the Gem.

    Args:
        many: puzzles, among which there are some of these types.

    Returns:
        The figure, and the boxes with strong arrows: ``panel, key, lock``.
    """
    figure, axes = plt.subplots(2, 2, figsize=(7.6, 4.4), layout="constrained")
    points = []
    for axis, (kind, title) in zip(axes.flat, EXAMPLES, strict=True):
        some = many[np.flatnonzero((many.kinds == kind).all(axis=1))[:1]]
        closed = motifs.boxes(motifs.State(tuple(boxes_of(kind)), ()), gem=kind.lock == 0)
        pairs = motifs.sources(closed) if title == "source" else motifs.sinks(closed)
        pair = pairs[0] if pairs else (Box(kind.key, kind.lock),)
        graph(axis, some, shown=pair, title=f"{title}\n{kind}")
        points += [(f"{title} {kind}", *box) for box in pair]
    return figure, pd.DataFrame(points, columns=["panel", "key", "lock"])
