"""What agents read: states at the fork, attention to pairs of objects, what claims measure."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.agents import play
from abstractor_lib.experiments.agents.decisions import Greedy, decisions, named
from abstractor_lib.experiments.agents_attention import measures, messages, reading, run
from abstractor_lib.experiments.agents_attention.forks import KINDS, forks
from abstractor_lib.experiments.agents_attention.grid import trained
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.nn.simplicial_block import SimplicialWeights
from abstractor_lib.tasks.box_world import Game, draw
from abstractor_lib.tasks.box_world.batched import BoxWorlds
from abstractor_lib.tasks.box_world.rules import Rules

EXPERIMENT = experiments.get("agents_attention")
SMOKE = EXPERIMENT.grid("smoke", "sound")
RULES = Rules(bridges=1.0, shortest=2)
PUZZLES = play.late(RULES, 60, np.random.default_rng(0))


def agent(name="simplicial", seed=0):
    torch.manual_seed(seed)
    grid = experiments.get("agents").grid("laptop", "sound")
    return play.build(next(s.model for s in grid if s.model.name == name), RULES).eval()


@torch.no_grad()
def weights_of(one, tokens):
    return one(tokens, need_weights=True)[1]


def uniform(count, tokens=12, virtual=2):
    ones = torch.ones(count, 2, tokens, tokens) / tokens
    read = torch.ones(count, 2, virtual, tokens + virtual) / (tokens + virtual)
    pairs = torch.ones(count, 1, tokens, virtual, virtual) / virtual**2
    return [SimplicialWeights(ones, read, pairs)] * 2


def test_at_the_fork_the_held_key_opens_one_box_that_ends_the_episode_and_one_that_does_not():
    found, seen = forks(PUZZLES), set()
    for index in range(len(PUZZLES)):
        for which, reward in ((found.right, 1.0), (found.bridge, -1.0)):
            game = Game(PUZZLES, index)
            length, lock, _ = PUZZLES.kind(index)
            for number in range(length, lock - 1, -1):  # the upper path, as far as the fork
                keys = [game.board[r][c] for r, c in RULES.slots]
                game.choose(keys.index(int(PUZZLES.codes[index, number])))
            held = found.tokens[index, found.held[index], 0]
            assert game.inventory == [held] and not game.ended
            slot = int(which[index])
            row, column = RULES.slots[slot]
            assert game.board[row][column + 1] == held  # both have the lock that the key opens
            assert game.choose(slot).reward == reward
            assert game.ended == (reward < 0)
        kinds = found.kinds[index].tolist()
        seen |= set(kinds)
        boxes = {k for k in range(12) if KINDS[kinds[k]] in ("right box", "bridge", "other box")}
        assert boxes == set(torch.nonzero(found.boxes[index])[:, 0].tolist()) and len(boxes) >= 3
    assert seen == set(range(len(KINDS)))


def test_puzzles_without_a_late_bridge_have_no_fork():
    early = draw(np.random.default_rng(0), RULES, 50)
    with pytest.raises(ValueError, match="puzzles holds one whose bridge is not late"):
        forks(early)


def test_attention_to_pairs_of_objects_against_loops():
    at = forks(PUZZLES[:3])
    first, second = weights = weights_of(agent(), at.tokens)
    found = reading.to_objects(weights)
    read, pairs = first.virtual.mean(dim=1), second.pairs[:, 0]
    for b, i, x, y in np.random.default_rng(0).integers(0, (3, 12, 12, 12), (50, 4)):
        both = sum(
            pairs[b, i, j, k] * (read[b, j, x] * read[b, k, y] + read[b, j, y] * read[b, k, x])
            for j in range(2)
            for k in range(2)
        )
        assert found[b, i, x, y] == pytest.approx(float(both), rel=1e-5)
    for b in range(3):
        held, right, bridge = (int(one[b]) for one in (at.held, at.right, at.bridge))
        boxes = torch.nonzero(at.boxes[b])[:, 0].tolist()
        seen = (found[b, right] + found[b, bridge]) / 2

        def three(one, other, seen=seen, held=held):
            return float(seen[held, one] + seen[held, other] + seen[one, other])

        whole = 3 * 2 / 14**2
        assert reading.that_matter(weights, at)[b] == pytest.approx(three(right, bridge) / whole)
        usual = np.mean([three(*two) for two in combinations(boxes, 2)]) / whole
        assert reading.of_any_boxes(weights, at)[b] == pytest.approx(usual, rel=1e-5)


def test_under_uniform_attention_nothing_stands_out():
    at = forks(PUZZLES)
    even = uniform(len(PUZZLES))
    torch.testing.assert_close(reading.that_matter(even, at), torch.ones(len(PUZZLES)))
    torch.testing.assert_close(reading.of_any_boxes(even, at), torch.ones(len(PUZZLES)))
    assert (reading.by_kind(even, at)["times_uniform"] == 1).all()
    assert (reading.pairs_by_kind(even, at)["weight"] == 0.25).all()
    assert all(bool((far == 0).all()) for far in reading.unlike(even, at))


def test_who_attends_like_nobody_else_is_unlike():
    at, even = forks(PUZZLES), uniform(len(PUZZLES))
    pairs = even[1].pairs.clone()
    for which in (at.upper, at.lower, at.held):
        pairs[torch.arange(len(PUZZLES)), 0, which] = torch.tensor([[1.0, 0], [0, 0]])
    first, rest, both = reading.unlike([even[0], even[1]._replace(pairs=pairs)], at)
    n = at.objects.sum(dim=1)
    most = reading.largest([even[0], even[1]._replace(pairs=pairs)], at)
    torch.testing.assert_close(most, (3 + (n - 3) / 4) / n)
    torch.testing.assert_close(first, 0.75 * (n - 3) / n)
    torch.testing.assert_close(rest, 0.75 * 3 / n)
    torch.testing.assert_close(both, (3 * first + (n - 3) * rest) / n)


def test_in_the_first_block_virtual_entities_read_each_object_by_itself():
    """What else lies on the board changes only by how much all is divided, so no relation counts;
    in the second block it does."""
    one, at = agent(), forks(PUZZLES)
    other = at.tokens.clone()
    other[:, 2:4, :2] = other[:, 2:4, :2].roll(1, dims=0)  # other objects in two slots
    before, after = weights_of(one, at.tokens), weights_of(one, other)

    def ratio(weights, block):
        read = weights[block].virtual
        return read[..., 0] / read[..., 1]

    torch.testing.assert_close(ratio(before, 0), ratio(after, 0), rtol=1e-4, atol=0)
    assert ((ratio(before, 1) / ratio(after, 1) - 1).abs() > 1e-3).float().mean() > 0.5


def test_without_attention_every_pair_weighs_the_same_and_the_rest_is_as_it_was():
    one = agent()
    spec = run.agent_spec(SMOKE[-1])
    flat = run.without_attention(spec.model, spec.task, one.state_dict())
    (first, second), (full, _) = (weights_of(a, forks(PUZZLES).tokens) for a in (flat, one))
    for block in (first, second):
        torch.testing.assert_close(block.pairs, torch.full_like(block.pairs, 0.25))
    torch.testing.assert_close(first.virtual, full.virtual)
    assert full.pairs.amax() > 0.5


@pytest.mark.parametrize("spec", SMOKE, ids=lambda spec: spec.model.name)
def test_runs_leave_what_is_measured(spec):
    found = outcome(spec, alone()).metrics
    names = {"pairs_over_uniform", "pairs_over_boxes", "objects_unlike", "gem_and_key_unlike"}
    names |= {"largest_pair"}
    trained = spec.model.name == "trained"
    plays = {"late_greedy", "late_uniform"} if trained else set()
    assert set(found) == names | plays
    for values in found.values():
        assert len(values) == spec.trials.count and np.abs(values).max() < 20
        # trials have other puzzles or agents; a few updates make all objects attend alike
        assert len(set(values)) > 1 or trained


def test_all_agents_see_the_same_puzzles_and_trials_other_ones():
    task = run.agent_spec(SMOKE[0]).task
    one, same, other = (run.puzzles(task, 20, number) for number in (0, 0, 1))
    assert (one.board == same.board).all() and (one.board != other.board).any()


def test_seeds_whose_weights_do_not_ship_are_a_part_of_their_own():
    parts = {}
    for spec in EXPERIMENT.grid("laptop", "sound"):
        parts.setdefault(spec.part, []).append(spec)
    kept = [bool(s.parents["agent"].spec.keep) for s in parts[""] if s.parents]
    assert kept == [True] and parts[""][-1].trials.count == 39
    further = [spec.parents["agent"] for spec in parts["further seeds"]]
    assert [parent.trial for parent in further] == [1, 2, 3, 4]
    assert not any(parent.spec.keep for parent in further)


def frames(values=(1.5, 1.7, 1.6), others=range(39)):
    def row(model, variant, trial, value):
        run = {"model": model, "variant": variant, "trial": trial, "size": 1000}
        return {**run, "pairs_over_uniform": value, "late_greedy": value, "late_uniform": trial}

    rows = [row("trained", "seed 0", k, value) for k, value in enumerate(values)]
    rows += [row("trained", "seed 1", k, 2 * value) for k, value in enumerate(values)]
    rows += [row("untrained", "as they begin", k, value) for k, value in enumerate(others)]
    return {"sound": pd.DataFrame(rows)}


def test_of_one_agent_the_unit_is_a_draw_of_puzzles():
    (point,) = measures.of_one_agent(frames(), "sound", metric="pairs_over_uniform").points
    expected = stats.ttest_1samp([1.5, 1.7, 1.6], 0).confidence_interval()
    assert (point.interval.low, point.interval.high) == pytest.approx(tuple(expected))
    pair = {"metric": "late_greedy", "over": "late_uniform"}
    (point,) = measures.of_one_agent(frames(), "sound", **pair).points
    expected = stats.ttest_rel([1.5, 1.7, 1.6], [0, 1, 2]).confidence_interval()
    assert (point.interval.low, point.interval.high) == pytest.approx(tuple(expected))
    with pytest.raises(NotRun, match="no trained agent of seed 3"):
        measures.of_one_agent(frames(), "sound", metric="late_greedy", seed=3)


def test_of_seeds_the_unit_is_an_agent():
    (point,) = measures.over_seeds(frames(), "sound", metric="pairs_over_uniform").points
    assert (point.interval.estimate, point.interval.n) == (pytest.approx(2.4), 2)
    one = frames()["sound"]
    with pytest.raises(NotRun, match="one trained model alone"):
        kept = {"sound": one[one["variant"] != "seed 1"]}
        measures.over_seeds(kept, "sound", metric="pairs_over_uniform")


@pytest.mark.parametrize("count", [38, 39, 79])
def test_one_agent_against_many_is_a_permutation_test(count):
    """Zero is outside exactly where the value's rank among all has a probability of at most 2.5 %
    on that side."""
    others = np.random.default_rng(0).normal(size=count)
    for value in np.linspace(-4, 4, 41):
        found = measures.one_against(value, others)
        above = (1 + (others >= value).sum()) / (count + 1)
        below = (1 + (others <= value).sum()) / (count + 1)
        assert (found.low > 0) == (above <= 0.025)
        assert (found.high < 0) == (below <= 0.025)
    (point,) = measures.over_untrained(frames(), "sound", metric="pairs_over_uniform").points
    assert point.label == "seed 0 against 39 untrained agents"
    assert point.interval.low == 1.5 - 38 and point.interval.high == 1.5


def test_decisions_are_those_of_the_greedy_agent_and_the_oracle_sees_the_bridge():
    one, other = agent(), agent("relational", 1)
    players = {"simplicial": Greedy(one), "relational": Greedy(other)}
    won = 0
    for index in range(20):
        puzzle = PUZZLES[index : index + 1]
        found = decisions(players, puzzle)
        game = Game(puzzle)
        for decision in found:
            assert (game.picture() == decision.picture).all()
            mask = game.mask(macro=True)[: len(RULES.slots)]
            assert decision.objects == np.flatnonzero(mask).tolist()
            for shares in decision.probability.values():
                assert sum(shares) == pytest.approx(1, abs=2e-3)
            shares = decision.probability["simplicial"]
            assert shares[decision.objects.index(decision.chosen)] == max(shares)
            reward = game.choose(decision.chosen).reward
            assert (reward < 0) == (decision.chosen == decision.bridge)
        assert game.ended
        won += game.solved
    assert won / 20 == pytest.approx(play.win_rate(one, PUZZLES[:20], "tokens"))


def test_what_can_be_taken_has_a_name():
    puzzle = PUZZLES[:1]
    first, *_, last = decisions({"simplicial": Greedy(agent())}, puzzle)
    sign = {int(code): str(number) for number, code in enumerate(puzzle.codes[0])}
    length = puzzle.kind().length
    assert set(named(first, RULES, sign)) == {f"key {length}", f"key {2 * length}"}
    assert all(word == "Gem" or "→" in word for word in named(last, RULES, sign))


def test_an_agent_as_a_player_takes_what_it_may():
    player = Greedy(agent())
    worlds = BoxWorlds(RULES, 30, np.random.default_rng(1), macro=True)
    chosen = player(worlds.codes(), RULES, np.random.default_rng(0))
    assert play.allowed(worlds)[torch.arange(30), chosen].all()


def test_weights_of_another_kind_are_refused():
    at = forks(PUZZLES[:2])
    standard = weights_of(agent("relational"), at.tokens)
    for measured in (reading.to_objects, reading.of_uniform):
        with pytest.raises(ValueError, match="weights have no"):
            measured(standard)
    for measured in (reading.unlike, reading.largest):
        with pytest.raises(ValueError, match="weights have no pairs"):
            measured(standard, at)
    assert set(reading.by_kind(standard, at)["reader"]) == set(KINDS)
    assert reading.pairs_by_kind(standard, at).empty


def test_a_seed_that_was_not_trained_is_refused():
    with pytest.raises(ValueError, match="no simplicial agent with tokens has the seed 9"):
        trained("laptop", "sound", 9)


@torch.no_grad()
def test_without_messages_nothing_is_left_of_how_pairs_are_weighed():
    """Two agents that differ in how they weigh pairs, and in nothing else, then answer alike."""
    one, tokens = agent(), forks(PUZZLES).tokens
    spec = trained("laptop", "sound", 0).spec
    flat = run.without_attention(spec.model, spec.task, one.state_dict())
    as_it_is = one(tokens).logits
    assert torch.equal(messages.changed(one, "its own")(tokens).logits, as_it_is)
    bare, other = (messages.changed(agent, "nothing")(tokens).logits for agent in (one, flat))
    torch.testing.assert_close(bare, other)
    assert (bare - as_it_is).abs().max() > (bare - other).abs().max() * 10
    assert list(messages.won(one, PUZZLES).index) == list(messages.CHANGES)


def test_messages_that_are_changed_against_loops():
    given = torch.randn(3, 4, 5)
    wanted = {
        "its own": lambda b, t: given[b, t],
        "the mean over the objects of its state": lambda b, t: sum(given[b]) / 4,
        "the mean over all puzzles": lambda b, t: sum(sum(one) for one in given) / 12,
        "nothing": lambda b, t: torch.zeros(5),
    }
    for name, change in messages.CHANGES.items():
        found = change(given).expand_as(given)
        for b, t in product(range(3), range(4)):
            torch.testing.assert_close(found[b, t], wanted[name](b, t))


def test_an_agent_without_2_simplicial_attention_has_no_messages():
    with pytest.raises(ValueError, match="agent has no 2-simplicial attention"):
        messages.changed(agent("relational"), "nothing")
    with pytest.raises(ValueError, match="change is 'some'; expected one of its own"):
        messages.changed(agent(), "some")
