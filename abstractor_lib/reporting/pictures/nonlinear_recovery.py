"""What notebook 17 draws of nonlinear measurements: who recovers u from how many of them."""

import pandas as pd
from matplotlib.figure import Figure

from ...experiments.nonlinear_recovery import results
from .. import figures
from ..keywords import Keywords
from ..looks import COLORS, Look

LEAST = 1e-3  # relative error that is drawn; a smaller one is as good as none
LOOK = {
    "least_squares": Look(COLORS["grey"], "s"),
    "correlation": Look(COLORS["pink"], "v"),
    "convex_correlation": Look(COLORS["brown"], "^"),
    "lasso": Look(COLORS["blue"], "o"),
    "absolute": Look(COLORS["purple"], "D"),
    "one_bit": Look(COLORS["green"], "P"),
    "logistic": Look(COLORS["red"], "X"),
    "inverted": Look(COLORS["cyan"], "<"),
    "censored": Look(COLORS["orange"], "*"),
    "censored_simplex": Look(COLORS["green"], "P"),
}
TABLED = ("correlation", "convex_correlation")  # need more than the lasso; a table has them


def shares(
    table: pd.DataFrame, nonzeros: int = 4, dense: float = 0.0, errors: float = 0.0
) -> tuple[Figure, pd.DataFrame]:
    """The share of problems in which u is recovered against the number of measurements, a panel for
    each phi and a line for each program but those of `TABLED`. Dashed lines know phi. Bars: exact
    95 % intervals.

    Args:
        table: trials of the experiment; without any, panels are empty.
    """
    cells = results.shares(table, nonzeros, dense, errors) if len(table) else pd.DataFrame()
    figure, axes = figures.panels(list(results.PHIS.values()), 2, width=1.3)
    for axis, activation in zip(axes, results.PHIS, strict=True):
        some = cells[cells["activation"].eq(activation)] if len(cells) else cells
        for model, look in LOOK.items():
            line = some[some["model"].eq(model)] if len(some) else some
            if line.empty or model in TABLED:
                continue
            ends = [line["estimate"] - line["low"], line["high"] - line["estimate"]]
            axis.errorbar(
                line["rows"],
                line["estimate"],
                yerr=ends,
                color=look.color,
                marker=look.marker,
                ls="--" if model in results.KNOW else "-",
                ms=4,
                lw=1.3,
                elinewidth=0.5,
                label=results.PROGRAMS[model],
            )
        if len(some):
            axis.set_xscale("log", base=2)
            ticks = sorted(some["rows"].unique())[::2]
            axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
            axis.minorticks_off()
        axis.axhline(0.5, color=figures.GREY, ls=":", lw=0.8)
        axis.set(ylim=(-0.03, 1.03))
    for axis in axes[2:]:
        axis.set_xlabel("measurements d (logarithmic)")
    for axis in axes[::2]:
        axis.set_ylabel("problems recovered")
    figures.legend(figure, axes)
    return figure, cells


def phase(
    table: pd.DataFrame, model: str = "lasso", dense: float = 0.0, errors: float = 0.0
) -> tuple[Figure, pd.DataFrame]:
    """The mean cosine with u of one program, by nonzero entries and measurements, a panel a phi."""
    from ...experiments.nonlinear_recovery.measures import cosines

    grids = {}
    for activation, name in results.PHIS.items():
        found = cosines(table, model, activation, dense=dense, errors=errors) if len(table) else {}
        if found:
            grids[name] = pd.DataFrame({k: one.mean() for k, one in found.items()})
    figure, axes = figures.panels(list(grids) or ["not run"], 2, width=1.2)
    for axis, grid in zip(axes, grids.values(), strict=False):
        image = axis.pcolormesh(grid.to_numpy().T, vmin=0, vmax=1, cmap="viridis")
        axis.set_yticks([at + 0.5 for at in range(grid.shape[1])], list(grid.columns))
        some = range(0, len(grid), 2)
        axis.set_xticks([at + 0.5 for at in some], [f"{grid.index[at]}" for at in some])
        axis.set(xlabel="measurements d", ylabel="nonzero entries k")
        figure.colorbar(image, ax=axis, label="cosine with u")
    if not grids:
        return figure, pd.DataFrame(columns=["activation", "rows", "nonzeros", "cosine"])
    long = pd.concat(grids, names=["activation", "rows"]).stack().rename("cosine")
    return figure, long.rename_axis(["activation", "rows", "nonzeros"]).reset_index()


def trained(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The relative error of relations read back from a trained Abstractor against the share of
    wrong entries: from the message, and from the hidden units behind it. Dotted: a guess that all
    are equal."""
    points = results.trained(table).reset_index() if len(table) else pd.DataFrame()
    titles = {"linear": "message (linear)", "relu": "hidden units (relu)"}
    figure, axes = figures.panels(list(titles.values()), 2, width=1.3)
    for axis, activation in zip(axes, titles, strict=True):
        some = points[points["activation"].eq(activation)] if len(points) else points
        for model, look in LOOK.items():
            line = some[some["model"].eq(model)] if len(some) else some
            if len(line):
                label = results.PROGRAMS[model].replace("3.16", "3.10")  # no penalty here
                style: Keywords = {"color": look.color, "marker": look.marker, "label": label}
                line = line.sort_values("errors", kind="stable")
                known = model in results.KNOW
                error = line["error"].clip(lower=LEAST)
                axis.plot(line["errors"], error, ls="--" if known else "-", **style)
        if len(some):
            axis.axhline(
                some["uniform_error"].mean(), color="black", ls=":", label="equal relations"
            )
        axis.set(xlabel="share of wrong entries", yscale="log", ylim=(LEAST / 2, 20))
    axes[0].set_ylabel("relative error (logarithmic)")
    figures.legend(figure, axes)
    return figure, points
