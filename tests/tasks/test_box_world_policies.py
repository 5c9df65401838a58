"""Scripted players of Box World, and what can be told from the graph of a puzzle."""

from collections import Counter

import numpy as np
import pytest
import torch
from scipy import stats

from abstractor_lib.tasks.box_world import (
    BRIDGE,
    STANDARD,
    Game,
    Rules,
    draw,
    motifs,
    policies,
)
from abstractor_lib.tasks.box_world.batched import BoxWorlds
from abstractor_lib.tasks.box_world.exact import PLAYERS, win_probability
from abstractor_lib.tasks.box_world.play import play
from abstractor_lib.tasks.box_world.policies import POLICIES
from abstractor_lib.tasks.box_world.puzzles import Box, Kind, boxes_of, kinds, probability
from abstractor_lib.tasks.box_world.views import look, steps_to

LONG = Rules(rows=9, locks=1, longest=3, bridges=0.0, branches=3, branch_longest=2)
BRIDGED = [kind for kind in kinds(BRIDGE) if kind.lock]


@pytest.mark.parametrize("macro", [False, True], ids=["steps", "macro"])
def test_the_oracle_sees_the_bridge_at_every_moment_of_random_play(macro):
    """The box whose two colours are odd, in the picture alone, is what ends an episode."""
    random = np.random.default_rng(0)
    worlds = BoxWorlds(BRIDGE, 200, random, macro=macro)
    puzzles = draw(random, BRIDGE, 200)
    worlds.reset(puzzles=puzzles)
    slots = np.array(BRIDGE.slots)
    known = torch.from_numpy(puzzles.decoys[:, slots[:, 0], slots[:, 1] + 1])
    for _ in range(60 if macro else 400):
        found = policies.bridge(look(worlds.codes(), BRIDGE))
        assert torch.equal(found[~worlds.over, :-1], known[~worlds.over])
        assert not found[:, -1].any()
        worlds.step(torch.from_numpy(random.integers(0, 10 if macro else 4, 200)))
    assert worlds.over.sum() > 20


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("no_bridge", BRIDGE),
        ("no_bridge_nearest", BRIDGE),
        ("no_leaf", STANDARD),
        ("towards_gem", STANDARD),
        ("towards_gem", LONG),
    ],
)
def test_oracles_win_every_puzzle(name, rules):
    found = play(POLICIES[name], rules, 1000, np.random.default_rng(1))
    assert found.solved.all() and found.over.all()
    # the Gem, and one for each loose key and each box on the way
    assert (found.reward == 10 + rules.locks * found.kinds[:, 0]).all()


def test_leaves_are_not_all_that_branches_need():
    found = play(POLICIES["no_leaf"], LONG, 500, np.random.default_rng(1))
    assert 0.5 < found.solved.mean() < 0.99


@pytest.mark.parametrize("name", PLAYERS)
def test_against_exact_probabilities(name):
    """Two ways: play on boards through pictures, and a sum over states of the graph."""
    found = play(POLICIES[name], BRIDGE, 6000, np.random.default_rng(2))
    assert found.over.all()
    for kind in kinds(BRIDGE):
        solved = found.solved[(found.kinds == kind).all(axis=1)]
        known = float(win_probability(kind, name))
        if known in (0, 1):
            assert (solved == known).all()
        else:
            assert stats.binomtest(int(solved.sum()), len(solved), known).pvalue > 1e-4, kind


def test_unknown_players_are_named():
    with pytest.raises(ValueError, match="player is 'nobody'; allowed: anything, anything_once, "):
        win_probability(Kind(1), "nobody")


def test_known_probabilities():
    """By hand: type (3, 1, t) is lost by `boxes_last` if the upper path is done first, and then
    with probability one half for each box that the lower one has left."""
    by_hand = 1 / 4 * 1 / 4 + 1 / 4 * 1 / 2 + 1 / 2
    assert float(win_probability(Kind(3, 1, 5), "boxes_last")) == by_hand
    for kind in BRIDGED:
        if kind.lock > 1:
            names = ("anything", "anything_once", "boxes_last", "even_lock")
            assert [win_probability(kind, name) for name in names] == [0.5] * 4
            assert win_probability(kind, "even_key") == 1
        assert win_probability(kind, "no_bridge") == 1
    assert all(win_probability(Kind(length), name) == 1 for length in (1, 2, 3) for name in PLAYERS)


def test_what_is_counted_decides_how_much_a_player_wins():
    """The parity of all tiles of a key's colour tells more than other keys of that colour, and a
    Gem that counts twice is taken more often."""
    late = [kind for kind in BRIDGED if kind.lock > 1]

    def share(name, some):
        weights = [probability(kind, BRIDGE) for kind in some]
        won = sum(w * win_probability(kind, name) for w, kind in zip(weights, some, strict=True))
        return float(won / sum(weights))

    every = kinds(BRIDGE)
    assert share("even_key", every) > 0.98 and share("even_key", late) == 1
    assert round(share("only_key", every), 3) == 0.934
    assert round(share("only_key", late), 3) == 0.887
    assert round(share("anything", every), 3) == 0.743
    assert round(share("anything_once", every), 3) == 0.707


def test_a_player_of_keys_alone_sees_no_lock():
    """If other locks have other colours, it plays the same."""
    random = np.random.default_rng(7)
    codes = BoxWorlds(BRIDGE, 300, random, macro=True).codes()
    changed = codes.clone()
    view = look(codes, BRIDGE)
    for row, column in BRIDGE.slots:  # locks become one colour that nothing else has
        unused = torch.tensor(
            [next(c for c in range(4, 24) if not (one == c).any()) for one in codes],
            dtype=codes.dtype,
        )
        box = (codes[:, row, column] > 3) & (codes[:, row, column + 1] > 3)
        changed[:, row, column + 1] = torch.where(box, unused, codes[:, row, column + 1])
    for before, after in zip(
        policies.only_key(view), policies.only_key(look(changed, BRIDGE)), strict=True
    ):
        assert torch.equal(before[view.box], after[view.box])
    assert not torch.equal(policies.even_key(view)[2], policies.even_key(look(changed, BRIDGE))[2])


def test_players_that_ignore_keys_win_half_of_the_puzzles_with_a_late_bridge():
    """The bridge and the box with the same lock can be exchanged without their seeing it."""
    rules = Rules(bridges=1.0)
    for name in ("steps", "nearest"):
        found = play(POLICIES[name], rules, 800, np.random.default_rng(3))
        late = found.solved[found.kinds[:, 1] >= 2]
        assert stats.binomtest(int(late.sum()), len(late), 0.5).pvalue > 1e-3


def test_nobody_can_lose_without_a_bridge():
    rules = Rules(bridges=0.0)
    found = play(POLICIES["steps"], rules, 100, np.random.default_rng(4))
    assert found.solved.all()
    short = play(POLICIES["steps"], rules, 100, np.random.default_rng(4), horizon=120)
    assert short.over.all() and not short.solved.all() and short.steps.max() == 120


def test_steps_to_objects_are_those_of_the_game():
    puzzles = draw(np.random.default_rng(5), BRIDGE, 30)
    worlds = BoxWorlds(BRIDGE, 30, np.random.default_rng(0))
    worlds.reset(puzzles=puzzles)
    found = steps_to(worlds.codes(), BRIDGE)
    for index in range(30):
        game = Game(puzzles, index)
        for choice in range(BRIDGE.choices):
            tile = game.tile(choice)
            assert tile is None or len(game.walk(tile)) == found[index, choice]


def test_what_can_be_taken_is_what_the_game_gives():
    random = np.random.default_rng(6)
    for rules in (BRIDGE, STANDARD, LONG):
        worlds, puzzles = BoxWorlds(rules, 40, random, macro=True), draw(random, rules, 40)
        worlds.reset(puzzles=puzzles)
        games = [Game(puzzles, index) for index in range(40)]
        for _ in range(8):
            found = look(worlds.codes(), rules).takeable
            for game, some in zip(games, found, strict=True):
                tiles = [game.tile(k) if not game.ended else None for k in range(rules.choices)]
                if not game.ended:
                    assert some.tolist() == [bool(t and game.can_take(*t)) for t in tiles]
            actions = random.integers(0, rules.choices, 40)
            worlds.step(torch.from_numpy(actions))
            for game, action in zip(games, actions, strict=True):
                if not game.ended:
                    game.choose(int(action))


@pytest.mark.parametrize("kind", BRIDGED, ids=str)
def test_parity_names_the_bridge_in_every_state(kind):
    """All colours but those of the bridge are on two tiles or none, and these on three or one."""
    for state in motifs.states(kind):
        assert motifs.odd_boxes(state) == [Box(kind.key, kind.lock)]
        for number, count in motifs.counts(state).items():
            assert count in ((3, 1) if number in (kind.lock, kind.key) else (2, 0))


def test_without_a_bridge_all_is_even():
    for length in (1, 2, 3):
        found = list(motifs.states(Kind(length)))
        assert len(found) == (length + 1) ** 2
        assert not any(motifs.odd_boxes(state) for state in found)
        assert set(Counter(c for s in found for c in motifs.counts(s).values())) <= {0, 2}


@pytest.mark.parametrize("kind", BRIDGED, ids=str)
def test_sources_and_sinks(kind):
    """A source needs another ordinary box with the bridge's lock, a sink one with its key."""
    state = motifs.State(tuple(boxes_of(kind)), ())
    bridge, last = Box(kind.key, kind.lock), 2 * kind.length
    plain = motifs.boxes(state, gem=False)
    sources, sinks = motifs.sources(plain), motifs.sinks(plain)
    assert len(sources) == (kind.lock > 1) and len(sinks) == (kind.key < last)
    assert all(bridge in pair for pair in sources + sinks)
    whole = motifs.boxes(state, gem=True)
    assert len(motifs.sources(whole)) == 1  # with the Gem's upper half where the lock is its
    halves = [pair for pair in motifs.sinks(whole) if bridge not in pair]
    assert [[box.key for box in pair] for pair in halves] == [[0, 0]]  # neither is the bridge
    if sources and sinks:
        assert set(sources[0]) & set(sinks[0]) == {bridge}


@pytest.mark.parametrize("kind", BRIDGED, ids=str)
def test_three_tiles_name_the_bridge_until_a_key_of_its_colours_is_held(kind):
    """On the board alone; with the inventory counted, until a box with one of them is opened."""
    bridge, colours = Box(kind.key, kind.lock), {kind.key, kind.lock}
    for state in motifs.states(kind):
        tiles = [number for box in state.board for number in box if number in colours]
        lost = len(tiles) < 6
        assert motifs.thrice_boxes(state) == ([] if lost else [bridge])
        held = len(tiles) + len(colours & {*state.inventory}) < 6
        assert motifs.thrice_boxes(state, inventory=True) == ([] if held else [bridge])


@pytest.mark.parametrize("kind", BRIDGED, ids=str)
def test_readings_of_what_a_box_is(kind):
    """With loose keys the bridge always has a partner for its key; with the Gem, for its lock."""
    start, bridge = motifs.State(tuple(boxes_of(kind)), ()), Box(kind.key, kind.lock)
    whole = motifs.seen(start, "appendix_i")
    assert len(whole.sources) == len(whole.sinks) == 1 and whole.common == {bridge}
    halves, plain = motifs.seen(start, "halves"), motifs.seen(start, "no_gem")
    upper = Box(0, 1)
    assert (upper in halves.common) == (kind.lock == 1)
    assert (bridge in halves.common) == (kind.key < 2 * kind.length)
    late = kind.lock > 1 and kind.key < 2 * kind.length
    assert plain.common == ({bridge} if late else set())
    for state in motifs.states(kind):
        for reading in ("no_gem", "appendix_i"):
            found = motifs.seen(state, reading)
            assert all(bridge in pair for pair in found.sources + found.sinks)


def test_probability_of_a_late_bridge():
    late = sum(probability(kind, BRIDGE) for kind in BRIDGED if kind.lock >= 2)
    assert late == probability(Kind(1), BRIDGE) * 7 / 6 and float(late) == pytest.approx(7 / 36)
