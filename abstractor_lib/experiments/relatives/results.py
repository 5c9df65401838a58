"""Tables of models on abstract rules, and what needs no training."""

import pandas as pd

from ...tasks.abstract_rules import GAMES
from .grid import MOST, RATES
from .measures import GATE, LEARNED, gated

NAMES = {
    "abstractor": "Abstractor",
    "symmetric_abstractor": "symmetric Abstractor",
    "linear_abstractor": "linear Abstractor",
    "dual_attention": "Dual attention",
    "esbn": "ESBN",
    "corelnet": "CoRelNet",
    "predinet": "PrediNet",
    "relation_network": "Relation network",
    "transformer": "Transformer",
    "mlp": "MLP",
}
TITLES = {
    "same_different": "same or different",
    "match_to_sample": "match to sample",
    "distribution_of_three": "distribution of three",
    "identity_rules": "identity rules",
}
BETTER = 0.005  # in mean accuracy, for another learning rate than the usual one
HARD = ("match_to_sample", "distribution_of_three", "identity_rules")
AVERAGED = HARD[1:]  # lengths of the normalised objects settle the others


def baselines(table: pd.DataFrame) -> pd.DataFrame:
    """What is right without learning, a row a task: by chance; without source pair or first row;
    told of each place how often its object occurs; and by the nearest training sequence, the mean
    over seeds and numbers withheld.

    Example:
        >>> runs = {"variant": "same_different", "size": [0, 95], "neighbour_accuracy": [0.5, 0.6]}
        >>> baselines(pd.DataFrame(runs)).round(2).values.tolist()
        [[0.5, 0.5, 1.0, 0.55]]
    """
    near = compared(table).groupby("variant")["neighbour_accuracy"].mean()
    rows = {
        TITLES[name]: {
            "chance": 1 / game.answers,
            "source or first row hidden": game.blind,
            "counts alone": game.counted,
            "nearest training sequence": near[name],
        }
        for name, game in GAMES.items()
        if name in near
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def accuracies(table: pd.DataFrame, withheld: int) -> pd.DataFrame:
    """Test accuracy, the mean over seeds: models down, tasks across; in brackets how many seeds
    have learned the task; see `gated`.

    Example:
        >>> run = {"model": "mlp", "variant": "same_different", "size": 50, "known_accuracy": 1.0}
        >>> runs = [run | {"trial": k, "test_accuracy": (0.5, 0.75)[k]} for k in (0, 1)]
        >>> accuracies(pd.DataFrame(runs), 50).values.tolist()
        [['0.62 (2 of 2)']]
    """
    rows = gated(compared(table))
    rows = rows[rows["size"] == withheld]
    cells: dict[str, dict[str, str]] = {}
    for (model, task), some in rows.groupby(["model", "variant"]):
        learned = int((some["known_accuracy"] >= LEARNED).sum())
        text = f"{some['test_accuracy'].mean():.2f} ({learned} of {len(some)})"
        cells.setdefault(NAMES[str(model)], {})[TITLES[str(task)]] = text
    found = pd.DataFrame.from_dict(cells, orient="index")
    models = [name for name in NAMES.values() if name in found.index]
    return found.loc[models, [title for title in TITLES.values() if title in found]]


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """The runs that models are compared by: without those that chose learning rates."""
    return table[table["variant"].isin(list(TITLES))]


def rates(table: pd.DataFrame) -> pd.DataFrame:
    """Of the runs that choose learning rates: models down, learning rates across, the mean test
    accuracy over seeds and tasks; no rows where these runs are not there.

    Example:
        >>> run = {"model": "mlp", "variant": "identity_rules, learning rates"}
        >>> runs = [run | {"learning_rate": r, "test_accuracy": 300 * r} for r in (1e-3, 3e-3)]
        >>> rates(pd.DataFrame(runs)).round(2).loc["mlp"].tolist()
        [0.3, 0.9]
    """
    tried = table[table["variant"].str.endswith(f", {RATES}")]
    return tried.pivot_table("test_accuracy", "model", "learning_rate")


def best_rates(means: pd.DataFrame, usual: float) -> pd.Series:
    """The learning rate of each model: the one with the highest mean, or the usual one where no
    other is better by more than `BETTER`.

    Args:
        means: see `rates`.

    Example:
        >>> means = pd.DataFrame({3e-4: [0.6, 0.9], 1e-3: [0.6, 0.8]}, index=["mlp", "esbn"])
        >>> best_rates(means, 1e-3).tolist()
        [0.001, 0.0003]
    """
    ahead = means.max(axis=1) > means[usual] + BETTER
    return means.idxmax(axis=1).where(ahead, usual)


def sizes(table: pd.DataFrame) -> pd.DataFrame:
    """Parameters of each model after the encoder: the fewest and the most over tasks."""
    table = compared(table)
    after = (table["parameters"] - table["encoder_parameters"]).groupby(table["model"])
    found = pd.DataFrame({"fewest": after.min(), "most": after.max()}).astype(int)
    return found.set_axis([NAMES[str(name)] for name in found.index], axis=0)


def hardest(
    table: pd.DataFrame, withheld: int = 95, tasks: tuple[str, ...] = AVERAGED
) -> pd.Series:
    """Mean test accuracy of each model over seeds and tasks, by default those that lengths do not
    settle; best first."""
    rows = table[table["size"].eq(withheld) & table["variant"].isin(tasks)]
    return rows.groupby("model")["test_accuracy"].mean().sort_values(ascending=False, kind="stable")


def lost_by_seed(table: pd.DataFrame, model: str) -> tuple[pd.Series, pd.Series]:
    """How much accuracy a model loses from `GATE` objects withheld to `MOST`, the mean over the
    tasks that lengths do not settle; and whether it had learned them all with `GATE`: by seed.

    Example:
        >>> run = {"model": "mlp", "trial": 0, "known_accuracy": 1.0}
        >>> sizes = [run | {"size": 50, "test_accuracy": 1.0}, run | {"size": 95}]
        >>> runs = [one | {"variant": task} for one in sizes for task in AVERAGED]
        >>> lost, learned = lost_by_seed(pd.DataFrame(runs).fillna(0.75), "mlp")
        >>> lost.tolist(), learned.tolist()
        ([0.25], [True])
    """
    rows = table[table["model"].eq(model) & table["variant"].isin(AVERAGED)]
    by_seed = rows.groupby(["size", "trial"])[["test_accuracy", "known_accuracy"]]
    means = by_seed.mean()["test_accuracy"].unstack("size").reindex(columns=[GATE, MOST]).dropna()
    least = by_seed.min()["known_accuracy"].unstack("size").reindex(columns=[GATE])
    return means[GATE] - means[MOST], least[GATE].reindex(means.index).ge(LEARNED)
