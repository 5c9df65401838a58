"""Pictures of 2-simplicial attention: pairs, blocks, costs and attention before training."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from ...experiments.simplicial_attention import measures
from ...theory import recurrent
from .. import curves, figures
from ..keywords import Keywords

RESIDUALS = {
    "closed_form": "eq. 8 against the algebra",
    "example_c2": "eq. 20",
    "magnitude": "eq. 21, three factors",
    "lemma_c4": "Lemma C.4",
    "example_c5": "Example C.5",
    "above_greatest": "Lemma C.10: above the greatest value",
    "dependent": "Lemma C.10: dependent vectors",
    "orthogonal": "Lemma C.10: orthogonal vectors",
    "symmetries": "Lemma C.10: symmetries, and eq. 9",
    "single_precision": "eq. 8 in single precision",
}
RELATIVES = {
    "read_head": (
        "read head (eq. 16)",
        "1-simplicial attention: unit query, unit keys, slots as values",
    ),
    "controller": (
        "controller (eq. 15)",
        "one linear layer with relu on what is read, state and symbol",
    ),
    "hopfield": (
        "Hopfield update (eq. 19)",
        "attention without softmax; nodes as queries, keys and values; tanh",
    ),
}
READS = ["attends not", "attends", "attends, in pairs", "has its own value"]


def residuals(table: pd.DataFrame) -> pd.DataFrame:
    """The largest residual of each statement, by dimension."""
    algebra = table[table["model"].eq("algebra")]
    found = algebra.groupby("size")[list(RESIDUALS)].max().T.map("{:.0e}".format)
    found.index = pd.Index(RESIDUALS.values(), name="largest residual")
    return found.set_axis([f"{size} dimensions" for size in found.columns], axis=1)


def relatives(table: pd.DataFrame) -> pd.DataFrame:
    """The largest difference between each formula and layers of the library."""
    gaps = table[table["model"].eq("relatives")][list(RELATIVES)].max()
    rows = [(*RELATIVES[name], f"{gap:.0e}") for name, gap in gaps.items()]
    return pd.DataFrame(rows, columns=["formula", "by layers of the library", "largest difference"])


def dimensions(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The triple product of random vectors by dimension: median, 5 to 95 of 100, root of the mean
    square."""
    triples = table[table["model"].eq("triples")]
    share = triples.groupby("size")[["low", "median", "high", "expected"]].mean()
    share["root"] = share["expected"] ** 0.5
    figure, (axis,) = figures.panels(["independent random vectors"], width=1.7)
    band: Keywords = {"alpha": 0.2, "label": "5 to 95 of 100 triples"}
    axis.fill_between(share.index, share["low"], share["high"], **band)
    axis.plot(share.index, share["median"], "o-", mec="white", label="median")
    axis.plot(share.index, share["root"], "k:", lw=1.2, label="root of 3/n - 2/n²")
    axis.set(xscale="log", xlabel="dimensions n", ylabel="share of the greatest value")
    axis.set_ylim(0, 1.05)
    axis.set_xticks(share.index, [str(size) for size in share.index])
    axis.minorticks_off()
    axis.legend(loc="upper right")
    return figure, share.reset_index()


def alike(query: Tensor, first: Tensor, second: Tensor) -> np.ndarray:
    """Of which pairs of keys two of the three vectors are the same: their logit is the greatest
    whatever the third one is.

    Args:
        query: ``(1, d)``, of length 1, as the keys are.
        first, second: the keys, ``(m, d)``.

    Returns:
        ``(m, m)``, the first key's index first.
    """
    one, two = (keys @ query[0] for keys in (first, second))
    greatest = torch.maximum(torch.maximum(one[:, None], two), first @ second.T)
    return (greatest > 1 - 1e-6).numpy()


def pairs(
    pictures: Mapping[str, np.ndarray], names: Sequence[str], trivial: Mapping[str, np.ndarray]
) -> tuple[Figure, pd.DataFrame]:
    """Logits of queries for pairs of keys: a panel a query. Trivial pairs are hatched; of the
    others, those with the logit one have a frame.

    Args:
        pictures: title -> logits ``(m, m)``, the first key's index first.
        names: of the entities that give the keys.
        trivial: title -> whether two of the three vectors are alike, ``(m, m)``.
    """
    labels: Keywords = {"xlabel": "k (second key)", "ylabel": "j (first key)", "label": "logit"}
    figure = figures.matrices(pictures, **labels)
    looks: dict[str, Keywords] = {
        "two of the three vectors are alike": {"hatch": "////", "ec": "0.35", "lw": 0},
        "three different vectors in one plane": {"ec": "red", "lw": 2},
    }
    for axis, (title, logits) in zip(figure.axes, pictures.items(), strict=False):
        axis.set_xticks(range(len(names)), names)
        axis.set_yticks(range(len(names)), names)
        marked = trivial[title], (logits > 1 - 1e-3) & ~trivial[title]
        for cells, look in zip(marked, looks.values(), strict=True):
            for row, column in np.argwhere(cells):
                corner = column - 0.46, row - 0.46
                axis.add_patch(figures.plt.Rectangle(corner, 0.92, 0.92, fc="none", **look))
    handles = [
        figures.plt.Rectangle((0, 0), 1, 1, fc="none", label=label, **look)
        for label, look in looks.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    points = pd.concat(
        {name: pd.DataFrame(one, list(names), list(names)) for name, one in pictures.items()}
    )
    return figure, points.rename_axis(["panel", "first key"]).reset_index()


def who_reads_whom(one: np.ndarray, two: np.ndarray, virtual: int) -> tuple[Figure, pd.DataFrame]:
    """Who reads whom in a block.

    Args:
        one, two: `READS` by number, ``(n, n)``: in 1-simplicial and in 2-simplicial attention.
        virtual: how many of the entities are, the last ones.
    """
    count = len(one)
    labels = [str(n) for n in range(1, count - virtual + 1)]
    labels += [f"V{n}" for n in range(1, virtual + 1)]
    palette = ["white", *figures.sns.color_palette("viridis_r", len(READS) - 1)]
    colors = figures.mpl.colors.ListedColormap(palette)
    figure, axes = figures.panels(["1-simplicial", "2-simplicial"], width=0.9)
    for axis, matrix in zip(axes, (one, two), strict=True):
        axis.imshow(matrix, cmap=colors, vmin=0, vmax=len(READS) - 1)
        axis.set_xticks(range(count), labels)
        axis.set_yticks(range(count), labels)
        axis.set_xlabel("entity that is read")
    axes[0].set_ylabel("entity that reads")
    patch = figures.plt.Rectangle
    handles = [
        patch((0, 0), 1, 1, fc=colors(k), ec="0.5", label=kind) for k, kind in enumerate(READS)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    points = pd.DataFrame(np.concatenate([one, two]), columns=labels)
    points.insert(0, "reads", 2 * labels)
    return figure, points


def operations(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Counted operations against the numbers of standard and of virtual entities, both axes
    logarithmic, with the exponents at the largest sizes."""
    grown = measures.growth(table)
    looks = {
        "entities": ("64 virtual entities", "C0", "o", "-"),
        "root": ("root of N virtual entities", "C1", "s", "--"),
        "all pairs": ("all pairs of N entities", "C2", "^", "-."),
    }
    titles = ["N grows", "M grows, 16,384 entities"]
    figure, axes = figures.panels(titles, width=1.3, sharey=False)
    for name, (title, color, marker, line) in looks.items():
        rows = grown[name]
        style = {"color": color, "marker": marker, "ls": line, "mec": "white"}
        label = f"{title}: exponent {measures.exponent(rows, 'entities'):.2f}"
        axes[0].loglog(rows["entities"], rows["operations"], **style, label=label)
    rows = grown["virtual"]
    label = f"exponent {measures.exponent(rows, 'virtual'):.2f}"
    axes[1].loglog(rows["virtual"], rows["operations"], "C3D-", mec="white", label=label)
    axes[0].set(xlabel="N, standard entities", ylabel="operations")
    axes[1].set(xlabel="M, virtual entities")
    for axis in axes:
        axis.legend(loc="upper left", fontsize=7)
    points = pd.concat(grown)[["entities", "virtual", "operations", "pair_values"]]
    return figure, points.rename_axis(["grows", None]).reset_index(0)


def start(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The greatest weight among four pairs before training, in both iterations: a dot a trial."""
    four = table[table["model"].eq("start") & table["virtual"].eq(2)]
    scaled = np.where(four["scale"].eq(1), "no scale", "scaled")
    names = four["variant"].replace("pairs", "sum of dot products") + ", " + scaled
    four = four.assign(attention=names, model=names)
    order = {name: name for name in names.unique()}
    titles = {"top_1": "first iteration", "top_2": "second iteration"}
    figure, axes = figures.panels(list(titles.values()), width=1.4, height=0.8)
    points = [
        curves.strip(axis, four, order, metric).assign(iteration=k)
        for k, (axis, metric) in enumerate(zip(axes, titles, strict=True), start=1)
    ]
    for axis in axes:
        axis.axvline(1 / 4, color=figures.GREY, ls=":", label="equal weights")
        axis.set(xlabel="mean greatest weight", xlim=(0.2, 1.02))
    figures.legend(figure, axes[:1])
    return figure, pd.concat(points)


def cleaned(patterns: np.ndarray, draws: int) -> tuple[list[list[np.ndarray]], pd.DataFrame]:
    """Three Hopfield updates of noisy patterns, in some draws of the noise.

    Args:
        patterns: of signs, ``(nodes, coordinates)``.

    Returns:
        For each draw the nodes before and after each update; and how many coordinates have the sign
        of their pattern, a row a draw, a column an update.
    """
    found = []
    for draw in range(draws):
        noise = np.random.default_rng(draw).normal(0, 0.4, patterns.shape)
        nodes = [patterns / 2 + noise]
        for _ in range(3):
            nodes.append(recurrent.hopfield_step(nodes[-1], eta=0.5))
        found.append(nodes)
    right = [[(np.sign(one) == patterns).sum() for one in nodes] for nodes in found]
    return found, pd.DataFrame(right)


def hopfield(nodes: Sequence[np.ndarray]) -> tuple[Figure, pd.DataFrame]:
    """Nodes of a Hopfield network at the start, and after one and three updates."""
    titles = {0: "start", 1: "after one update", 3: "after three updates"}
    shown = {title: nodes[k].round(2) for k, title in titles.items()}
    labels: Keywords = {"xlabel": "coordinate", "ylabel": "node"}
    figure = figures.matrices(shown, limits=(-1, 1), scale=0.85, **labels)
    points = pd.concat({name: pd.DataFrame(one) for name, one in shown.items()})
    return figure, points.rename_axis(["panel", "node"]).reset_index()
