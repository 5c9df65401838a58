"""What claims on nonlinear measurements measure. The unit is a problem, or a test sequence.

Problems of one number share A, u and the wrong entries over all phi and programs, so they are
compared in pairs.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ...findings.counts import rate_interval
from ...findings.measures import Frames, Measured, NotRun, Point, select
from ...findings.registry import measure
from ...findings.sizes import brackets, in_words, median_bracket, median_interval
from ...findings.statistics import difference_interval, mean_interval
from ...theory.activations import linear_part
from .names import by_rows

LEVEL = 0.9  # of the cosine, from which u counts as recovered
COSINE = (-1.0, 1.0)
LEADS = (-2.0, 2.0)


def cosines(
    table: pd.DataFrame, model: str, activation: str, **noise: float
) -> dict[object, pd.DataFrame]:
    """By k, problems down and numbers of measurements across; without noise if none is named."""
    long = by_rows(table[table["model"].eq(model) & table["activation"].eq(activation)])
    wanted = {"dense": 0.0, "errors": 0.0} | noise
    for name, value in wanted.items():
        long = long[np.isclose(long[name].astype(float), value)]
    return {
        k: some.pivot(index="trial", columns="rows", values="cosine")
        for k, some in long.groupby("size")
    }


def _of(frames: Frames, protocol: str, pair: list[str], nonzeros: int, noise: Mapping):
    """The cosines of a program and a phi, with k nonzero entries.

    Raises:
        NotRun: if there are no such runs, or fewer than two problems.
    """
    model, activation = pair
    found = cosines(select(frames, protocol, model=model), model, activation, **noise)
    if nonzeros not in found or len(found[nonzeros]) < 2:
        raise NotRun(f"no runs of {model} on {activation} with k = {nonzeros}")
    return found[nonzeros]


@measure
def needed_ratio(
    frames: Frames,
    protocol: str,
    *,
    pairs: list[list[list[str]]],
    nonzeros: int,
    noise: dict | None = None,
    less_noise: dict | None = None,
) -> Measured:
    """How many times the measurements the second of two pairs of program and phi needs until the
    cosine with u is 0.9: the median over problems, as a bracket; a point for each two.

    The intervals of several pairs hold at once.

    Args:
        pairs: each ``[[program, phi], [program, phi]]``, the one that needs fewer first.
        noise: of the second of each two, ``dense`` and ``errors``; None for none.
        less_noise: of the first; None for that of the second.
    """
    noise = noise or {}
    points = []
    for first, second in pairs:
        quiet = noise if less_noise is None else less_noise
        fewer = brackets(LEVEL, _of(frames, protocol, first, nonzeros, quiet))
        more = brackets(LEVEL, _of(frames, protocol, second, nonzeros, noise))
        both = fewer.index.intersection(more.index).sort_values()
        fewer, more = fewer.loc[both], more.loc[both]
        with np.errstate(divide="ignore", invalid="ignore"):
            low = (more["low"] / fewer["high"]).fillna(0.0)
            high = (more["high"] / fewer["low"]).fillna(np.inf)
        high = high.where(np.isinf(high), np.nextafter(high, 0))
        shown = ", ".join(
            f"{' on '.join(pair)} {in_words(*median_bracket(one))}"
            for pair, one in ((first, fewer), (second, more))
        )
        interval = median_interval(low.tolist(), high.tolist(), len(pairs))
        points.append(Point(f"{shown}; {interval.n} problems", interval))
    return Measured(points)


@measure
def lead(
    frames: Frames,
    protocol: str,
    *,
    pairs: list[list[list[str]]],
    nonzeros: int,
    rows: int | None = None,
    noise: dict | None = None,
) -> Measured:
    """By how much the cosine with u is greater with the first of two pairs of program and phi than
    with the second, the mean over problems; a point for each two. Without ``rows``, of the mean
    over all numbers of measurements."""
    points = []
    for pair in pairs:
        better, worse = (_of(frames, protocol, one, nonzeros, noise or {}) for one in pair)
        if rows is not None and not (rows in better and rows in worse):
            raise NotRun(f"no runs with {rows} measurements")
        first, second = (one.mean(axis=1) if rows is None else one[rows] for one in (better, worse))
        interval = difference_interval(first, second, len(pairs), LEADS)
        names = " over ".join(" on ".join(one) for one in pair)
        points.append(Point(f"{names}, {interval.n} problems", interval))
    return Measured(points)


@measure
def recovered(
    frames: Frames,
    protocol: str,
    *,
    pairs: list[list[str]],
    nonzeros: int,
    rows: int,
    noise: dict | None = None,
) -> Measured:
    """The share of problems with a cosine with u of at least 0.9; a point for each pair of program
    and phi."""
    points = []
    for pair in pairs:
        found = _of(frames, protocol, pair, nonzeros, noise or {})
        if rows not in found:
            raise NotRun(f"no runs with {rows} measurements")
        solved = int((found[rows] >= LEVEL).sum())
        interval = rate_interval(solved, len(found), len(pairs))
        points.append(Point(f"{' on '.join(pair)}, {interval.n} problems", interval))
    return Measured(points)


def squares_cosine(activation: str, rows, columns: int, gain: float):
    """What theory says of least squares: 1 / sqrt(1 + (sigma / mu)^2 m / (d - m - 1)).

    The fit is mu u plus normal errors of variance sigma^2 / (d - m - 1) in each of m entries, if
    the part of phi that is not linear were independent of A; it is uncorrelated only.

    Example:
        >>> round(float(squares_cosine("sign", 129, 64, 1.0)), 3)
        0.798
    """
    return 1 / np.sqrt(1 + linear_part(activation, gain).cost * columns / (rows - columns - 1))


@measure
def squares_off(
    frames: Frames, protocol: str, *, activations: list[str], nonzeros: int, least: int
) -> Measured:
    """The mean cosine of least squares with u minus what theory says (`squares_cosine`), without
    noise, for each phi and number of measurements from ``least`` on."""
    from .settings import PROTOCOLS

    slope = PROTOCOLS[protocol].gain.value
    points = []
    for activation in activations:
        pair = ["least_squares", activation]
        found = _of(frames, protocol, pair, nonzeros, {})
        table = select(frames, protocol, model="least_squares", activation=activation)
        columns = int(table.loc[table["source"].eq("gaussian"), "columns"].iloc[0])
        gain = slope if activation == "sigmoid" else 1.0
        for rows in [one for one in found if one >= least]:
            off = found[rows] - squares_cosine(activation, rows, columns, gain)
            points.append((f"{activation}, d = {rows}, {len(off)} problems", off))
    if not points:
        raise NotRun(f"no runs with {least} measurements or more")
    return Measured([Point(name, mean_interval(off, len(points), LEADS)) for name, off in points])


def _trained(frames: Frames, protocol: str, pair: list[str], errors: float) -> pd.Series:
    """The error by sequence of a program and phi, with what a trained model measures."""
    model, activation = pair
    rows = select(frames, protocol, source="sorting", model=model, activation=activation)
    rows = rows[np.isclose(rows["errors"].astype(float), errors)]
    if len(rows) < 2:
        raise NotRun(f"no runs of {model} on {activation} with a share of errors of {errors:g}")
    return rows.set_index("trial")["error"]


@measure
def trained_error(frames: Frames, protocol: str, *, pair: list[str], errors: float) -> Measured:
    """The relative error of relations read back from what a trained Abstractor measures: the median
    over the objects of a sequence, the mean over sequences."""
    values = _trained(frames, protocol, pair, errors)
    interval = mean_interval(values, within=(0.0, np.inf))
    return Measured([Point(f"{' on '.join(pair)}, {interval.n} sequences", interval)])


@measure
def trained_lead(
    frames: Frames, protocol: str, *, models: list[str], activation: str, errors: float
) -> Measured:
    """By how much the relative error of the second of two programs is greater than that of the
    first, on what a trained Abstractor measures: the mean over sequences."""
    better, worse = (_trained(frames, protocol, [one, activation], errors) for one in models)
    interval = difference_interval(worse, better)
    return Measured([Point(f"{models[0]} before {models[1]}, {interval.n} sequences", interval)])
