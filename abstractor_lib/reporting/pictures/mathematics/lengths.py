"""How long questions and answers are."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ...figures import panels

LONGEST = {"question": 160, "answer": 31}  # with the end mark


def lengths(found: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> tuple[Figure, pd.DataFrame]:
    """Boxes of characters of questions, and of answers with their end mark, a row a task.

    Args:
        found: task -> lengths of its questions, and of its answers.
    """
    figure, axes = panels(["question", "answer, with its end mark"], sharey=False)
    names = [list(found), [""] * len(found)]
    for part, (axis, labels, most) in enumerate(zip(axes, names, LONGEST.values(), strict=True)):
        some = [one[part] for one in found.values()]
        axis.boxplot(some, orientation="horizontal", tick_labels=labels)
        axis.axvline(most, color="0.6", ls=":")  # the limit
        axis.set_xlabel("characters")
        axis.invert_yaxis()
    rows = [(title, *pair) for title, one in found.items() for pair in zip(*one, strict=True)]
    return figure, pd.DataFrame(rows, columns=["task", *LONGEST])
