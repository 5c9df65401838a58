"""Abstractors with and without relations of an object to itself: accuracy, and what probes read.
Tables are those of the experiment `strict_bottleneck`."""

import pandas as pd
from matplotlib.figure import Figure

from ...findings.statistics import difference_interval, mean_interval
from .. import figures

TITLES = {"order": "order", "set": "SET", "sorting": "sorting"}
ARMS = {
    "full": "inner products",
    "masked": "no diagonal",
    "strict": "no diagonal, no biases",
    "pairs": "MLP of pairs",
    "pairs_masked": "MLP, no diagonal",
}
SOURCES = {
    "own_states_network": ("C0", "o", "trained"),
    "own_untrained_network": ("C1", "s", "untrained"),
}
MARGIN = 0.02


def bottleneck(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Left, what the diagonal adds to test accuracy, by task and training set size, with the margin
    of the claims as a band. Then, a panel for each task, the accuracy of a small network that reads
    an object's own attributes from its abstract state, by kind of relations.

    Args:
        table: columns ``variant``, ``model``, ``size``, ``trial``, ``test_accuracy`` and those of
            the probes, a row a trial; kinds of relations that are missing are left out.

    Returns:
        The figure, and its points with 95 % intervals.
    """
    tasks = [one for one in TITLES if table["variant"].eq(one).any()]
    titles = ["accuracy with the diagonal less without"]
    titles += [f"{TITLES[one]}: what a probe reads" for one in tasks]
    figure, axes = figures.panels(titles, 2, width=1.6, height=1.0, sharey=False)
    points = _differences(table, tasks)
    left, places = axes[0], range(len(points))
    left.axvspan(-MARGIN, MARGIN, color=figures.GREY, alpha=0.3, lw=0)
    left.axvline(0, color="black", lw=0.8)
    left.hlines(places, points["low"], points["high"], color="C0")
    left.plot(points["estimate"], places, "o", color="C0", ms=4)
    named = zip(points["task"], points["size"], strict=True)
    labels = [f"{TITLES[task]}, {size:,}" for task, size in named]
    left.set_yticks(list(places), labels)
    left.invert_yaxis()
    left.set_xlabel("difference in test accuracy")
    read = []
    for axis, task in zip(axes[1:], tasks, strict=True):
        rows = table[table["variant"].eq(task)]
        arms = [arm for arm in ARMS if rows["model"].eq(arm).any()]
        read.append(_probes(axis, rows, arms).assign(task=task))
        axis.axvline(rows["own_chance"].mean(), color="black", ls=":", label="chance level")
        axis.axvline(
            rows["own_answer_linear"].mean(), color=figures.GREY, ls="--", label="the task's answer"
        )
        axis.set_yticks(range(len(arms)), [ARMS[arm] for arm in arms])
        axis.set_ylim(len(arms) - 0.5, -0.5)
        axis.set(xlabel="accuracy, own attributes", xlim=(0, 1.02))
    figures.legend(figure, axes[1:2])
    return figure, pd.concat([points.assign(what="accuracy"), *read], ignore_index=True)


def _differences(table: pd.DataFrame, tasks: list[str]) -> pd.DataFrame:
    """Paired differences over trials between the diagonal and none, a row a task and size, with
    intervals for all sizes of a task at once."""
    found = []
    for task in tasks:
        rows = table[table["variant"].eq(task)]
        wide = rows.pivot_table(index=["size", "trial"], columns="model", values="test_accuracy")
        if {"full", "masked"} - set(wide):
            continue
        by_size = wide[["full", "masked"]].dropna().groupby(level="size")
        for size, both in by_size:
            if len(both) > 1:
                arms = both["full"], both["masked"]
                interval = difference_interval(*arms, by_size.ngroups, within=(-1, 1))
                found.append({"task": task, "size": size, **interval._asdict()})
    return pd.DataFrame(found, columns=["task", "size", "estimate", "low", "high", "n"])


def _probes(axis, rows: pd.DataFrame, arms: list[str]) -> pd.DataFrame:
    """What networks read from trained and untrained states, a mean with its interval each."""
    found = []
    for shift, (metric, (ink, mark, name)) in zip((-0.12, 0.12), SOURCES.items(), strict=True):
        for place, arm in enumerate(arms):
            values = rows[rows["model"].eq(arm)].groupby("trial")[metric].mean().dropna()
            if len(values) < 2:
                continue
            one = mean_interval(values, within=(0, 1))
            axis.plot([one.low, one.high], [place + shift] * 2, color=ink)
            axis.plot(one.estimate, place + shift, mark, color=ink, ms=4, label=f"states, {name}")
            found.append({"what": metric, "model": arm, **one._asdict()})
    return pd.DataFrame(found, columns=["what", "model", "estimate", "low", "high", "n"])
