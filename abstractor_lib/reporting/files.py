"""Writing files that stay as they are when their content has not changed."""

import io
from pathlib import Path

from PIL import Image, ImageChops, ImageStat
from PIL.PngImagePlugin import PngInfo

from ..replacing import replace_file

VISIBLE, MOST = 16, 0.004  # levels of 255 that a pixel may change, share of pixels that may more


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
    # by how many colours are covered, not by how often: so that pale dots keep their hue
    small = full.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    red, green, blue = ImageChops.difference(full, small.convert("RGB")).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    changed = most.point(lambda level: 255 * (level > VISIBLE))
    if ImageStat.Stat(changed).mean[0] > 255 * MOST:
        small = full
    buffer = io.BytesIO()
    small.save(buffer, format="PNG", optimize=True, pnginfo=text, dpi=picture.info.get("dpi"))
    return buffer.getvalue()


def transparent(content: bytes) -> bool:
    """Whether anything shines through a PNG."""
    picture = Image.open(io.BytesIO(content))
    if "A" not in picture.getbands():
        return False
    least, _ = picture.getchannel("A").getextrema()
    return isinstance(least, int) and least < 255
