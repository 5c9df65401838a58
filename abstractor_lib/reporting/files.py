"""Writing files that stay as they are when their content has not changed."""

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageStat
from PIL.PngImagePlugin import PngInfo
from scipy.spatial import KDTree

from ..replacing import replace_file

VISIBLE, MOST = 16, 0.004  # levels of 255 that a pixel may change, share of pixels that may more
COLOURS, EXACT = 256, 128  # of a palette; the most frequent ones, which stay as they are


def write(path: Path, content: str | bytes) -> bool:
    """Write ``content`` unless the file holds it already; whole or not at all.

    Returns:
        Whether anything was written.
    """
    raw = content.encode() if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == raw:
        return False
    replace_file(path, raw, sync=False)
    return True


def compact_png(content: bytes) -> bytes:
    """A PNG with a palette of 256 colours: plots look the same and take a fifth of the space.

    A picture of many hues, which would show, keeps its colours. Text (a figure's metadata) is kept.
    """
    picture = Image.open(io.BytesIO(content))
    text = PngInfo()
    for name, value in sorted(picture.info.items()):
        if isinstance(name, str) and isinstance(value, str):
            text.add_text(name, value)
    full = picture.convert("RGB")
    small = with_palette(full)
    red, green, blue = ImageChops.difference(full, small.convert("RGB")).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    changed = most.point(lambda level: 255 * (level > VISIBLE))
    if ImageStat.Stat(changed).mean[0] > 255 * MOST:
        small = full
    buffer = io.BytesIO()
    small.save(buffer, format="PNG", optimize=True, pnginfo=text, dpi=picture.info.get("dpi"))
    return buffer.getvalue()


def with_palette(full: Image.Image) -> Image.Image:
    """A picture with 256 colours: the most frequent ones of its own, so that areas keep theirs
    however pale, and some that stand for the others, by how many they cover, not by how often: so
    rare dots keep their hue."""
    pixels = np.asarray(full).astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    codes, counts = np.unique(pixels, return_counts=True)
    codes = codes[np.argsort(-counts, kind="stable")]
    colours = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1).astype(np.uint8)
    palette = colours[:COLOURS]
    if len(colours) > COLOURS:
        others = Image.fromarray(colours[None, EXACT:])
        few = others.quantize(COLOURS - EXACT, Image.Quantize.MAXCOVERAGE).getpalette() or []
        palette = np.concatenate([colours[:EXACT], np.array(few, np.uint8).reshape(-1, 3)])
    _, nearest = KDTree(palette).query(colours)
    numbers = np.zeros(1 << 24, np.uint8)  # of the palette, by a colour's code
    numbers[codes] = nearest
    small = Image.fromarray(numbers[pixels], "P")
    small.putpalette(palette.tobytes())
    return small


def transparent(content: bytes) -> bool:
    """Whether anything shines through a PNG."""
    picture = Image.open(io.BytesIO(content))
    if "A" not in picture.getbands():
        return False
    least, _ = picture.getchannel("A").getextrema()
    return isinstance(least, int) and least < 255
