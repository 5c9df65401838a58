"""What notebook 08 draws: where recovery ends, penalties, exponents, and predictions."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...experiments.sparse_recovery import measures, results
from ...experiments.sparse_recovery.grid import GOOD, INSIDE, PIVOTAL, Profile, scale
from ...findings.statistics import Interval
from .. import curves, figures
from ..keywords import Keywords
from ..looks import COLORS, Look, looks

PENALTIES = {
    GOOD: ("0.4 x pivotal penalty", Look(COLORS["purple"], "o")),
    PIVOTAL: ("pivotal penalty", Look(COLORS["brown"], "s")),
}


def phase(cells: pd.Series, amount: Profile) -> tuple[Figure, pd.DataFrame]:
    """The share of relations that come back, by k and share of errors, with lines of equal level.

    Args:
        cells: the answer of `results.phase`.
    """
    figure, axes = figures.panels([title for title, _ in PENALTIES.values()], width=1.2)
    at = np.meshgrid(range(len(amount.nonzeros)), amount.errors)
    level = scale(np.array(amount.nonzeros)[at[0]], amount.rows, amount.columns, at[1])
    edge: list[patheffects.AbstractPathEffect] = [
        patheffects.withStroke(linewidth=2.5, foreground="k")
    ]
    for axis, multiple in zip(axes, PENALTIES, strict=True):
        share = cells.loc[multiple].unstack("size")
        image = axis.pcolormesh(*at, share, vmin=0, vmax=1, cmap="viridis")
        lines = axis.contour(*at, level, levels=[INSIDE, 0.75, 1.0], colors="w")
        lines.set(path_effects=edge)
        for text in axis.clabel(lines, fontsize=8, fmt="level %g"):
            text.set_path_effects(edge)
        axis.set(xlabel="nonzero relations k", xticks=at[0][0], xticklabels=amount.nonzeros)
    axes[0].set_ylabel("share of errors")
    figure.colorbar(image, ax=axes, label="share of relations recovered")
    return figure, cells.reset_index()


def example(arrays: Mapping[str, np.ndarray], true: np.ndarray) -> Figure:
    """What was read back from one state, in one panel a title, and the true relations."""
    figure, axes = figures.panels(list(arrays))
    there = np.flatnonzero(true)
    for axis, one in zip(axes, arrays.values(), strict=True):
        axis.vlines(np.arange(len(one)), 0, one, color=COLORS["blue"])
        axis.plot(there, true[there], "o", mfc="none", mec=COLORS["orange"])
        axis.set(xlabel="symbol")
    axes[0].set_ylabel("relation")
    return figure


def of_sparsity(amount: Profile) -> dict[str, Look]:
    """How each k looks, in all figures."""
    return looks(f"k = {k}" for k in sorted({*amount.rate_nonzeros, *amount.penalty_nonzeros}))


def penalties(points: pd.DataFrame, amount: Profile) -> tuple[Figure, pd.DataFrame]:
    """Shares recovered, above, and errors, below, against the penalty, a panel for each share of
    errors.

    Args:
        points: those of the answer of `results.swept`.
    """
    names = [f"share of errors {errors:g}" for errors in amount.rate_errors]
    figure, axes = figures.panels(names * 2, len(names), sharey="row")
    panels = [(name, errors) for name in points.metric.unique() for errors in amount.rate_errors]
    for axis, (name, errors) in zip(axes, panels, strict=True):
        axis.set(xscale="log", yscale="log" if "error" in name else "linear")
        axis.set(xlabel="penalty / pivotal penalty", ylabel="" if errors else name)
        curves.plain(axis.xaxis)
        part = points[points.metric.eq(name) & points.errors.eq(errors)]
        for (cv, k), some in part.groupby([part.multiple == 0, "size"]):
            look = Look((0, 0, 0), "*") if cv else of_sparsity(amount)[f"k = {k}"]
            label = f"k = {k}, cross-validation" if cv else f"k = {k}"
            curves.bars(axis, some, label, look, at=some["penalty"], ms=12 if cv else 5)
    figures.legend(figure, axes)
    return figure, points


def exponents(fits: Mapping[str, Mapping[str, Interval]]) -> tuple[Figure, pd.DataFrame]:
    """Exponents of joint fits beside those of the bound.

    Args:
        fits: the answer of `results.fits`.
    """
    (_, good), (_, pivotal) = PENALTIES.values()
    look = dict(zip(fits, (good, good._replace(marker="D"), pivotal), strict=True))
    figure, (axis,) = figures.panels([""], width=2.2, height=1.2)
    curves.beside(axis, fits, measures.FACTORS, look)
    axis.set(xlabel="exponent", ylabel="factor of eq. 3.18")
    figures.legend(figure, [axis], {"exponent of the bound": {"color": "black"}})
    return figure, results.exponents(fits)


def slopes(table: pd.DataFrame, amount: Profile) -> tuple[Figure, pd.DataFrame]:
    """The error against the number of features, a line for each k, and against the number of
    symbols, a line for each penalty. Points at high levels are hollow."""
    m, k, d = amount.rate_columns, amount.rate_nonzeros[1], amount.rate_rows[-1]
    some = results.rates(table, amount)
    part = some.good[some.good["columns"].eq(m) & some.good.errors.eq(amount.rate_errors[1])]
    by_d = results.relative_errors(part, "size", "rows").set_index("rows", drop=False)
    both = pd.concat([some.good, some.pivotal])
    part = both[both["size"].eq(k) & both.rows.eq(d) & both.errors.eq(0)]
    by_m = results.relative_errors(part, "multiple", "columns")
    by_m["log(2m)"] = np.log(2 * by_m["columns"])
    by_m = by_m.set_index("log(2m)", drop=False)
    figure, axes = figures.panels([f"m = {m}", f"k = {k}, d = {d}"], sharey=False, width=1.4)
    lines = {k: (f"k = {k}", of_sparsity(amount)[f"k = {k}"]) for k in amount.rate_nonzeros}
    _slope(axes[0], by_d, "size", "rows", -0.5, lines)
    _slope(axes[1], by_m, "multiple", "log(2m)", 0.5, PENALTIES)
    axes[1].minorticks_off()
    axes[1].set(xlabel="symbols m", xticks=by_m["log(2m)"], xticklabels=by_m["columns"])
    figures.legend(figure, axes, {"slope of the bound": {"ls": ":"}})
    return figure, pd.concat([by_d, by_m])


def _slope(
    axis: Axes, points: pd.DataFrame, line: str, x: str, power: float, names: Mapping
) -> None:
    """Errors against ``x``, a line for each value of a column, and the slope of the bound."""
    for value, some in points.groupby(line):
        label, look = names[value]
        curves.bars(axis, some, "_", look, mfc="white")
        curves.bars(axis, some[some.scale <= INSIDE], label, look, ls="")
    middle, ends = np.exp(np.log(points[[x, "estimate"]]).mean()), points[x].agg(["min", "max"])
    axis.plot(ends, middle.estimate * (ends / middle[x]) ** power, ":", color=figures.GREY)
    axis.set(xscale="log", yscale="log", xlabel="features d", ylabel="error / noise")
    curves.plain(axis.yaxis, (1, 2, 3, 4, 6))
    curves.plain(axis.xaxis, (1, 2, 3, 4, 6))


def predictions(scores: pd.DataFrame, amount: Profile) -> tuple[Figure, pd.DataFrame]:
    """R^2 against the share of errors, of each setting and of two predictors.

    Args:
        scores: the answer of `results.predictions`.
    """
    cells = [(r, p) for r in ("dense", "sparse") for p in ("linear", "nonlinear")]
    titles = [f"{r}: {results.PREDICTORS[p]}" for r, p in cells]
    figure, axes = figures.panels(titles, 2, width=1.4)
    for axis, (regime, predictor) in zip(axes, cells, strict=True):
        part = scores[scores.regime.eq(regime) & scores.predictor.eq(predictor)]
        for label, wanted, look, style in _inputs(amount):
            some = part.query(wanted).sort_values("errors", kind="stable")
            curves.bars(axis, some, label, look, at=some["errors"], **style)
        best = part[part.given == "relations"].estimate.item()
        axis.axhline(best, color=COLORS["grey"], lw=1, zorder=0)
        axis.set(xlabel="share of errors", ylabel="R²", ylim=(-0.25, 1.08))
        axis.set_xticks([0, *amount.predicted])
    figures.legend(figure, axes)
    return figure, scores


def _inputs(amount: Profile) -> list[tuple[str, str, Look, Keywords]]:
    """What predictors are given: label, which rows, look and style."""
    states, recovered = Look(COLORS["cyan"], "o"), Look(COLORS["purple"], "^")
    lines: list[tuple[str, str, Look, Keywords]] = [
        ("relations", "given == 'relations'", Look(COLORS["grey"], "*"), {"ms": 10})
    ]
    dashed: Keywords = {"ls": "--", "mfc": "white", "shift": 0.005}
    for kind, name, style in (("gaussian", "gross errors", {}), ("dropout", "dropout", dashed)):
        few = f"variant in ['none', '{kind}'] and given in ['states', 'corrupted']"
        few = f"{few} and examples == {amount.examples}"
        many = f"variant == '{kind}' and given == 'corrupted'"
        many = f"{many} and examples == {amount.more_examples}"
        beside = style | {"ls": "", "shift": 0.015}
        again = f"variant == '{kind}' and given == 'recovered'"
        lines += [(f"states, {name}", few, states, style)]
        lines += [(f"states, {name}, 4 x examples", many, states._replace(marker="D"), beside)]
        lines += [(f"recovered relations, {name}", again, recovered, style)]
    return lines
