"""Tables of extrapolation: errors and uncertainties of models and references, class by class.

``table`` is that of `curves.names.tidy`. Where there are no trials, numbers are NaN.
"""

import numpy as np
import pandas as pd

from ....experiments.curves.names import of
from ....experiments.curves.printed import printed, weights_of_all
from ....experiments.curves.settings import REFERENCES, WINDOWED
from .results import BASELINES, CLASSES, FLOORS, MODELS, RELATIONAL

SIMPLE = ("last_value", "constant", "autoregression", "class_known", "bayes")
STATING = ("bayes", "bayes_level", "class_known", "class_unknown", "autoregression")


def baselines(table: pd.DataFrame) -> pd.DataFrame:
    """Extrapolation error at the first step and over ten, of simple predictions and of models."""
    rows = []
    for name, label in {**{one: REFERENCES[one] for one in SIMPLE}, **MODELS}.items():
        row = {"prediction": label, "training": "yes" if name in MODELS else "no"}
        for kind, title in CLASSES.items():
            row[f"{title}, first step"] = of(table, name, "mse", kind, step=1).mean()
            row[f"{title}, ten steps"] = of(table, name, "mse", kind).mean()
        rows.append(row)
    return pd.DataFrame(rows)


def floors(table: pd.DataFrame) -> pd.DataFrame:
    """Error and stated standard deviation of predictions without training; first those that see
    the level of a curve."""
    level = [name for name in REFERENCES if f"{name}_level" in REFERENCES]
    names = ["last_value", "constant", "autoregression", *level, *(f"{one}_level" for one in level)]
    rows = []
    for name in names:
        row = {"prediction": REFERENCES[name]}
        for kind, title in CLASSES.items():
            row[f"{title}, error"] = of(table, name, "mse", kind).mean()
            row[f"{title}, standard deviation"] = of(table, name, "sd", kind).mean()
        rows.append(row)
    return pd.DataFrame(rows)


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """CRPS at the first and the last step and over all ten."""
    rows = []
    for name, label in {**MODELS, **BASELINES, **FLOORS}.items():
        for kind, title in CLASSES.items():
            row = {"prediction": label, "class": title}
            for step in (1, 10):
                row[f"step {step}"] = of(table, name, "crps", kind, step=step).mean()
            row["all ten"] = of(table, name, "crps", kind).mean()
            rows.append(row)
    return pd.DataFrame(rows)


def coverage(table: pd.DataFrame) -> pd.DataFrame:
    """Share of values in the central intervals of 50 % and 95 %."""
    rows = []
    for name, label in {**RELATIONAL, **{one: REFERENCES[one] for one in STATING}}.items():
        row = {"prediction": label}
        for share in (50, 95):
            for kind, title in CLASSES.items():
                row[f"{title}, {share} %"] = of(table, name, f"coverage_{share}", kind).mean()
        rows.append(row)
    return pd.DataFrame(rows)


def window_lengths(table: pd.DataFrame) -> pd.DataFrame:
    """Effective length of the windows of trained models, layer by layer."""
    rows = table[(table["measure"] == "window_length") & (table["variant"] == "as set")]
    found = rows.astype({"layer": int}).groupby(["model", "layer"])["value"]
    lengths = found.agg(shortest="min", mean="mean", longest="max", seeds="count")
    lengths = lengths.reindex(list(WINDOWED), level="model").rename(index=MODELS)
    return lengths.reset_index()


def printed_weights() -> pd.DataFrame:
    """The printed column "all" beside an even split of the printed classes, and beside their mean
    with the weights that fit it best."""
    rows = pd.concat([printed(f"tab_curves_{number}").assign(table=number) for number in (1, 2)])
    names = list(CLASSES)
    found = rows[["table", "all", *names]].rename_axis("model").reset_index()
    found.insert(3, "even split", rows[names].mean(axis=1).to_numpy())
    found.insert(4, "weighted", (rows[names] @ weights_of_all()["best"]).to_numpy())
    return found


def similarities() -> pd.DataFrame:
    """Candidates for a similarity of two numbers: x = 0.5 and four values of y, whether the
    similarity tells all of these apart, and whether it is least for the nearest."""
    one, others = 0.5, np.array([-0.5, 0.4, 0.6, 1.5])
    candidates = {
        "cosine": np.sign(one * others),
        "dot product": one * others,
        "unsigned distance": abs(one - others),
        "signed difference": one - others,
    }
    found = pd.DataFrame(candidates, index=[f"y = {value}" for value in others]).T.round(6)
    sizes = found.abs().to_numpy()
    found["tells all four apart"] = [len(set(row)) == 4 for row in found.to_numpy()]
    found["least in size for the two nearest"] = [
        row[[1, 2]].max() < row[[0, 3]].min() for row in sizes
    ]
    return found.rename_axis("similarity").reset_index()
