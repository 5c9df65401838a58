"""Win rates of scripts, and the published levels that they are held against.

``table`` is a protocol's table of trials. A player is named as in `settings`.
"""

from typing import Any, NamedTuple

import pandas as pd

from ...findings.claims import read
from ...findings.measures import share_of
from ...findings.published import published
from ...findings.statistics import Interval
from ...tasks.box_world import BRIDGE
from ...tasks.box_world.motifs import states, thrice_boxes
from ...tasks.box_world.puzzles import Box, Kind, kinds
from . import readings
from .names import by_group, chances
from .readings import BRIDGED
from .settings import type_name

NAMES = {  # in the order of pictures
    "steps": "random steps",
    "anything": "random object, Gem twice",
    "anything_once": "random object, Gem once",
    "nearest": "nearest object",
    "boxes_last": "boxes last",
    "even_lock": "even lock colour, all tiles",
    "only_key": "key colour on no other key",
    "even_key": "even key colour, all tiles",
    "no_bridge": "parity oracle",
    "no_bridge_nearest": "parity oracle, nearest",
    "no_leaf": "no leaf",
    "towards_gem": "towards the Gem",
}
GROUPS = ("all", "none", "bridge", "first", "late")
RULES = {  # by column of `rules`
    "parity": "both colours odd (parity rule)",
    "three": "both on three tiles of the board",
    "thrice": "the same, inventory counted, too",
    "motifs": "source and sink, without the Gem",
    "loose": "source and sink, as in appendix I",
}
WORLDS = {"standard": "", "standard, longer branches": ", longer branches"}


class Levels(NamedTuple):
    """Published win rates, read off the curves of training: at the start, on the plateau, and at
    the end, means of the relational and of the simplicial agents, and the best of the latter; the
    ends of single runs of either, and after how many billion steps the latter ended."""

    start: float
    plateau: float
    relational: float
    simplicial: float
    best: float
    single: tuple[float, ...]
    simplicial_runs: tuple[float, ...]
    simplicial_steps: tuple[float, ...]


def levels() -> Levels:
    """The published win rates."""
    known = {claim.id: claim for claim in read()}
    start = known["box_world_start_is_random"].published
    plateau = known["box_world_plateau_without_keys"].bound
    if start is None or plateau is None:
        raise ValueError("claims.toml gives no published start or no bound of the plateau")
    means = [
        published("fig_simplicial_06", f"{name}")["mean"] for name in ("relational", "simplicial")
    ]
    return Levels(
        start,
        plateau,
        *(float(one.iloc[-1]) for one in means),
        float(published("fig_simplicial_06", "best simplicial")["mean"].max()),
        tuple(published("fig_simplicial_09")["mean"]),
        tuple(published("fig_simplicial_10")["mean"]),
        tuple(published("fig_simplicial_10")["x"]),
    )


def bridge_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The trials of players of bridge Box World."""
    return table[table["variant"].eq("bridge") & table["model"].isin(list(NAMES))]


def exact_rows(table: pd.DataFrame) -> pd.DataFrame:
    """What was computed of each type of puzzle, over all states that play can reach."""
    return table[table["model"].eq("exact")]


def win_rates(table: pd.DataFrame) -> dict[tuple[str, str], Interval]:
    """Of each player and each of `GROUPS`: the share of puzzles won."""
    rows = by_group(bridge_rows(table)).dropna(subset="win_rate").set_index(["model", "group"])
    players = [name for name in NAMES if name in rows.index.get_level_values("model")]
    return {
        (name, group): share_of(rows.loc[(name, group)], "win_rate", "puzzles")
        for name in players
        for group in GROUPS
    }


def rate(table: pd.DataFrame, player: str, group: str = "all") -> Interval:
    """The share of puzzles of a group that a player won."""
    rows = bridge_rows(table)
    rows = rows[rows["model"] == player]
    return share_of(rows, f"win_rate_{group}", f"puzzles_{group}")


def by_type(table: pd.DataFrame) -> dict[tuple[str, str], Interval]:
    """Of each player and each type of puzzle with a bridge: the share won; intervals are
    simultaneous over the types of a player."""
    rows = by_group(bridge_rows(table)).dropna(subset="win_rate").set_index(["model", "group"])
    found = {}
    for name in (one for one in NAMES if one in rows.index.get_level_values("model")):
        for kind in BRIDGED:
            some = rows[rows.index == (name, type_name(kind))]
            if len(some) > 1:
                found[name, str(kind)] = share_of(some, "win_rate", "puzzles", len(BRIDGED))
    return found


def standard(table: pd.DataFrame) -> dict[tuple[str, str], Interval]:
    """Of each world without bridges and each player: the share of puzzles won."""
    rows = table[table["variant"].isin(list(WORLDS))]
    return {
        key: share_of(some, "win_rate_all", "puzzles_all")
        for key, some in rows.groupby(["variant", "model"], sort=False)
    }


def on_three_tiles(kind: Kind) -> int:
    """In how many of a type's states the bridge, and no other box, has both its colours on three
    tiles of the board.

    Example:
        >>> on_three_tiles(Kind(1, 1, 2))  # at the start, and at no other time
        1
    """
    return sum(thrice_boxes(state) == [Box(kind.key, kind.lock)] for state in states(kind))


def rules(table: pd.DataFrame) -> pd.DataFrame:
    """Of each type of puzzle with a bridge: its states, and the share of them in which each of
    `RULES` names the bridge and no other box.

    Returns:
        Columns ``type``, ``states``, and those of `RULES`.
    """
    exact = exact_rows(table)
    known = exact.loc[exact["lock"] > 0]
    kinds = [Kind(*map(int, row)) for row in known[["length", "lock", "key"]].to_numpy()]
    loose = readings.by_type("appendix_i").set_index("type")["locate"]
    found = known[["states", "parity", "thrice", "motifs"]].assign(
        type=[str(kind) for kind in kinds],
        three=[on_three_tiles(kind) for kind in kinds] / known["states"],
        loose=loose.loc[[str(kind) for kind in kinds]].to_numpy() / known["states"],
    )
    return found[["type", "states", *RULES]].reset_index(drop=True)


def types(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each type of puzzle: its probability, how often it was drawn, with an interval
    simultaneous over the types, and its motifs and states."""
    drawn, every = by_group(table[table["model"].eq("types")]), kinds(BRIDGE)
    puzzles, exact = drawn[drawn["group"] == "all"].set_index("trial")["puzzles"], exact_rows(table)
    rows = []
    for kind in every:
        own = drawn[drawn["group"] == type_name(kind)].set_index("trial").assign(puzzles=puzzles)
        found = share_of(own, "share", "puzzles", len(every))
        known = exact[exact[["length", "lock", "key"]].eq(list(kind)).all(axis=1)].iloc[0]
        row = {"type": str(kind), "probability": known["probability"], "drawn": found.estimate}
        row |= {"low": found.low, "high": found.high, "source": known["sources"]}
        rows.append(row | {"sink": known["sinks"], "states": known["states"]})
    return pd.DataFrame(rows).astype({"source": int, "sink": int, "states": int})


def players(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each player of bridge Box World: its win rate beside the computed probability of a
    win, where there is one, and how many steps it takes."""
    wins, computed, rows = win_rates(table), chances(table), []
    for name in dict.fromkeys(name for name, _ in wins):
        some, value = bridge_rows(table).query("model == @name"), wins[name, "all"]
        row: dict[str, Any] = {"player": NAMES[name], "win rate": value.estimate}
        row |= {"low": value.low, "high": value.high}
        known = computed[computed["player"] == name]
        row["exact"] = (known["value"] * known["probability"]).sum() if len(known) else None
        row["late bridge"] = wins[name, "late"].estimate
        row["mean steps"] = some["steps"].mean().round(1)
        row["median steps"] = some["median_steps"].mean().round(1)
        rows.append(row)
    return pd.DataFrame(rows)
