"""What notebook 03 draws: the two orders, learning curves by arm, and what pre-training saves."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...experiments.pretraining.results import ARMS, METRIC, NETWORKS, PARENTS, Ratio
from ...experiments.pretraining.settings import LEARNED, ONE_EACH
from ...findings.published import published
from ...records.spec import Spec
from .. import curves, figures
from ..curves import Series
from ..keywords import Keywords
from ..looks import COLORS
from ..study import Study

DODGE = 1.06  # between the dots of neighbouring arms
LINES: Keywords = {"chance": None, "band": False, "log": True, "dodge": DODGE}
LINES |= {"xlabel": "training sequences"}
DOTS: Keywords = LINES | {"trials": True}
ENDS = (0.4, 80)  # ratios at which the picture ends
EVERY = "if models that had not learned count too"
COLOUR = {"described": COLORS["orange"], "sound": COLORS["blue"]}


def series(network: str, metric: str = METRIC) -> list[Series]:
    """A model's lines, one for each arm."""
    return [Series(arm, network + end, metric) for arm, end in ARMS.items()]


def paper(network: str) -> dict[str, pd.DataFrame]:
    """The published curves of a model, by the arm that its code ran."""
    name = NETWORKS[network]
    ends = {"no pre-training": "", "same order": ", pre-trained"}
    return {arm: published("fig_v3_05b", name + end) for arm, end in ends.items()}


FIRST = {  # what was learned first
    "permuted order, 100 epochs": "permuted order\n(100 epochs, as for sorting)",
    "permuted order": "permuted order\n(until learned)",
    "same order": "same order",
    "new objects": "new objects\n(in the same order)",
}


def ratios(factors: Iterable[Ratio]) -> tuple[Figure, pd.DataFrame]:
    """How many times the training sequences a model needs without pre-training: a bar for each
    claim from end to end of its interval, an arrow where it has no upper end; thin, that over all
    trials, where it is another one."""
    figure, axes = figures.panels(list(NETWORKS.values()), width=1.35, height=0.9)
    arms = [arm for arm in ARMS if arm != "no pre-training"]
    points = []
    for one in factors:
        axis = axes[list(NETWORKS).index(one.network)]
        at = arms.index(one.arm) + (0.14 if one.protocol == "sound" else -0.14)
        interval = one.claimed.interval
        if interval is None:
            continue
        every = one.of_all_trials.interval
        if every is not None and every[1:3] != interval[1:3]:
            ends = max(every.low, ENDS[0]), min(every.high, ENDS[1])
            axis.plot(ends, [at, at], color=COLOUR[one.protocol], lw=1.2)
        _bar(axis, interval.low, interval.high, at, one.protocol)
        row = {"model": NETWORKS[one.network], "arm": one.arm, "protocol": one.protocol}
        points.append(row | {"low": interval.low, "high": interval.high, "n": interval.n})
    for axis in axes:
        axis.axvspan(2, ENDS[1], color="0.94", zorder=0)
        axis.axvline(1, color=figures.GREY, lw=0.8, ls=":")
        axis.axvline(2, color=figures.GREY, lw=1.2, ls="--")
        axis.set(xscale="log", xlim=ENDS, xlabel="sequences without / with pre-training")
        axis.set_xticks([0.5, 1, 2, 5, 10, 20, 50], ["0.5", "1", "2", "5", "10", "20", "50"])
        axis.minorticks_off()
    axes[0].set_yticks(range(len(arms)), [FIRST[arm] for arm in arms])
    axes[0].set_ylim(len(arms) - 0.5, -0.5)
    lines = {"twice": {"ls": "--"}, "equal": {"ls": ":"}, EVERY: {"lw": 1.2, "color": "black"}}
    figures.legend(figure, axes, lines)
    return figure, pd.DataFrame(points)


def _bar(axis: Axes, low: float, high: float, at: float, protocol: str) -> None:
    ends, color = [max(low, ENDS[0]), min(high, ENDS[1])], COLOUR[protocol]
    axis.plot(ends, [at, at], color=color, lw=4, solid_capstyle="butt", label=protocol)
    for end, arrow, beyond in zip(ENDS, "<>", (low < ENDS[0], high > ENDS[1]), strict=True):
        if beyond:
            axis.plot(end, at, arrow, color=color, ms=8, clip_on=False)


def orders(trials: Mapping, counts: tuple[int, int]) -> tuple[Figure, pd.DataFrame]:
    """The rank of every object, a panel for each stage of training.

    Args:
        trials: title -> the data of a stage; of *new objects* attributes have other letters.
        counts: of values of the two attributes.
    """
    ranks = {title: one.ranks.reshape(counts) + 1 for title, one in trials.items()}
    figure, axes = figures.panels(list(ranks), width=1.3, height=0.75, sharey=False)
    for axis, (title, picture) in zip(axes, ranks.items(), strict=True):
        image = axis.imshow(picture, aspect="auto", cmap="viridis")
        for row, column in np.ndindex(picture.shape):
            rank = picture[row, column]
            dark = rank < picture.max() / 2
            axis.text(
                column, row, str(rank), ha="center", va="center", size=6, color="wk"[not dark]
            )
        letters = ("C", "D") if "new" in title else ("A", "B")
        axis.set_yticks(range(counts[0]), [f"{letters[0]}{k + 1}" for k in range(counts[0])])
        axis.set_xticks(
            range(counts[1]), [f"{letters[1]}{k + 1}" for k in range(counts[1])], size=6
        )
    figure.colorbar(image, ax=axes, label="rank of the object", pad=0.02)
    rows = [(t, *at, rank) for t, one in ranks.items() for at, rank in np.ndenumerate(one)]
    return figure, pd.DataFrame(rows, columns=["panel", "first", "second", "rank"])


def budget(specs: Iterable[Spec]) -> str:
    """The batch size of some runs, and how long they train at most.

    Raises:
        ValueError: if they differ in it.
    """
    found = {(one.training.batch_size, one.training.updates, one.training.epochs) for one in specs}
    if len(found) != 1:
        raise ValueError(f"runs train for {found}; expected one budget")
    ((batch, updates, epochs),) = found
    most = f"{updates:,} updates" if updates else f"{epochs} epochs"
    return f"batches of {batch}, at most {most}"


def learning(study: Study, network: str) -> tuple[Figure, pd.DataFrame]:
    """Learning curves of a model, a line for each arm: the mean over trials, each trial a dot; the
    paper's in a panel of their own."""
    lines, tables = series(network), study.panels()
    options: Keywords = DOTS | {"ylabel": "full-sequence accuracy", "height": 1.2, "apart": True}
    figure, points = curves.learning_curves(tables, lines, paper(network), **options)
    curves.logarithmic(figure.axes[0], str(LINES["xlabel"]), empty=False)
    figure.axes[0].set(xlim=(40, 3400), ylim=(-0.03, 1.05))
    for axis, (protocol, table) in zip(figure.axes[1:], tables.items(), strict=True):
        axis.set(ylim=(-0.03, 1.05), xlim=(40, 3400) if table is not None else None)
        if specs := study.wanted(protocol, network=network, variant="curve"):
            axis.set_title(f"{axis.get_title()}\n{budget(specs)}", fontsize=8)
    figure.suptitle(NETWORKS[network], fontsize=10)
    figure.legends.clear()
    figures.legend(figure, figure.axes, {"the paper, 2 SEM": {"ls": "--"}}, columns=3)
    return figure, points


def parents(study: Study) -> tuple[Figure, pd.DataFrame]:
    """How much of their own validation data parents have right, a dot each."""
    names = {f"{n}_{k}": f"{m}, {word}" for n, m in NETWORKS.items() for word, k in PARENTS.items()}
    shown = [name for name in study.panels() if study.wanted(name, variant="pretraining")]
    figure, axes = figures.panels(shown, width=1.5, sharey=False)
    drawn = [pd.DataFrame()]
    for axis, (protocol, table) in zip(axes, study.panels(*shown).items(), strict=True):
        if table is None:
            curves.not_run(axis)
            continue
        first = table[table["variant"] == "pretraining"]
        drawn.append(curves.strip(axis, first, names, "own_accuracy", mean=False))
        labels = first["model"].map(names)
        for tick in axis.get_yticklabels():
            own = first.loc[labels.eq(tick.get_text()), "own_accuracy"]
            count = f"{(own >= LEARNED).sum()} of {len(own)}"
            at = (1.02, tick.get_position()[1])
            axis.text(*at, count, transform=axis.get_yaxis_transform(), va="center", fontsize=8)
        axis.axvline(LEARNED, color=figures.GREY, lw=0.8, ls=":")
        axis.set(xlabel="full-sequence accuracy, own validation", xlim=(-0.03, 1.05))
        sizes = first.groupby("budget")["batch"].first()
        stated = f" (100 epochs: {sizes['stated']})" if "stated" in sizes else ""
        axis.set_title(f"{protocol}, batches of {sizes['ample']}{stated}")
    return figure, pd.concat(drawn)


def updates(study: Study, protocol: str = "sound") -> tuple[Figure, pd.DataFrame]:
    """How many updates a trial takes until it has learned, by training set size and arm."""
    table = study.frames.get(protocol)
    figure, axes = figures.panels(list(NETWORKS.values()), width=1.3)
    drawn = [pd.DataFrame()]
    for axis, network in zip(axes, NETWORKS, strict=True):
        drawn.append(curves.draw(axis, table, series(network, "updates"), **DOTS))
    axes[0].set_ylabel("updates")
    figure.suptitle(f"{protocol}: {budget(study.wanted(protocol, variant='curve'))}", fontsize=9)
    if table is not None:
        figures.legend(figure, axes)
    return figure, pd.concat(drawn)


def parts(study: Study, protocol: str = "described") -> tuple[Figure, pd.DataFrame]:
    """Full-sequence accuracy by what was moved from a parent of the permuted order, a dot for each
    trial."""
    table = study.frames.get(protocol)
    figure, axes = figures.panels(list(NETWORKS.values()), width=1.5, sharey=False)
    drawn = [pd.DataFrame()]
    for axis, (network, title) in zip(axes, NETWORKS.items(), strict=True):
        (n,) = study.sizes(protocol, network=network, variant="part")
        names = {network: "nothing", f"{network}_permuted": "everything"}
        names |= {f"{network}_{part}": part.replace("_", " ") for part in ONE_EACH[:-1]}
        names[f"{network}_{ONE_EACH[-1]}"] = "all but the output layer"
        (batch,) = {one.training.batch_size for one in study.wanted(protocol, variant="part")}
        axis.set(xlabel="full-sequence accuracy", xlim=(-0.03, 1.05))
        axis.set_title(f"{title}, {n:,} sequences, batches of {batch}")
        if table is None:
            curves.not_run(axis)
            continue
        rows = table.query("size == @n and variant != 'pretraining'")
        drawn.append(curves.strip(axis, rows, names, METRIC, mean=False))
    return figure, pd.concat(drawn)
