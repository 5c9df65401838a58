"""Cards of SET in figures, drawn as shapes: their SVG files stay sharp at any size.

Outlines, fillings and colours are those of `tasks.set_cards`, whose pictures models see. Lengths
are in its unit, a hundredth of a pixel of these pictures; y points upwards.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox
from numpy.typing import ArrayLike

from ...tasks.set_cards import (
    CORNER,
    HEIGHT,
    PALETTES,
    STRIPE,
    STRIPES,
    STROKE,
    UNITS,
    WIDTH,
    Palette,
    curves,
    outline,
    places,
)
from ...tasks.set_game import VALUES, attributes
from ..keywords import Keywords

CARD = np.array([WIDTH, HEIGHT]) * UNITS
GAP = 400  # between cards
DEALT, ROWS = 12, 3  # cards that are dealt at first, in so many rows
TABLE = (0.24, 0.44, 0.40)  # what they lie on
COLOURS = {"classic": VALUES["colour"], "colour_blind": ("orange", "blue", "black")}
SOLID, STRIPED, _ = range(3)  # the numbers of fillings
QUARTER = np.array([(1, 0), (1, 0.5523), (0.5523, 1), (0, 1)])  # of a circle, as a Bezier curve
FRAMES = {  # of what was answered: colour and style of the line around
    "a SET, found": ("#0173b2", "-"),
    "a SET, missed": ("black", ":"),
    "called a SET, is none": ("#de8f05", "--"),
}


class _Shapes(PathCollection):
    """One shape at several places, in the units of the axes; so is the width of its line."""

    def __init__(self, axis: Axes, path: Path, at: Sequence, *, width: float = 0, **look):
        look |= {"antialiaseds": (True, True)}  # with one value they were markers, on whole pixels
        super().__init__([path], offsets=at, offset_transform=axis.transData, **look)
        self.width = width
        self.set_clip_on(False)
        self.set_in_layout(False)  # the table says how much room there is

    def draw(self, renderer) -> None:
        """Draw it at the scale that the axes have now, in digits that every processor agrees on."""
        if self.axes is None:
            raise ValueError("axes is None; expected cards that lie in a panel")
        (left, _), (right, _) = self.axes.transData.transform([(0, 0), (UNITS, 0)])
        scale = round(right - left, 4) / UNITS
        self.set_transform(Affine2D().scale(scale))
        self.set_linewidth(round(self.width * scale * 72 / self.figure.dpi, 3))
        super().draw(renderer)


def lay(axis: Axes, cards: np.ndarray, title: str = "", palette: Palette = "classic") -> None:
    """Draw cards ``(rows, columns)`` on a table into a panel; -1 leaves a place empty."""
    cards = np.asarray(cards)
    low, high = _corners(*cards.shape)
    axis.add_patch(Rectangle((low[0], low[1]), *(high - low), color=TABLE, lw=0, clip_on=False))
    shown = [
        (np.array([column, -row]) * (CARD + GAP), int(cards[row, column]))
        for row, column in np.ndindex(cards.shape)
        if cards[row, column] >= 0
    ]
    if shown:
        axis.add_collection(_Shapes(axis, _rounded(), [place for place, _ in shown], color="white"))
    for shapes in _inked(axis, shown, palette):
        axis.add_collection(shapes)
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axis.set_axis_off()
    axis.set_title(title, fontsize=8)


def _corners(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The lower left and the upper right corner of a table; (0, 0) is the centre of its first card.

    Example:
        >>> [corner.tolist() for corner in _corners(1, 2)]
        [[-3900.0, -2900.0], [11300.0, 2900.0]]
    """
    border = CARD / 2 + GAP
    return (0, 1 - rows) * (CARD + GAP) - border, (columns - 1, 0) * (CARD + GAP) + border


def _inked(
    axis: Axes, shown: Sequence[tuple[np.ndarray, int]], palette: Palette
) -> Iterator[_Shapes]:
    """The symbols of some cards, given with their places: for each shape the outlines, filled or
    not, and the stripes."""
    symbols = []
    for place, card in shown:
        number, colour, filling, shape = attributes(np.array(card)).tolist()
        hue = (*(value / 255 for value in PALETTES[palette][colour]), 1.0)
        symbols += [(shape, filling, hue, place + (x, 0)) for x in places(number + 1)]
    for shape, group in groupby(sorted(symbols, key=itemgetter(0, 1)), key=itemgetter(0)):
        name, (_, fillings, hues, at) = VALUES["shape"][shape], zip(*group, strict=True)
        faces = [hue if kind == SOLID else "none" for kind, hue in zip(fillings, hues, strict=True)]
        look = {"facecolors": faces, "edgecolors": hues, "joinstyle": "round"}
        yield _Shapes(axis, _drawn(name), at, width=2 * STROKE, **look)
        which = [k for k, kind in enumerate(fillings) if kind == STRIPED]
        if which:
            look: Keywords = {"facecolors": [hues[k] for k in which], "edgecolors": "none"}
            yield _Shapes(axis, _stripes(name), [at[k] for k in which], **look)


@cache
def _rounded() -> Path:
    """A card around (0, 0), with its rounded corners."""
    inner, vertices = CARD / 2 - CORNER, []
    for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        arc = (inner + CORNER * QUARTER) * (x, y)
        vertices.append(arc if x == y else arc[::-1])
    codes = [Path.LINETO, *[Path.CURVE4] * 3] * 4
    codes = [Path.MOVETO, *codes[1:], Path.CLOSEPOLY]
    return Path(np.concatenate([*vertices, vertices[0][:1]]), codes)


@cache
def _drawn(shape: str) -> Path:
    """The outline of a symbol around (0, 0), as Bezier curves."""
    whole = curves(shape)
    vertices = np.concatenate([whole[0, :1], whole[:, 1:].reshape(-1, 2), whole[0, :1]])
    return Path(vertices, [Path.MOVETO, *[Path.CURVE4] * 3 * len(whole), Path.CLOSEPOLY])


@cache
def _stripes(shape: str) -> Path:
    """The stripes of a symbol around (0, 0), as far as its outline."""
    points = outline(shape)
    whole = Path(np.vstack([points, points[:1]]), closed=True)
    wide, high = np.abs(points).max(axis=0) + 1
    middles = [y for y in range(-10 * STRIPES, 11 * STRIPES, STRIPES) if abs(y) < high]
    bands = [Bbox([(-wide, y - STRIPE / 2), (wide, y + STRIPE / 2)]) for y in middles]
    return Path.make_compound_path(*(whole.clip_to_bbox(band) for band in bands))


def triples(
    panels: Sequence[tuple[ArrayLike, str]], columns: int = 3, palette: Palette = "classic"
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


def game(
    cards: np.ndarray,
    answers: Sequence[tuple[Sequence[int], str, float]],
    *,
    palette: Palette = "classic",
) -> Figure:
    """Cards on a table, numbered, and below them the triples that are SETs or were called so.

    Args:
        cards: in the order in which they were dealt, down each column of three; those that were
            dealt after the first twelve are framed.
        answers: triples, each with what became of it (a name of `FRAMES`) and its probability.
        palette: their colours.
    """
    cards, below = np.asarray(cards), -(-len(answers) // 3)
    heights = [2.9, *[1.0] * below]
    grid: Keywords = {
        "height_ratios": heights,
        "figsize": (7.8, sum(heights)),
        "layout": "constrained",
    }
    names = ["table"] * 3 + [f"{at}" for at in range(3 * below)]
    figure, axes = plt.subplot_mosaic(
        [[*names[at : at + 3]] for at in range(0, len(names), 3)], **grid
    )
    table = np.full((ROWS, -(-len(cards) // ROWS)), -1)
    table.T.flat[: len(cards)] = cards
    lay(axes["table"], table, f"{len(cards)} cards", palette)
    for at in range(len(cards)):
        corner = (at // ROWS, -(at % ROWS)) * (CARD + GAP) + (-1, 1) * (CARD / 2 - 250)
        axes["table"].text(corner[0], corner[1], f"{at + 1}", fontsize=6, ha="left", va="top")
    if len(cards) > DEALT:
        low, high = _corners(*table.shape)
        low = low + (DEALT // ROWS * (CARD + GAP)[0], 0)
        _frame(axes["table"], low + GAP / 2, high - GAP / 2, "white", "--")
    number = {int(card): at for at, card in enumerate(cards, start=1)}
    for at, axis in ((int(name), axis) for name, axis in axes.items() if name != "table"):
        axis.set_visible(at < len(answers))
        if at < len(answers):
            triple, what, chance = answers[at]
            triple = sorted(triple, key=lambda card: number[int(card)])
            told = ", ".join(str(number[int(card)]) for card in triple)
            lay(axis, np.asarray(triple)[None], f"{told}: {what} ({chance:.4f})", palette)
            _frame(axis, *_corners(1, 3), *FRAMES[what])
    return figure


def _frame(axis: Axes, low: np.ndarray, high: np.ndarray, color: str, line: str) -> None:
    """A line around what lies between two corners."""
    look: Keywords = {"fill": False, "ec": color, "ls": line, "lw": 1.5, "clip_on": False}
    axis.add_patch(Rectangle((low[0], low[1]), *(high - low), **look))


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
