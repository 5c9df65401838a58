"""Pictures of the 81 cards of SET, drawn from outlines of our own, the same on every machine.

An outline is a closed chain of cubic Bezier curves with whole coordinates, a hundredth of a pixel
of the standard size. Curves are cut into straight lines, and points tested for lying inside them or
near them, in whole numbers; a pixel's colour is a mean over 4 x 4 points. So no rounding of a
processor or a drawing library enters, and cards can be drawn at any size.

Shapes: ``h`` rows of pixels, ``w`` columns, ``c`` channels.
"""

from functools import cache
from typing import Literal

import numpy as np

from .set_game import CARDS, VALUES, attributes

Palette = Literal["classic", "colour_blind"]
HEIGHT, WIDTH = 50, 70  # pixels of the papers' images
UNITS = 100  # of a coordinate, in a pixel of that size
SAMPLES = 4  # points a pixel in each direction
STEPS = 12  # straight lines of a curve
SPACING = 2000  # from symbol to symbol
STROKE = 110  # half the width of an outline
STRIPE, STRIPES = 140, 400  # how wide a stripe is, and how far from the next
CORNER = 500  # radius of a card's corners

PALETTES = {  # red, green, purple, and three that also differ in lightness (Okabe & Ito 2008)
    "classic": ((214, 40, 57), (22, 138, 74), (98, 54, 155)),
    "colour_blind": ((230, 159, 0), (0, 114, 178), (26, 26, 26)),
}
_OVAL = 387  # of a radius of 700: the curve closest to a quarter of a circle
_HALVES = {  # half an outline, from its first point on; half a turn gives the rest
    "diamond": [
        [(0, 1500), (233, 1000), (467, 500), (700, 0)],
        [(700, 0), (467, -500), (233, -1000), (0, -1500)],
    ],
    "oval": [
        [(0, 1500), (_OVAL, 1500), (700, 800 + _OVAL), (700, 800)],
        [(700, 800), (700, 267), (700, -267), (700, -800)],
        [(700, -800), (700, -800 - _OVAL), (_OVAL, -1500), (0, -1500)],
    ],
    "wave": [
        [(-250, 1500), (250, 1500), (720, 1150), (720, 600)],
        [(720, 600), (720, 150), (380, -50), (380, -450)],
        [(380, -450), (380, -800), (720, -850), (720, -1150)],
        [(720, -1150), (720, -1400), (480, -1500), (250, -1500)],
    ],
}


def curves(shape: str) -> np.ndarray:
    """The outline of a symbol around (0, 0), y upwards: cubic Bezier curves, each of four points.

    Returns:
        ``(curves, 4, 2)`` in hundredths of a pixel; the end of a curve is the start of the next.

    Raises:
        ValueError: for an unknown shape.

    Example:
        >>> curves("diamond").shape
        (4, 4, 2)
    """
    if shape not in _HALVES:
        raise ValueError(f"shape is {shape!r}; allowed: {', '.join(_HALVES)}")
    half = np.array(_HALVES[shape])
    return np.concatenate([half, -half])


def outline(shape: str) -> np.ndarray:
    """`curves` cut into straight lines: the corners of a polygon, ``(points, 2)``, whole numbers.

    Example:
        >>> outline("diamond")[0].tolist()
        [0, 1500]
    """
    t = np.arange(STEPS)[:, None]
    rest = STEPS - t
    weights = np.stack([rest**3, 3 * rest**2 * t, 3 * rest * t**2, t**3])  # (4, steps, 1)
    points = np.einsum("kpx,psy->ksx", curves(shape), weights)
    whole = STEPS**3
    return ((2 * points + whole) // (2 * whole)).reshape(-1, 2)  # rounded


def places(number: int) -> list[int]:
    """Where the symbols of a card stand: their centres' x, from the centre of the card.

    Example:
        >>> places(2)
        [-1000, 1000]
    """
    return [SPACING * k - SPACING * (number - 1) // 2 for k in range(number)]


def image(
    card: int,
    *,
    palette: Palette = "classic",
    alpha: bool = False,
    height: int = HEIGHT,
    width: int = WIDTH,
) -> np.ndarray:
    """One card.

    Args:
        card: its number; see `set_game`.
        palette: ``classic`` or ``colour_blind``.
        alpha: a fourth channel, 0 outside the rounded corners. Without it they are black.
        height, width: in pixels; the card is stretched to them.

    Returns:
        ``(h, w, 3)`` or ``(h, w, 4)``, float32 in [0, 1].

    Raises:
        ValueError: for an unknown card or palette, or a size below one.

    Example:
        >>> image(0).shape, image(80, alpha=True, height=500, width=700).shape
        ((50, 70, 3), (500, 700, 4))
    """
    if palette not in PALETTES:
        raise ValueError(f"palette is {palette!r}; allowed: {', '.join(PALETTES)}")
    if min(height, width) < 1:
        raise ValueError(f"height is {height} and width is {width}; expected at least 1")
    number, colour, filling, shape = attributes(np.array(card)).tolist()
    ink = _ink(VALUES["shape"][shape], number + 1, height, width)[filling][..., None]  # (h, w, 1)
    inside = _inside(height, width)[..., None]
    hue = np.array(PALETTES[palette][colour]) / 255
    color = inside - ink + ink * hue  # white card, coloured ink, nothing outside
    return np.concatenate([color, inside], axis=-1)[..., : 4 if alpha else 3].astype(np.float32)


def deck(**options) -> np.ndarray:
    """All cards in order, ``(81, h, w, c)``; options as those of `image`.

    Example:
        >>> deck(height=10, width=14).shape
        (81, 10, 14, 3)
    """
    return np.stack([image(card, **options) for card in range(CARDS)])


def _points(size: int, extent: int) -> np.ndarray:
    """Where points are taken along an axis of ``size`` pixels, from the centre of the card."""
    steps = size * SAMPLES
    return ((2 * np.arange(steps) + 1) * extent) // (2 * steps) - extent // 2


def _mean(points: np.ndarray, height: int, width: int) -> np.ndarray:
    """The share of a pixel's points where something holds, ``(h, w)``."""
    return points.reshape(height, SAMPLES, width, SAMPLES).mean(axis=(1, 3))


@cache
def _inside(height: int, width: int) -> np.ndarray:
    """How much of each pixel is card, ``(h, w)``."""
    x, y = np.abs(_points(width, WIDTH * UNITS)), np.abs(_points(height, HEIGHT * UNITS))
    over_x = np.maximum(x - (WIDTH * UNITS // 2 - CORNER), 0)
    over_y = np.maximum(y - (HEIGHT * UNITS // 2 - CORNER), 0)
    return _mean(over_x**2 + over_y[:, None] ** 2 <= CORNER**2, height, width)


@cache
def _ink(shape: str, number: int, height: int, width: int) -> tuple[np.ndarray, ...]:
    """How much of each pixel is ink, ``(h, w)``, for each filling."""
    x, y = _points(width, WIDTH * UNITS), -_points(height, HEIGHT * UNITS)  # y upwards
    centres = np.array(places(number))
    nearest = np.abs(x[:, None] - centres).argmin(axis=1)
    x = x - centres[nearest]  # from the centre of the nearest symbol
    corners = outline(shape)
    reach = np.abs(corners).max(axis=0) + STROKE
    columns, rows = np.abs(x) <= reach[0], np.abs(y) <= reach[1]
    near, within = _tested(x[columns], y[rows], corners)
    stripes = within & ((y[rows] + STRIPE // 2) % STRIPES < STRIPE)[:, None]
    drawn = []
    for filled in (within, stripes, np.zeros_like(within)):
        whole = np.zeros((len(y), len(x)), dtype=bool)
        whole[np.ix_(rows, columns)] = near | filled
        drawn.append(_mean(whole, height, width))
    return tuple(drawn)


def _tested(x: np.ndarray, y: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether points are at most `STROKE` from a polygon's border, and whether inside of it, both
    ``(len(y), len(x))``; whole numbers throughout."""
    y = y[:, None]
    near = np.zeros((len(y), len(x)), dtype=bool)
    within = near.copy()
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        dx, dy = bx - ax, by - ay
        cross = dx * (y - ay) - dy * (x - ax)
        along, length = dx * (x - ax) + dy * (y - ay), dx * dx + dy * dy
        beside = (along >= 0) & (along <= length) & (cross**2 <= STROKE**2 * length)
        corner = (x - ax) ** 2 + (y - ay) ** 2 <= STROKE**2
        near |= beside | corner
        # a ray to the right crosses the edge: even-odd rule
        within ^= ((ay > y) != (by > y)) & ((cross > 0) == (by > ay))
    return near, within
