"""How errors of the robust lasso grow, and what predictors lose: what the text says of the runs."""

from functools import cache

import numpy as np
import pandas as pd
from scipy import linalg

from ...findings.measures import Frames, Measured, NotRun, Point, select, share_of
from ...findings.registry import measure
from ...findings.statistics import Interval, difference_interval, mean_interval
from .data import noise_deviation
from .grid import GOOD, scale
from .settings import Task

FACTORS = {"k": 0.5, "log(2m)": 0.5, "d": -0.5, "1/(1 - eps)": 1.0}  # exponents in eq. 3.18


def noisy(table: pd.DataFrame, multiple: float = GOOD) -> pd.DataFrame:
    """The runs of the rates: dense noise besides the gross errors, with one multiple of the pivotal
    penalty. With columns ``scale``, `scale` of the run; ``noise_deviation``, the standard deviation
    of the dense noise; and ``relative_error``, the error divided by it.
    """
    rows = table[(table.model == "recovery") & (table.noise > 0)]
    swept = rows.groupby(["rows", "columns"]).multiple.transform("nunique") > 2  # penalties
    rows = rows[~swept & (rows.multiple == multiple)]
    asked = rows[["rows", "columns", "size", "variant", "errors", "noise", "examples", "trial"]]
    deviations = [_deviation(*row) for row in asked.itertuples(index=False)]
    return rows.assign(
        scale=scale(rows["size"], rows.rows, rows["columns"], rows.errors),
        noise_deviation=deviations,
        relative_error=rows.error / deviations,
    )


@cache
def _deviation(*setting) -> float:
    *task, trial = setting
    return noise_deviation(Task(*task), trial)


def design(rows: pd.DataFrame) -> pd.DataFrame:
    """The logarithms of the four factors of eq. 3.18, a column each, named as in `FACTORS`."""
    factors = {
        "k": rows["size"],
        "log(2m)": np.log(2 * rows["columns"]),
        "d": rows["rows"],
        "1/(1 - eps)": 1 / (1 - rows["errors"]),
    }
    return pd.DataFrame(np.log(pd.DataFrame(factors)))


def exponents(rows: pd.DataFrame, error: str = "relative_error") -> pd.DataFrame:
    """Exponents of the factors of eq. 3.18 in an error, trials down and `FACTORS` across.

    One least squares fit for each trial, of the logarithm of the error on the logarithms of all
    four factors and a constant. NaN for an exponent that the rows cannot tell, such as that of a
    factor that is the same in all of them.
    """

    def fit(rows: pd.DataFrame) -> pd.Series:
        logs = design(rows)
        logs = np.column_stack([np.ones(len(rows)), logs - logs.mean()])
        found = np.linalg.lstsq(logs, np.log(rows[error]), rcond=None)[0]
        unseen = linalg.null_space(logs, rcond=1e-9)  # moves that change no fitted value
        found[np.abs(unseen).max(axis=1, initial=0.0) > 1e-6] = np.nan
        return pd.Series(dict(zip(FACTORS, found[1:], strict=True)))

    return rows.groupby("trial").apply(fit, include_groups=False)


def joint(rows: pd.DataFrame, error: str = "relative_error") -> dict[str, Interval]:
    """By factor, the mean of its exponent over the trials with its 95 % interval, simultaneous over
    the four. An exponent that the rows cannot tell is left out."""
    found = exponents(rows, error).dropna(axis=1)
    return {name: mean_interval(found[name], len(FACTORS)) for name in found}


def slopes(rows: pd.DataFrame) -> pd.DataFrame:
    """Slope of log error on the logarithm of `scale` within each (m, k, epsilon), where only d
    varies: columns ``columns``, ``size``, ``errors``, ``trial`` and ``slope``.

    Settings with fewer than three values of d are left out.
    """
    keys = ["columns", "size", "errors"]
    rows = rows[rows.groupby(keys)["rows"].transform("nunique") > 2]
    found = [
        (*cell, np.polyfit(np.log(some["scale"]), np.log(some.relative_error), 1)[0])
        for cell, some in rows.groupby([*keys, "trial"])
    ]
    return pd.DataFrame(found, columns=[*keys, "trial", "slope"])


# What claims measure.


@measure
def exponent(frames: Frames, protocol: str, *, of: str, most: float) -> Measured:
    """The exponent of one factor of eq. 3.18 in the error, fitted jointly with the other three
    (`exponents`), over the runs under dense noise for which eq. 3.17 is at most ``most``.

    The error is in units of the standard deviation of the dense noise. The unit of replication is
    the trial; the interval is simultaneous over the four exponents.
    """
    rows = noisy(select(frames, protocol))
    rows = rows[rows.scale <= most]
    if rows.empty:
        raise NotRun(f"no run under dense noise with eq. 3.17 at most {most:g}")
    found = exponents(rows)[of]
    if found.isna().any():
        raise NotRun(f"the grid does not tell the exponent of {of} from the others")
    settings = len(rows[["columns", "size", "rows", "errors"]].drop_duplicates())
    label = f"exponent of {of}, {settings} settings, {len(found)} trials"
    return Measured([Point(label, mean_interval(found, len(FACTORS)))])


@measure
def recovered(
    frames: Frames, protocol: str, *, multiple: float, most: float, noise: float = 0.0
) -> Measured:
    """The share of relations that come back, without noise, at each share of errors, over the
    sparsities for which eq. 3.17 is at most ``most``."""
    table = select(frames, protocol, model="recovery", noise=noise, multiple=multiple)
    table = table[scale(table["size"], table.rows, table["columns"], table.errors) <= most]
    groups = list(table.groupby("errors"))
    if not groups:
        raise NotRun(f"no run with eq. 3.17 at most {most}")
    points = []
    for errors, some in groups:
        found = share_of(some, "recovered", "examples", len(groups))
        points.append(Point(f"epsilon = {errors:g}, {found.n} trials", found))
    return Measured(points)


@measure
def prediction(
    frames: Frames,
    protocol: str,
    *,
    given: str,
    regime: str,
    metric: str,
    kind: str,
    most: float = 1.0,
) -> Measured:
    """What is lost by predicting from ``given`` in place of the relations: paired differences of
    R^2, at each share of errors up to ``most``."""
    table = select(frames, protocol, regime=regime, variant=kind)
    table = table[(table.errors <= most) & table.given.notna()]
    fewest = table[table.given == given].examples.min()
    points = []
    groups = list(table[table.examples == fewest].groupby("errors"))
    for errors, some in groups:
        wide = some.pivot(index="trial", columns="given", values=metric)
        found = difference_interval(wide[given], wide["relations"], len(groups))
        points.append(Point(f"epsilon = {errors:g}, {len(wide)} trials", found))
    if not points:
        raise NotRun(f"no prediction from {given}")
    return Measured(points)
