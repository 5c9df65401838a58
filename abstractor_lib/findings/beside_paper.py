"""What claims measure of curves beside the paper's."""

import math

from .measures import Frames, Measured, NotRun, Point, limits, select, series
from .published import published
from .registry import measure
from .statistics import mean_interval, t_quantile


@measure
def curve_against_published(
    frames: Frames,
    protocol: str,
    *,
    model: str,
    figure: str,
    series: str,
    metric: str = "test_accuracy",
    variant: str = "curve",
) -> Measured:
    """A learning curve at the sizes for which further draws were made, against the paper's.

    The published trials share one draw of objects and split, so their mean carries that draw's
    luck. The spread of the means over our draws is the tolerance: the half-width within which the
    mean of one more draw falls with 95 % confidence, at each point for itself. More points would
    make it wider, and a claim that curves agree easier; so only a point that fails has to miss the
    tolerance that is simultaneous over the points. (Where further draws have fewer trials than the
    paper's it also holds what trials of one draw differ by, and is on the wide side.) Under
    ``published`` what is compared is the mean over draws, elsewhere the mean over trials, each with
    a draw of its own. ``variant`` is that of our runs.
    """
    paper = published(figure, series).set_index("x")["mean"]
    shared = select(frames, "published", model=model)
    shared = shared[shared["variant"].isin(["curve", "draw"])]
    sizes = sorted(set(shared.loc[shared["variant"] == "draw", "size"]) & set(paper.index))
    if not sizes:
        raise NotRun(f"no further draws at the published sizes of {series}")
    main = select(frames, protocol, model=model, variant=variant)
    points = []
    for n in sizes:
        drawn = shared[shared["size"] == n]
        draws = drawn.groupby("draw")[metric].mean()
        # half-width of the prediction interval for the mean of one more draw: t s sqrt(1 + 1/k)
        spread = float(draws.std(ddof=1)) * math.sqrt(1 + 1 / len(draws))
        alone, all_points = (t_quantile(len(draws), k) * spread for k in (1, len(sizes)))
        rows = drawn if protocol == "published" else main[main["size"] == n]
        values = draws if protocol == "published" else rows[metric]
        interval = mean_interval(values, len(sizes), limits(metric))
        kind = "draws" if protocol == "published" else "trials"
        label = f"n = {n}, {interval.n} {kind}"
        points.append(Point(label, interval, float(paper[n]), alone, rows, outer=all_points))
    return Measured(points)


@measure
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
