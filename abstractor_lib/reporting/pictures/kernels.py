"""Pictures of relations on [0, 1] and of the networks that stand for them.

Learned numbers are rounded here, so that pictures are the same on every processor.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .. import curves, figures
from ..curves import Series
from ..keywords import Keywords

UNIT = (0, 1, 1, 0)  # left, right, bottom, top: x goes down
FIRST = [  # title, column of its points, model, relation, part of `inspect.Learned`
    ("a Mercer kernel:\nmin(x, y)", "min(x, y)", "mlp", "brownian", "truth"),
    ("learned with\none encoder", "min(x, y), one encoder", "mlp", "brownian", "learned"),
    ("a soft order:\ntanh(5(y - x))", "soft order", "mlp", "before", "truth"),
    ("learned with\none encoder", "soft order, one encoder", "mlp", "before", "learned"),
    ("learned with\ntwo encoders", "soft order, two encoders", "separate", "before", "learned"),
]
BY_FEATURES = [
    Series("trained networks", "mlp", "relative_error"),
    Series("truncated series", "series", "relative_error"),
]
BY_WIDTH = [
    Series("trained networks", "mlp", "relative_error"),
    Series("networks of the proof", "proof", "relative_error"),
]
OTHER_FEATURES = [
    Series("trained networks", "mlp", "relative_error"),
    Series("random waves", "waves", "relative_error"),
    Series("radial basis", "radial", "relative_error", line="--"),
]
ENCODERS = [
    Series("one encoder", "mlp", "l2_error"),
    Series("two encoders", "separate", "l2_error"),
]
BY_HAND = [
    Series("built by hand, 16 features", "built", "relative_error", line="--"),
    Series("built by hand, as many features as units", "grown", "relative_error"),
    Series("16 features, trained from random weights", "relu", "relative_error"),
    Series("tanh, two layers", "mlp", "relative_error", line="-."),
]
BOUND = {"floor": {"trained networks": "lower_bound"}, "ylabel": "largest error (share)"}
LEAST = {
    "floor": {one.label: "floor" for one in ENCODERS},
    "floor_label": "least possible",
    "ylabel": "L2 error",
}
PROVED: Keywords = {
    "floor": {BY_HAND[1].label: "bound"},
    "floor_label": "proved bound, as many features as units",
    "ylabel": "largest error (share)",
    "columns": 2,
    "size": (1.3, 1.0),
    "least": 1e-6,
    "dodge": 1.06,
}


def true_and_learned(networks: Mapping[tuple[str, str], object]) -> tuple[Figure, pd.DataFrame]:
    """Two relations beside what networks have learned of them, and the points.

    Args:
        networks: model and relation -> its `experiments.kernels.inspect.Learned`.
    """
    titles, columns = [one[0] for one in FIRST], [one[1] for one in FIRST]
    pictures = [getattr(networks[name, of], part).round(4) for *_, name, of, part in FIRST]
    figure, axes = figures.panels(titles, columns=5, width=0.68, height=0.9)
    for axis, matrix in zip(axes, pictures, strict=True):
        image = axis.imshow(matrix, cmap="RdBu_r", vmin=-1, vmax=1, extent=UNIT)
        axis.set(xlabel="y", xticks=[0, 1], yticks=[0, 1])
    axes[0].set_ylabel("x")
    figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02, label="value of the relation")
    return figure, pd.DataFrame(dict(zip(columns, map(np.ravel, pictures), strict=True)))


def geometry(gap: np.ndarray, pairs: Mapping[str, pd.DataFrame]) -> Figure:
    """The error of a learned relation, and learned against true distances and cosines.

    Args:
        gap: learned less true values, over x and y.
        pairs: panel -> ``mean``, ``min`` and ``max`` by true value; see `inspect.by_true_value`.
    """
    figure, axes = figures.panels(["learned minus true min(x, y)", *pairs], sharey=False)
    most = np.abs(gap).max().round(3)
    image = axes[0].imshow(gap.round(4), extent=UNIT, cmap="RdBu_r", vmin=-most, vmax=most)
    figure.colorbar(image, ax=axes[0], shrink=0.8)
    axes[0].set(xlabel="y", ylabel="x")
    for axis, one in zip(axes[1:], pairs.values(), strict=True):
        axis.fill_between(one.index, one["min"], one["max"], alpha=0.25, lw=0, label="all pairs")
        axis.plot(one.index, one["mean"], "o-", ms=4, mec="white", mew=0.5, label="mean")
        axis.plot([0, 1], [0, 1], "k--", lw=0.8, label="exact")
        axis.set(xlabel="true", ylabel="learned")
    axes[1].legend()
    return figure


def built(tables: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """Errors of networks built by hand and of trained ones, a panel for each relation."""
    return curves.errors(tables, BY_HAND, xlabel="hidden units", **PROVED)
