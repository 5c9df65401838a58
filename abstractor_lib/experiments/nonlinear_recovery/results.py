"""Tables of nonlinear recovery: who recovers u from how many measurements."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ...findings.counts import rate_interval
from ...findings.sizes import brackets, in_words, median_bracket
from .measures import LEVEL, cosines
from .names import by_rows

PROGRAMS = {
    "least_squares": "least squares",
    "correlation": "correlation",
    "convex_correlation": "convex one-bit program",
    "lasso": "lasso",
    "absolute": "paper's program (eq. 3.16)",
    "one_bit": "one-bit linear program",
    "logistic": "logistic regression",
    "inverted": "sigmoid inverted, then eq. 3.16",
    "censored": "one-sided rows",
    "censored_simplex": "one-sided rows, sums known",
}
KNOW = ("one_bit", "logistic", "inverted", "censored", "censored_simplex")  # phi
PHIS = {"linear": "linear", "sign": "sign", "sigmoid": "sigmoid(3z)", "relu": "relu"}


def shares(table: pd.DataFrame, nonzeros: int, dense: float, errors: float) -> pd.DataFrame:
    """The share of problems with a cosine of at least 0.9 by ``activation``, ``model`` and
    ``rows``, with its exact interval: ``estimate``, ``low``, ``high``, ``n``."""
    long = by_rows(table)
    chosen = long["size"].eq(nonzeros)
    for name, value in (("dense", dense), ("errors", errors)):
        chosen &= np.isclose(long[name].astype(float), value)
    rows = []
    keys = ["activation", "model", "rows"]
    for values, some in long[chosen].groupby(keys, sort=False):
        found = rate_interval(int((some["cosine"] >= LEVEL).sum()), len(some))
        rows.append(dict(zip(keys, values, strict=True)) | found._asdict())
    return pd.DataFrame(rows, columns=[*keys, "estimate", "low", "high", "n"])


def needed(table: pd.DataFrame, nonzeros: int, noise: Mapping[str, float]) -> pd.DataFrame:
    """Measurements between which half of the problems reach a cosine of 0.9, in words: programs
    down, phi across; empty where a program is not made for a phi."""
    found: dict[str, dict[str, str]] = {}
    for model, name in PROGRAMS.items():
        for activation, shown in PHIS.items():
            curves = cosines(table, model, activation, **noise)
            if nonzeros in curves:
                ends = median_bracket(brackets(LEVEL, curves[nonzeros]))
                found.setdefault(name, {})[shown] = in_words(*ends)
    rows = {
        name: [known.get(shown, "") for shown in PHIS.values()] for name, known in found.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(PHIS.values()))


def trained(table: pd.DataFrame) -> pd.DataFrame:
    """What comes back from a trained model: by ``activation``, ``model`` and share of ``errors``,
    the mean over sequences of ``error``, ``uniform_error``, ``cosine`` and ``correlation``."""
    rows = table[table["source"].eq("sorting")]
    scores = ["error", "uniform_error", "cosine", "correlation"]
    return rows.groupby(["activation", "model", "errors"], sort=False)[scores].mean()
