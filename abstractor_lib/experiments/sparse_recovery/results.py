"""What the notebook draws of the runs: points with intervals."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...findings.groups import groups
from ...findings.measures import share_of
from ...findings.statistics import Interval, difference_interval, mean_interval
from . import measures
from .grid import GOOD, INSIDE, PIVOTAL, Profile, scale


def phase(table: pd.DataFrame, amount: Profile) -> pd.Series:
    """The share of relations that come back without dense noise, by multiple of the pivotal
    penalty, share of errors and k (``size``)."""
    rows = table[table.model.eq("recovery") & table.noise.eq(0) & table.rows.eq(amount.rows)]
    rows = rows[rows["size"].isin(amount.nonzeros) & rows.errors.isin(amount.errors)]
    return rows.groupby(["multiple", "errors", "size"]).recovered.mean()


def inside(table: pd.DataFrame, amount: Profile) -> pd.Series:
    """Of the answer of `phase`, with the good penalty, what lies at a level that claims call small,
    by k (``size``) and share of errors."""
    found = phase(table, amount).loc[GOOD].rename_axis(["errors", "size"])
    errors, k = (found.index.get_level_values(name) for name in found.index.names)
    small = scale(k, amount.rows, amount.columns, errors) <= INSIDE
    return found[small].swaplevel().sort_index()


class Swept(NamedTuple):
    """Runs with many penalties: shares recovered without dense noise, errors under it (see
    `penalties`), and what cross-validation chose in each trial where entries are wrong."""

    quiet: pd.DataFrame
    loud: pd.DataFrame
    chosen: pd.Series

    @property
    def best(self) -> pd.Series:
        """The multiple with the least error under dense noise, in each setting."""
        tried = self.loud[self.loud.multiple > 0]
        return tried.loc[tried.groupby(["errors", "size"]).estimate.idxmin()].multiple

    @property
    def points(self) -> pd.DataFrame:
        """Shares and errors in one table, told apart by ``metric``."""
        both = {"share recovered, no noise": self.quiet, "median error, dense noise": self.loud}
        return pd.concat(both, names=["metric"]).reset_index("metric")


def swept(table: pd.DataFrame, amount: Profile) -> Swept:
    """The runs with many penalties."""
    rows = table[table.model.eq("recovery") & table.rows.eq(amount.rows)]
    rows = rows[rows["size"].isin(amount.penalty_nonzeros) & rows.errors.isin(amount.rate_errors)]
    return Swept(
        penalties(rows[rows.noise == 0], "recovered"),
        penalties(rows[rows.noise > 0], "error"),
        rows[rows.multiple.eq(0) & rows.errors.gt(0)].penalty,
    )


class Rates(NamedTuple):
    """Runs under dense noise: with the good penalty all, those at a level of at most `INSIDE`, and
    those at a smaller level; and with the pivotal penalty."""

    good: pd.DataFrame
    inside: pd.DataFrame
    small: pd.DataFrame
    pivotal: pd.DataFrame


def rates(table: pd.DataFrame, amount: Profile) -> Rates:
    """The runs under dense noise; see `measures.noisy`."""
    good, pivotal = (measures.noisy(table, multiple) for multiple in (GOOD, PIVOTAL))
    return Rates(good, good[good.scale <= INSIDE], good[good.scale <= amount.small], pivotal)


def fits(table: pd.DataFrame, amount: Profile) -> dict[str, dict[str, Interval]]:
    """The exponents of each set of runs, fitted jointly: what was fitted -> factor -> exponent."""
    some = rates(table, amount)
    return {
        f"0.4 x pivotal, level up to {INSIDE:g}": measures.joint(some.inside),
        f"0.4 x pivotal, level up to {amount.small:g}": measures.joint(some.small),
        f"pivotal, level up to {amount.small:g}": measures.joint(some.pivotal),
    }


def exponents(fits: Mapping[str, Mapping[str, Interval]]) -> pd.DataFrame:
    """The answer of `fits` as a table, each exponent beside that of the bound."""
    return pd.DataFrame(
        {"fit": fit, "factor": name, **one._asdict(), "bound": measures.FACTORS[name]}
        for fit, some in fits.items()
        for name, one in some.items()
    )


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
    for (errors, size, multiple), some in groups(rows, ["errors", "size", "multiple"]):
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
    for values, some in groups(rows, by):
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
        for cell, some in groups(predicting(table), keys):
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


def predictions_in_words(scores: pd.DataFrame) -> pd.DataFrame:
    """The answer of `predictions` as people read it, predictors side by side."""
    shown = [f"{low:.2f} to {high:.2f}" for low, high in zip(scores.low, scores.high, strict=True)]
    keys = ["regime", "given", "variant", "errors", "examples"]
    return scores.assign(shown=shown).pivot(index=keys, columns="predictor", values="shown")
