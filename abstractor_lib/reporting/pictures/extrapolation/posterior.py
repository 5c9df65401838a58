"""The best linear prediction of RBF curves: its mean, and how sure it is."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ....tasks import curves
from ....theory.curve_prediction import gaussian
from ... import figures
from ...looks import COLORS

OBSERVED, STEPS = 20, 10


def posterior() -> tuple[Figure, pd.DataFrame]:
    """Left: of three RBF curves the mean, with one standard deviation either way. Right: standard
    deviations by step, with the level known, of differences alone, and of one step alone.

    Returns:
        The figure, and the points: ``step``, and a column for each line of the right panel.
    """
    covariance, steps = gaussian.rbf(OBSERVED + STEPS), np.arange(1, STEPS + 1)
    noisy = curves.draw(np.random.default_rng(1), np.ones(3, int), OBSERVED + STEPS).noisy
    found = gaussian.predict(noisy[:, :OBSERVED], covariance)
    unknown = gaussian.posterior(OBSERVED, covariance, unknown_level=True)
    lines = {
        "best linear, level known": gaussian.posterior(OBSERVED, covariance)[1],
        "best linear, differences only": unknown[1],
        "one step, if all before it were observed": gaussian.next_sd(OBSERVED, covariance),
    }
    titles = ["three RBF curves, one width", "standard deviation"]
    figure, axes = figures.panels(titles, sharey=False, height=0.9)
    for mean, color in zip(found.mean.round(5), COLORS.values(), strict=False):
        axes[0].fill_between(steps, mean - found.sd, mean + found.sd, color=color, alpha=0.25, lw=0)
        axes[0].plot(steps, mean, color=color)
    for (label, values), dash in zip(lines.items(), ("-", "--", ":"), strict=True):
        label = f"{label}: mean {values.mean():.3f}"
        axes[1].plot(steps, values.round(5), color="black", ls=dash, label=label)
    for axis in axes:
        axis.set_xlabel("step")
    figures.legend(figure, axes)
    return figure, pd.DataFrame(lines, steps).rename_axis("step").reset_index()
