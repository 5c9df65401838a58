"""What notebook 15 says of its records."""

from dataclasses import replace

import pandas as pd

from ...findings.claims import judge, read
from ...findings.measures import each, share_of
from ...findings.published import published
from ...findings.sentences import Sentence
from . import readings
from .facts import after_the_bridge, winnable
from .results import (
    BRIDGED,
    NAMES,
    bridge_rows,
    by_type,
    exact_rows,
    levels,
    players,
    rate,
    rules,
    standard,
)

PROTOCOL = "described"
READING = 0.005  # of what is read off a published figure
RULES_BY_THREE = ("three", "thrice")
BLIND = ("steps", "anything", "anything_once", "nearest")  # to what kind of object it is


def _probability(exact: pd.DataFrame, query: str) -> float:
    return float(exact.query(query)["probability"].sum())


def plateau(frames) -> Sentence:
    """The plateau does not need the bridge to be found."""
    table, known = frames[PROTOCOL], levels()
    last = rate(table, "boxes_last")
    return Sentence(
        "**Answer. A win rate of {plateau}, the plateau of the published training curves, does not "
        'need the bridge to be found.** The script "boxes last" never asks which box is the '
        "bridge. It takes the Gem if it can, then loose keys, then any box at random. It solves "
        "{last:.3f}. Uniformly random steps solve {random:.3f}: half of the puzzles have no "
        "bridge, and those cannot be lost.",
        "box_world_no_bridge_no_loss.described holds",
        "box_world_plateau_without_keys.described holds",
        last.low > known.plateau > rate(table, "steps").high,
        plateau=known.plateau,
        last=last,
        random=rate(table, "steps"),
    )


def parity_oracle(frames) -> Sentence:
    """Two counts find the bridge in every puzzle."""
    rows = bridge_rows(frames[PROTOCOL])
    rows = rows[rows["model"] == "no_bridge"]
    played = int(rows["puzzles_all"].sum())
    return Sentence(
        "**The bridge can be told from the picture at every moment, without search.** Its two "
        "colours are both on an odd number of tiles, and no other box has this. A script that uses "
        "this rule, the *parity oracle*, won {played:,} of {played:,} puzzles.",
        "box_world_parity_everywhere.described holds",
        "box_world_oracle_wins.described holds",
        bool((rows["win_rate_all"] == 1).all()),
        played=played,
    )


def simplicial_agents(frames) -> Sentence:
    """Half of the simplicial runs end above every script that looks at one colour."""
    known, best = levels(), rate(frames[PROTOCOL], "even_key")
    runs = sorted(known.simplicial_runs)
    above = sum(one > best.high + READING for one in runs)
    about = sum(best.low - READING <= one <= best.high + READING for one in runs)
    steps = known.simplicial_steps
    return Sentence(
        "**{above} of the {n} published simplicial runs end above every script of ours that looks "
        "at one colour of a box, and {about} about where the best of these scripts does.†** That "
        "script solves {script:.3f}. The runs end at {ends}, read off the figure to about "
        "{reading}; their mean is {simplicial}. The runs stopped after {early} to {late} billion "
        "steps; the mean is that of their ends. For the paper this says: the better runs "
        "win more than these scripts. Whether another player that looks at one colour could win as "
        "much is open. All relational runs, of which the best ends at {most:.3f}, end below that "
        "script.",
        "box_world_one_colour_and_the_simplicial_agents.described fails",
        best.high < known.simplicial,
        max(known.single) < best.low,
        0 < above < len(runs) == above + about,
        abs(sum(runs) / len(runs) - known.simplicial) < READING,
        script=best,
        simplicial=known.simplicial,
        above=above,
        about=about,
        n=len(runs),
        early=min(steps),
        late=max(steps),
        ends=f"{', '.join(f'{one:.3f}' for one in runs[:-1])} and {runs[-1]:.3f}",
        reading=READING,
        most=max(known.single),
    )


def random_steps(frames) -> Sentence:
    """Where the published curves begin, random steps may stand."""
    claim = next(one for one in read() if one.id == "box_world_start_is_random")
    before = replace(claim, tolerance=0.015, post_hoc=False)  # the tolerance before looking
    first = judge(before, PROTOCOL, frames, each)
    return Sentence(
        "**The published curves begin a little below the win rate of random steps.** Random steps "
        "solve {random:.3f}; the curves begin near {start}, read off the figure. The comparison is "
        "ours: an untrained agent does not choose uniformly. Are the two the same? To 0.025: "
        "{box_world_start_is_random.described:word}. To 0.015, the tolerance before results had "
        "been seen: {first}.",
        "box_world_start_is_random.described holds",
        first.verdict == "fails",
        random=rate(frames[PROTOCOL], "steps"),
        start=levels().start,
        first=first.word,
    )


def random_objects(frames) -> Sentence:
    """Over all puzzles, players that do not reason win most."""
    wins = {name: rate(frames[PROTOCOL], name) for name in NAMES if name in _bridge_players(frames)}
    known = levels()
    return Sentence(
        "**Over all puzzles, a high win rate says little.** Random steps solve {steps:.3f}. Random "
        "objects solve {anything_once:.3f}; if the two halves of the Gem count as two objects, "
        "{anything:.3f}. Taking the Gem first and loose keys next gives {boxes_last:.3f}, which is "
        "above the plateau.",
        "box_world_plateau_without_keys.described holds",
        wins["only_key"].low > known.relational,
        wins["even_key"].high < known.simplicial,
        min(wins[name].low for name in BLIND) > 0.5,
        **wins,
    )


def _bridge_players(frames) -> set[str]:
    return set(bridge_rows(frames[PROTOCOL])["model"])


def key_colours(frames) -> Sentence:
    """Comparing keys with keys passes the relational agents' mean."""
    table, known = frames[PROTOCOL], levels()
    only, late, key = (
        rate(table, "only_key"),
        rate(table, "only_key", "late"),
        rate(table, "even_key"),
    )
    ends = sorted(known.single)
    above = sum(one > only.high + READING for one in ends)
    below = sum(one < only.low - READING for one in ends)
    return Sentence(
        "**Comparing keys with keys solves {only:.3f}†, and {late:.3f}† of the late bridges.** The "
        "published relational agents end at {relational} on average. Of the {n} single runs, "
        "{above} end above the script, {level} level with it (read off to {reading}), and {below} "
        "below: at {ends}. A script that counts *all* tiles of a key's colour, locks included, "
        "solves {key:.3f}.",
        "box_world_keys_with_keys.described holds",
        "box_world_late_bridge_keys_with_keys.described fails",
        "box_world_key_colours_alone.described holds",
        only.low > known.relational,
        above > 0,
        only=only,
        late=late,
        key=key,
        relational=known.relational,
        above=above,
        level=len(ends) - above - below,
        below=below,
        n=len(ends),
        reading=READING,
        ends=f"{', '.join(f'{one:.3f}' for one in ends[:-1])} and {ends[-1]:.3f}",
    )


def late_bridges(frames) -> Sentence:
    """On late bridges chance is one half; still, one colour suffices."""
    table = frames[PROTOCOL]
    first = rate(table, "even_key", "first")
    return Sentence(
        "**On late bridges, players that never look at keys win half** "
        "({box_world_late_bridge_half.described:.3f}, the worst of the five that the claim names). "
        "**But this measure does not show 3-way reasoning either.** Comparing keys with keys wins "
        "{late:.3f}† of the late bridges, and counting all tiles of a key's colour wins every "
        "one. The latter loses only on bridges with lock 1, where it wins {first:.3f}.",
        "box_world_late_bridge_half.described holds",
        "box_world_late_bridge_by_key.described holds",
        "box_world_late_bridge_keys_with_keys.described fails",
        first.high < 1,
        late=rate(table, "only_key", "late"),
        first=first,
    )


def three_sentences(frames) -> Sentence:
    """The paper's sentences on motifs, by what counts as a box."""
    halves, plain, loose = (readings.by_type(one).sum() for one in readings.READINGS)
    return Sentence(
        "**Whether the paper's three sentences hold depends on what counts as a box.** Each half "
        "of the Gem counts in the paper's example of a sink. Then both motifs always appear, but "
        "two sentences fail: the two halves are a sink, and neither is the bridge; and the bridge "
        "alone is part of both motifs in only {located} of the {both} states that show both.† If "
        "no half counts, these two sentences hold, but both motifs appear in only {types} of {n} "
        "types.† By the definition of appendix I, where loose keys count and the Gem is one box, "
        "all three hold.† Our other counts leave loose keys out, because a loose key is no arrow "
        "of the graph. Its sink with the bridge is gone once it is taken: {loose} of the {states} "
        "states show both motifs.",
        "box_world_motifs_appear.described holds",
        "box_world_motifs_of_the_gem.described fails",
        "box_world_motifs_locate_with_the_gem.described fails",
        "box_world_motifs_hold_the_bridge.described holds",
        "box_world_source_and_sink_locate.described holds",
        "box_world_motifs_appear_without_the_gem.described fails",
        "box_world_motifs_as_in_appendix_i.described holds",
        located=halves["locate"],
        both=halves["both"],
        types=plain["appear"],
        n=len(BRIDGED),
        loose=loose["both"],
        states=loose["states"],
    )


def motifs(frames) -> Sentence:
    """How often both motifs appear without the Gem, and what a source with it tells."""
    exact = exact_rows(frames[PROTOCOL])
    bridged = exact[exact["lock"] > 0]
    share = float((bridged["both"] * bridged["probability"]).sum()) * 2
    return Sentence(
        "**A source and a sink among boxes other than the Gem, loose keys not counted, are there "
        "in {share:.3f} of the puzzles with a bridge, at the start.** In {first:.3f} of these "
        "puzzles the bridge has lock 1, and makes a source with the Gem's upper half. As the Gem "
        "is no bridge, such a source alone tells which box is.",
        "box_world_motifs_appear.described holds",
        share < 0.5,
        share=share,
        first=2 * _probability(exact, "lock == 1"),
    )


def by_three(frames) -> Sentence:
    """The paper's rule of its footnote, and the same with the inventory counted."""
    found = rules(frames[PROTOCOL])
    board, held = (int((found[name] * found["states"]).sum().round()) for name in RULES_BY_THREE)
    states = int(found["states"].sum())
    return Sentence(
        "**The rule of the paper's footnote, three tiles on the board, names the bridge in "
        "{board} of {states} states.** It does so until a key of one of the two colours is picked "
        'up, and is "not a reliable strategy", as the paper says, for a player without memory. '
        "With the inventory counted, which is our variant, it names the bridge in {held}.",
        bool((found["three"] > 0).all()),
        board < held < states,
        board=board,
        held=held,
        states=states,
    )


def linear(frames) -> Sentence:
    """Why an arrow that uses nothing up is the wrong one."""
    kept = [winnable(state) for kind in BRIDGED for state in after_the_bridge(kind, kept=True)]
    return Sentence(
        "**A key that could be used again would make the bridge harmless.** In all {n} states "
        "right after a bridge is opened, the Gem could still be taken if the lock had left its key "
        "in the inventory, as the arrow of classical logic does. As the key is used up, the Gem "
        "can be taken in none of them. As long as the bridge is closed, it always can.",
        "box_world_bridge_loses.described holds",
        "box_world_without_bridge_wins.described holds",
        all(kept),
        n=len(kept),
    )


def types(frames) -> Sentence:
    """The types are drawn as the paper says."""
    exact = exact_rows(frames[PROTOCOL])
    first, late = (_probability(exact, query) for query in ("lock == 1", "lock >= 2"))
    return Sentence(
        "**The types are drawn as the paper says** (worst of 17 types: "
        "{box_world_types.described:.4f}). This checks our code. A puzzle has a bridge whose lock "
        "is colour 1 with probability {first:.3f}. It has a *late* bridge, whose lock is colour 2 "
        "or 3 (b at least 2), with probability {late:.3f}.",
        "box_world_types.described holds",
        abs(first + late - 0.5) < 1e-9,
        first=first,
        late=late,
    )


def parity_states(frames) -> Sentence:
    """The parity rule holds in every state."""
    exact = exact_rows(frames[PROTOCOL])
    bridged = exact[exact["lock"] > 0]
    return Sentence(
        "**In every one of the {states} states with a bridge, the parity rule names the bridge "
        "and no other box.** This is true by the argument above; going through all states checks "
        "it. It was not tested whether trained agents use such a rule.",
        "box_world_parity_everywhere.described holds",
        bool((bridged["parity"] == 1).all()),
        states=int(bridged["states"].sum()),
    )


def on_each_type(frames) -> Sentence:
    """What a row of the matrix of types shows."""
    found = by_type(frames[PROTOCOL])
    easy = [str(kind) for kind in BRIDGED if kind.lock > 1 or kind.key == 2 * kind.length]
    hard = [str(kind) for kind in BRIDGED if str(kind) not in easy]
    estimate = {key: one.estimate for key, one in found.items()}
    return Sentence(
        "*Win rate of each player on each type of puzzle with a bridge. See: for the first four "
        'players no interval lies above one half. "Boxes last" always wins type (1, 1, 2). "Even '
        'key colour, all tiles" misses only types with lock 1 and a key that is not the loose one. '
        "Half-widths of the 95 % intervals, simultaneous over the types of a player, are at most "
        "{widest:.3f}.*",
        estimate.get(("boxes_last", "(1, 1, 2)")) == 1,
        all(one.low <= 0.5 for (name, _), one in found.items() if name in BLIND),
        all(estimate.get(("even_key", kind)) == 1 for kind in easy),
        all(estimate.get(("even_key", kind), 1) < 1 for kind in hard),
        widest=max((one.high - one.low) / 2 for one in found.values()),
    )


def plateau_by_type(frames) -> Sentence:
    """The authors' reading of the plateau fits the arithmetic, and the agents differ behind it."""
    exact = exact_rows(frames[PROTOCOL])
    one = _probability(exact, "length == 1 and lock == 1")
    none = _probability(exact, "lock == 0")
    total = none + one + (1 - none - one) / 2
    runs = published("app_simplicial_F").set_index("series")
    best = {name: rows.groupby("metric")["mean"].max() for name, rows in runs.groupby(level=0)}
    seen = {
        f"{str(name)[0]}{kind}": float(best[name][f"win_rate_{kind}"])
        for name in best
        for kind in (224, 335, 336)
    }
    return Sentence(
        "A player that wins all puzzles without a bridge, all of type (1, 1, 2), and half of the "
        "others solves {total:.3f}. **Behind the plateau one run of each agent differs, on two of "
        "three types.** The table has win rates of run A of each, means of 100 episodes, read off "
        "Figures 14 and 15; their standard deviations are not read off. The simplicial run needed "
        "half of the steps or less. Chance is one half on these types, so both kinds of agents "
        "have learned something about late bridges.\n\n"
        "| run | (2, 2, 4) | (3, 3, 5) | (3, 3, 6) |\n| --- | --- | --- | --- |\n"
        "| relational, A | {r224:.2f} | {r335:.2f} | {r336:.2f} |\n"
        "| simplicial, A | {s224:.2f} | {s335:.2f} | {s336:.2f} |",
        0.8 < total < 0.85,
        min(seen.values()) > 0.5,
        all(seen[f"s{kind}"] > seen[f"r{kind}"] for kind in (224, 335, 336)),
        total=total,
        **seen,
    )


def exact_chances(frames) -> Sentence:
    """What was computed lies in the intervals of what was played."""
    rows = players(frames[PROTOCOL]).dropna(subset="exact").query("exact < 1")
    inside = (rows["low"] <= rows["exact"]) & (rows["exact"] <= rows["high"])
    return Sentence(
        "**The computed probabilities lie inside the measured intervals,** for each of {count} "
        "players that sometimes lose.",
        bool(inside.all()),
        len(rows) > 0,
        count=len(rows),
    )


def step_limit(frames) -> Sentence:
    """With a step limit random steps win hardly anything."""
    table = frames[PROTOCOL]
    some = table[table["variant"] == "bridge, 120 steps"]
    short = share_of(some, "win_rate_all", "puzzles_all")
    return Sentence(
        "**A step limit changes the floor.** With at most 120 steps, a cap that the paper reports "
        "of an earlier Box World (appendix D), random steps solve {short:.3f} of the puzzles. The "
        'paper has no limit, as a horizon "serves as a *de facto* curriculum".',
        short.high < rate(table, "steps").low / 2,
        short=short,
    )


def standard_world(frames) -> Sentence:
    """Backwards reasoning wins every puzzle without bridges."""
    found = {key: one.estimate for key, one in standard(frames[PROTOCOL]).items()}
    leaf = found["standard, longer branches", "no_leaf"]
    return Sentence(
        "**Backwards reasoning wins every puzzle of standard Box World,** as the paper says. With "
        'branches of one box a single look ahead is enough: "no leaf" wins all as well. With '
        "longer branches it wins {leaf:.3f}. Random steps win {random:.3f}: every decoy ends the "
        "episode, so only a puzzle without decoys, one of five, cannot be lost.",
        "box_world_backwards_from_the_gem.described holds",
        found["standard", "no_leaf"] == 1,
        leaf < 1,
        leaf=leaf,
        random=found["standard", "steps"],
    )
