"""The best linear prediction of RBF curves: its mean, and how sure it is."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ....tasks import curves
from ....theory.curve_prediction import gaussian
from ... import figures
from ...keywords import Keywords
from ...looks import COLORS

OBSERVED, STEPS = 20, 10


def posterior() -> tuple[Figure, pd.DataFrame]:
    """Left: predictions of three RBF curves, a mean with one standard deviation either way at each
    step, side by side. Right: standard deviations by step, with the level known, of differences
    alone, and of one step alone.

    Returns:
        The figure, and the points: ``step``, a column for each line of the right panel, and one
        for the means of each curve.
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
    titles = ["predictions of three curves", "how sure they are, step by step"]
    figure, axes = figures.panels(titles, sharey=False, width=1.3, height=0.95)
    means = {f"curve {k}": mean for k, mean in enumerate(found.mean, start=1)}
    for shift, mean, color in zip((-0.2, 0, 0.2), means.values(), COLORS.values(), strict=False):
        style: Keywords = {"color": color, "fmt": "o", "ms": 4, "elinewidth": 1.4}
        axes[0].errorbar(steps + shift, mean.round(5), found.sd.round(5), **style)
    for (label, values), dash in zip(lines.items(), ("-", "--", ":"), strict=True):
        label = f"{label}: {values.mean():.3f} on average"
        axes[1].plot(steps, values.round(5), color="black", ls=dash, label=label)
    axes[0].set_ylabel("$y$")
    axes[1].set(ylabel="standard deviation", ylim=(0, None))
    for axis in axes:
        axis.set_xlabel("step after the observed points")
    bar = {"mean of a curve, one standard deviation": {"marker": "o", "ms": 4, "lw": 1.4}}
    figures.legend(figure, axes, bar, columns=2)
    return figure, pd.DataFrame(lines | means, steps).rename_axis("step").reset_index()
