"""What claims on curves measure beside `findings.measures`.

The unit is a trained model. All models and seeds extrapolate the same test curves. Which models is
said by ``where``, whose entries are arguments of `trained`: the variant, the width and which of the
weights that a watched run keeps. Without it they are the small models of the main part of the grid.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from ...findings.known import known as not_random
from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.permutation import shift_interval
from ...findings.published import published
from ...findings.registry import measure
from ...findings.statistics import Interval, mean_interval
from .grid import MAIN
from .names import LAST, metric_name, of_weights, standard_error
from .printed import CLASSES, printed

MAIN_PART: Mapping = {}  # arguments of `trained`
STEPS = 10  # beyond the curve, in Table 2
SURE = 1.96  # standard errors either way of a mean over hundreds of test curves


def trained(
    frames: Frames,
    protocol: str,
    model: str,
    columns: Sequence[str],
    variant: str = MAIN,
    size: int | None = None,
    weights: str = LAST,
) -> pd.DataFrame:
    """The trained models of a name, a row each, with these metrics.

    Args:
        variant: as tables call it.
        size: width; any, if None.
        weights: whose metrics are meant, of a watched run: ``averaged``, ``best_loss`` or ``last``.

    Raises:
        NotRun: if there are none, or they lack one of the columns.
    """
    names = {of_weights(name, weights): name for name in columns}
    chosen = {"variant": variant} | ({} if size is None else {"size": size})
    table = select(frames, protocol, model=model, **chosen)
    missing = [name for name in names if name not in table or table[name].isna().all()]
    if missing:
        raise NotRun(f"no {', '.join(missing)} of {model} under {protocol}")
    table = table.dropna(subset=list(names))
    return table[[name for name in table if name not in columns or name in names]].rename(
        columns=names
    )


@measure
def above(
    frames: Frames,
    protocol: str,
    *,
    pairs: list[list[str]],
    metrics: list[str],
    paper: str | None = None,
    where: Mapping = MAIN_PART,
) -> Measured:
    """By how much a metric of the first model of a pair exceeds that of the second, one point for
    each pair and metric: differences of means over trained models, with exact intervals by
    permutation, simultaneous over the points.

    Args:
        paper: the printed table whose differences are shown beside them.
    """
    points = []
    for first, second in pairs:
        for metric in metrics:
            groups = [
                trained(frames, protocol, name, [metric], **where) for name in (first, second)
            ]
            found = _shift([one[metric] for one in groups], len(pairs) * len(metrics))
            label = f"{metric}, {first} less {second}, {found.n} models each"
            reported = _reported(paper, first, metric, less=_reported(paper, second, metric))
            points.append(Point(label, found, reported))
    return Measured(points)


@measure
def metric_above(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    pairs: list[list[str]],
    where: Mapping = MAIN_PART,
) -> Measured:
    """By how much the first metric of a pair exceeds the second, within each trained model."""
    points = []
    for model in models:
        for first, second in pairs:
            table = trained(frames, protocol, model, [first, second], **where)
            found = _mean(table[first] - table[second], len(models) * len(pairs))
            points.append(Point(f"{first} less {second}, {model}, {found.n} models", found))
    return Measured(points)


@measure
def mean_of(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    metrics: list[str],
    paper: str | None = None,
    where: Mapping = MAIN_PART,
) -> Measured:
    """The mean of metrics over trained models, one point for each model and metric; ``paper``
    names the printed table whose values are shown beside them."""
    points = []
    for model in models:
        for metric in metrics:
            table = trained(frames, protocol, model, [metric], **where)
            found = _mean(table[metric], len(models) * len(metrics))
            label = f"{metric} of {model}, {found.n} models"
            points.append(Point(label, found, _reported(paper, model, metric)))
    return Measured(points)


@measure
def below_reference(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    reference: str,
    metrics: list[str],
    where: Mapping = MAIN_PART,
) -> Measured:
    """By how much the metrics of trained models lie below those of a reference, on the same
    curves; the reference is not random."""
    goal = trained(frames, protocol, reference, metrics).iloc[0]
    points = []
    for model in models:
        for metric in metrics:
            table = trained(frames, protocol, model, [metric], **where)
            found = _mean(goal[metric] - table[metric], len(models) * len(metrics))
            points.append(Point(f"{metric} of {model}, {found.n} models", found))
    return Measured(points)


@measure
def above_floor(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    floor: str,
    metrics: list[str],
    where: Mapping = MAIN_PART,
) -> Measured:
    """The least value of a metric over trained models, less that of a reference on the same curves.
    It speaks of these models and no others: it is no estimate, so it is its own interval."""
    goal = trained(frames, protocol, floor, metrics).iloc[0]
    points = []
    for metric in metrics:
        groups = [trained(frames, protocol, name, [metric], **where) for name in models]
        values = pd.concat([one[metric] for one in groups])
        least = float(values.min() - goal[metric])
        label = f"{metric}, least of {len(values)} models"
        points.append(Point(label, Interval(least, least, least, len(values))))
    return Measured(points)


@measure
def references_above(
    frames: Frames, protocol: str, *, pairs: list[list[str]], kinds: list[str]
) -> Measured:
    """By how much the first reference of a pair has a greater extrapolation error than the second,
    on the same curves of each class. It is no estimate, so it is its own interval."""
    points = []
    for names in pairs:
        for kind in kinds:
            metric, curves = metric_name("mse", kind), metric_name("curves", kind)
            first = trained(frames, protocol, names[0], [metric]).iloc[0]
            second = trained(frames, protocol, names[1], [metric, curves]).iloc[0]
            more = float(first[metric] - second[metric])
            label = f"{metric}, {names[0]} less {names[1]}"
            points.append(Point(label, Interval(more, more, more, int(second[curves]))))
    return Measured(points)


@measure
def known(frames: Frames, protocol: str, *, reference: str, metric: str, steps: int) -> Measured:
    """A number that is computed and not estimated, such as the optimum: a mean over the steps."""
    value = float(trained(frames, protocol, reference, [metric])[metric].iloc[0])
    return Measured([Point(f"mean over {steps} steps", Interval(value, value, value, steps))])


@measure
def expected_error(frames: Frames, protocol: str, *, reference: str, kind: str) -> Measured:
    """The expected error of a reference on curves of a class: the mean of the variances that it
    states, with an interval over test curves."""
    expected = metric_name("expected_mse", kind)
    names = [expected, standard_error(expected), metric_name("curves", kind)]
    row = trained(frames, protocol, reference, names).iloc[0]
    mean, error, count = row[names]
    found = Interval(mean, mean - SURE * error, mean + SURE * error, int(count))
    return Measured([Point(f"{int(count)} test curves", found)])


@measure
def stated_spread(frames: Frames, protocol: str, *, reference: str, kind: str) -> Measured:
    """How much the variance that a reference states differs between the test curves of a class: a
    standard deviation. It speaks of these curves, so it is its own interval."""
    expected = metric_name("expected_mse", kind)
    names = [standard_error(expected), metric_name("curves", kind)]
    error, count = trained(frames, protocol, reference, names).iloc[0][names]
    spread = float(error * count**0.5)
    return Measured(
        [Point(f"{int(count)} test curves", Interval(spread, spread, spread, int(count)))]
    )


@measure
def gained(
    frames: Frames,
    protocol: str,
    *,
    models: list[str],
    metrics: list[str],
    before: Mapping,
    after: Mapping,
) -> Measured:
    """By how much a metric of the models ``before`` exceeds that of the same models ``after``, such
    as with more updates: differences of means over trained models, as those of `above`."""
    points = []
    for model in models:
        for metric in metrics:
            groups = [trained(frames, protocol, model, [metric], **one) for one in (before, after)]
            found = _shift([one[metric] for one in groups], len(models) * len(metrics))
            points.append(Point(f"{metric} of {model}, {found.n} models each", found))
    return Measured(points)


@measure
def chosen_weights_above(
    frames: Frames, protocol: str, *, models: list[str], metrics: list[str], where: Mapping
) -> Measured:
    """By how much a metric of the last weights exceeds that of the weights that ``where`` names,
    within each trained model."""
    last = {name: value for name, value in where.items() if name != "weights"}
    points = []
    for model in models:
        for metric in metrics:
            groups = [trained(frames, protocol, model, [metric], **one) for one in (last, where)]
            both = [one.set_index("trial")[metric] for one in groups]
            found = _mean((both[0] - both[1]).dropna(), len(models) * len(metrics))
            points.append(Point(f"{metric} of {model}, {found.n} models", found))
    return Measured(points)


@measure
def printed_all(frames: Frames, protocol: str) -> Measured:
    """How far the printed column "all" of Tables 1 and 2 lies from the plain mean of the printed
    classes, one point a row. Both are printed numbers, so each point is its own interval."""
    rows = pd.concat(
        [printed(name).assign(table=name[-1]) for name in ("tab_curves_1", "tab_curves_2")]
    )
    points = []
    for model, row in rows.iterrows():
        off = float(row["all"] - row[list(CLASSES)].mean())
        points.append(Point(f"Table {row['table']}, {model}", Interval(off, off, off, len(rows))))
    return Measured(points)


def _shift(groups: Sequence[pd.Series], comparisons: int) -> Interval:
    if min(map(len, groups)) < 2:
        raise NotRun("one trained model alone")
    first, second = (group.tolist() for group in groups)
    return shift_interval(first, second, comparisons)


def _mean(values: pd.Series, comparisons: int) -> Interval:
    if len(values) < 2:
        raise NotRun("one trained model alone")
    return mean_interval(values, comparisons)


def _reported(paper: str | None, model: str, metric: str, less: float | None = 0.0) -> float | None:
    """A printed number, less another; None if one of them is not printed."""
    if paper is None or less is None:
        return None
    table = published(paper)
    row = table[(table["series"] == model) & (table["metric"] == metric)]
    return None if row.empty else float(row["mean"].iloc[0]) - less


@measure
def optimal(frames: Frames, protocol: str, *, reference: str, metrics: list[str]) -> Measured:
    """Standard deviations of a reference beside those that Table 2 prints as optimal, means over
    the steps."""
    table = published("tab_curves_2")
    printed = table[table["series"] == "optimal"].set_index("metric")["mean"]
    row = trained(frames, protocol, reference, metrics).iloc[0]
    found = not_random({f"{name}, mean over {STEPS} steps": row[name] for name in metrics}, STEPS)
    return Measured(
        [
            point._replace(published=float(printed[name]))
            for name, point in zip(metrics, found.points, strict=True)
        ]
    )
