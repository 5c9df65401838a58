"""Pictures of SET classification: why a linear head fails, what leakage adds, and what one trained
model holds, gets wrong and plays.

Each returns a figure and its points.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...experiments.set.inspect import Mistakes, Round
from ...tasks.set_cards import Palette
from ...tasks.set_game import ATTRIBUTES, VALUES, attributes, every_triple, is_set, same
from .. import figures
from ..curves import Series, draw
from ..keywords import Keywords
from . import cards

SET, OTHER = "SETs", "other triples"
COLOURS = {SET: "#0173b2", OTHER: "#de8f05"}
CORE = ("Abstractor", "abstractor"), ("CoRelNet, no softmax", "corelnet_no_softmax")
MODELS = (*CORE, ("CoRelNet", "corelnet"))  # of v3's figure
KINDS = {  # accuracy on a kind of test triple -> what it is called
    "seen_accuracy": "SETs seen in training",
    "new_accuracy": "new SETs",
    "other_accuracy": "other triples",
}
ANSWERS = {  # whether it is a SET, and whether the model calls it one
    (True, True): "a SET, found",
    (True, False): "a SET, missed",
    (False, True): "called a SET, is none",
}


def linear_head() -> tuple[Figure, pd.DataFrame]:
    """Why no linear head on relations of two cards solves SET, on the whole deck.

    Left: one attribute, against the pairs of the three cards that agree in it. Middle: the number
    of agreeing pairs, added up over the attributes, a linear head; its mean over SETs is that over
    all other triples. Right: the same agreements, each bent by hidden units first.

    Returns:
        The figure; of the middle and the right panel the share of each kind that has a score.
    """
    titles = ["one attribute of three cards", "linear head: one mean", "one hidden layer: apart"]
    figure, axes = figures.panels(titles, 3, height=0.85, sharey=False)
    agreeing = same(every_triple()).reshape(-1, len(ATTRIBUTES), 3).sum(axis=-1)  # 0, 1 or 3
    kinds = np.where(is_set(every_triple()), SET, OTHER)
    _one_attribute(axes[0])
    scores = {titles[1]: agreeing.sum(axis=1), titles[2]: bent(agreeing).sum(axis=1)}
    points = []
    for axis, (title, score) in zip(axes[1:], scores.items(), strict=True):
        shares = pd.crosstab(score, kinds, normalize="columns")
        for side, kind in ((-1, SET), (1, OTHER)):
            axis.bar(shares.index + 0.2 * side, shares[kind], 0.4, color=COLOURS[kind], label=kind)
        points.append(shares.rename_axis("score").reset_index().assign(panel=title))
        axis.set(ylabel="share of each kind", xlabel="score")
    mean = float(scores[titles[1]].mean())
    axes[1].axvline(mean, color="black", lw=1, ls="--")
    axes[1].set(xlabel="agreeing pairs, added up", ylim=(0, 0.55), xticks=range(0, 10, 3))
    note: Keywords = {"fontsize": 7, "va": "top", "transform": axes[1].get_xaxis_transform()}
    axes[1].text(mean + 0.2, 0.98, "the mean of both", **note)
    axes[2].set(xlabel="attributes that break the rule", ylim=(0, 1.05))
    figures.legend(figure, axes)
    return figure, pd.concat(points).rename_axis(columns=None)[["panel", "score", SET, OTHER]]


def bent(agreeing: np.ndarray) -> np.ndarray:
    """1 where one pair of three agrees, which breaks the rule, and 0 where none or all do, by two
    hidden units with a ReLU.

    Example:
        >>> bent(np.array([0, 1, 3])).tolist()
        [0.0, 1.0, 0.0]
    """
    return np.maximum(agreeing, 0) - 1.5 * np.maximum(agreeing - 1, 0)


def _one_attribute(axis: Axes) -> None:
    """The rule for one attribute: a straight line that is right at both ends is wrong between."""
    at = np.array([0, 1, 3])
    axis.plot([-0.3, 3.3], [0, 0], color=figures.GREY, ls="--", label="linear head")
    axis.plot(at, bent(at), color="black", lw=1, label="one hidden layer")
    axis.plot([0, 3], [0, 0], "o", ms=9, color=COLOURS[SET])
    axis.plot([1], [1], "o", ms=9, color=COLOURS[OTHER])
    axis.set_xticks(at, ["0\nall differ", "1\nrule broken", "3\nall agree"], fontsize=7)
    axis.set(xlabel="pairs that agree", ylabel="score", yticks=[], ylim=(-0.25, 1.25))


def by_size(tables: Mapping[str, pd.DataFrame | None]) -> dict[str, pd.DataFrame | None]:
    """Trials of each protocol at each training set size that the further models have, by a panel's
    title."""
    shown: dict[str, pd.DataFrame | None] = {}
    for protocol, table in tables.items():
        if table is None:
            shown[protocol] = None
            continue
        curve = table[table["variant"] == "curve"]
        for size in sorted(curve.loc[curve["model"] == "abstractor_one_wide", "size"].unique()):
            shown[f"{protocol}, {size:,} triples"] = curve[curve["size"] == size]
    return shown


def by_embedder(table: pd.DataFrame | None, sizes: list[int]) -> dict[str, pd.DataFrame | None]:
    """Trials that share an embedder and trials that have one each, at each training set size, by a
    panel's title; None where there are none."""
    shown: dict[str, pd.DataFrame | None] = {}
    for size in sizes:
        for variant, title in {"curve": "one embedder", "own": "an embedder each"}.items():
            of = None if table is None else table[table["variant"] == variant]
            rows = None if of is None or of.empty else of[of["size"] == size]
            shown[f"{title}, {size:,} triples"] = rows
    return shown


def leakage(table: pd.DataFrame | None, **options) -> tuple[Figure, pd.DataFrame]:
    """What leakage adds to the accuracy of the Abstractor and of CoRelNet without softmax, and
    their accuracy by kind of test triple.

    Args:
        table: of trials, or None if the grid is incomplete.
        options: of `curves.draw`.
    """
    lines = {"true_accuracy": "-", "unseen_accuracy": ":"}
    shown = {
        "all test triples": [
            Series(*model, metric, line=line) for metric, line in lines.items() for model in CORE
        ]
    }
    for label, model in CORE:
        shown[f"{label}, by kind of triple"] = [
            Series(name, model, metric) for metric, name in KINDS.items()
        ]
    figure, axes = figures.panels(list(shown))
    drawn = [
        draw(axis, table, series, **options).assign(panel=title)
        for axis, (title, series) in zip(axes, shown.items(), strict=True)
    ]
    axes[0].set(ylabel="accuracy under published", ylim=(0.3, 1.02))
    styles = {"with leakage": {}, "without leakage": {"ls": ":"}}
    figures.legend(figure, axes, styles | {"chance level": {"ls": ":", "lw": 0.8}})
    return figure, pd.concat(drawn)


def relations(tensor: np.ndarray, palette: Palette = "classic") -> tuple[Figure, pd.DataFrame]:
    """What each relation knows of each attribute: its mean over all pairs of different cards of
    which the first has one value of the attribute and the second another, or the same. The first
    row is for comparison: a relation that says whether two cards agree in the first attribute.

    Args:
        tensor: ``(r, 81, 81)``, shown in standard deviations from their mean.
    """
    values = attributes(np.arange(tensor.shape[-1]))  # (81, 4)
    here, there = np.nonzero(~np.eye(len(values), dtype=bool))
    agree = (values[:, None, 0] == values[None, :, 0]).astype(float)
    rows = []
    for k, relation in enumerate([agree, *tensor]):
        score = (relation[here, there] - relation[here, there].mean()) / relation[here, there].std()
        for at, name in enumerate(ATTRIBUTES):
            pairs = [score, values[here, at], values[there, at]]
            table = pd.DataFrame(dict(zip(("mean", "first", "second"), pairs, strict=True)))
            means = table.groupby(["first", "second"])["mean"].mean().round(2).reset_index()
            rows.append(means.assign(relation=k, attribute=name))
    points = pd.concat(rows)[["relation", "attribute", "first", "second", "mean"]]
    across = len(ATTRIBUTES)
    titles = [*ATTRIBUTES, *[""] * across * len(tensor)]
    figure, axes = figures.panels(titles, across, width=0.6, height=0.45, sharey=False)
    look: Keywords = {"vmin": -2, "vmax": 2, "cmap": "RdBu_r"}
    parts = points.groupby(["relation", "attribute"], sort=False)
    for at, (axis, ((k, name), part)) in enumerate(zip(axes, parts, strict=True)):
        shown = axis.imshow(part.pivot(index="first", columns="second", values="mean"), **look)
        words = (VALUES | {"colour": cards.COLOURS[palette]})[name]
        below = at >= len(axes) - across
        axis.set_xticks(range(3), words, fontsize=7, rotation=45)
        axis.set_yticks(range(3), words, fontsize=7)
        axis.tick_params(labelbottom=below)
        axis.set(xlabel="card j" if below else "", ylabel="")
        if at % across == 0:
            which = f"relation {k}" if k else "for comparison:\nsame number"
            axis.set_ylabel(f"{which}\n\ncard i", fontsize=8)
    label = "mean of the relation, in standard deviations"
    figure.colorbar(shown, ax=axes, shrink=0.6, label=label)
    return figure, points


def errors(wrong: Mistakes, palette: Palette, count: int = 9) -> tuple[Figure, pd.DataFrame]:
    """Some wrong answers, evenly spaced from the most to the least certain: what the model says,
    and which attributes break the rule."""
    spaced = np.linspace(0, max(len(wrong.chance) - 1, 0), count).astype(int)
    shown = []
    for k in np.unique(spaced)[: len(wrong.chance)]:
        values = attributes(wrong.cards[k]).T
        broken = [
            name
            for name, three in zip(ATTRIBUTES, values, strict=True)
            if len(set(three.tolist())) == 2
        ]
        called = "called a SET" if wrong.chance[k] >= 0.5 else "called none"
        chance = "above 0.9999" if wrong.chance[k] > 0.9999 else f"{wrong.chance[k]:.4f}"
        title = f"{called} ({chance})\nbreaks {', '.join(broken) or 'nothing: a SET'}"
        shown.append((wrong.cards[k], title))
    figure = cards.triples(shown or [((0, 1, 2), "no error")], palette=palette)
    return figure, pd.DataFrame({"chance": wrong.chance, "broken": wrong.broken}).round(3)


def triples(panels: Mapping[str, tuple], palette: Palette) -> tuple[Figure, pd.DataFrame]:
    """Triples of cards by their titles."""
    figure = cards.triples([(three, title) for title, three in panels.items()], palette=palette)
    points = [
        (title, *(cards.words(card, palette) for card in three)) for title, three in panels.items()
    ]
    return figure, pd.DataFrame(points, columns=["panel", "first", "second", "third"])


def table(last: Round, palette: Palette) -> tuple[Figure, pd.DataFrame]:
    """The cards on the table, the SETs among them and what the model calls one."""
    told = last.triples[last.triples["called"] | last.triples["right"]]
    answers = [
        ((row.first, row.second, row.third), ANSWERS[row.right, row.called], row.chance)
        for row in told.itertuples()
    ]
    figure = cards.game(last.cards, answers, palette=palette)
    points = pd.DataFrame([(what, chance, *triple) for triple, what, chance in answers])
    points.columns = ["answer", "chance", "first", "second", "third"]
    for place in ("first", "second", "third"):
        points[place] = [cards.words(int(card), palette) for card in points[place]]
    return figure, points


def told(rounds: list[Round]) -> str:
    """What a model says of each table, in words."""
    lines = []
    for one in rounds:
        called, right = one.triples["called"], one.triples["right"]
        rightly, wrongly = (called & right).sum(), (called & ~right).sum()
        lines += [
            f"{len(one.cards)} cards, {len(one.triples)} triples: {right.sum()} of them SETs",
            f"  called a SET: {called.sum()}; {rightly} rightly, {wrongly} wrongly",
        ]
    return "\n".join(lines)
