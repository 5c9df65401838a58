"""Printed tables beside ours, with both weightings of the column "all"."""

from collections.abc import Mapping

import pandas as pd

from ....experiments.curves.names import of
from ....experiments.curves.printed import printed, weights_of_all
from .results import CLASSES

EVEN, WEIGHTED = "all, even split", "all, printed weights"


def beside_printed(
    table: pd.DataFrame,
    measure: str,
    labels: Mapping[str, str],
    references: Mapping[str, str],
    figure: str,
) -> pd.DataFrame:
    """A printed table and ours: for each model a row as printed and a row of ours, then references.

    Numbers are means, with standard errors over trained models. The printed column "all" is taken
    as a mean with the weights that fit it best; the even split of printed rows is the plain mean of
    their classes, without a standard error.

    Args:
        table: of `curves.names.tidy`.
        measure: ``mse`` or ``sd``.
        labels: model -> what it is called.
        references: likewise, of references.
        figure: whose numbers are printed.

    Returns:
        Columns ``model``, ``whose``, ``n``, the two weightings, and the classes, as text.
    """
    known, errors = printed(figure), printed(figure, "sem")
    weights = weights_of_all()["best"]
    names, rows = list(CLASSES), []
    for model, label in {**labels, **references}.items():
        if model in known.index:
            line, error = known.loc[model], errors.loc[model]
            row = {"model": label, "whose": "printed", "n": 3, EVEN: shown(line[names].mean())}
            row[WEIGHTED] = shown(line["all"], error["all"])
            rows.append(row | {CLASSES[one]: shown(line[one], error[one]) for one in names})
        values = pd.DataFrame({one: of(table, model, measure, one) for one in names}).dropna()
        if values.empty:
            continue
        whose = "reference" if model in references else "ours"
        row = {"model": label, "whose": whose, "n": len(values), EVEN: spread(values.mean(axis=1))}
        row[WEIGHTED] = spread(values @ weights)
        rows.append(row | {CLASSES[one]: spread(values[one]) for one in names})
    columns = ["model", "whose", "n", EVEN, WEIGHTED, *CLASSES.values()]
    return pd.DataFrame(rows, columns=columns)


def spread(values: pd.Series) -> str:
    """Mean and standard error of some values, or the one value.

    Example:
        >>> spread(pd.Series([1.0, 2.0, 3.0])), spread(pd.Series([1.0]))
        ('2.000 ± 0.577', '1.000')
    """
    error = values.sem() if len(values) > 1 else None
    return shown(values.mean(), error)


def shown(mean: float, error: float | None = None) -> str:
    """A number as the paper prints it."""
    return f"{mean:.3f}" if error is None or pd.isna(error) else f"{mean:.3f} ± {error:.3f}"
