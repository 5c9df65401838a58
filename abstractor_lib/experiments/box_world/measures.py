"""What claims on Box World measure beside `findings.measures`: shares of the types of puzzles."""

from ...findings.counts import share_interval
from ...findings.measures import Frames, Measured, Point, select
from ...findings.registry import measure
from ...tasks.box_world.puzzles import kinds, probability
from ...tasks.box_world.rules import BRIDGE
from .settings import type_name


@measure
def type_shares(frames: Frames, protocol: str) -> Measured:
    """How often each type of puzzle is drawn, beside its probability."""
    rows = select(frames, protocol, model="types")
    every = kinds(BRIDGE)
    points = []
    for kind in every:
        shares = rows[f"share_{type_name(kind)}"]
        interval = share_interval(shares, rows["puzzles_all"], len(every))
        label = f"{kind}, {int(rows['puzzles_all'].sum()):,} puzzles"
        points.append(Point(label, interval, float(probability(kind, BRIDGE))))
    return Measured(points)
