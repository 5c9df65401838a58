"""What the theorem predicts of the runs, and how much of it there is room for.

The left side of eq. 3.14, and of its short form eq. 3.15, must be "sufficiently small": the papers
name no constant. Where recovery ends is therefore fitted, as a level of these quantities, on one
kind of errors, and held against the others.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy import optimize
from sklearn.linear_model import LogisticRegression

from ...findings.groups import groups
from ...findings.measures import Frames, Measured, NotRun, Point, select, share_of
from ...findings.registry import measure
from ...findings.statistics import Interval, difference_interval
from ...theory.conditions import Bounds, Conditions, theorem_left_side

ROUNDING = 1e-9  # of levels
ASKED = 0.95  # share of the relations that is to come back, of claims
# That where recovery counts as safe, above the share that is asked for: all errors that do not
# depend on the symbols have one law, so an edge that was fitted at 0.95 could decide nothing there.
SAFE = 0.99
FITTED_ON = "gaussian"  # the kind of errors on which levels are fitted
CELL = ["rows", "size", "ratio", "variant", "errors"]


def known_conditions(table: pd.DataFrame) -> dict[tuple, Conditions]:
    """Conditions A and B of Gaussian symbols by ``(rows, columns)``, means over trials."""
    rows = table[(table.model == "conditions") & (table.symbols == "gaussian")]
    found = {}
    for size, some in rows.groupby(["rows", "size"]):
        mean = some.mean(numeric_only=True)
        found[size] = Conditions(
            mean.sigma_fixed,
            Bounds(mean.sigma_low, mean.sigma_high),
            Bounds(mean.kappa_low_low, mean.kappa_low_high),
            mean.kappa_high,
        )
    return found


def short_form(ratio, errors):
    """sqrt(m / d) / (1 - epsilon), v1 eq. 3.15.

    Example:
        >>> float(short_form(0.25, 0.5))
        1.0
    """
    return np.sqrt(ratio) / (1 - errors)


def recoveries(table: pd.DataFrame) -> pd.DataFrame:
    """Runs with Gaussian symbols, with the left sides of eq. 3.14 (``theorem``; NaN where the
    conditions were not measured) and 3.15 (``short``)."""
    rows = table[(table.model == "recovery") & (table.symbols == "gaussian")].copy()
    known = known_conditions(table)
    sides = {
        (d, m, errors): theorem_left_side(known[d, m], d, m, errors) if (d, m) in known else np.nan
        for d, m, errors in rows[["rows", "size", "errors"]].drop_duplicates().itertuples(False)
    }
    keys = zip(rows.rows, rows["size"], rows.errors, strict=True)
    return rows.assign(
        theorem=[sides[key] for key in keys], short=short_form(rows.ratio, rows.errors)
    )


def fitted_level(rows: pd.DataFrame, side: str) -> float:
    """The level of a left side at which half of the relations come back: logistic regression of
    the share on its logarithm, to six digits."""
    x = np.log(rows[[side]].to_numpy())
    both = np.concatenate([x, x])
    weights = np.concatenate([rows.recovered, 1 - rows.recovered])
    outcome = np.repeat([1, 0], len(rows))
    fit = LogisticRegression(C=1e6, max_iter=1000).fit(both, outcome, sample_weight=weights)
    level = np.exp(-fit.intercept_[0] / fit.coef_[0, 0])
    return float(f"{level:.6g}")


def safe_level(rows: pd.DataFrame, side: str) -> float:
    """The largest level of a left side below which every cell gives back `SAFE` of the relations;
    zero if the least cell does not."""
    cells = rows.groupby(CELL).agg(level=(side, "first"), recovered=("recovered", "mean"))
    cells = cells.sort_values("level", kind="stable")
    unsafe = cells.level[cells.recovered < SAFE]
    if unsafe.empty:
        return float(cells.level.max())
    # cells with the same level in other digits are as unsafe
    safe = cells.level[cells.level < unsafe.iloc[0] * (1 - ROUNDING)]
    return float(safe.max()) if len(safe) else 0.0


def errors_at(level: float, side: Callable[[float], float]) -> float:
    """The share of errors at which a left side reaches a level; zero if it starts above it.

    Example:
        >>> round(errors_at(1.0, lambda errors: short_form(0.25, errors)), 6)
        0.5
    """
    if side(0.0) >= level:
        return 0.0
    return float(optimize.brentq(lambda errors: side(errors) - level, 0.0, 1 - 1e-9))


def granted(table: pd.DataFrame, level: float, rows: int, ratio: float) -> float:
    """The share of errors that a level of eq. 3.14 allows."""
    columns = round(ratio * rows)
    known = known_conditions(table)[rows, columns]
    return errors_at(level, lambda errors: theorem_left_side(known, rows, columns, errors))


def thresholds(table: pd.DataFrame, by: Sequence[str] = ("rows", "size", "ratio")) -> pd.DataFrame:
    """Up to which share of errors relations come back, a row for each trial: the area under the
    share that comes back, which is one without errors.

    ``table`` holds runs of one kind of errors or several (give ``variant`` in ``by``). Trials that
    were made for some shares of errors alone are left out.
    """
    found, shares = [], table.groupby(list(by)).errors.nunique()
    for key, some in groups(table, [*by, "trial"]):
        if some.errors.nunique() < shares.loc[key[:-1] if len(by) > 1 else key[0]]:
            continue
        some = some.sort_values("errors", kind="stable")
        x, y = np.r_[0.0, some.errors], np.r_[1.0, some.recovered]
        found.append((*key, float(np.trapezoid(y, x))))
    return pd.DataFrame(found, columns=[*by, "trial", "threshold"])


def cells_inside(
    table: pd.DataFrame,
    kinds: Sequence[str],
    side: str = "theorem",
    rows: int = 200,
    below: float = 1.0,
) -> pd.DataFrame:
    """The share of relations that come back in each cell where a left side is at most its safe
    level (`safe_level` of Gaussian errors), and the share of errors is ``below`` one, for each kind
    of errors.

    Returns:
        ``variant``, ``ratio``, ``errors``, and a 95 % interval, ``estimate``, ``low``, ``high``,
        ``n``; simultaneous over all rows of the answer.
    """
    every = recoveries(table)
    every = every[(every.rows == rows) & every[side].notna()]
    level = safe_level(every[every.variant == FITTED_ON], side)
    some = every[(every[side] <= level) & (every.errors < below) & every.variant.isin(kinds)]
    cells = list(some.groupby(["variant", "ratio", "errors"]))
    found = [
        (*cell, *share_of(one, "recovered", "relations", len(cells))[:4]) for cell, one in cells
    ]
    names = ["variant", "ratio", "errors", "estimate", "low", "high", "n"]
    return pd.DataFrame(found, columns=names)


# What claims measure.


@measure
def inside(
    frames: Frames,
    protocol: str,
    *,
    kinds: list[str],
    side: str = "theorem",
    rows: int = 200,
    below: float = 1.0,
) -> Measured:
    """The share of relations that come back where a left side is below its safe level, which is
    that of Gaussian errors, and the share of errors ``below`` one; a point for each cell and kind
    of errors."""
    found = cells_inside(select(frames, protocol), kinds, side, rows, below)
    if found.empty:
        raise NotRun(f"no cell below the safe level of {side}")
    points = [
        Point(
            f"{one['variant']}, m / d = {one['ratio']:g}, epsilon = {one['errors']:g}, "
            f"{one['n']} trials",
            Interval(one["estimate"], one["low"], one["high"], one["n"]),
        )
        for one in found.to_dict("records")
    ]
    return Measured(points)


@measure
def same_ratio(frames: Frames, protocol: str, *, rows: list[int]) -> Measured:
    """The difference of the thresholds (Gaussian errors) between two numbers of rows, at each
    ratio m / d that both have."""
    every = recoveries(select(frames, protocol))
    found = thresholds(every[every.variant == FITTED_ON])
    one, other = (
        found[found.rows == some].pivot(index="trial", columns="ratio", values="threshold")
        for some in rows
    )
    shared = [ratio for ratio in one.columns if ratio in other.columns]
    if not shared:
        raise NotRun(f"no ratio that rows = {rows[0]} and {rows[1]} share")
    points = [
        Point(
            f"m / d = {ratio:g}, {len(one)} trials",
            difference_interval(one[ratio], other[ratio], len(shared)),
        )
        for ratio in shared
    ]
    return Measured(points)


@measure
def read_back(
    frames: Frames, protocol: str, *, symbols: list[str], kind: str, errors: float
) -> Measured:
    """The share of their own relations that come back from trained symbols."""
    table = select(frames, protocol, model="recovery", variant=kind, errors=errors)
    points = []
    for which in symbols:
        own = table[table.symbols == which]
        if len(own) < 2:
            raise NotRun(f"no run with the symbols of {which}")
        found = share_of(own, "recovered", "relations", len(symbols))
        points.append(Point(f"{which}, {found.n} sequences", found))
    return Measured(points)
