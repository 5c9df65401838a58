"""What message-passing over relations can compute: accuracy of trained models, errors of reading
relations back. Tables are those of the experiment `function_classes`."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from ...tasks import relations as functions
from ...theory import message_passing as exact
from .. import curves, figures
from ..keywords import Keywords

MODELS = {
    "one_step": "one step, relation given",
    "two_layers": "two layers, relation given",
    "chain": "chain of two, relation given",
    "chain_of_three": "chain of three, relation given",
    "free": "one step, relation learned",
}
BEST_GUESS = "best guess from the own row"
MEAN = {"mean": {"ls": "", "marker": "|", "color": "black", "ms": 12, "mew": 1.5}}


def beside_best_guess(table: pd.DataFrame, targets: Sequence[str]) -> tuple[Figure, pd.DataFrame]:
    """Each trial's accuracy on functions of other rows, a panel each, with the best guess of who
    knows the own row alone."""
    titles = [target.replace("_", " ") for target in targets]
    figure, axes = figures.panels(titles, width=1.1, height=0.8)
    drawn = []
    for axis, target in zip(axes, targets, strict=True):
        rows = table[table["target"].eq(target)]
        drawn.append(curves.strip(axis, rows, MODELS, "accuracy").assign(target=target))
        guess = rows["row_accuracy"].iloc[0]
        axis.axvline(guess, color=figures.GREY, ls=":", label=BEST_GUESS)
        axis.set(xlabel="accuracy", xlim=(0.5, 1.02), xticks=[0.6, 0.7, 0.8, 0.9, 1.0])
    figures.legend(figure, axes, MEAN)
    return figure, pd.concat(drawn)


def one_function(
    table: pd.DataFrame, target: str, title: str, always: float | None = None
) -> tuple[Figure, pd.DataFrame]:
    """The same of one function.

    Args:
        always: accuracy of one and the same answer. The outcomes are all or nothing then, and no
            mean is drawn.
    """
    rows = table[table["target"].eq(target)]
    figure, (axis,) = figures.panels([title], width=1.8, height=0.7)
    points = curves.strip(axis, rows, MODELS, "accuracy", mean=always is None)
    axis.axvline(rows["row_accuracy"].iloc[0], color=figures.GREY, ls=":", label=BEST_GUESS)
    if always is not None:
        axis.axvline(always, color="black", ls="--", lw=0.8, zorder=0, label="answering yes always")
    axis.set(xlabel="accuracy", xlim=(0.5, 1.02))
    figures.legend(figure, [axis], MEAN if always is None else None)
    return figure, points


def functions_of_a_row(table: pd.DataFrame, objects: int) -> tuple[Figure, pd.DataFrame]:
    """Accuracy on functions of the own row against the dimensions of a symbol."""
    names = {"binary relations": ["parity", "degree"], "graded relations": ["strongest", "median"]}
    rows = table[table["model"].eq("one_step") & table["target"].isin(functions.FIRST_ORDER)]
    series = [
        curves.Series(name, "one_step", "accuracy", name, line=line)
        for some in names.values()
        for name, line in zip(some, ["-", "--"], strict=True)
    ]
    shown = {title: rows[rows["target"].isin(some)] for title, some in names.items()}
    options: Keywords = {"chance": None, "trials": True, "xlabel": "dimensions of a symbol"}
    figure, points = curves.learning_curves(shown, series, ylabel="accuracy", **options)
    for axis, chance in zip(figure.axes, (1 / 2, 1 / objects), strict=True):
        axis.set_xticks(sorted(rows["size"].unique()))
        axis.axvline(objects, color=figures.GREY, lw=0.8, ls=":")
        axis.axhline(chance, color=figures.GREY, lw=0.8, ls=":")
        axis.set_ylim(0.05, None)
    return figure, points


def reading_back(table: pd.DataFrame, objects: int) -> tuple[Figure, pd.DataFrame]:
    """Error of relations that are read back from the states, against the dimensions of a symbol,
    without and with noise on the states."""
    rows = table[table["model"].eq("inverse")]
    square = rows.assign(error=rows["error"] ** 2).groupby(["noise", "size"])["error"]
    errors = square.agg(["mean", "min", "max"]) ** 0.5
    figure, axes = figures.panels(["no noise", "noise of 0.01"], width=1.2, sharey=False)
    for axis, noise in zip(axes, sorted(rows["noise"].unique()), strict=True):
        found = errors.loc[noise].clip(lower=1e-15)
        axis.vlines(found.index, found["min"], found["max"], lw=3, alpha=0.35)
        axis.plot(
            found["mean"], "o", ms=5, mec="white", mew=0.5, label="root mean square of 50 draws"
        )
        axis.axvline(
            objects, color=figures.GREY, lw=0.8, ls=":", label="as many dimensions as objects"
        )
        if noise:
            dims = found.index[found.index > objects + 1]
            expected = [noise * exact.expected_amplification(objects, d) for d in dims]
            axis.plot(dims, expected, "k-", lw=1, label="expected")
        axis.set(xscale="log", yscale="log", xlabel="dimensions of a symbol")
        axis.set_xticks([4, 8, 10, 16, 30, 50, 100], ["4", "8", "10", "16", "30", "50", "100"])
        axis.minorticks_off()
    axes[0].set_ylabel("error of the relations")
    figures.legend(figure, axes)
    return figure, errors.reset_index()
