"""What the notebook draws of the runs: points with intervals."""

import numpy as np
import pandas as pd

from ...findings.measures import share_of
from ...findings.statistics import Interval, difference_interval, mean_interval


def false_positives(rows: pd.DataFrame) -> pd.Series:
    """How many entries that are zero an answer has on average above `EXACT`, by run and trial."""
    there = rows["size"] * rows["found"]
    return there / rows["right"] - there


def penalties(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A metric by share of errors, k and multiple of the pivotal penalty (zero: chosen by
    cross-validation), with 95 % intervals over the trials.

    ``recovered`` is a share of problems, see `share_of`; ``error`` is averaged on a logarithmic
    scale. ``penalty`` is the multiple in use, its geometric mean over the trials.
    """
    points = []
    for (errors, size, multiple), some in rows.groupby(["errors", "size", "multiple"]):
        if metric == "recovered":
            found = share_of(some, metric, "examples")
        else:
            logs = mean_interval(np.log(some[metric]))
            found = Interval(*np.exp(logs[:3]), logs.n)
        penalty = np.exp(np.log(some.penalty).mean())
        cell = {"errors": errors, "size": size, "multiple": multiple, "penalty": penalty}
        points.append({**cell, **found._asdict()})
    return pd.DataFrame(points)


def relative_errors(rows: pd.DataFrame, *by: str) -> pd.DataFrame:
    """The mean of relative errors over trials, on a logarithmic scale, for each value of some
    columns, with 95 % intervals. The rows differ in those columns alone."""
    points = []
    for values, some in rows.groupby(list(by)):
        logs = mean_interval(np.log(some.relative_error))
        found = Interval(*np.exp(logs[:3]), logs.n)
        cell = dict(zip(by, values, strict=True))
        points.append({**cell, **found._asdict(), "scale": some.scale.mean()})
    return pd.DataFrame(points)


PREDICTORS = {
    "linear": "linear property, ridge regression",
    "network": "linear property, network",
    "nonlinear": "larger of two, network",
}


def predicting(table: pd.DataFrame) -> pd.DataFrame:
    """The runs of predictors. Where what they are ``given`` is relations or clean states, which are
    the same whatever the errors, ``errors`` is zero and ``variant`` (the kind of errors) is none,
    and each trial is there once."""
    rows = table[table.given.notna()]
    clean = rows.given.isin(["relations", "states"])
    rows = rows.assign(
        variant=rows.variant.mask(clean, "none"), errors=rows.errors.mask(clean, 0.0)
    )
    return rows.drop_duplicates(["regime", "given", "variant", "errors", "examples", "trial"])


def predictions(table: pd.DataFrame) -> pd.DataFrame:
    """Mean R^2 of each predictor, with a 95 % interval over the trials that ends at one.

    Columns ``regime``, ``given``, ``variant``, ``errors``, ``examples`` (see `predicting`),
    ``predictor``, ``estimate``, ``low``, ``high`` and ``n``.
    """
    keys = ["regime", "given", "variant", "errors", "examples"]
    points = []
    for predictor in PREDICTORS:
        for cell, some in predicting(table).groupby(keys):
            found = mean_interval(some[predictor], within=(-np.inf, 1.0))
            point = dict(zip(keys, cell, strict=True)) | {"predictor": predictor}
            points.append({**point, **found._asdict()})
    return pd.DataFrame(points)


def losses(table: pd.DataFrame) -> pd.DataFrame:
    """What predicting from something else than the relations changes: paired differences of R^2,
    against the relations and the fewest examples, with 95 % intervals, simultaneous over all rows
    of the answer. Columns as in `predictions`."""
    keys = ["regime", "given", "variant", "errors", "examples"]
    rows = predicting(table).set_index("trial")
    settings = rows[rows.given != "relations"].groupby(keys)
    found = []
    for predictor in PREDICTORS:
        for cell, some in settings:
            best = rows[rows.given.eq("relations") & rows.regime.eq(cell[0])]
            one = difference_interval(
                some[predictor], best[predictor], len(settings) * len(PREDICTORS)
            )
            point = dict(zip(keys, cell, strict=True)) | {"predictor": predictor}
            found.append({**point, **one._asdict()})
    return pd.DataFrame(found)


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """What more examples of corrupted states change: as `losses`, against the same with the fewest
    examples."""
    keys = ["regime", "variant", "errors"]
    rows = predicting(table).set_index("trial")
    rows = rows[rows.given == "corrupted"]
    few, many = rows.examples.min(), rows.examples.max()
    settings = rows.groupby(keys).filter(lambda some: some.examples.nunique() > 1).groupby(keys)
    found = []
    for predictor in PREDICTORS:
        for cell, some in settings:
            more, fewer = (some.loc[some.examples == count, predictor] for count in (many, few))
            one = difference_interval(more, fewer, len(settings) * len(PREDICTORS))
            point = dict(zip(keys, cell, strict=True)) | {"predictor": predictor}
            found.append({**point, **one._asdict()})
    return pd.DataFrame(found)
