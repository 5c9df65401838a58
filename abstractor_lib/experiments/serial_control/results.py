"""Tables of serial control: points of the curves, and what each arm needs."""

import numpy as np
import pandas as pd

ARMS = {
    "controller": "controller",
    "static_learned": "static ranking, learned stopping",
    "static": "static ranking, stopping by confidence",
    "random_learned": "random order, learned stopping",
    "random": "random order, stopping by confidence",
    "subset": "fixed subset",
}
BEST = "best_adaptive"
WORLDS = {
    ("given", "exact"): "equal heads",
    ("given", "unequal"): "unequal heads",
    ("given", "cued"): "one head tells which to ask",
    ("given", "mostly_cued"): "it tells nine times in ten",
    ("trained", "exact"): "heads of an Abstractor",
}


def points(table: pd.DataFrame) -> pd.DataFrame:
    """Points of the curves, a row for each seed, arm and price: ``world``, ``arm``, ``number``,
    ``trial``, ``heads``, ``accuracy``. The best rule, `BEST`, is no arm but stands among them."""
    found = []
    for row in table.to_dict("records"):
        world = WORLDS[row["model"], row["variant"]]
        for arm in [*ARMS, BEST]:
            number = 0
            while not np.isnan(row.get(f"{arm}_heads_{number}", np.nan)):
                heads = float(row[f"{arm}_heads_{number}"])
                accuracy = float(row[f"{arm}_accuracy_{number}"])
                found.append((world, arm, number, row["trial"], heads, accuracy))
                number += 1
    names = ["world", "arm", "number", "trial", "heads", "accuracy"]
    return pd.DataFrame(found, columns=names)


def needed(table: pd.DataFrame) -> pd.DataFrame:
    """Mean heads at 0.01 below the accuracy with all heads, a row for each world and a column for
    each arm, and for the best rule and the best ranking; the accuracy with all heads; and the
    number of seeds."""
    rows = {}
    for (model, variant), world in WORLDS.items():
        some = table[table["model"].eq(model) & table["variant"].eq(variant)]
        if some.empty:
            continue
        means = {name: some[f"{arm}_heads"].mean() for arm, name in ARMS.items()}
        best = some.get(f"{BEST}_heads", pd.Series(dtype=float)).mean()
        rows[world] = {
            "best rule": best,
            "best ranking": some.get("best_static_heads", pd.Series(dtype=float)).mean(),
            **means,
            "accuracy, all heads": some["all_accuracy"].mean(),
            "seeds": some["trial"].nunique(),
        }
    return pd.DataFrame(rows).T
