"""Training curves against updates, with the paper's epochs beside."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from ...findings.published import published
from ..curves import Series, not_run, palette, plain
from ..figures import legend, panels
from ..looks import looks

EPOCH = 15_625  # updates: 2,000,000 questions in batches of 128


def training(
    histories: pd.DataFrame | None,
    tasks: Sequence[str],
    series: Sequence[Series],
    paper: pd.DataFrame,
    epochs: int = 5,
) -> tuple[Figure, pd.DataFrame]:
    """Updates, logarithmic, against accuracy on validation questions: a panel a task.

    Args:
        histories: what was seen during runs, a row a look; None for not run.
        tasks: variants, a panel each.
        series: a colour each; a line for each of its runs.
        paper: published values by epoch, whose series are called ``TASK, LABEL``.
        epochs: the last epoch shown.

    Returns:
        The figure and its points: the panel, the series, the trial (none for the paper), and what
        was drawn.
    """
    figure, axes = panels(list(tasks), height=0.95)
    colors, markers = palette(series), looks(one.label for one in series)
    drawn = []
    for axis, task in zip(axes, tasks, strict=True):
        axis.set_xlabel("updates")
        if histories is None:
            not_run(axis)
        for one in series if histories is not None else ():
            rows = histories[(histories["model"] == one.model) & (histories["variant"] == task)]
            for trial, run in rows.groupby("trial"):
                style = {"color": colors[one.label], "lw": 1.2, "alpha": 0.8}
                axis.plot(run["update"], run[one.metric], one.line, **style)
                points = run[["update", one.metric]].set_axis(["update", "accuracy"], axis=1)
                drawn.append(points.assign(panel=task, series=one.label, trial=trial))
        for one in series:
            axis.plot([], [], one.line, color=colors[one.label], label=one.label)  # for the legend
            told = paper[(paper["series"] == f"{task}, {one.label}") & (paper["x"] <= epochs)]
            if len(told):
                at, marker = told["x"] * EPOCH, markers[one.label].marker
                axis.plot(at, told["mean"], "--", color=colors[one.label], lw=0.8)
                axis.plot(at, told["mean"], marker, color=colors[one.label], ms=5, mfc="none")
                points = pd.DataFrame({"update": at, "accuracy": told["mean"]})
                drawn.append(points.assign(panel=task, series=f"{one.label}, paper"))
        axis.set_xscale("log")
        plain(axis.xaxis, (1,))
        axis.set_ylim(0, 1.02)
    for axis in axes[::3]:
        axis.set_ylabel("teacher-forced accuracy")
    legend(figure, axes, {"the paper, after 1, 2, 3, 5 epochs": {"ls": "--", "marker": "o"}})
    return figure, pd.concat(drawn) if drawn else pd.DataFrame()


def published_gap(better: str, worse: str, epochs: Sequence[int] = (1, 50)) -> str:
    """How far one published curve is above another after some epochs, the mean over the tasks.

    Source: v3 Figure 7.

    Example:
        >>> published_gap("Abstractor", "Transformer")
        '0.012 after epoch 1, 0.038 after epoch 50'
    """
    table = published("fig_v3_07")
    table[["task", "model"]] = table["series"].str.split(", ", expand=True)
    means = table.pivot_table("mean", "x", "model", aggfunc="mean")
    gap = means[better] - means[worse]
    return ", ".join(f"{gap[epoch]:.3f} after epoch {epoch}" for epoch in epochs)
