"""Training curves against updates, with the paper's epochs beside."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from ...curves import Series, not_run, palette
from ...figures import legend, panels
from ...keywords import Keywords
from ...looks import looks

FIRST, LAST = 30, 100_000  # updates: the ends of an axis without runs, with the paper's epochs
FLOOR = "a Transformer that sees no question"
EPOCH = 15_625  # updates: 2,000,000 questions in batches of 128


def training(
    histories: pd.DataFrame | None,
    tasks: Sequence[str],
    series: Sequence[Series],
    paper: pd.DataFrame,
    epochs: int = 5,
    floor: Mapping[str, float] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Updates, logarithmic, against accuracy on validation questions: a panel a task, whose axes
    begin and end near what it shows.

    Args:
        histories: what was seen during runs, a row a look; None for not run.
        tasks: variants, a panel each.
        series: a colour each; a line for each of its runs.
        paper: published values by epoch, whose series are called ``TASK, LABEL``: in grey, with the
            hollow markers of their models.
        epochs: the last epoch shown.
        floor: accuracy without the question on each task, a dotted line.

    Returns:
        The figure and its points: the panel, the series, the trial (none for the paper), and what
        was drawn.
    """
    width = {1: 2.0, 4: 0.78}.get(len(tasks), 1.0)  # one panel is as wide as its legend
    columns = 4 if len(tasks) == 4 else 3
    figure, axes = panels(list(tasks), columns, width=width, height=0.95, sharey=False)
    colors, markers = palette(series), looks(line.label for line in series)
    told = paper[paper["x"] <= epochs].assign(update=paper["x"] * EPOCH)
    drawn = []
    for axis, task in zip(axes, tasks, strict=True):
        for line in series:
            color, marker = colors[line.label], markers[line.label].marker
            for trial, run in _runs(histories, line, task):
                look: Keywords = {
                    "color": color,
                    "marker": marker,
                    "ms": 3,
                    "lw": 1.1,
                    "alpha": 0.8,
                }
                axis.plot(run["update"], run[line.metric], line.line, markevery=[-1], **look)
                points = run[["update", line.metric]].set_axis(["update", "accuracy"], axis=1)
                drawn.append(points.assign(panel=task, series=line.label, trial=trial))
            of_paper = told[told["series"] == f"{task}, {line.label}"]
            look: Keywords = {"color": "0.6", "marker": marker, "ms": 5, "mfc": "none"}
            axis.plot(of_paper["update"], of_paper["mean"], "--", lw=0.7, zorder=1, **look)
            look: Keywords = {"color": color, "marker": marker, "ms": 3}
            axis.plot([], [], line.line, label=line.label, **look)  # for the legend
            points = of_paper[["update", "mean"]].set_axis(["update", "accuracy"], axis=1)
            drawn.append(points.assign(panel=task, series=f"{line.label}, paper"))
        if floor:
            axis.axhline(floor[task], color="0.5", ls=":", lw=1)
            point = pd.DataFrame({"accuracy": [floor[task]]})
            drawn.append(point.assign(panel=task, series=FLOOR))
        axis.set_xlabel("updates")
        axis.set_xscale("log")
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 3), numticks=12))
        axis.xaxis.set_major_formatter(FuncFormatter(short))
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set_xlim(*_ends(histories, task, told["update"].max() if len(told) else 0))
        low, high = axis.get_ylim()
        axis.set_ylim(max(low, 0), min(high, 1.02))
        if histories is None:
            not_run(axis, blank=not len(told))
    for axis in axes[::columns]:
        axis.set_ylabel("teacher-forced accuracy")
    extra: dict[str, Mapping] = {}
    if len(told):
        after = ", ".join(f"{epoch:g}" for epoch in sorted({*told["x"]}))
        extra[f"the paper, after {after} epochs"] = {"ls": "--", "marker": "o", "mfc": "none"}
    if floor:
        extra[FLOOR] = {"ls": ":"}
    legend(figure, axes, extra or None)
    return figure, pd.concat(drawn)


def beside_paper(
    histories: pd.DataFrame | None,
    tasks: Sequence[str],
    series: Sequence[Series],
    paper: pd.DataFrame,
    floor: Mapping[str, float] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Training curves of runs shorter than an epoch above the paper's, which begin after one: a
    column a task. All panels share the vertical axis.

    Args:
        histories, tasks, series, floor: see `training`.
        paper: published values by epoch, whose series are called ``TASK, LABEL``.

    Returns:
        The figure and its points, as those of `training`, with the ``epoch`` of the paper's.
    """
    many = len(tasks)
    figure, axes = panels([*tasks, *[""] * many], many, width=0.64, height=0.85)
    colors, markers = palette(series), looks(line.label for line in series)
    drawn = []
    for upper, lower, task in zip(axes[:many], axes[many:], tasks, strict=True):
        for line in series:
            look: Keywords = {
                "color": colors[line.label],
                "marker": markers[line.label].marker,
                "ms": 3.5,
            }
            upper.plot([], [], lw=1.1, label=line.label, **look)  # for the legend
            for trial, run in _runs(histories, line, task):
                upper.plot(run["update"], run[line.metric], markevery=[-1], lw=1.1, **look)
                points = run[["update", line.metric]].set_axis(["update", "accuracy"], axis=1)
                drawn.append(points.assign(panel=task, series=line.label, trial=trial))
            told = paper[paper["series"] == f"{task}, {line.label}"]
            lower.plot(told["x"], told["mean"], lw=1.1, **look)
            points = told[["x", "mean"]].set_axis(["epoch", "accuracy"], axis=1)
            drawn.append(points.assign(panel=task, series=f"{line.label}, paper"))
        if floor:
            upper.axhline(floor[task], color="0.5", ls=":", lw=1)
            point = pd.DataFrame({"accuracy": [floor[task]]})
            drawn.append(point.assign(panel=task, series=FLOOR))
        if histories is None:
            not_run(upper)
        upper.set_xlabel("updates")
        upper.set_xlim(left=0)
        upper.xaxis.set_major_locator(MaxNLocator(3))
        lower.set_xlabel("epochs")
        lower.set_xscale("log")
        lower.set_xticks([1, 3, 10, 50], ["1", "3", "10", "50"])
        lower.xaxis.set_minor_locator(NullLocator())
        lower.set_facecolor("0.95")
    axes[0].set_ylabel("HERE: part of epoch 1\nteacher-forced accuracy")
    axes[many].set_ylabel("THE PAPER: epochs 1 to 50\nteacher-forced accuracy")
    legend(figure, axes, {FLOOR: {"ls": ":"}} if floor else None)
    return figure, pd.concat(drawn)


def ahead(
    histories: pd.DataFrame,
    model: str,
    others: Mapping[str, str],
    shares: Sequence[float] = (0.2, 0.5, 1),
) -> pd.DataFrame:
    """By how much a model's accuracy is above others', by task and number of updates.

    Args:
        histories: what was seen during runs, a row a look.
        model: which.
        others: other models, and what their columns are called.
        shares: of each task's updates at which to compare.

    Returns:
        For each task and share a row, and for each other model the difference of means over seeds,
        and in brackets the least and the greatest difference of two seeds; nothing for a model that
        was not run on a task.

    Example:
        >>> looks = [("a", 0, 0.5), ("a", 1, 0.7), ("b", 0, 0.4), ("b", 1, 0.6)]
        >>> looks = pd.DataFrame(looks, columns=["model", "trial", "validation_accuracy"])
        >>> ahead(looks.assign(variant="add", update=10), "a", {"b": "less b"}, shares=[1])
          task  updates                   less b
        0  add       10  0.100 (-0.100 to 0.300)
    """
    rows = []
    for task, runs in histories.groupby("variant", sort=False):
        updates = sorted(runs["update"].unique())
        for share in shares:
            update = min(updates, key=lambda one: abs(one - share * updates[-1]))
            now = runs[runs["update"] == update].groupby("model")
            now = now["validation_accuracy"]
            row = {"task": task, "updates": int(update)}
            for other, title in others.items():
                if not {model, other} <= set(now.groups):
                    continue
                first, second = now.get_group(model), now.get_group(other)
                least, most = first.min() - second.max(), first.max() - second.min()
                row[title] = f"{first.mean() - second.mean():.3f} ({least:.3f} to {most:.3f})"
            rows.append(row)
    return pd.DataFrame(rows)


def short(updates: float, _=None) -> str:
    """A number of updates on an axis.

    Example:
        >>> short(200), short(15_000), short(100_000)
        ('200', '15k', '100k')
    """
    return f"{updates / 1000:g}k" if updates >= 1000 else f"{updates:g}"


def _ends(histories: pd.DataFrame | None, task: str, told: float) -> tuple[float, float]:
    """Where the axis of a task begins and ends; the paper's last epoch is ``told`` updates."""
    known = None if histories is None else histories.loc[histories["variant"] == task, "update"]
    if known is None or known.empty:
        return FIRST, LAST if told else LAST / 10
    return known.min() / 1.3, max(told, known.max()) * 1.3


def _runs(histories: pd.DataFrame | None, series: Series, task: str):
    """Number and looks of each trial of a series on a task."""
    if histories is None:
        return []
    known = (histories["model"] == series.model) & (histories["variant"] == task)
    return histories[known].groupby("trial")
