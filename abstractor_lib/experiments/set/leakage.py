"""What claims of SET classification measure: the difference of two accuracies of one model, and a
curve beside the paper's."""

from ...findings.measures import Frames, Measured, NotRun, Point, differences, units
from ...findings.statistics import difference_interval
from ..set_relations.bounds import at_published_sizes

__all__ = ["at_published_sizes", "gap"]


def gap(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    metrics: list[str],
    variant: str = "curve",
    least: int = 0,
) -> Measured:
    """The first of two metrics less the second, in the same trials, at each training size from
    ``least``: how much of a test accuracy is leakage, say.

    Raises:
        NotRun: if no size has two trials with both metrics.
    """
    first, second = (units(frames, protocol, [model], one, variant)[0] for one in metrics)
    both = first.values.notna() & second.values.notna()
    sizes = [n for n in both.columns if n >= least and both[n].sum() >= 2]
    if not sizes:
        raise NotRun(f"no training size with {' and '.join(metrics)} of {model}")
    points = []
    for n in sizes:
        rows = both[n]
        interval = difference_interval(
            first.values[n][rows], second.values[n][rows], len(sizes), differences(metrics[0])
        )
        points.append(Point(f"n = {n}, {first.count(n)}", interval))
    return Measured(points, float(first.converged(sizes).mean()))
