"""Pictures of notebook 14: what one layer learns of relations of three objects."""

import pandas as pd
from matplotlib.figure import Figure

from ...experiments.three_way.results import NAMES, TITLES
from ...findings.statistics import FEW, mean_interval
from .. import figures
from ..keywords import Keywords
from ..looks import looks

SIMPLICIAL = ("unsigned", "trilinear", "pairs", "uniform")
SHOWN = ("unsigned", "trilinear", "standard", "wide", "deep")  # in learning curves
COLUMNS = ["variant", "model", "mean", "low", "high", "n", "reference"]


def areas(table: pd.DataFrame | None) -> tuple[Figure, pd.DataFrame]:
    """Areas under the ROC curve, a panel a task, a row a model: hollow dots are seeds, a filled one
    with a bar is their mean with its 95 % interval (Student-t), which fewer than five seeds do not
    have. Dashed: a script that looks at no triple.

    Args:
        table: columns ``model``, ``variant`` (the task), ``test_auc`` and ``script_auc``; None
            where there are no records, which leaves the panels empty.

    Returns:
        The figure, and the means: ``variant, model, mean, low, high, n, reference`` (the script).
    """
    figure, axes = figures.panels(list(TITLES.values()), columns=2, width=0.95, height=1.15)
    given = ["model", "variant", "test_auc", "script_auc"]
    table = pd.DataFrame(columns=given) if table is None else table
    rows = []
    for axis, task in zip(axes, TITLES, strict=True):
        of_task = table[table["variant"].eq(task)]
        script = of_task["script_auc"].astype(float).mean()
        for place, model in enumerate(NAMES):
            values = of_task.loc[of_task["model"].eq(model), "test_auc"].astype(float)
            if values.empty:
                continue
            mean, low, high = values.mean(), float("nan"), float("nan")
            if len(values) >= FEW:
                mean, low, high, _ = mean_interval(values, within=(0.0, 1.0))
            point = {"mean": mean, "low": low, "high": high, "n": len(values)}
            rows.append({"variant": task, "model": model, **point, "reference": script})
            look: Keywords = {"color": "C1" if model in SIMPLICIAL else "C0", "clip_on": False}
            axis.plot(values, [place] * len(values), "o", ms=3, mfc="none", alpha=0.6, **look)
            axis.plot(mean, place, "o", ms=5, **look)
            axis.plot([low, high], [place, place], lw=1.6, **look)
        if of_task.empty:
            axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center")
        else:
            axis.axvline(script, lw=1, ls="--", color="0.5", zorder=0)
        axis.set(
            xlim=(0.48, 1.01), xlabel="area under the ROC curve", ylim=(len(NAMES) - 0.5, -0.5)
        )
        axis.set_yticks(range(len(NAMES)), list(NAMES.values()))
    return figure, pd.DataFrame(rows, columns=COLUMNS)


def learning(looked: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Validation accuracy against examples (left) and minutes of one core (right), a row a task, a
    line a model: the mean over seeds, against the mean time.

    Args:
        looked: of `results.learning`.

    Returns:
        The figure, and the points drawn: ``variant, model, examples, minutes, accuracy, n``.
    """
    titles = [f"{title}, {by}" for title in TITLES.values() for by in ("examples", "time")]
    figure, axes = figures.panels(titles, columns=2, width=0.95, height=0.95)
    styles, points = looks([NAMES[name] for name in SHOWN]), []
    for row, task in enumerate(TITLES):
        of_task = looked[looked["variant"].eq(task)] if len(looked) else looked
        for model in SHOWN if len(of_task) else ():
            some = of_task[of_task["model"].eq(model)].groupby("examples")
            mean = some[["minutes", "accuracy"]].mean().reset_index()
            color, marker = styles[NAMES[model]]
            for axis, x in zip(axes[2 * row : 2 * row + 2], ("examples", "minutes"), strict=True):
                across = mean[x] / 1e6 if x == "examples" else mean[x]
                look: Keywords = {"color": color, "lw": 1.6, "ms": 4, "markevery": 4}
                axis.plot(across, mean["accuracy"], marker=marker, label=NAMES[model], **look)
            points.append(mean.assign(variant=task, model=model, n=some.size().to_numpy()))
        axes[2 * row].set(xlabel="examples, millions", ylabel="accuracy, validation")
        axes[2 * row + 1].set(xlabel="minutes of one core")
    if points:
        figures.legend(figure, axes, columns=3)
    names = ["variant", "model", "examples", "minutes", "accuracy", "n"]
    drawn = pd.concat(points) if points else pd.DataFrame(columns=names)
    return figure, drawn[names]
