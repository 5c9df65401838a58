"""Pictures of vectors, simplices and what their products are: the simplicial paper's Figures 1, 2.

Points are projected and rounded here, so that pictures are the same on every processor.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle

from ...theory.simplices import simplex_volume, triple_product
from .. import figures
from ..keywords import Keywords
from ..looks import COLORS

DIGITS = 4  # of coordinates that are drawn
LEFT, RIGHT, TOP = ((0.0, 1.0), (2.0, 3.0), (0.0, 3.0))  # blocks, from where to where
THICK = 0.6  # of the block on top


def stands(supports: Sequence[tuple[float, float]]) -> bool:
    """Whether the block on top rests: its middle lies over what its supports span.

    Example:
        >>> stands([LEFT, RIGHT]), stands([LEFT]), stands([RIGHT])
        (True, False, False)
    """
    middle = sum(TOP) / 2
    return min(left for left, _ in supports) < middle < max(right for _, right in supports)


def three_way() -> tuple[Figure, pd.DataFrame]:
    """Figure 1: a block on two others, and without one of them; and simplices of one and two
    dimensions. With the corners that are drawn."""
    cases = {
        "both support it": [LEFT, RIGHT],
        "without the left one": [RIGHT],
        "without the right one": [LEFT],
    }
    titles = [f"{name}: it {'stands' if stands(some) else 'falls'}" for name, some in cases.items()]
    figure, axes = figures.panels([*titles, "simplices"], 4, width=0.85, height=0.75)
    rows = []
    for axis, (name, supports) in zip(axes, cases.items(), strict=False):
        blocks = {"j" if one == LEFT else "k": _box(*one, 0, 1) for one in supports}
        blocks["i"] = _box(*TOP, 1, 1 + THICK)
        if not stands(supports):
            right = supports == [RIGHT]
            pivot, turn = (2.0, 1.0) if right else (1.0, 1.0), np.radians(30 if right else -30)
            blocks["i"] = _turned(blocks["i"], pivot, turn)  # until an end touches the ground
        for block, corners in blocks.items():
            fallen = block == "i" and not stands(supports)
            fill: Keywords = {"fc": COLORS["orange"], "hatch": "///"} if fallen else {"fc": "0.85"}
            axis.add_patch(Polygon(corners, ec="0.2", lw=1.2, **fill))
            middle = corners.mean(axis=0)
            spot = {"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"}
            axis.text(middle[0], middle[1], block, ha="center", va="center", fontsize=11, bbox=spot)
            rows += [(name, block, x, y) for x, y in corners]
        axis.axhline(0, color="0.2", lw=1)
        axis.set(xlim=(-0.8, 3.8), ylim=(-0.3, 2.6), aspect="equal")
        axis.set_axis_off()
    _simplices(axes[3])
    return figure, pd.DataFrame(rows, columns=["panel", "block", "x", "y"])


def _box(left: float, right: float, bottom: float, top: float) -> np.ndarray:
    return np.array([(left, bottom), (right, bottom), (right, top), (left, top)])


def _turned(corners: np.ndarray, pivot: tuple[float, float], turn: float) -> np.ndarray:
    """Corners turned about a point, counter-clockwise, and rounded."""
    cos, sin = np.cos(turn), np.sin(turn)
    moved = (corners - pivot) @ np.array([[cos, sin], [-sin, cos]]) + pivot
    return moved.round(DIGITS)


def _simplices(axis: Axes) -> None:
    """An arrow from j to i, and a triangle from j and k to i."""
    for x, y, name in [
        (0, 0.3, "j"),
        (0, 2.0, "i"),
        (1.3, 0.3, "j"),
        (3.1, 0.3, "k"),
        (2.2, 2, "i"),
    ]:
        axis.text(x, y, name, ha="center", va="center", fontsize=11)
    triangle = [(1.55, 0.42), (2.85, 0.42), (2.2, 1.75)]
    axis.add_patch(Polygon(triangle, fc=COLORS["blue"], alpha=0.25, ec="none"))
    arrow: Keywords = {"arrowstyle": "-|>", "mutation_scale": 11, "color": "0.2", "lw": 1.2}
    for start, end in [((0, 0.5), (0, 1.8)), ((1.4, 0.5), (2.1, 1.8)), ((3.0, 0.5), (2.3, 1.8))]:
        axis.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, **arrow))
    axis.plot([1.5, 2.9], [0.3, 0.3], color="0.2", lw=1.2)
    axis.text(0, -0.25, "1-simplex", ha="center", fontsize=8)
    axis.text(2.2, -0.25, "2-simplex", ha="center", fontsize=8)
    axis.set(xlim=(-0.8, 3.8), ylim=(-0.3, 2.6), aspect="equal")
    axis.set_axis_off()


def volumes(angles: Sequence[int] = (90, 60, 30)) -> tuple[Figure, pd.DataFrame]:
    """Figure 2: the triangle of two unit vectors and the tetrahedron of three, and the products as
    functions of an angle, with areas and volumes by edge lengths.

    Args:
        angles: degrees between a and b, for up to three curves of triple products.
    """
    titles = ["two unit vectors", "three unit vectors", "dot product", "triple product"]
    figure, axes = figures.panels(titles, 2, width=1.25, height=1.05, sharey=False)
    _triangle(axes[0])
    _tetrahedron(axes[1])
    turns, rows = np.arange(0, 181, 5), []
    for turn in turns:
        a, b = np.eye(2)[0], _direction(turn)
        rows.append(("dot product", 0, turn, (a @ b) ** 2, 1 - 4 * simplex_volume(a, b) ** 2))
    for angle in angles:
        a, b = np.eye(3)[0], np.append(_direction(angle), 0.0)
        for turn in turns[turns <= 90]:
            c = np.append(
                np.cos(np.radians(turn)) * _direction(angle / 2), np.sin(np.radians(turn))
            )
            by_volume = 1 - 36 * simplex_volume(a, b, c) ** 2
            rows.append(("triple product", angle, turn, triple_product(a, b, c) ** 2, by_volume))
    names = ["panel", "angle", "turn", "product", "volume"]
    points = pd.DataFrame(rows, columns=names)
    values = ["product", "volume"]
    points[values] = points[values].round(DIGITS) + 0.0  # no -0
    looks = zip(("blue", "orange", "green"), ("-", "--", "-."), ("o", "s", "^"), strict=True)
    for (color, line, marker), angle in zip(looks, angles, strict=False):
        curve = points[(points["panel"] == "triple product") & (points["angle"] == angle)]
        options: Keywords = {"color": COLORS[color], "ls": line, "label": f"a and b {angle}° apart"}
        axes[3].plot(curve["turn"], curve["product"], **options)
        dots = curve.iloc[::3]
        axes[3].plot(dots["turn"], dots["volume"], marker, color=COLORS[color], mec="white", ms=6)
    curve = points[points["panel"] == "dot product"]
    axes[2].plot(curve["turn"], curve["product"], color=COLORS["blue"])
    dots = curve.iloc[::3]
    axes[2].plot(dots["turn"], dots["volume"], "o", color=COLORS["blue"], mec="white", ms=6)
    axes[2].lines[0].set_label("(a.b)²")
    axes[2].lines[1].set_label("1 - 4 A²")
    axes[3].plot([], [], "o", color="0.4", mec="white", ms=6, label="markers: 1 - 36 V²")
    axes[2].set(xlabel="angle between a and b (degrees)", ylabel="(a.b)² and 1 - 4 A²")
    axes[2].set_xticks(range(0, 181, 45))
    axes[3].set(xlabel="angle of c above the plane of a and b (degrees)")
    axes[3].set(ylabel="<a,b,c>² and 1 - 36 V²", xticks=range(0, 91, 30), ylim=(-0.05, 1.05))
    axes[3].legend(loc="lower left", fontsize=7)
    axes[2].legend(loc="lower right", fontsize=7)
    return figure, points


def _direction(degrees: float) -> np.ndarray:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def _arrows(axis: Axes, tips: Mapping[str, np.ndarray]) -> None:
    for name, (x, y) in tips.items():
        options: Keywords = {"arrowstyle": "-|>", "mutation_scale": 12, "color": "0.15", "lw": 1.6}
        options |= {"shrinkA": 0, "shrinkB": 0, "zorder": 5}
        axis.add_patch(FancyArrowPatch((0.0, 0.0), (x, y), **options))
        beyond = (1.14 * np.array([x, y])).round(DIGITS)
        axis.text(beyond[0], beyond[1], name, ha="center", va="center")


def _triangle(axis: Axes) -> None:
    a, b = _direction(10).round(DIGITS), _direction(75).round(DIGITS)
    circle = np.stack([_direction(t) for t in range(0, 361, 3)]).round(DIGITS)
    axis.plot(*circle.T, color="0.75", lw=1)
    axis.add_patch(Polygon([(0, 0), a, b], fc=COLORS["blue"], alpha=0.35, ec="none"))
    axis.plot(*np.stack([a, b]).T, color=COLORS["blue"], lw=1.5)
    _arrows(axis, {"a": a, "b": b})
    inside = ((a + b) / 3 + (0.02, -0.02)).round(DIGITS)
    axis.text(inside[0], inside[1], "area A", ha="center", fontsize=8)
    axis.set(aspect="equal", xlim=(-1.25, 1.3), ylim=(-1.15, 1.25))
    axis.set_axis_off()


def projected(points: np.ndarray, turn: float = 25, tilt: float = 22) -> np.ndarray:
    """Points of space as seen from afar, ``(..., 3) -> (..., 2)``, rounded.

    Args:
        turn, tilt: degrees by which the eye moves round the vertical axis, and up.

    Example:
        >>> projected(np.array([0.0, 0.0, 1.0]), 0, 0).tolist()
        [0.0, 1.0]
    """
    (cos, sin), (flat, up) = _direction(turn), _direction(tilt)
    x, y, z = np.moveaxis(np.asarray(points, float), -1, 0)
    across, depth = -sin * x + cos * y, cos * x + sin * y
    return np.stack([across, flat * z - up * depth], axis=-1).round(DIGITS) + 0.0


def _tetrahedron(axis: Axes) -> None:
    turns = np.radians(np.arange(0, 361, 3))
    ring = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=-1)
    axis.plot(*np.stack([np.cos(turns), np.sin(turns)]).round(DIGITS), color="0.6", lw=1)
    for circle in (ring, ring[:, [0, 2, 1]], ring[:, [2, 0, 1]]):
        axis.plot(*projected(circle).T, color="0.85", lw=0.8)
    tips = {"a": (10, -5), "b": (85, 8), "c": (45, 62)}  # longitude and latitude
    points = {name: _on_sphere(*where) for name, where in tips.items()}
    flat = {name: projected(point) for name, point in points.items()}
    a, b, c = flat.values()
    origin = np.zeros(2)
    faces = [((origin, a, b), 0.35), ((origin, b, c), 0.2), ((origin, a, c), 0.2), ((a, b, c), 0.3)]
    for face, alpha in faces:
        axis.add_patch(Polygon(face, fc=COLORS["blue"], alpha=alpha, ec="none"))
    for start, end in ((a, b), (b, c), (a, c)):
        axis.plot(*np.stack([start, end]).T, color=COLORS["blue"], lw=1.5)
    _arrows(axis, flat)
    axis.annotate(
        "volume V", ((a + b + c) / 3).round(DIGITS), (0.75, 0.95), fontsize=8, ha="center",
        arrowprops={"arrowstyle": "-", "color": "0.3", "lw": 0.8},
    )  # fmt: skip
    axis.set(aspect="equal", xlim=(-1.25, 1.3), ylim=(-1.15, 1.25))
    axis.set_axis_off()


def _on_sphere(longitude: float, latitude: float) -> np.ndarray:
    return np.append(np.cos(np.radians(latitude)) * _direction(longitude), _direction(latitude)[1])


def sphere_grid(step: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    """Directions on a grid of longitudes and latitudes, ``(rows, columns, 3)``, and where a map of
    equal areas (Hammer's) puts them, ``(rows, columns, 2)``.

    Args:
        step: degrees between lines of the grid.
    """
    longitudes, latitudes = np.arange(-180, 181, step), np.arange(-90, 91, step)
    directions = np.stack([[_on_sphere(x, y) for x in longitudes] for y in latitudes])
    return directions, hammer(directions)


def hammer(directions: np.ndarray) -> np.ndarray:
    """Unit vectors on a map of equal areas, ``(..., 3) -> (..., 2)``; the first axis in the middle,
    the third at the top.

    Example:
        >>> hammer(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).round(3).tolist()
        [[0.0, 0.0], [0.0, 1.414]]
    """
    x, y, z = np.moveaxis(directions, -1, 0)
    longitude, flat = np.arctan2(y, x), np.hypot(x, y)
    size = np.sqrt(1 + flat * np.cos(longitude / 2))
    across = 2 * np.sqrt(2) * flat * np.sin(longitude / 2) / size
    return np.stack([across, np.sqrt(2) * z / size], axis=-1)


def spheres(
    maps: Mapping[str, np.ndarray],
    marks: Mapping[str, Mapping[str, np.ndarray]],
    grid: np.ndarray,
    *,
    columns: int = 3,
    limits: tuple[float, float] = (0.0, 1.0),
    cmap: str = "viridis",
    label: str = "",
    scale: float = 1,
) -> Figure:
    """Functions on the sphere, each as a map of equal areas; ``scale`` is that of the panels.

    Args:
        maps: title -> values ``(rows, columns)`` at the directions of `sphere_grid`.
        marks: title -> name -> a unit vector to mark.
        grid: where the map puts the directions, from `sphere_grid`.
        limits, cmap, label: of the common colours.
    """
    size = {"width": 1.1 * scale, "height": 0.75 * scale}
    figure, axes = figures.panels(list(maps), columns, **size, sharey=False)
    x, y = np.moveaxis(grid.round(DIGITS), -1, 0)
    for axis, (title, values) in zip(axes, maps.items(), strict=True):
        shown = values.round(3) + 0.0
        low, high = limits
        axis.add_patch(Rectangle((x.min(), y.min()), np.ptp(x), np.ptp(y), fc="w", rasterized=True))
        picture = axis.pcolormesh(
            x, y, shown, cmap=cmap, vmin=low, vmax=high, shading="gouraud", rasterized=True
        )
        if low < 0:  # to be read in grey too: negative contours are dashed
            levels = [level for level in (-0.6, -0.3, 0.0, 0.3, 0.6) if shown.min() < level]
            axis.contour(x, y, shown, levels, colors="0.25", linewidths=0.7)
        edge = np.stack([np.cos(turns := np.radians(np.arange(361))), np.sin(turns)])
        axis.plot(*(np.array([[2 * 2**0.5], [2**0.5]]) * edge).round(DIGITS), color="0.3", lw=0.8)
        for name, vector in marks[title].items():
            at = hammer(vector).round(DIGITS)
            side: Keywords = {"ha": "right", "xytext": (-3, 7)} if at[0] < 0 else {"xytext": (3, 7)}
            axis.plot(*at, "o", ms=6, mfc="white", mec="black")
            box = {"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.8}
            axis.annotate(
                name, (at[0], at[1]), textcoords="offset points", fontsize=9, bbox=box, **side
            )
        axis.set(aspect="equal")
        axis.set_axis_off()
    figure.colorbar(picture, ax=axes, shrink=0.7, pad=0.02, label=label)
    return figure


def keys_apart(degrees: float) -> list[np.ndarray]:
    """Two unit keys with that angle between them, in the plane of the first two axes.

    Example:
        >>> one, other = keys_apart(60)
        >>> round(float(one @ other), 3)
        0.5
    """
    half = np.radians(degrees / 2)
    return [np.array([np.cos(half), side * np.sin(half), 0.0]) for side in (-1, 1)]


def around_keys(
    maps: Mapping[str, np.ndarray], keys: Mapping[str, Sequence[np.ndarray]], **options
) -> tuple[Figure, pd.DataFrame]:
    """Logits of all query directions for two keys, as maps of the sphere; the points are those
    from the equator, where the keys lie, up to the pole.

    Args:
        maps: title -> values at the directions of `sphere_grid`.
        keys: title -> the two keys.
        options: of `spheres`.
    """
    marks = {title: dict(zip(("key 1", "key 2"), keys[title], strict=True)) for title in maps}
    figure = spheres(maps, marks, sphere_grid()[1], **options)
    heights = np.arange(0, 91, 15)
    rise = {title: values[30 + heights // 3, 60].round(4) for title, values in maps.items()}
    index = pd.Index(heights, name="latitude")
    return figure, pd.DataFrame(rise, index=index).reset_index()
