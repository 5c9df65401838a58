"""Pictures of the Abstractor beside its relatives on abstract rules."""

from collections.abc import Mapping
from string import ascii_uppercase

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ...experiments.relatives.measures import gated
from ...experiments.relatives.results import HARD, NAMES, TITLES, compared, hardest
from ...findings.published import published
from ...tasks.abstract_rules import GAMES
from .. import figures
from ..looks import looks

PARTS = {  # of a sequence of each task: where they begin, and which one an answer chooses
    "same_different": ((0,), None),
    "match_to_sample": ((0, 2, 4), 1),
    "distribution_of_three": ((0, 3, 5, 6, 7, 8), 2),
    "identity_rules": ((0, 3, 5, 6, 7, 8), 2),
}
COLUMNS = ("variant", "model", "size", "trial", "test_accuracy", "known_accuracy")
WORDS = ("different", "the same")  # answers of same or different
REPORTED = ("ESBN", "Transformer")
ALL_REPORTED = (*REPORTED, "PrediNet", "Relation network")
NOT_LEARNED = 0.95  # accuracy on training objects below which a mark is hollow


def relatives(table: pd.DataFrame | None) -> tuple[Figure, pd.DataFrame]:
    """Accuracy on withheld objects against how many are withheld: a panel a task, a line a model,
    the mean over seeds; dashed what Webb et al. 2021 report. A mark is hollow where fewer than half
    of the seeds learned the task; see `gated`.

    Args:
        table: columns ``variant``, ``model``, ``size``, ``trial``, ``test_accuracy`` and
            ``known_accuracy``, a row a trial; None shows what is reported alone.

    Returns:
        The figure, and the points drawn.
    """
    table = pd.DataFrame(columns=COLUMNS) if table is None else gated(compared(table))
    shown = [name for name in TITLES if table.empty or name in set(table["variant"])]
    figure, axes = figures.panels([TITLES[name] for name in shown], 4, width=0.95, height=1.25)
    styles, points = looks(NAMES.values()), []
    for axis, task in zip(axes, shown, strict=True):
        rows = table[table["variant"] == task]
        theirs = {name: published("abstract_rules", f"{name}, {TITLES[task]}") for name in REPORTED}
        sizes = sorted({*rows["size"], *(x for one in theirs.values() for x in one["x"])})
        for name, one in theirs.items():
            at, (color, _) = [sizes.index(x) for x in one["x"]], styles[name]
            axis.plot(at, one["mean"], "--", color=color, lw=1, label=f"{name}, Webb et al.")
        models = [name for name in NAMES if name in set(rows["model"])]
        for number, model in enumerate(models):
            some = rows[rows["model"] == model].groupby("size")
            mean = some["test_accuracy"].mean()
            learned = some["known_accuracy"].agg(lambda v: (v >= NOT_LEARNED).mean())
            at = np.array([sizes.index(size) for size in mean.index])
            at = at + 0.035 * (number - (len(models) - 1) / 2)
            label = NAMES[model]
            color, marker = styles[label]
            axis.plot(at, mean, marker=marker, ms=5, color=color, lw=1.6, label=label)
            few = (learned < 0.5).to_numpy()
            axis.plot(at[few], mean[few], marker, color=color, mfc="white", ms=5)
            low, high = some["test_accuracy"].min(), some["test_accuracy"].max()
            axis.vlines(at, low, high, color=color, lw=0.7, alpha=0.6)
            for size, value, share in zip(mean.index, mean, learned, strict=True):
                point = {"task": task, "model": model, "withheld": size, "mean": value}
                points.append(point | {"learned": share, "seeds": len(some.get_group(size))})
        axis.axhline(1 / GAMES[task].answers, color="black", ls=":", lw=1)
        axis.set_xticks(range(len(sizes)), map(str, sizes))
        axis.set(xlabel="objects withheld, of 100", ylim=(0.15, 1.03))
    axes[0].set_ylabel("accuracy, withheld objects")
    figures.legend(figure, axes, columns=4)
    return figure, pd.DataFrame(points)


def ranking(table: pd.DataFrame | None, withheld: int = 95) -> tuple[Figure, pd.DataFrame]:
    """Accuracy on withheld objects with most of them withheld: a panel a task, a row a model, best
    mean over distribution of three and identity rules on top; a dot a seed, hollow where it did not
    learn the task (see `gated`), a dash their mean, and a cross what Webb et al. 2021 report.
    Dotted is chance level, dashed what is right without looking at the first pair or row.

    Args:
        table: as for `relatives`; None shows what is reported alone.

    Returns:
        The figure, and the points drawn.
    """
    table = pd.DataFrame(columns=COLUMNS) if table is None else gated(compared(table))
    rows = table[table["size"] == withheld]
    order = [NAMES[str(name)] for name in hardest(rows, withheld).index] or list(ALL_REPORTED)
    figure, axes = figures.panels([TITLES[name] for name in HARD], 3, width=1.1, height=1.15)
    styles, points = looks(NAMES.values()), []
    for axis, task in zip(axes, HARD, strict=True):
        for y, name in enumerate(order):
            some = rows[(rows["variant"] == task) & (rows["model"].map(NAMES) == name)]
            values, learned = some["test_accuracy"], some["known_accuracy"] >= NOT_LEARNED
            heights = y + np.linspace(-0.25, 0.25, len(some)) * (len(some) > 1)
            color, _ = styles[name]
            for x, height, rule in zip(values, heights, learned, strict=True):
                axis.plot([x], [height], "o", ms=3.5, color=color, mfc=color if rule else "white")
            if len(some):
                axis.plot([values.mean()], [y], "|", color="black", ms=12, mew=1.5)
            point = {"task": task, "model": name, "mean": values.mean(), "learned": learned.mean()}
            if name in ALL_REPORTED:
                theirs = published("abstract_rules", f"{name}, {TITLES[task]}")
                point["published"] = float(theirs.set_index("x")["mean"][withheld])
                axis.plot([point["published"]], [y], "x", color="black", ms=5, mew=1)
            points.append(point | {"seeds": len(some)})
        axis.axvline(1 / GAMES[task].answers, color="black", ls=":", lw=1)
        axis.axvline(GAMES[task].blind, color="black", ls="--", lw=0.8)
        axis.set_yticks(range(len(order)), order)
        axis.set(xlabel="accuracy, withheld objects", xlim=(0.15, 1.03))
        axis.set_ylim(len(order) - 0.5, -0.5)
    dot: dict[str, Mapping] = {
        "a seed": {"marker": "o", "ls": ""},
        "that did not learn the task": {"marker": "o", "ls": "", "mfc": "white"},
        "mean": {"marker": "|", "ls": "", "color": "black", "ms": 10},
        "Webb et al. 2021": {"marker": "x", "ls": "", "color": "black"},
    }
    figures.legend(figure, axes, dot)
    return figure, pd.DataFrame(points)


def examples(images: np.ndarray, random: np.random.Generator) -> tuple[Figure, pd.DataFrame]:
    """A sequence of each task, a row each, its parts a little apart, with the part that is the
    answer in a frame.

    Args:
        images: of objects, grey, ``(n, p, p)``; the first nine are drawn from.
        random: which sequences.

    Returns:
        The figure, and the numbers of the objects.
    """
    figure, axis = plt.subplots(figsize=(6.4, 2.4))
    rows = []
    for row, (task, (begins, first)) in enumerate(PARTS.items()):
        y = -1.3 * row
        drawn, answers = GAMES[task].draw(random, 8, np.arange(9))  # answers in turn
        sequence, answer = drawn[0], int(answers[0])
        part = np.searchsorted(begins, np.arange(len(sequence)), side="right") - 1  # of each place
        left = np.arange(len(sequence)) + 0.4 * part
        for x, number in zip(left, sequence, strict=True):
            axis.imshow(255 - images[number], cmap="gray", extent=(x, x + 0.9, y, y + 0.9))
        axis.text(-0.2, y + 0.45, TITLES[task], ha="right", va="center")
        if first is None:
            axis.text(left[-1] + 1.1, y + 0.45, WORDS[answer], va="center")
        else:
            chosen = left[part == first + answer]
            low, high = chosen[0] - 0.08, chosen[-1] + 0.98
            corner, width = (low, y - 0.08), high - low
            axis.add_patch(Rectangle(corner, width, 1.06, fill=False, ec="C1", lw=1.6))
        rows.append({"task": task, "objects": " ".join(map(str, sequence)), "answer": answer})
    axis.set(xlim=(-4.2, 11.2), ylim=(y - 0.15, 1.05))
    axis.set_axis_off()
    return figure, pd.DataFrame(rows)


def patterns(
    sequence: np.ndarray, relations: Mapping[str, np.ndarray]
) -> tuple[Figure, pd.DataFrame]:
    """Which objects of a sequence are equal, and relations of all pairs of them beside it. Equal
    objects have the same letter.

    Args:
        sequence: numbers of objects, ``(m,)``.
        relations: title -> matrix ``(m, m)``, from -1 to 1.

    Returns:
        The figure, and the points drawn, a row an object and a panel.
    """
    equal = (sequence[:, None] == sequence).astype(float)
    letters = [ascii_uppercase[k] for k in pd.factorize(sequence)[0]]
    shown = {"which are equal": equal, **relations}
    figure = figures.matrices(shown, limits=(-1, 1), scale=0.9)
    for axis in figure.axes[: len(shown)]:
        axis.set_xticks(range(len(letters)), letters)
        axis.set_yticks(range(len(letters)), letters)
    points = pd.concat({name: pd.DataFrame(one) for name, one in shown.items()})
    return figure, points.rename_axis(["panel", "object"]).reset_index()
