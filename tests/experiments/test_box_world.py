"""The Box World experiment: what runs record, and what claims measure of it."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from abstractor_lib.execution.compute import outcome
from abstractor_lib.experiments.box_world import EXPERIMENT as box_world
from abstractor_lib.experiments.box_world.grid import FURTHER, LATER, worlds
from abstractor_lib.experiments.box_world.measures import type_shares
from abstractor_lib.experiments.box_world.names import by_group, chances
from abstractor_lib.experiments.box_world.settings import PROTOCOLS
from abstractor_lib.tasks.box_world import BRIDGE, STANDARD
from abstractor_lib.tasks.box_world.puzzles import kinds

SPECS = {
    (spec.model.name, box_world.columns(spec.canonical())["variant"]): spec
    for spec in box_world.grid("smoke", "described")
}


AMOUNT = box_world.profiles["smoke"]


def run(name, variant="bridge"):
    return outcome(SPECS[name, variant]).metrics


def test_worlds_are_those_of_the_library():
    known = worlds(PROTOCOLS["described"])
    assert known["bridge"].rules == BRIDGE and known["standard"].rules == STANDARD
    assert known["bridge"].horizon is None and known["bridge, short"].horizon == 120


def test_groups_of_puzzles_add_up():
    found = run("boxes_last")
    for trial in range(AMOUNT.trials):
        count = {name: values[trial] for name, values in found.items() if "puzzles" in name}
        assert count["puzzles_all"] == AMOUNT.puzzles
        assert count["puzzles_all"] == count["puzzles_none"] + count["puzzles_bridge"]
        assert count["puzzles_bridge"] == count["puzzles_first"] + count["puzzles_late"]
        each = ["".join(map(str, kind)) for kind in kinds(BRIDGE)]
        assert sum(count[f"puzzles_{name}"] for name in each) == AMOUNT.puzzles
        won = sum(
            count[f"puzzles_{name}"] * (found[f"win_rate_{name}"][trial] or 0) for name in each
        )
        assert won == pytest.approx(AMOUNT.puzzles * found["win_rate_all"][trial])
    assert found["win_rate_none"] == [1] * AMOUNT.trials
    assert found["unfinished"] == [0] * AMOUNT.trials


def test_players_of_one_trial_play_the_same_puzzles():
    first, second = run("anything"), run("no_bridge")
    for name in first:
        if name.startswith("puzzles"):
            assert first[name] == second[name]
    assert second["win_rate_all"] == [1] * AMOUNT.trials


def test_exact_results():
    found = pd.DataFrame(run("exact"))
    assert len(found) == 17 and found["probability"].sum() == pytest.approx(1)
    assert (found["parity"] == 1).all()
    assert (found["states"] == (found["length"] + 1) ** 2).all()
    bridged = found[found["lock"] > 0]
    seen = (bridged["lock"] > 1) & (bridged["key"] < 2 * bridged["length"])
    assert (bridged["both"] == seen).all() and (bridged["both_gem"] == 1).all()
    assert (bridged.loc[~seen, "motifs"] == 0).all()
    assert (found["pairs_right"].dropna() == 1).all() and (found["pairs_right_gem"] < 1).all()
    total = (found["win_boxes_last"] * found["probability"]).sum()
    assert total == pytest.approx(1 / 2 + 1 / 6 + 7 / 72 + 0.75 / 12 + 0.6875 / 18)


def test_further_players_have_a_part_of_their_own():
    later = [spec for spec in box_world.grid("smoke", "described") if spec.part == LATER]
    assert {spec.model.name for spec in later} == {"anything_once", "only_key", "wins"}
    found = pd.DataFrame(run("wins"))
    exact = pd.DataFrame(run("exact"))
    names = ["length", "lock", "key", "probability"]
    assert found[names].equals(exact[names])
    late = found["lock"] > 1
    assert (found.loc[late, "win_only_key"] > 0.5).all()
    bridged = found["lock"] > 0
    assert (found.loc[~bridged, ["win_only_key", "win_anything_once"]] == 1).all(axis=None)


@pytest.mark.parametrize("profile", ["smoke", "laptop"])
def test_further_trials_are_others_of_the_same_player(profile):
    specs = [
        spec
        for spec in box_world.grid(profile, "described")
        if box_world.columns(spec.canonical())["variant"] == "bridge" and spec.model.name == "steps"
    ]
    numbers = [number for spec in specs for number in spec.trials]
    assert numbers == list(range(len(numbers))) and len(specs) > 1
    assert len({(spec.model, spec.task, spec.training) for spec in specs}) == 1
    assert [spec.part for spec in specs] == ["", *[FURTHER] * (len(specs) - 1)]


def test_groups_of_puzzles_are_rows():
    found = run("boxes_last")
    table = pd.DataFrame(found).assign(model="boxes_last", variant="bridge")
    table = table.assign(trial=range(AMOUNT.trials))
    rows = by_group(table).set_index(["group", "trial"])
    for name, values in found.items():
        for measure in ("win_rate", "puzzles"):
            if name.startswith(f"{measure}_"):
                mine = rows.loc[name.removeprefix(f"{measure}_"), measure]
                np.testing.assert_array_equal(mine, np.array(values, dtype=float))
    groups = {name.removeprefix("puzzles_") for name in found if name.startswith("puzzles_")}
    assert rows["share"].isna().all() and set(rows.index) == {*product(groups, table["trial"])}
    assert rows.index.is_unique and len(groups) == 5 + len(kinds(BRIDGE))


def test_computed_chances_are_rows():
    found = pd.DataFrame(run("wins")).assign(win_rate_all=0.5)
    rows = chances(found)
    for player, some in rows.groupby("player"):
        assert some["value"].tolist() == found[f"win_{player}"].tolist()
    assert set(rows["player"]) == {"anything_once", "only_key"}


def test_shares_of_types_are_held_against_their_probability():
    table = pd.DataFrame(run("types")).assign(model="types", variant="bridge")
    table = table.assign(trial=range(AMOUNT.trials))
    measured = type_shares({"described": table}, "described")
    assert len(measured.points) == 17
    assert sum(point.published for point in measured.points) == pytest.approx(1)
    first = next(point for point in measured.points if point.label.startswith("(1, 1, 2)"))
    assert first.interval.estimate == pytest.approx(np.mean(table["share_112"]))
    assert first.interval.low < first.published < first.interval.high


def test_a_short_horizon_and_standard_worlds():
    short = run("steps", "bridge, 120 steps")
    assert max(short["win_rate_none"]) < 0.5 and max(short["steps"]) <= 120
    assert set(run("towards_gem", "standard, longer branches")["win_rate_all"]) == {1}
    assert max(run("no_leaf", "standard, longer branches")["win_rate_all"]) < 1


def test_runs_repeat_and_specs_round_trip():
    spec = SPECS["nearest", "bridge"]
    assert outcome(spec).metrics == outcome(spec).metrics
    assert box_world.spec(spec.canonical()).id == spec.id
    assert box_world.grid("smoke", "sound") == []
    more = replace(spec, training=replace(spec.training, puzzles=50))
    assert box_world.cost(more) < box_world.cost(spec)
