"""Graphs of puzzles: colours as vertices, an arrow from a lock's colour to a key's for each box."""

from collections.abc import Collection, Mapping

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from ....tasks.box_world.puzzles import NOBODY, Box, Kind, Puzzles
from ....tasks.box_world.rules import GEM
from ...keywords import Keywords
from .colours import GEM_SIGN, hexadecimal, letters

RADIUS = 0.27
WRONG = "#b2182b"  # arrows of a bridge or a decoy, dashed as well
PLAIN, FADED = "0.25", "0.82"


def places(boxes: Collection[Box], kind: Kind, paths: int) -> dict[int, tuple[float, float]]:
    """Where colours lie: paths from their loose keys on the left to the Gem on the right, decoy
    branches away from them.

    Example:
        >>> places([Box(0, 1), Box(1, NOBODY)], Kind(1), paths=1)
        {0: (0.0, 0.0), 1: (-1.2, 0.0)}
    """
    across, apart = 1.2, 0.75
    spots = {0: (0.0, 0.0)}
    for path in range(paths):
        level = (apart if path == 0 else -apart) if paths == 2 else 0.0
        for i in range(1, kind.length + 1):
            spots[path * kind.length + i] = (-across * i, level)
    taken: dict[tuple[float, float], int] = {}
    for box in boxes:  # branches come after what they start from
        if box.key not in spots and box.lock in spots:
            x, y = spots[box.lock]
            side = 1 if y > 0 or (y == 0 and not taken.get((x, 1.0))) else -1
            row = taken.get((x, float(side)), 0)
            taken[x, float(side)] = row + 1
            spots[box.key] = (x + 0.75 * across, y + side * (0.95 + 0.8 * row))
    return spots


def graph(
    axis: Axes,
    puzzles: Puzzles,
    index: int = 0,
    *,
    shown: Collection[Box] | None = None,
    title: str = "",
) -> None:
    """Draw the graph of a puzzle. A dashed arrow is a bridge or a decoy; a double ring a loose key.

    Args:
        puzzles, index: which puzzle.
        shown: boxes whose arrows are strong, the others are faded; all, if None.
    """
    boxes, kind = puzzles.boxes(index), puzzles.kind(index)
    paths = puzzles.rules.locks
    on_path = {
        Box(path * kind.length + i, path * kind.length + i + 1)
        for path in range(paths)
        for i in range(1, kind.length)
    }
    on_path |= {Box(0, path * kind.length + 1) for path in range(paths)}
    order = sorted(boxes, key=lambda box: (box.lock > paths * kind.length, box))
    where = places(order, kind, paths)
    for box in boxes:
        if box.lock == NOBODY:
            continue
        strong = shown is None or box in shown
        color = PLAIN if box in on_path else WRONG
        line = {"color": color if strong else FADED, "lw": 2.2 if shown and strong else 1.4}
        line["ls"] = "-" if box in on_path else (0, (3, 1.6))
        _arrow(axis, where[box.lock], where[box.key], line)
    for number, place in where.items():
        _vertex(
            axis, place, int(puzzles.codes[index][number]), number, Box(number, NOBODY) in boxes
        )
    xs, ys = zip(*where.values(), strict=True)
    axis.set(xlim=(min(xs) - 0.6, max(xs) + 0.5), ylim=(min(ys) - 0.5, max(ys) + 0.5))
    axis.set_aspect("equal")
    axis.set_axis_off()
    axis.set_title(title, fontsize=8)


def _arrow(axis: Axes, start: tuple, end: tuple, line: Mapping) -> None:
    """A head and a shaft that keep clear of the vertices."""
    (x, y), (to_x, to_y) = start, end
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    off_x, off_y = ((to - at) / length * (RADIUS + 0.07) for to, at in ((to_x, x), (to_y, y)))
    ends = (x + off_x, y + off_y), (to_x - off_x, to_y - off_y)
    plain: Keywords = {"shrinkA": 0, "shrinkB": 0, "zorder": 1}
    axis.add_patch(FancyArrowPatch(*ends, arrowstyle="-", **plain, **line))
    solid = {**line, "ls": "-"}
    near = tuple(0.3 * a + 0.7 * b for a, b in zip(*ends, strict=True))
    axis.add_patch(
        FancyArrowPatch(
            near, ends[1], arrowstyle="-|>", mutation_scale=9, **plain, **solid, fill=True
        )
    )


def _vertex(axis: Axes, place: tuple[float, float], code: int, number: int, loose: bool) -> None:
    axis.add_patch(Circle(place, RADIUS, fc=hexadecimal(code), ec="0.25", lw=0.8, zorder=3))
    if loose:
        axis.add_patch(Circle(place, RADIUS + 0.08, fc="none", ec="0.25", lw=0.8, zorder=3))
    text = GEM_SIGN if code == GEM else str(number)
    middle: Keywords = {"ha": "center", "va": "center", "fontweight": "bold", "zorder": 4}
    axis.text(*place, text, fontsize=9 if code == GEM else 7.5, color=letters(code), **middle)
