"""Pictures of notebook 09: what a memory retrieves, and what is gained by learning and growing."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...experiments.memory import results
from ...experiments.memory.results import NAMES, Intervals
from .. import curves, figures
from ..keywords import Keywords
from ..looks import COLORS

Drawn = tuple[Figure, pd.DataFrame]
YLABELS = {"diabetes": "R²", "digits": "accuracy"}
BASELINES = ("neighbours", "linear")
LEVELS = ["dataset", "model", "size"]


def retrieved(
    keys: np.ndarray, labels: np.ndarray, x: np.ndarray, predictions: Mapping[float, np.ndarray]
) -> Drawn:
    """Keys ``(n, 1)`` with labels ``(n, 1)``, and what is retrieved for queries ``(b, 1)``, by
    bandwidth."""
    figure, (axis,) = figures.panels(["predictions from 40 memories"], width=1.7)
    axis.plot(keys[:, 0], labels[:, 0], "o", ms=4, color=figures.GREY, label="keys and labels")
    drawn = pd.DataFrame({"x": x[:, 0].round(6), "sin x": np.sin(x[:, 0]).round(6)})
    for (width, values), dash in zip(predictions.items(), ("-", "--"), strict=True):
        drawn[f"h = {width:g}"] = values[:, 0].round(6)
        axis.plot(drawn.x, drawn[f"h = {width:g}"], dash, label=f"prediction, h = {width:g}")
    axis.plot(drawn.x, drawn["sin x"], "k:", lw=1, label="sin x")
    axis.set(xlabel="x", ylabel="label", ylim=(-1.6, 1.6))
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure, drawn


def learned(table: pd.DataFrame) -> Drawn:
    """By how much learned relations and baselines are better than the Gaussian kernel; the points
    are the scores as well."""
    gains = curves.interval_table(results.gains(table), LEVELS)
    titles = [f"{name}, against the Gaussian kernel" for name in results.sizes(table)]
    figure, axes = figures.panels(titles, 2, width=1.3, sharey=False)
    for axis, (dataset, sizes) in zip(axes, results.sizes(table).items(), strict=True):
        for model in gains.loc[dataset].index.unique("model"):
            pale = {"ls": "--", "alpha": 0.6, "lw": 0.9, "elinewidth": 0.6}
            style: Keywords = {"ms": 5, **(pale if model in BASELINES else {"lw": 1.8})}
            style["shift"] = 0.1 * (list(NAMES).index(model) - 2.5)
            some = gains.loc[dataset].loc[model]
            curves.bars(axis, some, NAMES[model], at=range(len(sizes)), **style)
        _against_zero(axis, sizes, f"difference of {YLABELS[dataset]}")
    figures.legend(figure, axes)
    return figure, _points({"score": results.scores(table), "difference": results.gains(table)})


def growing(table: pd.DataFrame) -> Drawn:
    """What is gained by keys that are added after the relation has been learned; the points are
    the scores as well."""
    since, few = curves.interval_table(results.since(table), LEVELS), results.few(table)
    datasets = list(since.index.unique("dataset"))
    figure, axes = figures.panels(datasets, len(datasets), width=1.3, sharey=False)
    for axis, dataset in zip(axes, datasets, strict=True):
        for j, model in enumerate(since.loc[dataset].index.unique("model")):
            start = pd.DataFrame({"estimate": 0.0, "low": 0.0, "high": 0.0}, index=[few])
            some = pd.concat([start, since.loc[dataset].loc[model]])
            places: Keywords = {"at": range(len(some)), "shift": 0.08 * (j - 1), "ms": 5}
            curves.bars(axis, some, NAMES[model], **places)
        _against_zero(axis, list(some.index), f"gain in {YLABELS[dataset]}")
    figures.legend(figure, axes)
    return figure, _points({"score": results.grown(table), "gain": results.since(table)})


def _against_zero(axis: Axes, sizes: list[int], ylabel: str) -> None:
    axis.set_xticks(range(len(sizes)), map(str, sizes))
    axis.set(xlabel="keys in memory", ylabel=ylabel)
    axis.axhline(0, color="black", lw=0.8)


def _points(intervals: Mapping[str, Intervals]) -> pd.DataFrame:
    parts = [curves.interval_table(one, LEVELS) for one in intervals.values()]
    return pd.concat(parts, keys=list(intervals), names=["shown"]).reset_index()


def features(weights: pd.Series) -> Drawn:
    """How much a learned metric weighs each feature, the most weighty first."""
    found = weights.sort_values(ascending=False, kind="stable")
    found = found.rename("weight").rename_axis("feature").reset_index()
    figure, (axis,) = figures.panels(["learned metric, diabetes, one split"], width=1.6, height=0.8)
    axis.bar(found.feature, found.weight, color=COLORS["green"])
    axis.set(xlabel="feature", ylabel="weight")
    return figure, found
