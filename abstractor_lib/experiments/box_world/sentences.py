"""What notebook 15 says of its records."""

from dataclasses import replace

import pandas as pd

from ...findings.claims import judge, read
from ...findings.measures import each, share_of
from ...findings.published import published
from ...findings.sentences import Sentence
from .results import (
    BRIDGED,
    NAMES,
    bridge_rows,
    by_type,
    exact_rows,
    levels,
    players,
    rate,
    standard,
)

PROTOCOL = "described"
READING = 0.005  # of what is read off a published figure
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
    return Sentence(
        "**{above} of the {n} published simplicial runs end above every script of ours that looks "
        "at one colour of a box, and {about} about where the best of these scripts does.†** That "
        "script solves {script:.3f}. The runs end at {ends}, read off the figure to about "
        "{reading}; their mean is {simplicial}. For the paper this says: the better runs win "
        "more than these scripts. Whether another player that looks at one colour could win as "
        "much is open. All relational runs, of which the best ends at {most:.3f}, end below "
        "that script.",
        "box_world_one_colour_and_the_simplicial_agents.described fails",
        best.high < known.simplicial,
        max(known.single) < best.low,
        0 < above < len(runs) == above + about,
        script=best,
        simplicial=known.simplicial,
        above=above,
        about=about,
        n=len(runs),
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
        "solve {random:.3f}; the curves begin near {start}, read off the figure. That the two are "
        "the same to 0.025 is {box_world_start_is_random.described:word}. To 0.015, the tolerance "
        "before results had been seen, it is {first}.",
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
    return Sentence(
        "**Comparing keys with keys solves {only:.3f}†, and {late:.3f}† of the late bridges.** The "
        "published relational agents end at {relational} on average; {above} of the {n} single "
        "runs end above the script, one at {least:.3f} and the best at {most:.3f}. A script that "
        "counts *all* tiles of a key's colour, locks included, solves {key:.3f}.",
        "box_world_keys_with_keys.described holds",
        "box_world_late_bridge_keys_with_keys.described fails",
        "box_world_key_colours_alone.described holds",
        only.low > known.relational,
        only=only,
        late=late,
        key=key,
        relational=known.relational,
        above=sum(one > only.high for one in known.single),
        n=len(known.single),
        least=min(known.single),
        most=max(known.single),
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


def gem_is_a_sink(frames) -> Sentence:
    """By its letter a sentence of the paper does not hold."""
    return Sentence(
        "**One sentence of the paper does not hold by its letter:** in each puzzle the two halves "
        "of the Gem are a *sink*, the paper's own example, and neither is the bridge. Without the "
        "Gem the sentence holds in every state that play can reach: a source or a sink always "
        "holds the bridge. Where both are seen, their common box is the bridge.",
        "box_world_motifs_of_the_gem.described fails",
        "box_world_motifs_hold_the_bridge.described holds",
        "box_world_source_and_sink_locate.described holds",
    )


def motifs(frames) -> Sentence:
    """How many bridges motifs locate, without the Gem and with it."""
    exact = exact_rows(frames[PROTOCOL])
    bridged = exact[exact["lock"] > 0]
    share = float((bridged["both"] * bridged["probability"]).sum()) * 2
    return Sentence(
        "**A source and a sink among boxes other than the Gem are there in {share:.3f} of the "
        "puzzles with a bridge, at the start.** With the Gem all of them have both. In "
        "{first:.3f} of these puzzles the bridge has lock 1, and makes a source with the Gem's "
        "upper half. As the Gem is no bridge, such a source tells which box is.",
        "box_world_motifs_appear.described holds",
        share < 0.5,
        share=share,
        first=2 * _probability(exact, "lock == 1"),
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
        "three types.** The table has win rates of 100 episodes, read off the figures of Appendix "
        "F; it has one run of each. The simplicial run needed half of the steps or less. Chance "
        "is one half on these types, so both kinds of agents have learned something about late "
        "bridges.\n\n| run A | (2, 2, 4) | (3, 3, 5) | (3, 3, 6) |\n| --- | --- | --- | --- |\n"
        "| relational agents | {r224:.2f} | {r335:.2f} | {r336:.2f} |\n"
        "| simplicial agents | {s224:.2f} | {s335:.2f} | {s336:.2f} |",
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
