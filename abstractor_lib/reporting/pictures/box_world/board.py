"""Boards with their inventories, as matplotlib draws them."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Polygon

from ....tasks.box_world.rules import BLANK, EMPTY, GEM, PLAYER
from ...keywords import Keywords
from .colours import hexadecimal, letters
from .episode import Frame

GAP = 0.6  # between the board and the inventory, in tiles
FLOOR, PLACE = "#ececec", "#3a3a3a"
TILE = 0.26  # inches


def board(axis: Axes, picture: np.ndarray, signs: Mapping[int, str], title: str = "") -> None:
    """Draw a picture of Box World: contents and loose keys, locks with a keyhole, the player as a
    dark dot; the inventory stands apart on the right.

    Args:
        picture: codes, ``(rows, columns + 1)``.
        signs: what stands on the tiles, by code.
    """
    rows, wide = picture.shape
    for (row, column), code in np.ndenumerate(picture):
        held = column == wide - 1
        x, y = column + GAP * held, rows - 1 - row
        if code in (BLANK, PLAYER, EMPTY):
            _square(axis, x, y, PLACE if code == EMPTY else FLOOR, flat=True)
        else:
            locked = not held and column > 0 and picture[row, column - 1] not in (BLANK, PLAYER)
            _object(axis, x, y, int(code), signs.get(int(code), ""), locked)
        if code == PLAYER:
            axis.add_patch(Circle((x, y), 0.3, fc="#4d4d4d", ec="black", lw=0.6))
    axis.set(xlim=(-0.6, wide + GAP - 0.4), ylim=(-0.6, rows - 0.4), aspect="equal")
    axis.set_axis_off()
    axis.set_title(title, fontsize=8)


def _square(axis: Axes, x: float, y: float, color: str, flat: bool = False) -> None:
    half = 0.46
    style = f"round,pad=0,rounding_size={0.08 if flat else 0.18}"
    edge: Keywords = {"ec": "none"} if flat else {"ec": "0.25", "lw": 0.6}
    corner = x - half, y - half
    axis.add_patch(FancyBboxPatch(corner, 2 * half, 2 * half, boxstyle=style, fc=color, **edge))


def _object(axis: Axes, x: float, y: float, code: int, sign: str, locked: bool) -> None:
    """A key or content, or a lock with a keyhole in its corner."""
    _square(axis, x, y, hexadecimal(code))
    ink = letters(code)
    text: Keywords = {"ha": "center", "va": "center", "color": ink, "fontweight": "bold"}
    size = 10 if code == GEM else 7.5
    axis.text(x - 0.12 * locked, y - 0.05, sign, fontsize=size, **text)
    if locked:
        axis.add_patch(Circle((x + 0.24, y + 0.12), 0.1, fc=ink, ec="none"))
        foot = [(x + 0.24, y + 0.14), (x + 0.15, y - 0.2), (x + 0.33, y - 0.2)]
        axis.add_patch(Polygon(foot, fc=ink, ec="none"))


def strip(frames: Sequence[Frame], signs: Mapping[int, str], columns: int = 4) -> Figure:
    """Boards one after the other, each under what has just happened."""
    rows = -(-len(frames) // columns)
    high, wide = frames[0].picture.shape
    size = (TILE * (wide + 1.6) * columns, (TILE * (high + 0.4) + 0.35) * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, frame in zip(axes.flat, frames, strict=False):
        board(axis, frame.picture, signs, frame.words)
    return figure
