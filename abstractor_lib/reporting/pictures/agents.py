"""Pictures of agents that learn by reward."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...findings.published import published
from .. import curves, figures
from ..keywords import Keywords

NAMES = {
    "relational": "relational",
    "wide": "relational, wide",
    "deep": "relational, four blocks",
    "simplicial": "2-simplicial",
    "uniform": "uniform over pairs",
    "unnormalised": "2-simplicial, pairs not normalised",
    "projections": "relational, projections normalised",
}
INKS = {"relational": "C0", "wide": "C2", "simplicial": "C1", "uniform": "C3"}
INKS |= {"unnormalised": "C6", "projections": "C5", "deep": "C4"}
HALF = 0.5  # of late puzzles is won by who never asks which box is the bridge
QUANTILES = {0.999: (":", "one weight in 1,000 above"), 0.5: ("-", "half of them below")}
AXES = {"decisions": "thousand decisions", "minutes": "minutes of one core"}


def learning(looks: pd.DataFrame, across: Sequence[str] = ("decisions", "minutes")) -> Figure:
    """Win rates on late puzzles while agents learn: a panel for each thing that is spent, a thin
    line a run, a thick one the mean over runs at the same look.

    Args:
        looks: columns ``model``, ``trial``, ``late``, and those of ``across``.
        across: what is spent, of `AXES`.
    """
    figure, axes = figures.panels([""] * len(across), width=1.2, height=1.0)
    for axis, spent in zip(axes, across, strict=True):
        for name, rows in _in_thousands(looks).groupby("model", sort=False):
            _runs(axis, rows, spent, "late", str(name))
        _half(axis)
        axis.set(xlabel=AXES[spent], ylabel="late puzzles won", ylim=(0.4, 1.02))
        axis.set_xlim(left=0)
    figures.legend(figure, axes[:1])
    return figure


def _runs(axis: Axes, rows: pd.DataFrame, spent: str, measure: str, name: str) -> None:
    _lines(axis, rows, spent, measure, INKS[name], NAMES[name])


def _lines(axis: Axes, rows: pd.DataFrame, spent: str, measure: str, ink: str, label: str) -> None:
    rows = rows.dropna(subset=spent)  # of a GPU no minutes of a core are told
    for _, run in rows.groupby("trial"):
        axis.plot(run[spent], run[measure], color=ink, lw=0.6, alpha=0.6)
    steps = rows.groupby("trial").cumcount()
    mean = rows.groupby(steps)[[spent, measure]].mean()
    axis.plot(mean[spent], mean[measure], color=ink, lw=2.2, label=label)


def _in_thousands(looks: pd.DataFrame) -> pd.DataFrame:
    return looks.assign(decisions=looks["decisions"] / 1000)


def _half(axis: Axes) -> None:
    axis.axhline(HALF, color="black", lw=1, ls=":")


def each_run(looks: pd.DataFrame, model: str) -> Figure:
    """Every run of one kind of agent: greedy on late puzzles, and over the episodes that ended
    while it learned, in which it drew its actions."""
    titles = ["late puzzles, greedy", "all puzzles, while learning"]
    figure, axes = figures.panels(titles, width=1.0, height=0.9)
    rows = _in_thousands(looks[looks["model"].eq(model)])
    for axis, measure in zip(axes, ("late", "win_rate"), strict=True):
        for _, run in rows.groupby("trial"):
            axis.plot(run["decisions"], run[measure], lw=1.2, color=INKS[model])
        axis.set(xlabel=AXES["decisions"], ylabel="share won", ylim=(0.4, 1.02))
        axis.set_xlim(left=0)
    _half(axes[0])
    return figure


def readouts(looks: pd.DataFrame) -> Figure:
    """Win rates on late puzzles while agents learn, by how they answer: a thin line a run, a thick
    one the mean of an agent and of what it sees; all that answer by one maximum are grey, those
    that score each object of tiles light blue.

    Args:
        looks: columns ``model``, ``variant``, ``trial``, ``decisions`` and ``late``.
    """
    figure, (axis,) = figures.panels([""], width=1.5, height=1.0)
    rows = _in_thousands(looks)
    kinds = list(dict.fromkeys(zip(rows["model"], rows["variant"], strict=True)))
    for model, variant in kinds:
        some = rows[rows["model"].eq(model) & rows["variant"].eq(variant)]
        ink, said = INKS[model], "a score of each object, from tokens"
        if variant.endswith("maximum"):
            ink, said = figures.GREY, "one maximum"
        elif variant.startswith("tiles"):
            ink, said = "C9", "a score of each object, from tiles"
        _lines(axis, some, "decisions", "late", ink, said)
    _half(axis)
    axis.set(xlabel=AXES["decisions"], ylabel="late puzzles won", ylim=(0.4, 1.02))
    axis.set_xlim(left=0)
    figures.legend(figure, [axis], columns=2)
    return figure


def cloning(table: pd.DataFrame) -> Figure:
    """Win rates on late puzzles of agents that copied the oracle, against the number of puzzles in
    training: a panel for each way to see and to answer, a dot a run, a line the mean over seeds.

    Args:
        table: columns ``variant``, ``model``, ``size`` and ``late_greedy``, a row a run.
    """
    variants = list(dict.fromkeys(table["variant"]))
    figure, axes = figures.panels(variants, width=1.35, height=1.1)
    for axis, variant in zip(axes, variants, strict=True):
        rows = table[table["variant"].eq(variant)]
        for name, some in rows.groupby("model", sort=False):
            ink = INKS[str(name)]
            mean = some.groupby("size")["late_greedy"].mean()
            axis.plot(some["size"], some["late_greedy"], "o", color=ink, ms=3, alpha=0.6)
            axis.plot(mean.index, mean, color=ink, lw=1.8, label=NAMES[str(name)])
        _half(axis)
        axis.set(xlabel="puzzles in training", ylabel="late puzzles won", ylim=(0.4, 1.02))
        axis.set_xscale("log")
        sizes = sorted(rows["size"].unique())
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axis.minorticks_off()
    figures.legend(figure, axes)
    return figure


def papers(names: Mapping[str, str], steps: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The published training curves, of all puzzles: the means of Figure 6; and beside them the
    first steps of our agents, which end where the published curves have hardly begun.

    Args:
        names: series of the published figure -> what the legend calls it.
        steps: our looks, columns ``model``, ``trial``, ``steps`` and ``win_rate``; may be empty.

    Returns:
        The figure, and the points as published, with ours as ``series`` ``MODEL, ours``.
    """
    points = published("fig_simplicial_06")
    titles = ["ours, the start", "published, Figure 6"]
    figure, (first, axis) = figures.panels(titles, width=0.95, height=0.75)
    for series, name in names.items():
        rows = points[points["series"].eq(series)]
        style: Keywords = {"lw": 2, "color": INKS[series], "label": name}
        axis.plot(rows["x"].astype(float), rows["mean"].astype(float), **style)
        for _, run in steps[steps["model"].eq(series)].groupby("trial"):
            first.plot(run["steps"] / 1e6, run["win_rate"], color=INKS[series], lw=1.2)
    if steps.empty:
        curves.not_run(first)
    axis.set(xlabel="billion steps", ylim=(0.4, 1.02))
    first.set(xlabel="million steps", ylabel="puzzles solved")
    first.set_xlim(left=0)
    figures.legend(figure, [axis])
    ours = steps[["win_rate"]].set_axis(["mean"], axis=1)
    ours = ours.assign(x=steps["steps"] / 1e9, series=steps["model"] + ", ours")
    return figure, pd.concat([points, ours], ignore_index=True)


def clipping(steps: pd.DataFrame, epsilon: float = 0.1) -> tuple[Figure, pd.DataFrame]:
    """What a large epsilon does. Left: how long a step of RMSProp is along a gradient that stays
    the same, in units of the learning rate, beside one that is cut at the root of epsilon. Right:
    mean squares of recorded gradients, as shares of epsilon, and the level at which they matter as
    much as epsilon.

    Args:
        steps: looks, columns ``model``, ``steps`` and ``square_QUANTILE``; may be empty.
        epsilon: of the left panel.

    Returns:
        The figure, and the points of the left panel.
    """
    figure, (left, right) = figures.panels(["", ""], width=1.05, height=0.85, sharey=False)
    root = epsilon**0.5
    gradient = np.linspace(0, 6 * root, 61)[1:]
    lengths = {
        f"epsilon {epsilon:g}": gradient / np.sqrt(gradient**2 + epsilon),
        "cut at its root": np.minimum(gradient / root, 1),
        "epsilon 0": np.sign(gradient),
    }
    for (name, length), line in zip(lengths.items(), ("-", "--", ":"), strict=True):
        left.plot(gradient, length, line, color="black", label=name)
    left.set(
        xlim=(0, None),
        ylim=(0, 1.05),
        xlabel="size of the gradient",
        ylabel="step, in learning rates",
    )
    left.legend(loc="lower right")
    for model, rows in steps.groupby("model", sort=False):
        for quantile, (line, words) in QUANTILES.items():
            label = f"{NAMES[str(model)]}: {words}"
            style: Keywords = {"color": INKS[str(model)], "ls": line, "label": label}
            right.semilogy(rows["steps"] / 1e6, rows[f"square_{quantile}"], **style)
    if steps.empty:
        curves.not_run(right)
    else:
        right.axhline(1, color="black", lw=1)
        figures.legend(figure, [right], columns=2)
    right.set(xlabel="million steps", ylabel="mean square / epsilon")
    return figure, pd.DataFrame({"gradient": gradient, **lengths})
