"""Tables of notebook 10: how large its models are, and what their relations hold."""

from collections.abc import Mapping

import pandas as pd

from ...findings.statistics import mean_interval
from ...tasks.set_game import ATTRIBUTES
from .build import build
from .names import LABELS
from .settings import PROTOCOLS, models

FEATURES = 64  # of a card's embedding
HELD = {  # metrics of a trial, and what they are called as columns
    "head_share": "one attribute a relation",
    "relations_value_accuracy": "probe: value",
    "relations_same_accuracy": "probe: agreement",
}


def parameters() -> pd.DataFrame:
    """The number of parameters of each model under each protocol.

    Example:
        >>> parameters().set_index("model").loc["CoRelNet"].tolist()
        [8276, 8276, 8276]
    """
    counts = {
        protocol: {
            label: sum(part.numel() for part in build(known[name], FEATURES).parameters())
            for name, label in LABELS.items()
        }
        for protocol, known in ((name, models(one)) for name, one in PROTOCOLS.items())
    }
    return pd.DataFrame(counts).rename_axis("model").reset_index()


def held(tables: Mapping[str, pd.DataFrame | None]) -> pd.DataFrame:
    """What the relations of each model hold at its largest training set size: means over trials
    with their intervals, as text.

    Args:
        tables: protocol -> table of trials, or None where its grid is incomplete.
    """
    rows = []
    for protocol, table in tables.items():
        curve = pd.DataFrame() if table is None else table[table["variant"] == "curve"]
        known = dict(list(curve.groupby("model"))) if len(curve) else {}
        for name in (name for name in LABELS if name in known and "head_share" in known[name]):
            some = known[name]
            some = some[some["size"] == some["size"].max()].dropna(subset=list(HELD))
            best = some[[f"{attribute}_share" for attribute in ATTRIBUTES]].mean(axis=1)
            found = [best, *(some[metric] for metric in HELD)]
            if len(some):
                cells = (f"{mean_interval(one, 1, (0, 1))}" for one in found)
                rows.append((protocol, LABELS[name], *cells))
    return pd.DataFrame(rows, columns=["protocol", "model", "best relation", *HELD.values()])
