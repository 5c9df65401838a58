"""Tables of agents that copied the oracle, beside what needs no training."""

import pandas as pd

BASELINES = {
    "a script that takes boxes last": ("script_late", None),
    "a constant order of slots": ("constant_late", "constant_accuracy"),
    "any allowed choice": (None, "random_accuracy"),
}


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each kind of agent and number of puzzles in training: late puzzles won, the mean,
    the least and the most of the seeds; how often the choice is one of the oracle's; updates.

    Example:
        >>> run = {"variant": "tokens, scoring", "model": "simplicial", "size": 500, "updates": 900}
        >>> runs = [run | {"late_greedy": won, "accuracy": 0.75} for won in (0.5, 0.75)]
        >>> found = summary(pd.DataFrame(runs).assign(parameters=159_682))
        >>> found[["late puzzles won", "least", "most"]].to_numpy().tolist()
        [[0.625, 0.5, 0.75]]
    """
    return table.groupby(["variant", "model", "size"], sort=False).agg(
        **{
            "seeds": ("late_greedy", "size"),
            "parameters": ("parameters", "first"),
            "late puzzles won": ("late_greedy", "mean"),
            "least": ("late_greedy", "min"),
            "most": ("late_greedy", "max"),
            "accuracy": ("accuracy", "mean"),
            "updates": ("updates", "mean"),
        }
    )


def baselines(table: pd.DataFrame) -> pd.DataFrame:
    """What is reached without copying, the mean over the seeds' puzzles: `run` says how."""
    rows = {}
    for name, metrics in BASELINES.items():
        values = [float("nan") if one is None else table[one].mean() for one in metrics]
        rows[name] = dict(zip(("late puzzles won", "accuracy"), values, strict=True))
    return pd.DataFrame.from_dict(rows, orient="index")
