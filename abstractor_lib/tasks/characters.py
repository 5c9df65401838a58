"""A hundred small grey-scale images of Unicode characters.

They ship as ``data/characters.npz``, drawn once, so that pixels are the same on every machine.
"""

from pathlib import Path

import numpy as np

from ..paths import data

CHARACTERS = (
    "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθλμξπσφψω"
    "БДЖЗИЛЦЧШЩЪЫЭЮЯбдж"
    "ŁŊÞĦØÆŒßæðđŋ"
    "ԱԲԳԴԵԶԷԸԹԺ"
    "ႠႡႢႣႤႥႦႧႨႩ"
    "∀∂∃∇∈∏∑√∞∫≈≡⊂⊕"
    "♠♣♥♦♪☀☂★☎☯"
)
PIXELS = 32


def characters(path: Path | None = None) -> np.ndarray:
    """The images that ship, ``(100, 32, 32)``, uint8, 255 where the ink is.

    Example:
        >>> images = characters()
        >>> images.shape, len({image.tobytes() for image in images})
        ((100, 32, 32), 100)
    """
    with np.load(data() / "characters.npz" if path is None else path, allow_pickle=False) as kept:
        return kept["images"]


def drawn() -> np.ndarray:
    """The same images as this machine's matplotlib draws them, in its own font DejaVu Sans.

    Example:
        >>> drawn().shape
        (100, 32, 32)
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    images = []
    with matplotlib.rc_context(matplotlib.rcParamsDefault):
        for character in CHARACTERS:
            figure = Figure(figsize=(1, 1), dpi=PIXELS)
            canvas = FigureCanvasAgg(figure)
            text = figure.text(0.5, 0.5, character, ha="center", va="center", family="DejaVu Sans")
            text.set_fontsize(48)  # points of 72 an inch: 21 pixels
            canvas.draw()
            images.append(255 - np.asarray(canvas.buffer_rgba())[..., 0])
    return np.stack(images)


def write(path: Path) -> None:
    """Draw the images, and keep them."""
    np.savez_compressed(path, images=drawn())
