"""What the runs say, level by level, and what claims measure of it.

The unit is a trained model with its own draws of the corruption: draws of the noise for one model
say nothing of other models.
"""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from ...findings.groups import groups
from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.permutation import shift_interval
from ...findings.published import published
from ...findings.registry import measure
from ...findings.statistics import Interval, mean_interval
from ...records.frame import unfold
from .grid import AT_LEVEL

METRICS = (
    "level",
    "full_sequence_accuracy",
    "accuracy_sd",
    "teacher_forcing_accuracy",
    "relations_angle",
    "relations_distance",
    "objects_angle",
    "objects_distance",
)
PAPER = {"abstractor": "Abstractor", "ablation": "Ablation", "transformer": "Transformer"}
CLEAN = 0.95  # accuracy on clean objects, at least, of models whose robustness is compared
METRIC = "full_sequence_accuracy"


def by_level(table: pd.DataFrame | None) -> pd.DataFrame:
    """A row for each level of each trained model and corruption.

    Returns:
        Columns ``model``, ``variant`` (the corruption), ``trial``, ``clean_accuracy``, and
        `METRICS`; no rows without a table.
    """
    named = ["model", "variant", "trial", "clean_accuracy"]
    if table is None or "clean_accuracy" not in table:
        return pd.DataFrame(columns=[*named, *METRICS])
    long = unfold(table[table["clean_accuracy"].notna()], AT_LEVEL)
    wide = long.pivot(index=[*named, "index"], columns="measure", values="value")
    found = wide.reset_index()[[*named, *METRICS]].rename_axis(columns=None)
    return found.sort_values(["model", "variant", "trial", "level"], ignore_index=True)


def areas(rows: pd.DataFrame) -> pd.DataFrame:
    """The area under the accuracy curve, trapezoidal: the mean of the accuracy over sigma from 0
    to 1, one for each trained model and corruption.

    Args:
        rows: of `by_level`.

    Returns:
        Columns ``model``, ``variant``, ``trial``, ``clean_accuracy``, ``area``.
    """
    keys = ["model", "variant", "trial", "clean_accuracy"]
    found = [
        (*key, float(np.trapezoid(some[METRIC], some["level"])))
        for key, some in groups(rows, keys, sort=False)
    ]
    return pd.DataFrame(found, columns=[*keys, "area"])


def distances(rows: pd.DataFrame, figure: str, kinds: Iterable[str]) -> pd.DataFrame:
    """How far our curves are from the published ones: root mean square difference over the
    published levels, averaged over the three models of the figure.

    Args:
        rows: of `by_level`.
        figure: of the paper, such as ``fig_v3_08b``.
        kinds: of corruption.

    Returns:
        A row for each trial that has all three models, a column for each kind.
    """
    found: dict[str, dict[int, float]] = {}
    for kind in kinds:
        for trial, some in rows[rows["variant"] == kind].groupby("trial"):
            if not set(PAPER) <= set(some["model"]):
                continue
            missed = []
            for model, series in PAPER.items():
                own, paper = some[some["model"] == model], published(figure, series)
                ours = np.interp(paper["x"], own["level"], own[METRIC])
                missed.append(float(np.sqrt(((ours - paper["mean"]) ** 2).mean())))
            found.setdefault(kind, {})[trial] = float(np.mean(missed))
    return pd.DataFrame(found)


def apart(rows: pd.DataFrame, kind: str, clean: float = 0.0) -> pd.Series:
    """How far the trials' curves under one corruption are from each other, by the rule of
    `distances`: what training and draws alone amount to.

    Args:
        rows: of `by_level`.
        kind: of corruption.
        clean: least clean accuracy that all three models of a trial must have.

    Returns:
        A distance for each pair of trials.
    """
    some = rows[(rows["variant"] == kind) & rows["model"].isin(PAPER)]
    wide = some.pivot_table(METRIC, ["model", "level"], "trial")
    least = some.pivot_table("clean_accuracy", "model", "trial").min()
    kept = [k for k in wide.columns if wide[k].notna().all() and least[k] >= clean]
    found = {
        (one, other): _root_mean_square(wide[one] - wide[other])
        for one, other in combinations(kept, 2)
    }
    return pd.Series(found, dtype=float)


def published_apart(figure: str, other: str) -> float:
    """How far two published figures are from each other, by the rule of `distances`, over the
    levels that both have."""
    first, second = (
        pd.concat(
            {
                model: published(name, series).set_index("x")["mean"]
                for model, series in PAPER.items()
            }
        )
        for name in (figure, other)
    )
    return _root_mean_square((first - second).dropna().rename_axis(["model", "level"]))


def counts(rows: pd.DataFrame, model: str) -> str:
    """How many trained models of an architecture sort clean objects: ``6 of 8``."""
    once = rows[rows["model"] == model].groupby("trial")["clean_accuracy"].first()
    return f"{(once >= CLEAN).sum()} of {len(once)}"


def _root_mean_square(difference: pd.Series) -> float:
    """Over levels, averaged over models."""
    return float((difference**2).groupby(level="model").mean().pow(0.5).mean())


def drift_correlations(rows: pd.DataFrame, drift: str, kinds: Iterable[str]) -> pd.Series:
    """Spearman's rank correlation, over all levels of all corruptions, of a drift and the loss of
    teacher-forced accuracy (full-sequence accuracy is zero at many levels, which are ties).

    Args:
        rows: of `by_level`; those without the drift (all objects zero) are left out, and trained
            models that not all of the corruptions were applied to.
        drift: ``relations_angle``, ``objects_angle`` or a distance.

    Returns:
        By model and trial; NaN where the accuracy never changes.
    """
    kinds = set(kinds)
    some = rows[rows["variant"].isin(kinds)]
    whole = some.groupby(["model", "trial"])["variant"].transform("nunique") == len(kinds)
    some = some[whole & some[drift].notna()]
    found = {}
    for key, one in some.groupby(["model", "trial"]):
        loss = -one["teacher_forcing_accuracy"]
        varies = loss.nunique() > 1
        found[key] = stats.spearmanr(one[drift], loss).statistic if varies else np.nan
    return pd.Series(found, dtype=float)


# What claims measure.


@measure
def more_robust(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    variant: str,
    clean: float = CLEAN,
    only_learned: bool = False,
) -> Measured:
    """By how much the first model's area under the accuracy curve is greater than each other's.

    Where a model that is compared does not sort clean objects, the interval is all that a
    difference can be: nothing is known then.

    Args:
        only_learned: leave such trained models out instead, and compare the others.
    """
    found = areas(by_level(select(frames, protocol, variant=variant)))
    told = "trained models"
    if only_learned:
        found = found[found["clean_accuracy"] >= clean]
        told += " that sort clean objects"
    first, *others = ((name, found[found["model"] == name]) for name in models)
    points = []
    for name, rows in others:
        both = pd.concat([first[1], rows])
        if min(len(first[1]), len(rows)) == 0:
            interval = Interval(np.nan, -1.0, 1.0, 0)
        else:
            interval = shift_interval(first[1]["area"], rows["area"], len(others), (-1.0, 1.0))
        label = f"{first[0]} over {name}, {len(first[1])} and {len(rows)} {told}"
        least = both.groupby("model")["clean_accuracy"].min()
        if least.min() < clean:
            interval = Interval(interval.estimate, -1.0, 1.0, interval.n)
            label += f", but the lowest {least.idxmin()} sorts {least.min():.2f} of clean sequences"
        points.append(Point(label, interval))
    return Measured(points)


@measure
def like_published(
    frames: Frames,
    protocol: str,
    *,
    figure: str,
    variant: str,
    only_learned: bool = False,
    clean: float = CLEAN,
) -> Measured:
    """The distance of our curves under a corruption to the published ones; see `distances`.

    Args:
        only_learned: leave out trials of which a model does not sort clean objects.
    """
    rows = by_level(select(frames, protocol, variant=variant))
    told = ""
    if only_learned:
        least = rows[rows["model"].isin(PAPER)].groupby("trial")["clean_accuracy"].min()
        rows = rows[rows["trial"].isin(least.index[least >= clean])]
        told = " whose models all sort clean objects"
    found = distances(rows, figure, [variant]).get(variant, pd.Series(dtype=float))
    label = f"{variant}, {_trials(found)}{told}"
    return Measured([Point(label, _mean(found, 1, (0.0, 1.0)))])


@measure
def nearer_published(
    frames: Frames, protocol: str, *, figure: str, variant: str, others: list[str]
) -> Measured:
    """By how much one corruption's curves are nearer to the published ones than those of others:
    the difference of the distances, within trials that have them all."""
    found = distances(by_level(select(frames, protocol)), figure, [variant, *others]).dropna()
    points = [
        Point(
            f"{variant} nearer than {other}, {_trials(found)}",
            _mean(found[other] - found[variant], len(others), (-1.0, 1.0)),
        )
        for other in others
    ]
    return Measured(points)


@measure
def drift_predicts(
    frames: Frames, protocol: str, *, models: list[str], variants: list[str], drift: str
) -> Measured:
    """The rank correlation of a drift and the loss of accuracy, mean over trained models."""
    found = drift_correlations(by_level(select(frames, protocol)), drift, variants)
    if missing := [name for name in models if name not in found.index]:
        raise NotRun(f"no run of {missing[0]} under {protocol}")
    points = [
        Point(
            f"{name}, {len(found[name])} trained models",
            _mean(found[name], len(models), (-1.0, 1.0)),
        )
        for name in models
    ]
    return Measured(points)


def _trials(values: pd.DataFrame | pd.Series) -> str:
    return f"{len(values)} trial{'s'[: len(values) != 1]}"


def _mean(values: pd.Series, comparisons: int, within: tuple[float, float]) -> Interval:
    """A mean with its interval; of fewer than two values all that it can be."""
    values = values.dropna()
    if len(values) < 2:
        return Interval(float(values.mean()), *within, len(values))
    return mean_interval(values, comparisons, within)
