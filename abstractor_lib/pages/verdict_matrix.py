"""The verdict matrix: every claim as a shape, items of the papers down, protocols across.

Verdicts differ in colour and in sign. A filled square: the paper states the claim. An outlined
square: the paper suggests it. A disc: a control of ours; these have a part of their own. Below
stands the claim's number in CLAIMS.md.
"""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from ..findings.claims import Judged
from ..reporting import figures, verdicts
from ..reporting.verdicts import Claim
from . import index

NAME = "verdict_matrix"
COLORS = {"holds": "#2166ac", "fails": "#d9580d", "undecided": "#c4c4c4", "not run": "#efefef"}
INK = "#262626"
SIZE, PITCH = 0.175, 0.235  # a shape, and from one to the next, in inches
DOWN = 0.3  # from one line of shapes to the next, with the numbers between
LINE = 0.135  # height of a line of text
GAP = 0.1  # between rows
RIGHT = 6.42  # where the right half begins
TINY, SMALL, USUAL = 5.6, 7.2, 8.2  # points
GROUND = "#f5f5f5"  # of every second row


class Row(NamedTuple):
    """An item of a paper with its claims."""

    heads: list[str]
    lines: list[str]
    claims: list[Claim]


class Block(NamedTuple):
    """Rows under one heading, with the columns that they have.

    ``left`` is where it begins, ``label`` how wide its labels are, ``cell`` a column, in inches.
    """

    title: str
    columns: Sequence[str]
    rows: list[Row]
    left: float
    label: float
    cell: float

    @property
    def width(self) -> float:
        """From its left to its right end, in inches."""
        return self.label + self.cell * len(self.columns)

    def height(self, row: Row) -> float:
        """How high a row is, in inches."""
        across = int(self.cell / PITCH)
        shapes = -(-len(row.claims) // across) * DOWN
        return max(shapes, (len(row.heads) + len(row.lines)) * LINE) + GAP


def _rows(claims: Iterable[Claim], width: int, titled: bool = True) -> list[Row]:
    """One row an item, in the order of the claims.

    Args:
        width: characters of a line.
        titled: say what the item is called.
    """
    titles = {item["id"]: item["title"] for item in index.inventory()}
    items: dict[tuple[str, str, str], list[Claim]] = {}
    for claim in claims:
        first = claim[0]
        items.setdefault((first.paper, first.section, first.item), []).append(claim)
    rows = []
    for (paper, section, item), members in items.items():
        name = verdicts.papers().get(paper, {}).get("name", paper)
        label = verdicts.item_label(item, paper)
        head = f"{name} {section}{', ' if label else ''}{label}"
        title = titles.get(item, "") if titled else ""
        lines = textwrap.wrap(title, width, max_lines=2, placeholder=" ...")
        rows.append(Row(textwrap.wrap(head, width - 2), lines, members))
    return rows


def blocks(judged: Iterable[Judged]) -> list[Block]:
    """Left, experiments, which have several protocols, and all our controls; right, theory and
    experiments, which have one. A block without claims is left out."""
    experiments, theory, controls = [], [], []
    for section in verdicts.by_section(judged).values():
        several = {one.protocol for claim in section for one in claim} != {"described"}
        for claim in section:
            if claim[0].origin == "control":
                controls.append(claim)
            else:
                (experiments if several else theory).append(claim)
    columns, left = tuple(verdicts.PROTOCOLS), (0.0, 1.95, 1.43)
    made = [
        Block("Experiments", columns, _rows(experiments, 34), *left),
        Block("Controls of ours", columns, _rows(controls, 34, titled=False), *left),
        Block(
            "Theory and experiments of one protocol",
            ("described",),
            _rows(theory, 42),
            RIGHT,
            2.38,
            1.2,
        ),
    ]
    return [block for block in made if block.rows]


def draw(judged: Iterable[Judged]) -> tuple[Figure, pd.DataFrame]:
    """The figure, and its shapes as a table."""
    figures.style()
    listed = list(judged)
    made, numbers = blocks(listed), verdicts.numbers(listed)
    ends = {0.0: 0.0, RIGHT: 0.0}
    places = []
    for block in made:  # one below the other on either side
        places.append((block, ends[block.left]))
        ends[block.left] += 0.55 + sum(map(block.height, block.rows)) + 0.1
    width, height = 10.0, max(ends.values()) + 0.75
    figure = Figure(figsize=(width, height))
    axis = figure.add_axes((0, 0, 1, 1))
    axis.set(xlim=(0, width), ylim=(height, 0))
    axis.axis("off")
    for block, top in places:
        _block(axis, block, top, numbers)
    _legend(axis, max(ends.values()) + 0.12)
    points = [
        {
            "number": numbers[one.id],
            **{name: getattr(one, name) for name in ("paper", "section", "item", "id", "origin")},
            **{name: getattr(one, name) for name in ("protocol", "verdict", "post_hoc")},
        }
        for section in verdicts.by_section(listed).values()
        for claim in section
        for one in claim
    ]
    return figure, pd.DataFrame(points)


def _block(axis: Axes, block: Block, top: float, numbers: Mapping[str, int]) -> None:
    axis.text(block.left, top + 0.16, block.title, size=10, weight="bold", color=INK, va="center")
    for k, name in enumerate(block.columns):
        left = block.left + block.label + k * block.cell
        axis.text(left, top + 0.4, name, size=USUAL, color=INK, va="center")
    right = block.left + block.width
    axis.plot([block.left, right], [top + 0.5, top + 0.5], color=INK, lw=0.8)
    y = top + 0.55
    for number, row in enumerate(block.rows):
        high = block.height(row)
        if number % 2:
            corner = (block.left, y)
            axis.add_patch(Rectangle(corner, block.width, high, fc=GROUND, ec="none", zorder=0))
        weights = ["bold"] * len(row.heads) + ["normal"] * len(row.lines)
        for at, (line, weight) in enumerate(zip(row.heads + row.lines, weights, strict=True)):
            place = (block.left + 0.04, y + GAP / 2 + (at + 0.5) * LINE)
            axis.text(*place, line, size=SMALL, weight=weight, color=INK, va="center")
        for k, name in enumerate(block.columns):
            left = block.left + block.label + k * block.cell
            across = int(block.cell / PITCH)
            for place, claim in enumerate(row.claims):  # the same place under each protocol
                down, right_of = divmod(place, across)
                at = (left + right_of * PITCH, y + GAP / 2 + down * DOWN)
                for verdict in claim:
                    if verdict.protocol == name:
                        label = (
                            f"{'=' * verdict.certain}{numbers[verdict.id]}{'*' * verdict.post_hoc}"
                        )
                        shape(axis, *at, verdict.verdict, verdict.origin, label)
        y += high


def shape(axis: Axes, left: float, top: float, verdict: str, origin: str, label: str = "") -> None:
    """One claim's shape with its sign, and a label below."""
    color = COLORS[verdict]
    outlined = origin == "suggested"
    dark = "#6e6e6e" if verdict in ("undecided", "not run") else color
    face = "white" if outlined or verdict == "not run" else color
    edge = dark if outlined else color
    looks: dict[str, Any] = {"fc": face, "ec": edge, "lw": 1.1, "zorder": 2}
    if origin == "control":
        outline = Circle((left + SIZE / 2, top + SIZE / 2), SIZE / 2, **looks)
    else:
        rounded = "round,pad=0.01,rounding_size=0.02"
        side = SIZE - 0.02
        outline = FancyBboxPatch((left + 0.01, top + 0.01), side, side, boxstyle=rounded, **looks)
    axis.add_patch(outline)
    ink = dark if outlined else (INK if verdict in ("undecided", "not run") else "white")
    SIGNS[verdict](axis, left, top, ink)
    middle = left + SIZE / 2
    axis.text(middle, top + SIZE + 0.055, label, size=TINY, color=INK, ha="center", va="center")


def _line(*points: tuple[float, float]) -> Callable[[Axes, float, float, str], None]:
    def sign(axis: Axes, left: float, top: float, color: str) -> None:
        across, down = zip(*points, strict=True)
        axis.plot(
            [left + SIZE * value for value in across],
            [top + SIZE * value for value in down],
            color=color,
            lw=1.5,
            solid_capstyle="round",
            solid_joinstyle="round",
            zorder=3,
        )

    return sign


def _cross(axis: Axes, left: float, top: float, color: str) -> None:
    for points in (((0.28, 0.28), (0.72, 0.72)), ((0.28, 0.72), (0.72, 0.28))):
        _line(*points)(axis, left, top, color)


def _circle(radius: float, filled: bool) -> Callable[[Axes, float, float, str], None]:
    def sign(axis: Axes, left: float, top: float, color: str) -> None:
        middle = (left + SIZE / 2, top + SIZE / 2)
        face = color if filled else "none"
        axis.add_patch(Circle(middle, SIZE * radius, fc=face, ec=color, lw=1.1, zorder=3))

    return sign


SIGNS = {
    "holds": _line((0.25, 0.53), (0.43, 0.72), (0.77, 0.3)),
    "fails": _cross,
    "undecided": _circle(0.24, False),
    "not run": _circle(0.07, True),
}


def _legend(axis: Axes, top: float) -> None:
    """What the shapes mean, in two lines."""
    x = 0.0
    for verdict, text in (
        ("holds", "holds / supported / yes"),
        ("fails", "fails / not supported / no"),
        ("undecided", "undecided: the interval reaches across the border"),
        ("not run", "not run"),
    ):
        shape(axis, x, top, verdict, "stated")
        axis.text(x + 0.24, top + SIZE / 2, text, size=SMALL, color=INK, va="center")
        x += 0.5 + 0.052 * len(text)
    x, top = 0.0, top + 0.28
    for origin, text in (
        ("stated", "filled: the paper states the claim"),
        ("suggested", "outlined: the paper suggests it"),
        ("control", "disc: a control of ours"),
    ):
        shape(axis, x, top, "holds", origin)
        axis.text(x + 0.24, top + SIZE / 2, text, size=SMALL, color=INK, va="center")
        x += 0.5 + 0.052 * len(text)
    text = "number in CLAIMS.md; * post hoc; = decided by mathematics"
    axis.text(x, top + SIZE / 2, text, size=SMALL, color=INK, va="center")
