"""What notebook 01 shows of its records in tables and sentences."""

import math
from collections.abc import Mapping

import pandas as pd

from ...findings.beside_paper import curve_against_published
from ...findings.measures import Frames, Measured, NotRun, largest
from ...findings.statistics import Interval, mean_interval

LABELS = {
    "abstractor": "Abstractor",
    "abstractor_v1": "Abstractor (v1)",
    "corelnet_symmetric": "symmetric CoRelNet",
    "corelnet_v1": "CoRelNet (v1)",
    "corelnet_asymmetric": "asymmetric CoRelNet",
    "transformer": "Transformer",
    "corelnet_no_softmax": "symmetric CoRelNet, no softmax",
    "corelnet_no_diagonal": "symmetric CoRelNet, no softmax, no diagonal",
    "corelnet_multihead": "asymmetric CoRelNet, 4 heads",
    "mlp": "MLP",
    "predinet": "PrediNet",
    "abstractor_relations_1": "Abstractor, 1 relation",
    "abstractor_relations_2": "Abstractor, 2 relations",
    "abstractor_relations_8": "Abstractor, 8 relations",
}
PUBLISHED = {  # the models of the papers' two figures: figure, and what its file calls them
    "abstractor": ("fig_v3_04a", "Abstractor"),
    "corelnet_symmetric": ("fig_v3_04a", "CoRelNet"),
    "corelnet_asymmetric": ("fig_v3_04a", "asymmetric CoRelNet"),
    "abstractor_v1": ("fig_v1_02a", "Abstractor"),
    "corelnet_v1": ("fig_v1_02a", "CoRelNet"),
    "transformer": ("fig_v1_02a", "Transformer"),
}


class Missing(Interval):
    """An interval of what was not run; comparisons with it are False."""

    def __format__(self, spec: str) -> str:
        return "(not run)"


NOT_RUN = Missing(math.nan, math.nan, math.nan, 0)


def over_trials(values: pd.Series) -> Interval:
    """A mean with its interval, or `NOT_RUN` for less than two values."""
    return mean_interval(values) if values.notna().sum() > 1 else NOT_RUN


def at_largest(
    frames: Frames, protocol: str, model: str, metric: str = "test_accuracy"
) -> Interval:
    """Mean test accuracy at the largest training set size, over draws if further ones were made;
    ``metric`` names another accuracy."""
    try:
        return largest(frames, protocol, model=model, metric=metric).points[0].interval
    except NotRun:
        return NOT_RUN


def size(frames: Frames) -> int:
    """The largest training set size."""
    return max((int(table["size"].max()) for table in frames.values()), default=0)


def largest_table(frames: Frames) -> pd.DataFrame:
    """`at_largest` of every model on pairs of two different objects, a row each; * marks a mean
    over ten trials of one draw."""
    means = {
        protocol: {
            label: f"{found}{'*' * (found.n == 10)}"
            for model, label in LABELS.items()
            for found in [at_largest(frames, protocol, model, "distinct_accuracy")]
        }
        for protocol in frames
    }
    return pd.DataFrame(means).rename_axis("model").reset_index()


def against_published(frames: Frames, protocol: str) -> Mapping[str, Measured]:
    """The curves of the papers' models beside the papers', by model; none of a protocol that was
    not run."""
    return {
        model: curve_against_published(frames, protocol, model=model, figure=figure, series=series)
        for model, (figure, series) in PUBLISHED.items()
        if protocol in frames
    }


def spread_of_draws(rows: pd.DataFrame | None) -> pd.DataFrame:
    """How far the means of draws scatter, and the standard error of a mean within a draw, both
    averaged over the sizes from 100 on; a row for each of the papers' models.

    Args:
        rows: trials of a protocol with further draws, or None if it was not run.
    """
    columns = ["SD between draws", "SEM within a draw", "ratio"]
    if rows is None:
        return pd.DataFrame(columns=["model", *columns])
    rows = rows[rows["variant"].isin(["curve", "draw"]) & rows["model"].isin(list(PUBLISHED))]
    rows = rows[rows["size"] >= min(100, rows["size"].max())]
    each = rows.groupby(["model", "size", "draw"])["test_accuracy"].agg(["mean", "sem"])
    spread = each.groupby(["model", "size"]).agg({"mean": "std", "sem": "mean"})
    spread = spread.groupby("model").mean().rename(LABELS)
    spread.columns = columns[:2]
    return spread.assign(ratio=spread[columns[0]] / spread[columns[1]]).reset_index()


def epochs(rows: pd.DataFrame) -> pd.Series:
    """Epochs that trials took, with batches of 64 pairs."""
    return rows["updates"] / -(-rows["size"] // 64)
