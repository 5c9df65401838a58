"""Cards of SET, as matplotlib shows them."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..tasks.set_cards import Palette, image
from ..tasks.set_game import VALUES, attributes

SCALE = 2  # pixels of a drawn card for one of the papers' images
MARGIN = 8  # pixels between cards
TABLE = (0.24, 0.44, 0.40)  # what they lie on
COLOURS = {"classic": VALUES["colour"], "colour_blind": ("orange", "blue", "black")}


def spread(cards: np.ndarray, palette: Palette = "classic") -> np.ndarray:
    """Cards side by side on a table, ``(rows, columns) -> (h, w, 3)``; -1 leaves a place empty.

    Example:
        >>> spread(np.array([[0, 1, 2]])).shape
        (116, 452, 3)
    """
    height, width = 50 * SCALE, 70 * SCALE
    rows, columns = cards.shape
    whole = (rows * (height + MARGIN) + MARGIN, columns * (width + MARGIN) + MARGIN, 3)
    picture = np.broadcast_to(np.array(TABLE), whole).copy()
    for (row, column), card in np.ndenumerate(cards):
        if card < 0:
            continue
        y, x = MARGIN + row * (height + MARGIN), MARGIN + column * (width + MARGIN)
        drawn = image(int(card), palette=palette, alpha=True, height=height, width=width)
        under = picture[y : y + height, x : x + width]
        picture[y : y + height, x : x + width] = drawn[..., :3] + (1 - drawn[..., 3:]) * under
    return picture.clip(0, 1)


def lay(axis: Axes, cards: np.ndarray, title: str = "", palette: Palette = "classic") -> None:
    """Draw cards ``(rows, columns)`` into a panel."""
    axis.imshow(spread(np.asarray(cards), palette))
    axis.set_axis_off()
    axis.set_title(title, fontsize=8)


def triples(
    panels: Sequence[tuple[np.ndarray, str]], columns: int = 3, palette: Palette = "classic"
) -> Figure:
    """Triples of cards, each with a title, in a grid."""
    rows = -(-len(panels) // columns)
    size = (2.6 * columns, 1.05 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, (cards, title) in zip(axes.flat, panels, strict=False):
        lay(axis, np.asarray(cards)[None], title, palette)
    return figure


def deal(
    cards: np.ndarray,
    titles: Mapping[int, str],
    columns: int = 3,
    palette: Palette = "classic",
) -> Figure:
    """Dealt cards in rows, and above each card its number in ``titles``, by card."""
    cards = np.asarray(cards)
    rows = -(-len(cards) // columns)
    size = (1.5 * columns, 1.15 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for axis in axes.flat[len(cards) :]:
        axis.set_visible(False)
    for axis, card in zip(axes.flat, cards.tolist(), strict=False):
        lay(axis, np.array([[card]]), titles.get(card, ""), palette)
    return figure


def words(card: int, palette: Palette = "classic") -> str:
    """A card in words.

    Example:
        >>> words(0), words(80)
        ('one red solid diamond', 'three purple open waves')
        >>> words(80, "colour_blind")
        'three black open waves'
    """
    values = attributes(np.array(card)).tolist()
    every = VALUES | {"colour": COLOURS[palette]}
    named = [every[name][value] for name, value in zip(every, values, strict=True)]
    return " ".join(named) + "s" * (values[0] > 0)
