"""Colours of tiles and vertices, numbers to tell them apart, and letters that can be read on them.

The numbers are for people: players of Box World see colours alone.
"""

from ....tasks.box_world.puzzles import Puzzles
from ....tasks.box_world.rules import GEM, palette

GEM_SIGN = "♦"
LIGHT = 122  # of 255, from which letters are black


def hexadecimal(code: int) -> str:
    """The colour of a code, as matplotlib and browsers take it.

    Example:
        >>> hexadecimal(GEM)
        '#ffffff'
    """
    return "#" + "".join(f"{part:02x}" for part in palette()[code].tolist())


def letters(code: int) -> str:
    """Black or white, whichever can be read on the colour of a code."""
    red, green, blue = palette()[code].tolist()
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue >= LIGHT else "white"


def signs(puzzles: Puzzles, index: int = 0) -> dict[int, str]:
    """What stands on a puzzle's tiles, by code: the number of the colour, or the Gem's sign."""
    found = {int(code): str(number) for number, code in enumerate(puzzles.codes[index])}
    return found | {GEM: GEM_SIGN}
