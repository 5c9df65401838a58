"""Pictures of notebook 01: an order relation, what training pairs decide of it, what is learned.

Those of the runs take tables of trials by protocol, None where a grid is incomplete. All return the
figure and the points that it shows.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...experiments.order.inspect import Learned
from ...experiments.order.results import PUBLISHED, against_published
from ...experiments.order.run import Trial
from ...findings.published import published
from ...tasks import order
from .. import curves, figures
from ..curves import Series
from ..keywords import Keywords
from ..looks import LOOKS

Tables = Mapping[str, pd.DataFrame | None]
Drawn = tuple[Figure, pd.DataFrame]

V3 = [
    Series("Abstractor", "abstractor"),
    Series("symmetric CoRelNet", "corelnet_symmetric"),
    Series("asymmetric CoRelNet", "corelnet_asymmetric"),
]
V1 = [
    Series("Abstractor (v1)", "abstractor_v1"),
    Series("CoRelNet (v1)", "corelnet_v1"),
    Series("Transformer", "transformer"),
]
BASELINES = [
    Series("Abstractor", "abstractor"),
    Series("PrediNet", "predinet"),
    Series("MLP", "mlp"),
]
MATCHED = [
    Series("Abstractor", "abstractor", "transitive_advantage"),
    Series("Transformer", "transformer", "transitive_advantage"),
]
BLUE, PURPLE, RED = (
    LOOKS[label].color for label in ("Abstractor", "asymmetric CoRelNet", "symmetric CoRelNet")
)
DIAGONAL = [
    Series("symmetric CoRelNet", "corelnet_symmetric"),
    Series(
        "symmetric CoRelNet without softmax",
        "corelnet_no_softmax",
        color=sns.dark_palette(RED, 4)[1],
    ),
    Series(
        "symmetric CoRelNet without softmax and diagonal",
        "corelnet_no_diagonal",
        color=sns.light_palette(RED, 5)[2],
    ),
    Series("Abstractor", "abstractor", color=BLUE),
    Series(
        "Abstractor without diagonal", "abstractor_no_diagonal", color=sns.light_palette(BLUE, 4)[2]
    ),
]
DIMENSIONS = [
    Series("Abstractor, 1 relation", "abstractor_relations_1", color=sns.light_palette(BLUE, 4)[2]),
    Series("Abstractor, 4 relations", "abstractor", color=BLUE),
    Series("CoRelNet, 1 head", "corelnet_asymmetric", color=PURPLE),
    Series("CoRelNet, 4 heads", "corelnet_multihead", color=sns.dark_palette(PURPLE, 4)[1]),
]
KINDS = {  # of pairs: the metric that is the accuracy on them
    "nothing decides it": "other_accuracy",
    "a chain decides it": "transitive_accuracy",
    "its reverse is a training pair": "reversed_accuracy",
}


def decided(trial: Trial) -> tuple[Figure, dict[str, float]]:
    """What the training pairs of a trial decide of all other pairs; and how far apart in rank pairs
    are that a ``chain`` decides and that ``nothing`` does."""
    shown = trial.pairs[trial.split.train]
    found = order.inference(trial.pairs, shown, trial.labels[trial.split.train], len(trial.objects))
    state = np.zeros((len(trial.objects), len(trial.objects)))
    for level, part in enumerate([found.other, found.transitive, found.reversed], start=1):
        state[tuple(trial.pairs[part].T)] = level
    state[tuple(shown.T)] = 4
    names = ["", *KINDS, "a training pair"]
    figure = figures.categories(state, names, f"{len(shown)} training pairs")
    figure.axes[0].set(xlabel="rank j of the second object", ylabel="rank i of the first object")
    far, asked = np.abs(np.diff(trial.pairs)[:, 0]), state[tuple(trial.pairs.T)] != 4
    apart = {"chain": far[found.transitive & asked].mean(), "nothing": far[found.other].mean()}
    return figure, apart


def beside_paper(tables: Tables, series: list[Series]) -> Drawn:
    """Learning curves of the models of a paper's figure, and the published ones."""
    paper = {one.label: published(*PUBLISHED[one.model]) for one in series}
    return curves.learning_curves(tables, series, paper, over_draws=True, height=0.85)


def each_draw(frames: Mapping[str, pd.DataFrame]) -> Drawn:
    """Our draws under ``published`` one by one, beside the published curves."""
    series = V3 + V1
    paper = {one.label: published(*PUBLISHED[one.model]) for one in series}
    found = against_published(frames, "published")
    against = {one.label: found[one.model] for one in series if found}
    return curves.each_draw(frames.get("published"), series, paper, against)


def early_stopping(table: pd.DataFrame | None) -> Drawn:
    """The models of the papers' figures with early stopping and without, and single stored runs."""
    figure, axes = figures.panels([one.label for one in V3 + V1], width=0.8, height=0.7)
    drawn = []
    for axis, one in zip(axes, V3 + V1, strict=True):
        item, name = PUBLISHED[one.model]
        stored = {one.label: published(item, f"{name}, trained freely")}
        both = [one, replace(one, variant="freely", line="-.")]
        points = curves.draw(axis, table, both, stored, further_draws=False)
        drawn.append(points.assign(panel=one.label))
    for axis in axes[::3]:
        axis.set_ylabel("test accuracy")
    styles = {"early stopping": {}, "no early stopping": {"ls": "-."}}
    styles["no early stopping, one stored run"] = {"ls": "", "marker": "x"}
    figures.legend(figure, [], styles)
    return figure, pd.concat(drawn)


def first_draw(tables: Tables, series: list[Series], height: float = 0.85) -> Drawn:
    """Learning curves; under ``published`` those of the first draw alone."""
    return curves.learning_curves(tables, series, further_draws=False, height=height)


def transitivity(frames: Mapping[str, pd.DataFrame]) -> Drawn:
    """Accuracy of v3's Abstractor by what the training pairs say of a test pair, on the order and
    on a tournament."""
    shades = dict(zip(KINDS, sns.color_palette("viridis_r", 4), strict=False))  # as in `decided`
    whole = [
        Series("all test pairs", "abstractor", "distinct_accuracy", line="--", color="0.0"),
        Series("oracle, all pairs", "abstractor", "closure_oracle_accuracy", line=":", color="0.5"),
    ]
    variants = [("described", "curve"), ("sound", "curve"), ("sound", "tournament")]
    titles = ["order, described", "order, sound", "tournament, sound"]
    figure, axes = figures.panels(titles, height=0.9)
    drawn = []
    for axis, (protocol, variant) in zip(axes, variants, strict=True):
        series = [Series(k, "abstractor", v, variant, color=shades[k]) for k, v in KINDS.items()]
        series += whole if variant == "curve" else []
        rows = frames[protocol].query("size >= 25") if protocol in frames else None
        drawn.append(curves.draw(axis, rows, series).assign(panel=f"{protocol}, {variant}"))
    axes[0].set(ylabel="accuracy of the Abstractor", ylim=(0.35, 1.02))
    figures.legend(figure, axes)
    return figure, pd.concat(drawn)


def equal_distance(tables: Tables) -> Drawn:
    """By how much accuracy is higher on pairs that a chain decides, at equal distance in rank."""
    shown = {
        k: None if table is None else table[table["size"] >= 25] for k, table in tables.items()
    }
    labels: Keywords = {"chance": 0.0, "ylabel": "advantage at equal distance", "height": 0.85}
    figure, points = curves.learning_curves(shown, MATCHED, **labels)
    figure.axes[0].set_ylim(-0.2, 0.4)
    return figure, points


def learned(network: Learned) -> Drawn:
    """Each relation of a trained model and its probability, with the line that separates the pairs
    in order from the others, and in the title the share of pairs on the right side of it."""
    pictures = {
        f"relation {k + 1}": relation.numpy() for k, relation in enumerate(network.relations)
    }
    pictures["probability that i is before j"] = network.probability.numpy()
    shares = right(network)
    titles = [f"relation {k + 1}\n{share:.0%} right" for k, share in enumerate(shares.values())]
    titles[-1] = f"the model\n{shares['answer']:.0%} right"
    figure, axes = figures.panels(titles, len(titles), width=0.52, height=0.68)
    count = len(network.probability)
    steps = np.repeat(np.arange(count + 1), 2) - 0.5
    for axis, matrix in zip(axes, pictures.values(), strict=True):
        image = axis.imshow(matrix, cmap="viridis", vmin=0, vmax=1)
        axis.plot(steps[1:], steps[:-1], color="white", lw=1.5)
        axis.plot(steps[1:], steps[:-1], color="black", lw=0.8)
        _bare(axis, count)
    axes[0].set_ylabel("rank i")
    figure.colorbar(image, ax=axes, shrink=0.7, pad=0.01, ticks=[0, 0.5, 1])
    pictures["truth"] = np.triu(np.ones_like(network.probability), k=1)
    return figure, pd.DataFrame({name: matrix.ravel() for name, matrix in pictures.items()})


def _bare(axis: Axes, count: int) -> None:
    """Ranks at the ends alone."""
    axis.set(xlabel="rank j", xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5))
    axis.set_xticks([0, count - 1])
    axis.set_yticks([0, count - 1])


def right(network: Learned) -> dict[str, float]:
    """Of each relation, cut at one half, the share of pairs that it orders correctly, either way
    round; and of the model under ``answer``."""
    answers = np.concatenate([network.relations, network.probability[None]]) > 0.5
    i, j = np.indices(network.probability.shape)
    share = (answers == (i < j))[:, i != j].mean(axis=1).round(2)
    share[:-1] = np.maximum(share[:-1], 1 - share[:-1])
    return {**{f"relation {k + 1}": one for k, one in enumerate(share[:-1])}, "answer": share[-1]}


def alone(network: Learned) -> float:
    """Share of pairs that the relation of each object to itself orders correctly, the larger value
    first or last, of the relation that does so best."""
    own = network.relations.diagonal(dim1=-2, dim2=-1).numpy()  # (r, N)
    i, j = np.triu_indices(own.shape[1], k=1)
    share = (own[:, i] > own[:, j]).mean(axis=1)
    return float(np.maximum(share, 1 - share).max())


def errors(network: Learned) -> dict[str, float]:
    """How far ``apart`` in rank the pairs are that the model orders wrongly, and the ``mean``."""
    i, j = np.indices(network.probability.shape)
    distance, wrong = np.abs(i - j), (network.probability.numpy() > 0.5) != (i < j)
    return {"apart": distance[wrong & (i != j)].mean(), "mean": distance[i != j].mean()}
