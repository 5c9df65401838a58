"""Tables of notebook 04."""

from collections.abc import Mapping

import pandas as pd

from . import measures


def trained(rows: Mapping[str, pd.DataFrame], labels: Mapping[str, str]) -> pd.DataFrame:
    """How many trained models of the papers' figures sort clean objects, of how many, by protocol.

    Args:
        rows: protocol -> rows of `measures.by_level`.
        labels: what models are called.

    Example:
        >>> one = {"model": "ablation", "variant": "additive", "trial": [0, 1]}
        >>> one = pd.DataFrame(one | {"clean_accuracy": [0.2, 1.0]})
        >>> trained({"sound": one}, {"ablation": "Ablation"}).loc["sound"].tolist()
        ['1 of 2']
    """
    found = {
        protocol: {label: measures.counts(some, model) for model, label in labels.items()}
        for protocol, some in rows.items()
    }
    return pd.DataFrame(found).T.rename_axis("protocol")


def distances(rows: Mapping[str, pd.DataFrame], kinds: Mapping[str, str]) -> pd.DataFrame:
    """How far our curves under each corruption are from Figures 8a and 8b: mean over trials.

    Args:
        rows: protocol -> rows of `measures.by_level`.
        kinds: what corruptions are called.
    """
    table = [
        (protocol, name[-2:].lstrip("0"), kinds[str(kind)], values.mean(), values.count())
        for protocol, some in rows.items()
        for name in ("fig_v3_08a", "fig_v3_08b")
        for kind, values in measures.distances(some, name, kinds).items()
    ]
    columns = ["protocol", "Figure", "our corruption", "distance", "trained models of each"]
    return pd.DataFrame(table, columns=columns)


def correlations(
    rows: Mapping[str, pd.DataFrame], labels: Mapping[str, str], kinds: Mapping[str, str]
) -> pd.DataFrame:
    """Rank correlation of the drift of inner products with the loss of teacher-forced accuracy:
    mean and minimum over trained models, and how many these are.

    Args:
        rows: protocol -> rows of `measures.by_level`.
        labels: what models are called.
        kinds: of corruption; a trained model counts if all were applied to it.
    """
    table = [
        (protocol, name, labels[model], value)
        for protocol, some in rows.items()
        for drift, name in (("relations_angle", "learned"), ("objects_angle", "the objects' own"))
        for found in [measures.drift_correlations(some, drift, kinds)]
        for (model, _), value in zip(found.index, found, strict=True)
    ]
    keys = ["protocol", "inner products", "model"]
    found = pd.DataFrame(table, columns=[*keys, "correlation"]).groupby(keys)["correlation"]
    return pd.DataFrame({"mean": found.mean(), "min": found.min(), "count": found.count()})
