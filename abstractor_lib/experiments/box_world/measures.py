"""What claims on Box World measure beside `findings.measures`: shares of the types of puzzles."""

from ...findings.counts import share_interval
from ...findings.measures import Frames, Measured, Point, select
from ...findings.registry import measure
from ...tasks.box_world.puzzles import kinds, probability
from ...tasks.box_world.rules import BRIDGE
from .names import by_group
from .settings import type_name


@measure
def type_shares(frames: Frames, protocol: str) -> Measured:
    """How often each type of puzzle is drawn, beside its probability."""
    drawn = by_group(select(frames, protocol, model="types")).set_index(["group", "trial"])
    every, puzzles = kinds(BRIDGE), drawn.loc["all", "puzzles"]
    points = []
    for kind in every:
        shares = drawn.loc[type_name(kind), "share"]
        interval = share_interval(shares, puzzles, len(every))
        label = f"{kind}, {int(puzzles.sum()):,} puzzles"
        points.append(Point(label, interval, float(probability(kind, BRIDGE))))
    return Measured(points)
