"""What claims on SET from relations measure, beside the common measures."""

from ...findings.measures import (
    Frames,
    Measured,
    NotRun,
    Point,
    differences,
    select,
    series,
    shared_draw,
    units,
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
    metrics: list[str],
    variant: str = "curve",
    least: int = 0,
    size: int | None = None,
) -> Measured:
    """The first of two metrics less the second, in the same trials, at each training size from
    ``least``, or at ``size`` alone: how much of a test accuracy is leakage, say.

    Raises:
        NotRun: if no size has two trials with both metrics.
    """
    first, second = (units(frames, protocol, [model], one, variant)[0] for one in metrics)
    both = first.values.notna() & second.values.notna()
    sizes = [
        n
        for n in both.columns
        if (n >= least if size is None else n == size) and both[n].sum() >= 2
    ]
    if not sizes:
        raise NotRun(f"no training size with {' and '.join(metrics)} of {model}")
    points = []
    for n in sizes:
        rows = both[n]
        interval = difference_interval(
            first.values[n][rows], second.values[n][rows], len(sizes), differences(metrics[0])
        )
        label = f"n = {n}, {first.count(n)}"
        settled = first.at(n)  # either metric may gain more
        points.append(Point(label, interval, rising=settled, falling=settled))
    return Measured(points)


def between_variants(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    variants: list[str],
    over: str = "curve",
    metric: str = "test_accuracy",
    size: int,
) -> Measured:
    """The paired differences of a metric between each of some variants and another one."""
    points = []
    for variant in variants:
        names = (variant, over)
        pair = [select(frames, protocol, model=model, size=size, variant=one) for one in names]
        first, second = (table.set_index("trial")[metric] for table in pair)
        interval = difference_interval(first, second, len(variants), differences(metric))
        label = f"{variant}, {interval.n} trials{shared_draw(pair[0])}"
        rising, falling = pair
        points.append(Point(label, interval, rising=rising, falling=falling))
    return Measured(points)
