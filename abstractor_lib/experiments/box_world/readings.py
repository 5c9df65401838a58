"""What the paper's three sentences on motifs are worth, by what counts as a box (simplicial 3).

The sentences: sources and sinks "appear in all solution graphs"; "If alpha, beta is a source or a
sink then either alpha is the bridge or beta is the bridge"; "If the agent can observe both a source
and a sink then it can locate the bridge". Nothing is drawn: all states of all types are gone
through.
"""

import pandas as pd

from ...tasks.box_world.motifs import READINGS, Reading, seen, states
from ...tasks.box_world.puzzles import Box, kinds, probability
from ...tasks.box_world.rules import BRIDGE

BRIDGED = [kind for kind in kinds(BRIDGE) if kind.lock]
BOXES: dict[Reading, str] = {
    "halves": "each half of the Gem, too",
    "no_gem": "no half of the Gem",
    "appendix_i": "the Gem as one box, and loose keys",
}
SENTENCES = (
    "both appear: share of puzzles with a bridge, at the start",
    "either is the bridge: share of sources and sinks, in all states",
    "both locate the bridge: share of the states with both",
)


def by_type(reading: Reading) -> pd.DataFrame:
    """How far each sentence is true, a row for each type of puzzle with a bridge.

    Returns:
        Columns ``type``, ``probability``; ``states``; ``appear``, whether a source and a sink are
        there at the start; ``pairs`` and ``hold``, sources and sinks over all states, and those
        that hold the bridge; ``both`` and ``locate``, states in which a source and a sink are seen,
        and those in which the bridge alone is part of both; ``unique``, whether it is at the start.

    Example:
        >>> by_type("no_gem").query("appear")["type"].tolist()[:2]
        ['(2, 2, 3)', '(3, 2, 4)']
    """
    rows = []
    for kind in BRIDGED:
        bridge = Box(kind.key, kind.lock)
        start, *later = (seen(state, reading) for state in states(kind))
        every = [start, *later]
        pairs = [pair for one in every for pair in one.sources + one.sinks]
        both = [one for one in every if one.sources and one.sinks]
        row = {
            "type": str(kind),
            "probability": float(probability(kind, BRIDGE)),
            "states": len(every),
        }
        row |= {"appear": bool(start.sources and start.sinks), "pairs": len(pairs)}
        row |= {"hold": sum(bridge in pair for pair in pairs), "both": len(both)}
        row["locate"] = sum(one.common == {bridge} for one in both)
        rows.append(row | {"unique": start.common == {bridge}})
    return pd.DataFrame(rows)


def table() -> pd.DataFrame:
    """How far each of the three sentences is true, by what counts as a box: a row a sentence."""
    columns = {}
    for reading in READINGS:
        found = by_type(reading)
        total = found.drop(columns="type").sum()
        drawn = found.loc[found["appear"], "probability"].sum() / total["probability"]
        shares = drawn, total["hold"] / total["pairs"], total["locate"] / total["both"]
        columns[BOXES[reading]] = dict(zip(SENTENCES, map(float, shares), strict=True))
    return pd.DataFrame(columns).round(3).rename_axis("boxes are").reset_index()
