"""What claims on SET from relations measure, beside the common measures."""

from ...findings.measures import (
    Frames,
    Measured,
    NotRun,
    Point,
    converged,
    differences,
    select,
    series,
)
from ...findings.published import published
from ...findings.statistics import difference_interval


def at_published_sizes(
    frames: Frames, protocol: str, *, model: str, paper: list[str], metric: str = "test_accuracy"
) -> Measured:
    """The mean of a metric at each training size that a published curve has, simultaneously.

    Args:
        paper: the published figure and series.

    Raises:
        NotRun: if no run has one of these sizes.
    """
    known = set(published(*paper)["x"])
    rows = select(frames, protocol, model=model)
    chosen = {protocol: rows[rows["size"].isin(known)]}
    if chosen[protocol].empty:
        raise NotRun(f"no runs of {model} at the published sizes of {paper[1]}")
    return series(chosen, protocol, model=model, metric=metric, paper=paper)


def gap(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    better: str,
    worse: str,
    size: int,
    variant: str = "curve",
) -> Measured:
    """The paired difference of two metrics of one model at a training size, over the trials that
    have both.

    Args:
        model, size, variant: of the runs.
        better, worse: the metrics; the difference is the first less the second.

    Raises:
        NotRun: if fewer than two trials have both.
    """
    rows = select(frames, protocol, model=model, size=size, variant=variant)
    both = rows.dropna(subset=[better, worse])
    if len(both) < 2:
        raise NotRun(f"no two trials of {model} with {better} and {worse} at {size}")
    interval = difference_interval(both[better], both[worse], within=differences(better))
    label = f"n = {size}, {interval.n} trials"
    return Measured([Point(label, interval)], float(converged(both).mean()))


def between_variants(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    variants: list[str],
    metric: str = "test_accuracy",
    sizes: list[int],
) -> Measured:
    """The paired differences of a metric between the first of two variants and the second, at each
    of some training sizes."""
    points, rows = [], []
    for size in sizes:
        pair = [select(frames, protocol, model=model, size=size, variant=one) for one in variants]
        first, second = (table.set_index("trial")[metric] for table in pair)
        interval = difference_interval(first, second, len(sizes), differences(metric))
        points.append(Point(f"n = {size}, {interval.n} trials", interval))
        rows += [float(converged(table).mean()) for table in pair]
    return Measured(points, sum(rows) / len(rows))
