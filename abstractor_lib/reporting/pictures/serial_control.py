"""Pictures of heads that are evaluated one at a time."""

import pandas as pd
from matplotlib.figure import Figure

from ...experiments.serial_control.results import ARMS, BEST, WORLDS, points
from .. import figures
from ..keywords import Keywords
from ..looks import COLORS

INKS = {  # of the arms that are drawn
    "controller": ("blue", "o", "-"),
    "static": ("orange", "s", "-"),
    "random": ("green", "^", "-"),
    "subset": ("brown", "X", "--"),
}


def curves(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Accuracy against the mean number of heads evaluated: a panel a world whose best rule is
    known, a line an arm, a marker a price of a head, means over seeds; in grey that rule.

    Args:
        table: rows of runs, as of the experiment.

    Returns:
        The figure, and its points.
    """
    found = points(table)
    means = found.groupby(["world", "arm", "number"], sort=False)[["heads", "accuracy"]].mean()
    means = means.reset_index()
    known = [world for (heads, _), world in WORLDS.items() if heads == "given"]
    worlds = [world for world in known if world in set(means["world"])]
    figure, axes = figures.panels(worlds or ["not run"], columns=2, width=1.4, height=1.0)
    for axis, world in zip(axes, worlds, strict=False):
        some = means[means["world"].eq(world)]
        best = some[some["arm"].eq(BEST)].sort_values("heads", kind="stable")
        if len(best):
            axis.plot(best["heads"], best["accuracy"], "k-", lw=3.5, alpha=0.35, label="best rule")
        for arm, (ink, marker, line) in INKS.items():
            rows = some[some["arm"].eq(arm)].sort_values("heads", kind="stable")
            style: Keywords = {"color": COLORS[ink], "marker": marker, "ls": line}
            style["zorder"] = 4 if arm == "controller" else 2
            axis.plot(rows["heads"], rows["accuracy"], ms=4, lw=1.3, label=ARMS[arm], **style)
        axis.set(xlabel="mean heads evaluated", xlim=(0.9, 4.1), ylim=(0.75, 1.01))
    axes[0].set_ylabel("test accuracy")
    if worlds:
        figures.legend(figure, axes[:1], columns=3)
    return figure, means
