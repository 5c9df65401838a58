"""Figures: one style, panels, matrices, files that repeat byte for byte."""

import base64
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .files import compact_png, transparent, write
from .keywords import Keywords
from .tables import csv

PANEL = (3.1, 2.8)  # inches
COORDINATES = re.compile(rb'(\b(?:d|x|y|x1|x2|y1|y2|points|transform|width|height)=")([^"]*)(")')
CLIP = re.compile(rb"\bp[0-9a-f]{10}\b")
PICTURE = re.compile(rb'(data:image/png;base64,)\s*([^"]*)(")')
NUMBER = re.compile(rb"-?\d+\.\d{3,}(?:e-?\d+)?")
INDENT = re.compile(rb"^ +", re.MULTILINE)
GREY = "0.45"
QUICK = {"compress_level": 1}  # of a picture that is compressed again


def style() -> None:
    """The house style: small, colour-blind safe, the same bytes on every run."""
    sns.set_theme(context="paper", style="ticks", palette="colorblind")
    mpl.rcParams.update(
        {
            "svg.hashsalt": "abstractor",
            "svg.fonttype": "none",
            "font.family": "DejaVu Sans",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": 9,
            "legend.frameon": False,
            "legend.fontsize": 8,
            "figure.dpi": 110,
            "savefig.dpi": 200,
        }
    )


def save(figure: Figure, points: pd.DataFrame, folder: Path, name: str, records: str) -> bool:
    """Write ``name.svg``, ``name.png`` and ``name.csv`` (6 significant digits); returns whether
    any of them changed.

    Args:
        points: the plotted numbers.
        name: ``ID_topic``.
        records: hash of the records drawn, kept as the pictures' metadata.
    """
    note, changed = f"records sha256:{records}", False
    written: dict[str, Keywords] = {
        "svg": {"metadata": {"Date": None, "Creator": None, "Description": note}},
        "png": {"metadata": {"Software": None, "Description": note}, "pil_kwargs": QUICK},
    }
    for suffix, options in written.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix, bbox_inches="tight", **options)
        content = buffer.getvalue()
        tidy = compact_png if suffix == "png" else compact_svg
        changed |= write(folder / f"{name}.{suffix}", tidy(content))
    return changed | write(folder / f"{name}.csv", csv(points))


def compact_svg(content: bytes) -> bytes:
    """An SVG without indentation, whose opaque pictures have a palette, as those of `compact_png`,
    and whose coordinates are rounded; see `rounded_svg`. Pictures that anything shines through keep
    their colours."""

    def smaller(picture: re.Match) -> bytes:
        raw = base64.b64decode(picture[2])
        small = raw if transparent(raw) else min(raw, compact_png(raw), key=len)
        return picture[1] + base64.b64encode(small) + picture[3]

    return PICTURE.sub(smaller, rounded_svg(INDENT.sub(b"", content)))


def rounded_svg(content: bytes) -> bytes:
    """An SVG with coordinates to a hundredth of a point. Logarithms differ in their last bit from
    processor to processor, and six decimals sometimes show it.

    Example:
        >>> rounded_svg(b'<path d="M 1.0004999 2 L 0.123456 3.5"/><text x="7.1">0.123456</text>')
        b'<path d="M 1 2 L 0.12 3.5"/><text x="7.1">0.123456</text>'
    """

    def shorter(number: re.Match) -> bytes:
        return f"{float(number[0]):.2f}".rstrip("0").rstrip(".").encode()

    def attribute(match: re.Match) -> bytes:
        return match[1] + NUMBER.sub(shorter, match[2]) + match[3]

    return renamed_clips(COORDINATES.sub(attribute, content))


def renamed_clips(content: bytes) -> bytes:
    """An SVG whose clip paths are named after what it shows, and numbered. matplotlib names them
    after coordinates to their last bit.

    Example:
        >>> one = renamed_clips(b'<clipPath id="p0123456789"/><g clip-path="url(#p0123456789)"/>')
        >>> one == renamed_clips(b'<clipPath id="pabcdefabcd"/><g clip-path="url(#pabcdefabcd)"/>')
        True
    """
    numbers = {name: b"-%d" % k for k, name in enumerate(dict.fromkeys(CLIP.findall(content)))}
    shown = hashlib.sha256(CLIP.sub(lambda found: numbers[found[0]], content)).hexdigest()
    return CLIP.sub(lambda found: b"p" + shown[:8].encode() + numbers[found[0]], content)


def panels(
    titles: Sequence[str],
    columns: int = 3,
    *,
    width: float = 1,
    height: float = 1,
    sharey: bool | Literal["row", "col"] = True,
) -> tuple[Figure, list[Axes]]:
    """One panel a title, side by side.

    Args:
        width, height: of a panel, as a multiple of the usual one.
        sharey: whether panels share the vertical axis; ``col``: those of a column do.
    """
    style()
    rows = -(-len(titles) // columns)
    across = min(len(titles), columns)
    figure, axes = plt.subplots(
        rows,
        across,
        figsize=(PANEL[0] * width * across, PANEL[1] * height * rows),
        sharey=sharey,
        squeeze=False,
        layout="constrained",
    )
    flat = list(axes.flat)
    for axis, title in zip(flat, titles, strict=False):
        axis.set_title(title)
    for axis in flat[len(titles) :]:
        axis.set_visible(False)
    return figure, flat[: len(titles)]


def legend(
    figure: Figure,
    axes: Sequence[Axes],
    extra: Mapping[str, Mapping] | None = None,
    columns: int = 4,
) -> None:
    """One legend under all panels.

    Args:
        extra: further entries, label -> properties of a grey line.
        columns: of the legend.
    """
    handles: dict = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    for label, properties in (extra or {}).items():
        look: Keywords = {"ls": "-", "color": GREY, **properties}
        handles[label] = plt.Line2D([], [], **look)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=columns)


def matrices(
    pictures: Mapping[str, np.ndarray],
    *,
    columns: int = 3,
    limits=(0.0, 1.0),
    xlabel="",
    ylabel="",
    scale: float = 1,
    extent: tuple[float, float, float, float] | None = None,
    label: str = "",
) -> Figure:
    """Square matrices side by side, on one colour scale; ``scale`` is that of the panels,
    ``extent`` what rows and columns stand for (left, right, bottom, top), if not their numbers,
    ``label`` that of the colour bar."""
    figure, axes = panels(list(pictures), columns, width=scale, height=scale)
    for axis, matrix in zip(axes, pictures.values(), strict=True):
        image = axis.imshow(matrix, cmap="viridis", vmin=limits[0], vmax=limits[1], extent=extent)
        axis.set_xlabel(xlabel)
    for axis in axes[::columns]:
        axis.set_ylabel(ylabel)
    figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02, label=label)
    return figure


def categories(matrix: np.ndarray, names: Sequence[str], title: str) -> Figure:
    """A matrix of whole numbers as a picture, with a legend of what each means.

    Args:
        names: what 0, 1, ... mean; a number without a name is left white.
    """
    figure, (axis,) = panels([title])
    colors = ["white", *sns.color_palette("viridis_r", len(names) - 1)]
    axis.imshow(matrix, cmap=mpl.colors.ListedColormap(colors), vmin=0, vmax=len(names) - 1)
    axis.set(xlabel="j", ylabel="i")
    handles = [
        plt.Rectangle((0, 0), 1, 1, fc=color, label=name)
        for color, name in zip(colors, names, strict=True)
        if name
    ]
    axis.legend(handles=handles, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.set_size_inches(1.7 * PANEL[0], PANEL[1])
    return figure
