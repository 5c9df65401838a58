"""Where a model attends to in one question, with the characters themselves on the axes."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ...tasks.mathematics import alphabet
from ..figures import panels

PANELS = {
    "self": "encoder: a character attends to others",
    "relations": "Abstractor: relations between characters",
    "to_encoder": "decoder, to the encoder",
    "to_abstractor": "decoder, to the Abstractor",
}


def attention(
    found: Mapping[str, np.ndarray], heads: Mapping[str, int], name: str = "text"
) -> tuple[Figure, pd.DataFrame]:
    """One head of each attention as a picture: rows attend to columns.

    Args:
        found: what `experiments.mathematics.inspect.watch` returns.
        heads: panel -> which of its heads.
        name: of the alphabet.

    Returns:
        The figure, and its points: panel, row, column and weight, to two digits.
    """
    question, answer = (
        alphabet(name).decode(np.asarray(found[part])[None])[0] for part in ("question", "answer")
    )
    shown = {part: title for part, title in PANELS.items() if part in found}
    figure, axes = panels(list(shown.values()), columns=2, width=1.35, height=1.5, sharey=False)
    drawn = []
    for axis, part in zip(axes, shown, strict=True):
        weights = np.asarray(found[part][heads.get(part, 0)], dtype=float)
        rows = answer if part.startswith("to_") else question
        axis.imshow(weights, cmap="Blues", vmin=0, vmax=weights.max(), aspect="auto")
        axis.set_xticks(range(len(question)), list(question), fontsize=5)
        axis.set_yticks(range(len(rows)), list(rows), fontsize=5)
        axis.tick_params(length=0, pad=1)
        at = np.argwhere(weights >= 0.01)
        values = [round(float(weights[row, column]), 2) for row, column in at]
        drawn.append(pd.DataFrame(at, columns=["row", "column"]).assign(panel=part, weight=values))
    return figure, pd.concat(drawn)
