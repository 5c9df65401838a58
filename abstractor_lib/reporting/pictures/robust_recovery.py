"""What notebook 07 draws: where relations can be recovered from corrupted states."""

from collections.abc import Mapping

import matplotlib.patheffects as patheffects
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from ...experiments.robust_recovery import measures
from ...experiments.robust_recovery.grid import TRAINED
from ...experiments.robust_recovery.results import Summary
from ...experiments.robust_recovery.sentences import NAMES
from ...experiments.robust_recovery.settings import OWN_KINDS
from ...findings.statistics import Interval
from ...theory.conditions import chosen_positions_threshold, gaussian_threshold
from ...theory.corruption import DEPENDENT, INDEPENDENT, KINDS
from .. import curves, figures
from ..keywords import Keywords
from ..looks import COLORS, LOOKS

LABELS = {kind: kind.replace("_", " ") for kind in KINDS} | NAMES
LABELS |= {"heavy_tailed": "Cauchy errors", "sign_flip": "sign flips"}
KNOWN = "known limit, independent errors"
EPSILON = "share of corrupted entries ε"
CONDITIONS = {  # panel, label, line, marker, colour
    "sigma_fixed": (0, "fixed signs", "-", "o", "blue"),
    "sigma_high": (0, "worst signs, at most", "--", "v", "orange"),
    "sigma_low": (0, "worst signs, at least", "--", "^", "orange"),
    "kappa_high": (1, "measured", "-", "o", "blue"),
    "kappa_low_high": (2, "measured, at most", "--", "v", "orange"),
    "kappa_low_low": (2, "measured, at least", "--", "^", "orange"),
}


def _known(summary: Summary) -> tuple[np.ndarray, list[float]]:
    """The known limit for independent errors, at 40 ratios m / d."""
    ratios = np.linspace(summary.few, summary.many, 40)
    return ratios, [gaussian_threshold(ratio) for ratio in ratios]


def where_recovery_ends(summary: Summary) -> tuple[Figure, pd.DataFrame]:
    """Thresholds against m / d, a line a kind of errors."""
    points = curves.interval_table(summary.ends, ["variant", "ratio"])
    figure, (axis,) = figures.panels(["where recovery ends"], width=1.7, height=1.3)
    for kind in KINDS:
        dash = "-" if kind in INDEPENDENT else "--" if kind in DEPENDENT else ":"
        style: Keywords = (
            {"mfc": "none"} if kind == "dropout" else {"ms": 8} if kind == "sign_flip" else {}
        )
        curves.bars(axis, points.loc[kind], LABELS[kind], ls=dash, **style)
    axis.plot(*_known(summary), "k-", lw=1.2, zorder=5, label=KNOWN)
    chosen = chosen_positions_threshold()
    limits = {0.5: "1 / 2, random", chosen: f"{chosen:.3f}, chosen"}
    right: Keywords = {"ha": "right", "color": figures.GREY, "fontsize": 8}
    for height, text in limits.items():
        axis.axhline(height, color=figures.GREY, lw=0.8)
        axis.text(0.99, height + 0.01, text, transform=axis.get_yaxis_transform(), **right)
    axis.set(xlabel="m / d", ylabel="threshold, share of corrupted entries", ylim=(0, 0.9))
    axis.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure, points.reset_index()


def small_example(
    clean: np.ndarray, states: np.ndarray, relations: np.ndarray, arrays: Mapping[str, np.ndarray]
) -> Figure:
    """One state as sent and as received, and the relations that each estimator recovers."""
    figure, axes = figures.panels(["one state", *arrays], sharey=False)
    wrong = states[0] != clean[0]
    axes[0].plot(clean[0, ~wrong], states[0, ~wrong], "o", ms=4, label="correct entry")
    axes[0].plot(clean[0, wrong], states[0, wrong], "x", ms=5, label="corrupted entry")
    axes[0].set(xlabel="entry of S r", ylabel="entry as received")
    axes[0].legend()
    for axis, recovered in zip(axes[1:], arrays.values(), strict=True):
        axis.plot([0, 0.4], [0, 0.4], "k:")
        axis.plot(relations.ravel(), recovered.ravel().round(6), "o", ms=4, mec="white", mew=0.5)
        axis.set(xlabel="true relation", ylabel="recovered relation")
    return figure


def conditions(summary: Summary) -> tuple[Figure, pd.DataFrame]:
    """Conditions A and B of Gaussian symbols against m / d."""
    points = curves.interval_table(summary.conditions, ["quantity", "ratio"])
    titles = ["condition A: σ", "condition B: upper κ", "condition B: lower κ"]
    x = np.linspace(0.02, 0.8, 50)
    limits = {1: 1 + np.sqrt(x), 2: np.clip(np.sqrt(2 / np.pi) - np.sqrt(x), 0, None)}
    figure, axes = figures.panels(titles, sharey=False)
    for name, (panel, label, line, marker, color) in CONDITIONS.items():
        style: Keywords = {"ms": 4, "ls": line, "marker": marker, "color": COLORS[color]}
        curves.bars(axes[panel], points.loc[name], label, **style)
    for panel, name in ((0, "sigma"), (2, "kappa_low")):
        ends = [points.loc[f"{name}_{end}"].estimate for end in ("low", "high")]
        axes[panel].fill_between(ends[0].index, *ends, color=COLORS["orange"], alpha=0.15, lw=0)
    for panel, limit in limits.items():
        label = "limit for large d" if panel == 1 else "limit for large d, at least"
        axes[panel].plot(x, limit, "k:", label=label)
    for axis in axes:
        axis.set(xlabel="m / d", ylim=(0, None))
        axis.legend(fontsize=7)
    return figure, points.reset_index()


def phase_diagrams(summary: Summary) -> tuple[Figure, pd.DataFrame]:
    """The share of relations that come back, by m / d and share of errors, a panel a kind."""
    shades = sns.light_palette(COLORS["blue"], as_cmap=True)
    halo = [patheffects.withStroke(linewidth=3.5, foreground="white")]
    dots: Keywords = {"mfc": "white", "mec": "black", "ms": 4, "label": KNOWN}
    promised = [share or np.nan for share in summary.allowed["eq. 3.14, safe level"]]
    ratios, known = _known(summary)
    titles = [LABELS[kind] for kind in KINDS]
    some = [*titles[:3], "", *titles[3:]]
    figure, axes = figures.panels(some, columns=4, width=0.8, height=0.9)
    for axis, kind in zip([*axes[:3], *axes[4:]], KINDS, strict=True):
        shares = summary.cells.loc[kind].recovered.unstack("ratio")
        grid = shares.columns, shares.index
        image = axis.pcolormesh(*grid, shares, vmin=0, vmax=1, cmap=shades, rasterized=True)
        axis.plot(summary.ratios, promised, "k-", path_effects=halo, label="safe level of eq. 3.14")
        axis.plot(ratios[::4], known[::4], "o", **dots)
        axis.set(xlabel="m / d", ylim=(0.025, max(shares.index) + 0.025))
    axes[3].set_axis_off()
    axes[3].legend(*axes[0].get_legend_handles_labels(), loc="center", fontsize=8)
    for axis in axes[::4]:
        axis.set_ylabel(EPSILON)
    figure.colorbar(image, ax=axes, shrink=0.6, label="share of relations recovered")
    return figure, summary.cells.reset_index()


def levels(summary: Summary) -> tuple[Figure, pd.DataFrame]:
    """What the levels of eq. 3.14 and 3.15 allow, beside what is measured."""
    points = curves.interval_table(summary.ends, ["variant", "ratio"])
    allowed = summary.allowed
    figure, (axis,) = figures.panels(["what a level allows"], width=1.5, height=1.2)
    measured = points.loc[measures.FITTED_ON]
    curves.bars(axis, measured, "measured", color=COLORS["blue"])
    for column, marker in zip(allowed.columns[1:], "^v^v", strict=True):
        color = COLORS["red"] if "3.14" in column else COLORS["green"]
        line, face = ("--", "none") if "half" in column else (":", color)
        look: Keywords = {"marker": marker, "color": color, "mfc": face, "label": column}
        axis.plot(allowed.index, allowed[column], line, **look)
    axis.set(xlabel="m / d", ylabel=EPSILON, ylim=(-0.02, 0.95))
    axis.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure, allowed.reset_index()


def sizes(summary: Summary) -> tuple[Figure, pd.DataFrame]:
    """Thresholds of several d against m / d, and how far they are from those of the grid."""
    both = [
        curves.interval_table(one, ["rows", "ratio"])
        for one in (summary.sizes, summary.sizes_apart)
    ]
    titles = ["where recovery ends", "difference"]
    figure, axes = figures.panels(titles, sharey=False, width=1.3)
    numbers = sorted({summary.rows, *summary.other_rows})
    tones = sns.color_palette("viridis_r", len(numbers) + 1)[1:]
    for axis, some in zip(axes, both, strict=True):
        for k, rows in enumerate(numbers):
            style: Keywords = {
                "marker": "o^sD"[k],
                "color": tones[k],
                "ms": 4,
                "shift": 0.006 * (k - 1.5),
            }
            if rows in some.index.unique("rows"):
                curves.bars(axis, some.loc[rows], f"d = {rows}", **style)
        axis.set(xlabel="m / d", ylabel="threshold")
    axes[1].set_ylabel(f"difference from d = {summary.rows}")
    axes[1].axhspan(-0.05, 0.05, color=figures.GREY, alpha=0.15, lw=0)
    axes[1].axhline(0, color=figures.GREY, lw=0.8)
    figures.legend(figure, axes)
    points = pd.concat(both, keys=["threshold", "difference"], names=["shown"])
    return figure, points.reset_index()


def least_squares(summary: Summary) -> tuple[Figure, pd.DataFrame]:
    """Relative errors of both estimators against the share of errors."""
    figure, (axis,) = figures.panels(["Gaussian errors, m / d = 0.1"], width=1.5, height=1.1)
    for label, errors in summary.quartiles.items():
        look = LOOKS[label]
        style: Keywords = {"marker": look.marker, "ms": 4, "color": look.color}
        axis.plot(errors.index, errors[0.5], "-", label=label, **style)
        axis.fill_between(
            errors.index, errors[0.25], errors[0.75], color=look.color, alpha=0.2, lw=0
        )
    axis.set(yscale="log", xlabel=EPSILON, ylabel="relative error")
    axis.legend()
    return figure, pd.concat(summary.quartiles, names=["estimator"]).reset_index()


def trained_symbols(
    ends: Mapping[tuple, Interval], sizes: Mapping[str, tuple[int, int]]
) -> tuple[Figure, pd.DataFrame]:
    """Thresholds of trained symbols and of Gaussian ones of their size (`Summary.trained_ends`)."""
    points = curves.interval_table(ends, ["model", "variant", "symbols"])
    titles = [f"{NAMES[which]}\nd = {d}, m = {m}" for which, (d, m) in sizes.items()]
    figure, axes = figures.panels(titles, height=0.8)
    for axis, which in zip(axes, TRAINED, strict=True):
        for symbols, label, marker, color, shift in (
            (which, "trained symbols", "o", "blue", -0.12),
            ("gaussian", "Gaussian symbols", "s", "grey", 0.12),
        ):
            some = points.loc[which].xs(symbols, level="symbols").loc[list(OWN_KINDS)]
            style: Keywords = {"ls": "", "marker": marker, "color": COLORS[color], "shift": shift}
            curves.bars(axis, some, label, at=range(len(some)), sideways=True, **style)
        axis.set(xlabel="threshold", xlim=(0, 0.8), ylim=(3.5, -0.5))
    axes[0].set_yticks(range(len(OWN_KINDS)), [LABELS[kind] for kind in OWN_KINDS])
    figures.legend(figure, axes)
    return figure, points.reset_index()


def certificates(summary: Summary) -> pd.DataFrame:
    """How well the linear programs are solved, a row for each draw of problems."""
    names = {
        "trial": "draw",
        "problems": "problems",
        "worst_gap": "worst relative gap",
        "worst_dual": "worst |v| - 1",
        "worst_balance": "worst entry of S'v",
        "iterations": "mean iterations",
    }
    rows = summary.table[summary.table.model == "certificates"]
    return rows[list(names)].rename(columns=names)
