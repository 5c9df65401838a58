"""Where a model attends to in one question, with the characters themselves on the axes."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from ....tasks.mathematics import alphabet
from ...curves import not_run
from ...figures import panels

CONTEXTS = {"to_encoder": "encoder", "to_abstractor": "abstractor"}  # that a decoder attends to
PANELS = {
    "to_encoder": "decoder: attends to the encoder's states",
    "to_abstractor": "decoder: attends to the Abstractor's states",
}


def attention(
    watched: Mapping[str, np.ndarray] | None, heads: Mapping[str, int], name: str = "text"
) -> tuple[Figure, pd.DataFrame]:
    """One head of each attention as a picture: rows attend to columns. All have one scale, of
    square roots, so that small weights are seen too.

    Args:
        watched: what `experiments.mathematics.inspect.watch` returns; None for not run.
        heads: panel -> which of its heads.
        name: of the alphabet.

    Returns:
        The figure, and its points: panel, row, column and weight, to two digits.
    """
    if watched is None:
        figure, (axis,) = panels(["attention"])
        not_run(axis)
        return figure, pd.DataFrame(columns=["panel", "row", "column", "weight"])
    question, answer = (
        alphabet(name).decode(np.asarray(watched[part])[None])[0] for part in ("question", "answer")
    )
    shown = {part: PANELS[part] for part in CONTEXTS if part in watched}
    figure, axes = panels(list(shown.values()), columns=2, width=1.35, height=1.2, sharey=False)
    drawn = []
    for axis, part in zip(axes, shown, strict=True):
        weights = np.asarray(watched[part][heads.get(part, 0)], dtype=float)
        image = axis.imshow(weights, cmap="Blues", norm=PowerNorm(0.5, 0, 1), aspect="auto")
        axis.set_xticks(range(len(question)), visible(question), fontsize=6)
        axis.set_yticks(range(len(answer)), visible(answer), fontsize=6)
        axis.tick_params(length=0, pad=1)
        axis.set(xlabel="character that is looked at", ylabel="character that looks")
        at = np.argwhere(weights >= 0.01)
        values = [round(float(weights[row, column]), 2) for row, column in at]
        drawn.append(pd.DataFrame(at, columns=["row", "column"]).assign(panel=part, weight=values))
    figure.colorbar(image, ax=axes, shrink=0.5, label="weight")
    return figure, pd.concat(drawn)


def strongest(
    watched: Mapping[str, np.ndarray] | None, head: int = 0, name: str = "text"
) -> tuple[pd.DataFrame, list[int]]:
    """What a decoder looks at most while it writes; "not run" where nothing was watched.

    Returns:
        A row for each character of the answer, and for each context the character of the question
        with the largest weight, marked by brackets among its neighbours, and the weight; and of
        the first context the places of these characters.
    """
    if watched is None:
        return pd.DataFrame({"writes": ["not run"]}), []
    question, answer = (
        alphabet(name).decode(np.asarray(watched[part])[None])[0] for part in ("question", "answer")
    )
    table, places = pd.DataFrame({"writes": visible(answer)}), []
    for part, context in ((one, name) for one, name in CONTEXTS.items() if one in watched):
        weights = np.asarray(watched[part][head], dtype=float)
        at = weights.argmax(axis=1)
        places.append(at.tolist())
        table[f"looks at, {context}"] = [_among(question, k) for k in at]
        table[f"weight, {context}"] = weights.max(axis=1).round(2)
    return table, places[0]


def _among(text: str, at: int) -> str:
    before, after = text[max(at - 3, 0) : at], text[at + 1 : at + 4]
    return "".join(visible(before + "[" + text[at] + "]" + after))


def visible(text: str) -> list[str]:
    """Characters, spaces as signs.

    Example:
        >>> visible("2 x")
        ['2', '␣', 'x']
    """
    return list(text.replace(" ", "␣"))
