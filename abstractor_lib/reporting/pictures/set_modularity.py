"""What notebook 11 draws and tabulates: SET from relations that were learned on pairs of cards."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ...experiments.set_relations import measures
from ...experiments.set_relations.settings import PROTOCOLS
from ...findings.groups import groups
from ...findings.measures import by_trial
from ...findings.published import published
from ...findings.sizes import in_words
from ...findings.statistics import difference_interval, mean_interval
from ...records.frame import unfold
from ...tasks import set_game
from ...tasks.set_triples import leakage
from .. import curves, figures
from ..curves import Series
from ..keywords import Keywords
from ..looks import looks
from ..study import Study
from . import cards

Frames = Mapping[str, pd.DataFrame]
LABELS = {
    "abstractor_frozen": "Abstractor, frozen",
    "abstractor_tuned": "Abstractor, tuned",
    "symbolic_mlp": "symbolic MLP",
    "symbolic_wide": "wide symbolic MLP",
    "symbolic_abstractor": "symbolic Abstractor",
    "abstractor_random": "random relations",
    "abstractor_scratch": "from scratch",
    "features_mlp": "MLP on embeddings",
}
CURVES = [Series(LABELS[name], name) for name in list(LABELS)[:5]]
BOUNDED = ("abstractor_frozen", "abstractor_tuned", "symbolic_wide", "symbolic_abstractor")
CONTROLS = ("abstractor_frozen", "abstractor_random", "abstractor_scratch", "features_mlp")
MARGIN = 0.02  # that claims on bounds leave


def _curve(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table that are on the learning curves."""
    return table[table["variant"] == "curve"]


# Pictures.


def learning(study: Study) -> tuple[Figure, pd.DataFrame]:
    """Learning curves under each protocol, and the paper's."""
    paper = {
        label: published("fig_v3_04c", name)
        for label, name in (
            (LABELS["abstractor_frozen"], "Abstractor"),
            (LABELS["symbolic_mlp"], "symbolic MLP"),
        )
    }
    return curves.learning_curves(
        study.panels(), CURVES, paper, xlabel="training triples", log=True
    )


def game() -> tuple[Figure, pd.DataFrame]:
    """The deck, two SETs and a triple that is none."""
    shown = {
        "the deck": np.arange(81).reshape(9, 9),
        "a SET: one attribute differs": np.array([[0, 1, 2]]),
        "a SET: all four attributes differ": np.array([[0, 40, 80]]),
        "not a SET: two cards have one symbol, one has two": np.array([[0, 1, 29]]),
    }
    left, *right = shown
    places: Keywords = {"layout": "constrained", "width_ratios": [1.5, 1], "figsize": (7.6, 3.6)}
    figure, axes = plt.subplot_mosaic([[left, title] for title in right], **places)
    for title, some in shown.items():
        cards.lay(axes[title], some, title)
    points = [(t, int(one), cards.words(int(one))) for t, c in shown.items() for one in c.ravel()]
    return figure, pd.DataFrame(points, columns=["panel", "card", "words"])


def palettes() -> tuple[Figure, pd.DataFrame]:
    """One SET in both palettes."""
    names, some = ("classic", "colour_blind"), (0, 40, 80)
    figure, axes = figures.panels(list(names), height=0.35)
    for axis, palette in zip(axes, names, strict=True):
        cards.lay(axis, np.array([some]), palette.replace("_", " "), palette)
    points = [(palette, cards.words(card, palette)) for palette in names for card in some]
    return figure, pd.DataFrame(points, columns=["palette", "card"])


def without_set() -> tuple[Figure, pd.DataFrame]:
    """Twenty cards without a SET."""
    most = set_game.without_set()
    figure, (axis,) = figures.panels([f"{len(most)} cards without a SET"], width=1.6, height=1.2)
    cards.lay(axis, most.reshape(4, 5), axis.get_title())
    words = [cards.words(int(card)) for card in most]
    return figure, pd.DataFrame({"card": most}).assign(words=words)


def what_relations_tell(frames: Frames) -> tuple[Figure, pd.DataFrame]:
    """How well each relation tells whether cards agree in each attribute: the area under the curve,
    a panel a protocol."""
    from ...experiments.same_different.run import TELLS  # takes torch

    names, found = list(set_game.ATTRIBUTES), {}
    for protocol, table in frames.items():
        told = unfold(_curve(table), TELLS)
        means = told.pivot_table("value", "relation", "attribute").loc[names, names]
        found[protocol] = means.to_numpy().round(3)
    labels: Keywords = {"xlabel": "attribute", "ylabel": "relation learned for"}
    figure = figures.matrices(found, limits=(0.5, 1), label="area under the curve", **labels)
    for axis in figure.axes[: len(found)]:
        axis.set_xticks(range(4), names, rotation=30)
        axis.set_yticks(range(4), names)
    both = pd.MultiIndex.from_product([names, names], names=["relation", "attribute"])
    points = pd.DataFrame({p: m.ravel() for p, m in found.items()}, index=both).reset_index()
    return figure, points


def relation_matrices(values: np.ndarray) -> tuple[Figure, pd.DataFrame]:
    """Four relations between all cards, ``(4, 81, 81)``; the points are every 27th."""
    named = zip(set_game.ATTRIBUTES, values, strict=True)
    pictures = {f"relation for {name}": picture for name, picture in named}
    labels: Keywords = {"xlabel": "card j", "ylabel": "card i", "label": "R"}
    figure = figures.matrices(pictures, columns=2, scale=1.2, **labels)
    points = pd.DataFrame({name: picture.ravel() for name, picture in pictures.items()})
    return figure, points.iloc[::27]


def bounds(frames: Frames) -> tuple[Figure, pd.DataFrame]:
    """Test accuracy minus that of the symbolic MLP, paired by trial, at each training set size."""
    gaps = _gaps(frames)
    figure, axes = figures.panels(list(PROTOCOLS))
    look = looks(LABELS[name] for name in list(LABELS)[:5])
    for axis, protocol in zip(axes, PROTOCOLS, strict=True):
        curves.logarithmic(axis, "training triples", empty=protocol not in frames)
        zero = look["symbolic MLP"].color
        axis.axhline(0, color=zero, lw=1.5, label="symbolic MLP")
        for name, some in gaps[gaps["protocol"] == protocol].groupby("model", sort=False):
            color, marker = look[LABELS[name]]
            axis.plot(some["size"], some["mean"], marker=marker, color=color, ms=4)
            axis.lines[-1].set_label(LABELS[name])
            axis.fill_between(some["size"], some["low"], some["high"], color=color, alpha=0.2, lw=0)
        for margin in (-MARGIN, MARGIN):
            axis.axhline(margin, color=figures.GREY, lw=0.8, ls=":")
    axes[0].set_ylabel("accuracy minus that of\nthe symbolic MLP")
    figures.legend(figure, axes)
    return figure, gaps


def _gaps(frames: Frames) -> pd.DataFrame:
    rows = []
    for protocol, table in frames.items():
        models = _curve(measures.with_further(table)).groupby("model")
        wide = {name: by_trial(some, "test_accuracy") for name, some in models}
        base = wide["symbolic_mlp"]
        for name in (one for one in BOUNDED if one in wide):
            for size in sorted(set(wide[name].columns) & set(base.columns)):
                gap = difference_interval(wide[name][size], base[size], within=(-1, 1))
                rows.append((protocol, name, size, gap.estimate, gap.low, gap.high, gap.n))
    names = ["protocol", "model", "size", "mean", "low", "high", "n"]
    return pd.DataFrame(rows, columns=names)


def controls(study: Study) -> tuple[Figure, pd.DataFrame]:
    """Trials of the Abstractor with learned, random and untaught relations, and of a dense network,
    a panel a protocol and training set size."""
    panels = {}
    for protocol, table in study.panels("published", "sound").items():
        for size in study.sizes(protocol, model="abstractor_random", variant="curve"):
            rows = None if table is None else _curve(table).query("size == @size")
            panels[f"{protocol}, {size:,} triples"] = rows
    labels = {name: LABELS[name] for name in CONTROLS}
    return curves.strips(panels, labels, columns=3, height=0.75)


# Tables.


def embedders(frames: Frames) -> pd.DataFrame:
    """A row for each network that embeds the cards."""
    names = ["model", "variant", "trial"]
    names += ["bit_accuracy", "card_accuracy", "deck_loss", "closest_pair"]
    rows = [table.assign(protocol=name)[["protocol", *names]] for name, table in frames.items()]
    found = pd.concat(rows) if rows else pd.DataFrame(columns=["protocol", *names])
    return found.rename(columns={"trial": "seed", "variant": "images, activation"})


def relations_learned(frames: Frames) -> pd.DataFrame:
    """For each attribute the accuracy on pairs, ours and the public notebook's, and how well the
    relation alone tells."""
    from ...experiments.same_different.run import TELLS  # takes torch

    rows = []
    reported = published("same_different").set_index("series")["mean"]
    for protocol, table in frames.items():
        some = _curve(table)
        tells = unfold(some, TELLS).set_index(["relation", "attribute"])["value"]
        for name in set_game.ATTRIBUTES:
            own = mean_interval(some[f"{name}_accuracy"], within=(0, 1))
            told = mean_interval(tells.loc[name, name], within=(0, 1))
            rows.append((protocol, name, f"{own}", reported[name], f"{told}"))
    names = ["protocol", "attribute", "test accuracy", "public notebook", "area under the curve"]
    return pd.DataFrame(rows, columns=names)


def probes(frames: Frames) -> pd.DataFrame:
    """What linear probes read off embeddings and off relations."""
    rows = []
    for protocol, table in frames.items():
        some = _curve(table)
        for read, name in {"embeddings": "embedding", "four relations": "relations"}.items():
            columns = [f"{name}_{what}_accuracy" for what in ("value", "same")]
            found = [mean_interval(some[column], within=(0, 1)) for column in columns]
            rows.append((protocol, read, *(f"{one}" for one in found)))
    names = ["protocol", "the probe reads", "value of an attribute", "agreement of two cards"]
    return pd.DataFrame(rows, columns=names)


def sizes(study: Study) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Triples that half of the trials need for three levels of accuracy: a row each, and a column a
    level."""
    found = study.sizes_to_reach((0.8, 0.9, 0.95), list(LABELS)[:5], "test_accuracy")
    found["triples"] = [
        in_words(low, high) for low, high in zip(found["low"], found["high"], strict=True)
    ]
    found["model"] = found["model"].map(LABELS)
    wide = found.pivot(index=["protocol", "model"], columns="level", values="triples")
    return found, wide.reset_index().rename(columns=str)


def variants(frames: Frames) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Accuracies on unseen cards and with other embedders: a row each, and a column a size."""
    rows = []
    for protocol, table in frames.items():
        others = table[~table["variant"].isin(["curve", "further"])]
        groups = others.groupby(["variant", "model", "size"], sort=False)["test_accuracy"]
        for (variant, name, size), some in groups:
            accuracy = mean_interval(some, within=(0, 1))
            rows.append((protocol, variant, LABELS[name], size, f"{accuracy}"))
    names = ["protocol", "variant", "model", "size", "test accuracy"]
    found = pd.DataFrame(rows, columns=names)
    wide = found.pivot(index=names[:3], columns="size", values="test accuracy")
    return found, wide.reset_index().rename(columns=str)


def leaks(frames: Frames) -> pd.DataFrame:
    """Leakage under `published` by training set size, as calculated and as measured."""
    rows = []
    if "published" in frames:
        table = _curve(frames["published"]).query("model == 'abstractor_frozen'")
        for (size,), some in groups(table, ["size"]):
            means = [some[f"{name}_accuracy"].mean() for name in ("seen", "new", "test", "true")]
            rows.append((size, leakage(size), some["seen_share"].mean(), *means))
    names = ["n", "leakage, by calculation", "measured", "accuracy on seen SETs", "on new SETs"]
    return pd.DataFrame(rows, columns=[*names, "test accuracy", "by true labels"]).round(3)


def converged(table: pd.DataFrame) -> pd.DataFrame:
    """The share of trials that converged, by model: of all, and at the worst size."""
    some = _curve(table)
    done = some["converged"].astype(float).groupby([some["model"].map(LABELS), some["size"]]).mean()
    shares = done.groupby("model").agg(["mean", "min"]).loc[[*LABELS.values()]].reset_index()
    return shares.set_axis(["model", "converged", "at the worst size"], axis=1)
