"""What needs no runs: how fast the models of the paper's logs learn.

Figure 7 shows 50 epochs; of the logs, eight epochs are kept.
"""

import pandas as pd

from ...findings.known import known
from ...findings.measures import Frames, Measured
from ...findings.published import published
from ...findings.registry import measure
from .settings import TASKS

FIGURE = "fig_v3_07"


def first_epoch(series: pd.Series, level: float) -> float:
    """The first epoch that is kept at which a published curve reaches a level; infinite if none.

    Example:
        >>> first_epoch(pd.Series([0.2, 0.6, 0.9], [1, 5, 10]), 0.5)
        5.0
    """
    reached = series.index[series >= level]
    return float(reached[0]) if len(reached) else float("inf")


@measure
def logged_epochs(frames: Frames, protocol: str, *, others: list[str]) -> Measured:
    """Epochs after which the logged Abstractor has the best accuracy of another model, divided by
    those that the other needs for it; one point for each task and other model."""
    points = {}
    for task in TASKS.values():
        curves = {
            name: published(FIGURE, f"{task}, {name}").set_index("x")["mean"]
            for name in ("Abstractor", *others)
        }
        for other in others:
            best = curves[other].max()
            ours, theirs = (first_epoch(curves[name], best) for name in ("Abstractor", other))
            points[f"{task}: epoch {ours:g} against {theirs:g} of {other}"] = ours / theirs
    return known(points, len(TASKS))
