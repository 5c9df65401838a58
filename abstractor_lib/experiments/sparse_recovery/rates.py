"""How errors of the robust lasso grow, and what predictors lose: what the text says of the runs."""

import numpy as np
import pandas as pd

from ...findings.measures import Frames, Measured, NotRun, Point, select, share_of
from ...findings.statistics import difference_interval, mean_interval
from .grid import GOOD


def scale(nonzeros, rows, columns, errors=0.0):
    """sqrt(k log(2 m) / d) / (1 - epsilon), to which v1 eq. 3.17 and 3.18 are proportional.

    Example:
        >>> round(float(scale(1, 100, 50)), 3)
        0.215
    """
    return np.sqrt(nonzeros * np.log(2 * columns) / rows) / (1 - errors)


def noisy(table: pd.DataFrame) -> pd.DataFrame:
    """The runs of the rates: dense noise besides the errors, one multiple of the pivotal penalty;
    with their ``scale``, and without the factor of the errors, ``bare``."""
    rows = table[(table.model == "recovery") & (table.noise > 0)]
    swept = rows.groupby(["rows", "columns"]).multiple.transform("nunique") > 1  # penalties
    rows = rows[~swept & (rows.multiple == GOOD)]
    bare = scale(rows["size"], rows.rows, rows["columns"])
    return rows.assign(bare=bare, scale=bare / (1 - rows.errors))


def slopes(rows: pd.DataFrame, x: str = "bare") -> pd.Series:
    """Slope of log error on log scale, by trial."""
    return rows.groupby("trial")[[x, "error"]].apply(
        lambda some: np.polyfit(np.log(some[x]), np.log(some.error), 1)[0]
    )


def exponents(rows: pd.DataFrame) -> pd.DataFrame:
    """Exponents of k, d, log(2 m) and 1 / (1 - epsilon) in the error, by trial."""

    def fit(some: pd.DataFrame) -> pd.Series:
        logs = {
            "k": np.log(some["size"]),
            "d": np.log(some.rows),
            "log(2m)": np.log(np.log(2 * some["columns"])),
            "1/(1 - eps)": -np.log(1 - some.errors),
        }
        design = np.column_stack([np.ones(len(some)), *logs.values()])
        found = np.linalg.lstsq(design, np.log(some.error), rcond=None)[0]
        return pd.Series(dict(zip(logs, found[1:], strict=True)))

    return rows.groupby("trial").apply(fit, include_groups=False)


# What claims measure.


def rate(frames: Frames, protocol: str) -> Measured:
    """The slope of log error on log sqrt(k log(2 m) / d), for each share of errors."""
    rows = noisy(select(frames, protocol))
    groups = list(rows.groupby("errors"))
    if not groups:
        raise NotRun("no runs under noise")
    points = []
    for errors, some in groups:
        found = slopes(some)
        label = f"epsilon = {errors:g}, {len(found)} trials"
        points.append(Point(label, mean_interval(found, len(groups))))
    return Measured(points, np.nan)


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
    return Measured(points, np.nan)


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
    table = table[table.errors <= most]
    fewest = table[table.model == f"predicting_{given}"].examples.min()
    points = []
    groups = list(table[table.examples == fewest].groupby("errors"))
    for errors, some in groups:
        wide = some.pivot(index="trial", columns="model", values=metric)
        found = difference_interval(
            wide[f"predicting_{given}"], wide["predicting_relations"], len(groups)
        )
        points.append(Point(f"epsilon = {errors:g}, {len(wide)} trials", found))
    if not points:
        raise NotRun(f"no prediction from {given}")
    return Measured(points, np.nan)
