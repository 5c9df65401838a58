"""How long questions and answers are."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ...figures import panels

LONGEST = {"question": 160, "answer": 31}  # with the end mark


def lengths(counts: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> tuple[Figure, pd.DataFrame]:
    """Boxes of characters of questions, and of answers with their end mark, a row a task.

    Args:
        counts: task -> lengths of its questions, and of its answers.
    """
    figure, axes = panels(["question", "answer, with its end mark"], sharey=False)
    names = [list(counts), [""] * len(counts)]
    for part, (axis, labels, most) in enumerate(zip(axes, names, LONGEST.values(), strict=True)):
        some = [one[part] for one in counts.values()]
        axis.boxplot(some, orientation="horizontal", tick_labels=labels)
        axis.axvline(most, color="0.6", ls=":")  # the limit
        axis.set_xlabel("characters")
        axis.invert_yaxis()
    rows = [(title, *pair) for title, one in counts.items() for pair in zip(*one, strict=True)]
    return figure, pd.DataFrame(rows, columns=["task", *LONGEST])
