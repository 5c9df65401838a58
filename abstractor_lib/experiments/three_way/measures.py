"""What claims on relations of three objects measure."""

import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.permutation import shift_interval
from ...findings.registry import measure
from ...findings.statistics import difference_interval, mean_interval

LOOKS = 2  # claims are judged with the first seeds, and again with all


@measure
def lead(
    frames: Frames, protocol: str, *, task: str, models: list[str], metric: str = "test_auc"
) -> Measured:
    """By how much the first of two models leads the second after the same number of examples: the
    difference of the means over seeds, by permutation. The number of examples is part of the
    statement, so convergence is not asked for; how many runs converged is told."""
    rows = select(frames, protocol)
    rows = rows[rows["variant"] == task]
    first, second = (rows[rows["model"] == name].set_index("trial")[metric] for name in models)
    if min(len(first), len(second)) < 2:
        raise NotRun(f"no runs of {models[0]} and {models[1]} on {task}, or one seed alone")
    interval = shift_interval(first.tolist(), second.tolist(), LOOKS, within=(-1.0, 1.0))
    both = rows[rows["model"].isin(models)]
    words = f"{models[0]} over {models[1]}, {task}, {interval.n} seeds, {_converged(both)}"
    return Measured([Point(words, interval)])


def _converged(rows: pd.DataFrame) -> str:
    """How many runs converged, in words."""
    return f"{int(rows['converged'].sum())} of {len(rows)} runs converged"


@measure
def over_script(frames: Frames, protocol: str, *, task: str, model: str) -> Measured:
    """By how much a model's area under the ROC curve exceeds that of a script that looks at two
    objects alone, on the same test examples: the mean difference over seeds."""
    rows = select(frames, protocol)
    rows = rows[(rows["variant"] == task) & (rows["model"] == model)]
    if len(rows) < 2:
        raise NotRun(f"no runs of {model} on {task}, or one seed alone")
    interval = difference_interval(rows["test_auc"], rows["script_auc"], LOOKS, within=(-1.0, 1.0))
    words = f"{model} over a script, {task}, {interval.n} seeds, {_converged(rows)}"
    return Measured([Point(words, interval)])


@measure
def level(frames: Frames, protocol: str, *, task: str, model: str) -> Measured:
    """The mean accuracy of a model over seeds."""
    rows = select(frames, protocol)
    rows = rows[(rows["variant"] == task) & (rows["model"] == model)]
    if len(rows) < 2:
        raise NotRun(f"no runs of {model} on {task}, or one seed alone")
    interval = mean_interval(rows["test_accuracy"], LOOKS, within=(0.0, 1.0))
    words = f"{model}, {task}, {interval.n} seeds, {_converged(rows)}"
    return Measured([Point(words, interval)])
