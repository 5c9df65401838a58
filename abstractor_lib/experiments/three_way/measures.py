"""What claims on relations of three objects measure."""

from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.registry import measure
from ...findings.statistics import difference_interval


@measure
def lead(
    frames: Frames, protocol: str, *, task: str, models: list[str], metric: str = "test_auc"
) -> Measured:
    """By how much the first of two models leads the second after the same number of examples: the
    mean difference over seeds, whose models see the same ones. A budget is part of the statement,
    so convergence is not asked for."""
    rows = select(frames, protocol)
    rows = rows[rows["variant"] == task]
    first, second = (rows[rows["model"] == name].set_index("trial")[metric] for name in models)
    if min(len(first), len(second)) < 2:
        raise NotRun(f"no runs of {models[0]} and {models[1]} on {task}, or one seed alone")
    interval = difference_interval(first, second, within=(-1.0, 1.0))
    return Measured([Point(f"{models[0]} over {models[1]}, {task}, {interval.n} seeds", interval)])


@measure
def over_script(frames: Frames, protocol: str, *, task: str, model: str) -> Measured:
    """By how much a model's area under the ROC curve exceeds that of a script that looks at two
    objects alone, on the same test examples: the mean difference over seeds."""
    rows = select(frames, protocol)
    rows = rows[(rows["variant"] == task) & (rows["model"] == model)]
    if len(rows) < 2:
        raise NotRun(f"no runs of {model} on {task}, or one seed alone")
    interval = difference_interval(rows["test_auc"], rows["script_auc"], within=(-1.0, 1.0))
    return Measured([Point(f"{model} over a script, {task}, {interval.n} seeds", interval)])
