"""Looking inside agents that were trained: what they read, and what they decide in one puzzle."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...experiments.agents.decisions import Decision, named
from ...experiments.agents_attention.forks import KINDS, Forks
from ...nn.simplicial_block import SimplicialWeights
from ...tasks.box_world.puzzles import Puzzles
from ...tasks.box_world.rules import GEM
from .. import figures
from ..keywords import Keywords
from .agents import INKS, NAMES
from .box_world.board import board
from .box_world.colours import signs

METRICS = {
    "pairs_over_uniform": "attention to pairs that matter\n/ uniform attention",
    "pairs_over_boxes": "attention to pairs that matter\n/ to key and any two boxes",
    "objects_unlike": "how much objects differ in what\nthey attend to (total variation)",
}
RATIOS = ("pairs_over_uniform", "pairs_over_boxes")  # of these 1 is no difference
COLUMNS = 4  # decisions side by side
BLUES: Keywords = {"cmap": "Blues", "vmin": 0, "vmax": 1, "aspect": "auto"}


def one_state(
    weights: Sequence[SimplicialWeights], forks: Forks, puzzles: Puzzles
) -> tuple[Figure, pd.DataFrame]:
    """Attention in one state, as in the paper's Figure 7: above, what virtual entities read in the
    first block; below, 2-simplicial attention in both.

    Args:
        weights: of a 2-simplicial agent; the first state is drawn.
        forks, puzzles: the states, and the puzzles that they belong to.

    Returns:
        The figure, and its points: ``panel, row, column, weight``, to two digits.

    Raises:
        ValueError: if the agent has no 2-simplicial attention.
    """
    virtual = weights[0].virtual
    pairs = [block.pairs for block in weights if block.pairs is not None]
    if virtual is None or len(pairs) != len(weights):
        raise ValueError("weights have no pairs; expected those of a 2-simplicial agent")
    shown = torch.nonzero(forks.objects[0])[:, 0]
    shown = shown[forks.kinds[0, shown].argsort(stable=True)]
    columns = [_words(forks, puzzles, int(token)) for token in shown]
    read = virtual[0][..., shown].transpose(0, 1).flatten(0, 1)  # (m * h, t)
    heads, count = virtual.shape[1], virtual.shape[2]
    readers = [f"virtual {m + 1}, head {h + 1}" for m in range(count) for h in range(heads)]
    names = [f"({j + 1}, {k + 1})" for j in range(count) for k in range(count)]
    parts = {"first block: what virtual entities read": (readers, read.numpy())}
    for title, block in zip(("first", "second"), pairs, strict=True):
        seen = block[0].mean(dim=0)[shown].flatten(1).T  # (m * m, t)
        parts[f"{title} block: 2-simplicial attention to pairs"] = (names, seen.numpy())
    figures.style()
    figure, axes = plt.subplots(len(parts), 1, figsize=(7.2, 4.6), layout="constrained")
    points = []
    for axis, (title, (rows, values)) in zip(axes, parts.items(), strict=True):
        last = axis is axes[-1]
        image, drawn = _matrix(axis, values, rows, columns if last else [])
        axis.set_title(title)
        points.append(_points(drawn, rows, columns).assign(panel=title))
    axes[-1].set_xlabel("object that is read (above), or that reads (below): lock → key")
    figure.colorbar(image, ax=axes, shrink=0.6, label="attention")
    return figure, pd.concat(points)


def _words(forks: Forks, puzzles: Puzzles, token: int) -> str:
    """An object: what it is, and the numbers of its colours."""
    sign, kind = signs(puzzles), KINDS[int(forks.kinds[0, token])]
    key, lock = (int(code) for code in forks.tokens[0, token, :2])
    if key == GEM:
        return f"{kind.split()[0]}\n{kind.split()[1]} lock\n{sign[lock]}".replace(",", "")
    return kind.replace(" ", "\n") + "\n" + (f"{sign[lock]} → {sign[key]}" if lock else sign[key])


def _matrix(axis: Axes, values: np.ndarray, rows: Sequence[str], columns: Sequence[str]):
    """A matrix as a picture with its numbers, to two digits; and these."""
    drawn = values.astype(float).round(2)
    image = axis.imshow(drawn, **BLUES)
    for row, column in np.ndindex(drawn.shape):
        value = drawn[row, column]
        ink = "white" if value > 0.6 else "black"
        axis.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=6, color=ink)
    axis.set_yticks(range(len(rows)), rows, fontsize=7)
    axis.set_xticks(range(len(columns)), columns, fontsize=6)
    axis.tick_params(length=0)
    return image, drawn


def _points(values: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    names = [column.replace("\n", " ") for column in columns]
    found = [(rows[j], names[k], value) for (j, k), value in np.ndenumerate(values)]
    return pd.DataFrame(found, columns=["row", "column", "weight"])


def by_kind(reads: Mapping[str, pd.DataFrame]) -> Figure:
    """What is read of each kind of object, over many states: a panel for each agent and block, a
    row a reader, a column what is read.

    Args:
        reads: by agent, what `experiments.agents_attention.reading.by_kind` returns.
    """
    titles = [f"{NAMES[name]}, block {block}" for name in reads for block in (1, 2)]
    figure, axes = figures.panels(titles, 2, width=1.1, height=0.9, sharey="row")
    parts = [table[table["block"].eq(block)] for table in reads.values() for block in (1, 2)]
    for axis, part in zip(axes, parts, strict=True):
        order = [reader for reader in dict.fromkeys(part["reader"]) if reader != KINDS[-1]]
        matrix = part.pivot(index="reader", columns="read", values="times_uniform")
        matrix = matrix.loc[order, list(KINDS)]
        axis.imshow(matrix, cmap="Blues", vmin=0, vmax=4, aspect="auto")
        for row, column in np.ndindex(matrix.shape):
            value = matrix.iat[row, column]
            ink = "white" if value > 2.4 else "black"
            axis.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=5, color=ink)
        below = KINDS if axis in axes[-2:] else []
        axis.set_xticks(range(len(below)), below, rotation=45, ha="right", fontsize=7)
        axis.set_yticks(range(len(order)), order, fontsize=7)
    for axis in axes[::2]:
        axis.set_ylabel("reads")
    for axis in axes[-2:]:
        axis.set_xlabel("is read; numbers: times as much as by chance", fontsize=8)
    return figure


def beside_untrained(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """What claims measure: a hollow dot for each untrained agent, a filled one for each trained
    agent, the mean over its trials, which have other puzzles.

    Args:
        table: trials; columns ``model``, ``variant``, ``trial`` and those of `METRICS`.

    Returns:
        The figure, and its points: ``agent, trial, metric, value``.
    """
    figure, axes = figures.panels([""] * len(METRICS), width=0.75, height=0.9, sharey=False)
    trained = table["model"].eq("trained")
    seeds = table[trained].groupby("variant")[list(METRICS)].mean()
    for axis, (metric, label) in zip(axes, METRICS.items(), strict=True):
        for at, rows, face in (
            (0, table[~trained], "none"),
            (1, seeds, INKS["simplicial"]),
        ):
            spread = (np.arange(len(rows)) % 7 - 3) * 0.05
            ink = INKS["simplicial"] if at else figures.GREY
            axis.plot(at + spread, rows[metric], "o", mfc=face, mec=ink, ms=4)
        if metric in RATIOS:
            axis.axhline(1, color="black", lw=1, ls=":")
        axis.set_xticks([0, 1], ["untrained\nagents", "trained\nagents"])
        axis.set(xlim=(-0.5, 1.5), ylabel=label)
    points = table.assign(agent=table["model"]).melt(
        ["agent", "variant", "trial"], list(METRICS), "metric", "value"
    )
    return figure, points


def strip(found: Sequence[Decision], puzzles: Puzzles) -> tuple[Figure, pd.DataFrame]:
    """The decisions of one episode: the board of each, and under it how likely each agent takes
    what it could take. The bridge is hatched.

    Args:
        found: what `experiments.agents.decisions.decisions` returns.
        puzzles: the first is that which was played.

    Returns:
        The figure, and its points: ``decision, object, bridge, taken``, and a column for each
        agent.
    """
    figures.style()
    sign, rules = signs(puzzles), puzzles.rules
    columns = min(COLUMNS, len(found))
    rows = -(-len(found) // columns)
    size = 2.2 * columns, 2.9 * rows
    options: Keywords = {"layout": "constrained", "squeeze": False}
    figure, axes = plt.subplots(2 * rows, columns, figsize=size, **options)
    pairs = [(axes[2 * k, j], axes[2 * k + 1, j]) for k in range(rows) for j in range(columns)]
    for unused in pairs[len(found) :]:
        for axis in unused:
            axis.set_axis_off()
    points = []
    for number, (decision, (above, below)) in enumerate(zip(found, pairs, strict=False), start=1):
        words = named(decision, rules, sign)
        taken = words[decision.objects.index(decision.chosen)]
        board(above, decision.picture, sign, f"{number}. takes {taken}")
        agents = list(decision.probability)
        for shift, agent in enumerate(agents):
            heights = decision.probability[agent]
            places = np.arange(len(words)) + 0.38 * (shift - (len(agents) - 1) / 2)
            hatch = ["////" if slot == decision.bridge else "" for slot in decision.objects]
            style: Keywords = {"color": INKS[agent], "edgecolor": "white", "hatch": hatch}
            below.bar(places, heights, 0.36, label=NAMES[agent], **style)
        risky = [slot == decision.bridge for slot in decision.objects]
        ticks = [f"{word}\nbridge" if odd else word for word, odd in zip(words, risky, strict=True)]
        below.set_xticks(range(len(words)), ticks, fontsize=7)
        below.set(ylim=(0, 1.02), xlim=(-0.6, max(len(words), 2) - 0.4))
        for place, (word, slot) in enumerate(zip(words, decision.objects, strict=True)):
            row = {"decision": number, "object": word, "bridge": slot == decision.bridge}
            row |= {"taken": slot == decision.chosen}
            points.append(row | {agent: decision.probability[agent][place] for agent in agents})
    for row in range(rows):
        axes[2 * row + 1, 0].set_ylabel("probability")
    figures.legend(figure, [axes[1, 0]])
    return figure, pd.DataFrame(points)
