"""Sorters whose objects are corrupted: the corruptions, accuracy curves beside the paper's, areas.

``rows`` are those of `measures.by_level`, of one protocol; none leave a panel "not run".
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...experiments.robustness import measures
from ...findings.published import published
from ...tasks.corruption import corrupt
from ...tasks.randomness import generator
from ...theory.random_maps import inner_product_moments, relative_spread
from .. import curves, figures
from ..keywords import Keywords
from ..looks import looks

KINDS = {
    "additive": "additive noise",
    "linear": "random linear map",
    "near_identity": "map near the identity",
    "elementwise": "random factors",
}
MODELS = {
    "abstractor": "Abstractor",
    "transformer": "Transformer",
    "ablation": "Ablation",
    "symbolic": "Symbolic",
    "simple": "Simple Abstractor",
}
COMPARED = dict(list(MODELS.items())[:3])  # those of the papers' figures
PAPER = {"additive": "fig_v3_08a", "linear": "fig_v3_08b"}
LEARNED = {"lw": 0.6, "alpha": 0.4}  # one trained model that sorts clean objects
NOT_LEARNED = {"lw": 0.9, "alpha": 0.9, "ls": ":"}  # one that does not
AXES = {"xlim": (-0.03, 1.03), "ylim": (-0.03, 1.05), "xlabel": "level sigma"}


def corruptions(objects: np.ndarray, level: float) -> tuple[Figure, pd.DataFrame]:
    """Objects, clean and corrupted once in each way, and what becomes of their inner products."""
    one, other = np.triu_indices(len(objects), k=1)
    clean = (objects @ objects.T)[one, other].round(3)
    labels, look = {"clean": "clean"} | KINDS, looks(KINDS.values())
    figure, axes = figures.panels(
        [*labels.values()] * 2, columns=5, sharey=False, height=0.9, width=0.85
    )
    drawn = []
    for top, below, (kind, label) in zip(axes, axes[5:], labels.items(), strict=False):
        moved, slope, color = objects, 1.0, figures.GREY
        if kind in KINDS:
            moved = corrupt(objects, kind, level, generator(0, kind)).round(4)
            mean = inner_product_moments(kind, objects[one], objects[other], level).mean
            slope, color = round((mean @ clean) / (clean @ clean), 3), look[label].color
        image = top.imshow(moved, aspect="auto", cmap="viridis", vmin=-3, vmax=3)
        products = (moved @ moved.T)[one, other].round(3)
        below.plot(clean, products, ".", ms=2, alpha=0.4, color=color, rasterized=True)
        below.plot([-15, 25], [-15 * slope, 25 * slope], "k-", lw=0.8)
        below.set(title="", xlabel="clean inner product", xlim=(-17, 27), ylim=(-25, 40))
        top.set_xlabel("feature")
        top.set_xticks(range(0, 12, 3), map(str, range(1, 13, 3)))
        drawn.append(pd.DataFrame({"corruption": label, "clean": clean, "corrupted": products}))
    axes[0].set_ylabel("object, in its order")
    axes[5].set_ylabel("inner product after")
    figure.colorbar(image, ax=axes[:5], label="value", pad=0.01)
    return figure, pd.concat(drawn)


def beside_paper(rows: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The paper's two curves, ours under the same corruption next to them, and ours under two
    corruptions that no paper has. Mean lines are of trained models that sort clean objects."""
    titles = {
        "paper, additive": "the paper, Figure 8a: additive noise",
        "additive": "ours: additive noise",
        "near_identity": "ours: map near the identity",
        "paper, linear": "the paper, Figure 8b: random linear map",
        "linear": "ours: random linear map",
        "elementwise": "ours: random factors",
    }
    figure, axes = figures.panels(list(titles.values()), width=1.05, height=0.9)
    drawn = [pd.DataFrame()]
    for axis, (kind, title) in zip(axes, titles.items(), strict=True):
        axis.set(**AXES)
        if kind.startswith("paper"):
            points = _published(axis, PAPER[kind.removeprefix("paper, ")])
        else:
            some = rows[rows["variant"] == kind]
            points = levels(axis, some, COMPARED)
            counts = [measures.counts(some, model).split()[0] for model in COMPARED]
            axis.set_title(f"{title}\n(means of {', '.join(counts)} models)")
        drawn.append(points.assign(panel=title))
    for axis in axes[::3]:
        axis.set_ylabel("full-sequence accuracy")
    extra: dict[str, Keywords] = {"one trained model": {**LEARNED, "alpha": 1}}
    extra |= {"one that does not sort clean objects": NOT_LEARNED}
    figures.legend(figure, axes, extra)
    return figure, pd.concat(drawn)


def by_protocol(rows: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """All models under all corruptions and protocols: the means of trained models that sort clean
    objects, and the others one by one."""
    panels = [(protocol, kind) for protocol in rows for kind in KINDS]
    titles = [f"{protocol}: {KINDS[kind]}" for protocol, kind in panels]
    figure, axes = figures.panels(titles, columns=4, height=0.85)
    drawn = [pd.DataFrame()]
    for axis, (protocol, kind), title in zip(axes, panels, titles, strict=True):
        axis.set(**AXES)
        some = rows[protocol][rows[protocol]["variant"] == kind]
        drawn.append(levels(axis, some, MODELS, each=False).assign(panel=title))
    for axis in axes[::4]:
        axis.set_ylabel("full-sequence accuracy")
    figures.legend(figure, axes, {"one that does not sort clean objects": NOT_LEARNED})
    return figure, pd.concat(drawn)


def levels(
    axis: Axes, rows: pd.DataFrame, labels: Mapping[str, str], each: bool = True
) -> pd.DataFrame:
    """Full-sequence accuracy against the level, of one corruption.

    Args:
        labels: what models are called, the first in front.
        each: draw also each trained model that sorts clean objects, as a thin line.

    Returns:
        Points of all lines; those of a mean have no ``trial``.
    """
    if rows.empty:
        curves.not_run(axis)
        return pd.DataFrame()
    look, drawn = looks(labels.values()), []
    for name, label in reversed(list(labels.items())):
        own, color = rows[rows["model"] == name], look[label].color
        learned = own["clean_accuracy"] >= measures.CLEAN
        for _, run in own.groupby("trial"):
            sorts = run["clean_accuracy"].iloc[0] >= measures.CLEAN
            if each or not sorts:
                style: Keywords = LEARNED if sorts else NOT_LEARNED
                axis.plot(run["level"], run[measures.METRIC], color=color, **style)
                drawn.append(run)
        mean = own[learned].groupby(["model", "level"], as_index=False)[measures.METRIC].mean()
        axis.plot(mean["level"], mean[measures.METRIC], color=color, lw=1.8)
        drawn.append(mean)
    for label in labels.values():  # in the legend, in the order of the labels
        axis.plot([], [], color=look[label].color, lw=1.8, label=label)
    if rows[measures.METRIC].max() < 0.03:
        axis.text(0.5, 0.5, "no model sorts:\nall lines lie at zero", ha="center", size=8)
    return pd.concat(drawn).reindex(columns=["model", "trial", "level", measures.METRIC])


def _published(axis: Axes, name: str) -> pd.DataFrame:
    """The published curves of a figure, with two standard errors."""
    look, drawn = looks(COMPARED.values()), []
    for model, label in reversed(COMPARED.items()):
        points = published(name, label)
        axis.plot(points["x"], points["mean"], color=look[label].color, lw=1.8)
        low, high = points["mean"] - 2 * points["sem"], points["mean"] + 2 * points["sem"]
        axis.fill_between(points["x"], low, high, color=look[label].color, alpha=0.15, lw=0)
        drawn.append(pd.DataFrame({"model": model, "level": points["x"], "mean": points["mean"]}))
    return pd.concat(drawn).rename(columns={"mean": measures.METRIC})


def clean(rows: Mapping[str, pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """The clean accuracy of each trained model, a panel each protocol."""
    figure, axes = figures.panels(list(rows), width=1.1, height=0.8)
    drawn = [pd.DataFrame()]
    for axis, (protocol, found) in zip(axes, rows.items(), strict=True):
        once = found[found["variant"] == "additive"].drop_duplicates(["model", "trial"])
        axis.set(xlabel="clean accuracy", xlim=(-0.03, 1.05))
        axis.axvline(measures.CLEAN, color=figures.GREY, lw=0.8, ls=":")
        drawn.append(_strip(axis, once, MODELS, "clean_accuracy").assign(protocol=protocol))
    return figure, pd.concat(drawn)


def areas(rows: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The area under each trained model's accuracy curve, a panel each corruption."""
    figure, axes = figures.panels(list(KINDS.values()), columns=4, height=0.9)
    found, drawn = measures.areas(rows), [pd.DataFrame()]
    for axis, (kind, label) in zip(axes, KINDS.items(), strict=True):
        axis.set_xlabel("area under the curve")
        points = _strip(axis, found[found["variant"] == kind], MODELS, "area")
        drawn.append(points.assign(corruption=label))
        widest = max(0.02, axis.get_xlim()[1])
        axis.set_xlim(-0.04 * widest, widest)
    return figure, pd.concat(drawn)


def distances(rows: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """How far each trial's curves are from each published figure, by corruption."""
    figure, axes = figures.panels(["to Figure 8a", "to Figure 8b"], width=1.2, height=0.8)
    drawn = [pd.DataFrame()]
    for axis, name in zip(axes, PAPER.values(), strict=True):
        axis.axvline(0.1, color=figures.GREY, lw=0.8, ls=":")
        axis.set(xlabel="distance", xlim=(0, 1))
        found = measures.distances(rows, name, KINDS).rename_axis("trial")
        long = found.melt(var_name="model", value_name="distance", ignore_index=False)
        drawn.append(_strip(axis, long.reset_index(), KINDS, "distance").assign(figure=name))
    return figure, pd.concat(drawn)


def _strip(axis: Axes, table: pd.DataFrame, labels: Mapping[str, str], metric: str) -> pd.DataFrame:
    if table.empty:
        curves.not_run(axis)
        return pd.DataFrame()
    return curves.strip(axis, table.assign(size=12), labels, metric)  # 12 features


def dimensions(table: pd.DataFrame | None) -> tuple[Figure, pd.DataFrame]:
    """Inner products of random objects against their number of features: by what factor their
    mean grows, and what they differ from it.

    Args:
        table: trials under a protocol that has such runs.
    """
    metrics = {"scale": "slope of the mean", "spread": "spread / (factor |x| |y|)"}
    figure, axes = figures.panels(
        ["factor of the mean", "relative spread"], sharey=False, width=1.2
    )
    look, moments = looks(KINDS.values()), pd.DataFrame()
    if table is not None:
        some = table[table["model"] == "inner_products"].groupby(["variant", "size"])
        moments = some[[*metrics, "spread_expected"]].mean()
    for axis, (metric, name) in zip(axes, metrics.items(), strict=True):
        for at, (kind, label) in enumerate(KINDS.items() if len(moments) else ()):
            found = moments.loc[kind, metric]
            style: Keywords = {
                "color": look[label].color,
                "marker": look[label].marker,
                "label": label,
            }
            style |= {"ls": "", "ms": 5, "mfc": "none", "mew": 1}
            axis.plot(found.index * 1.09 ** (at - 1.5), found, **style)
        axis.set(xlabel="features d", xscale="log", yscale="log", ylabel=name)
    dims = np.geomspace(3, 768, 50)
    axes[1].plot(dims, relative_spread(dims).round(6), "k-", lw=0.8, label="1 / sqrt(d)")
    for axis in axes:
        axis.axvline(12, color=figures.GREY, lw=0.8, ls=":", label="12, as in the task")
        curves.plain(axis.xaxis)
        axis.minorticks_off()
    figures.legend(figure, axes)
    return figure, moments.reset_index()


def drift(rows: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The drift of learned inner products against accuracy, a panel each model."""
    figure, axes = figures.panels(list(MODELS.values()), columns=5, height=1.0, width=0.8)
    metric, look = "teacher_forcing_accuracy", looks(KINDS.values())
    drawn = rows[rows["relations_angle"].notna()]
    for axis, model in zip(axes, MODELS, strict=True):
        for kind, label in KINDS.items():
            some = drawn[(drawn["model"] == model) & (drawn["variant"] == kind)]
            style: Keywords = {
                "color": look[label].color,
                "marker": look[label].marker,
                "label": label,
            }
            style |= {"ls": "", "ms": 3, "alpha": 0.6, "rasterized": True}
            axis.plot(some["relations_angle"], some[metric], **style)
        axis.set(xlabel="drift" if len(drawn) else "not run", ylim=(-0.03, 1.05))
        axis.set_xlim(-0.05, 1.25)
    axes[0].set_ylabel("teacher-forced accuracy")
    figures.legend(figure, axes)
    return figure, drawn[["model", "variant", "trial", "level", "relations_angle", metric]]
