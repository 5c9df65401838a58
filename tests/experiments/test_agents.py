"""Agents that learn Box World: sizes of the paper, worlds as they see them, runs that go on."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib import experiments
from abstractor_lib.execution import compute
from abstractor_lib.execution.again import check
from abstractor_lib.execution.plan import with_engine
from abstractor_lib.experiments.agents import measures, play, run
from abstractor_lib.experiments.agents.flat import FlatWorlds
from abstractor_lib.experiments.context import Context
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.nn.agents import Answer
from abstractor_lib.tasks.box_world import rules
from abstractor_lib.tasks.box_world.batched import BoxWorlds
from abstractor_lib.tasks.box_world.policies import POLICIES
from abstractor_lib.tasks.box_world.puzzles import draw
from abstractor_lib.tasks.box_world.rules import BLANK, GEM, Rules

EXPERIMENT = experiments.get("agents")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
SMOKE = with_engine(EXPERIMENT.grid("smoke", "sound"))
RULES = Rules(bridges=1.0, shortest=2)


def agents():
    macro = [s for s in LAPTOP if s.task.macro and s.part != "standard"]
    return {(s.model.name, s.model.observation, s.model.readout): s for s in macro}


def parameters(spec):
    agent = play.build(spec.model, spec.task.rules)
    return sum(one.numel() for one in agent.parameters())


def test_sizes_are_the_papers_with_its_single_steps():
    sizes = {}
    for spec in LAPTOP:
        if not spec.task.macro:
            agent = play.build(spec.model, spec.task.rules, macro=False)
            sizes[spec.model.name] = sum(one.numel() for one in agent.parameters())
    assert sizes == {"relational": 239_241, "simplicial": 365_513}


def test_sizes_are_the_papers_but_for_the_number_of_actions():
    """239,241 and 365,513 with four single steps; here are nine slots to choose from."""
    more = (9 - 4) * (256 + 1)
    assert parameters(agents()["relational", "picture", "maximum"]) == 239_241 + more
    assert parameters(agents()["simplicial", "picture", "maximum"]) == 365_513 + more


def test_the_wide_agent_is_as_large_as_the_simplicial_one():
    sizes = {name: parameters(agents()[name, "tokens", "scoring"]) for name in ("wide", "uniform")}
    simplicial = parameters(agents()["simplicial", "tokens", "scoring"])
    assert sizes["uniform"] == simplicial
    assert abs(sizes["wide"] / simplicial - 1) < 0.01


def test_the_deeper_agent_passes_through_one_block_four_times():
    deep, two = (agents()[name, "tokens", "scoring"] for name in ("deep", "relational"))
    passes = [play.build(one.model, RULES).transformer.iterations for one in (deep, two)]
    assert passes == [4, 2]
    norms = 2 * 2 * 2 * 64  # of two more passes, which share all other weights
    assert parameters(deep) == parameters(two) + norms


def test_the_standard_world_is_that_of_the_paper():
    (world,) = {spec.task.rules for spec in LAPTOP if spec.part == "standard"}
    assert world == rules.STANDARD
    found = play.Worlds(world, 200, np.random.default_rng(0), "tokens")
    seen = found.look()
    assert seen.observation.shape == (200, 13, 3)  # twelve slots and one place of the inventory
    assert seen.allowed.sum(dim=1).eq(1).all()  # the loose key


@pytest.mark.parametrize("observation", ["tokens", "tiles", "picture"])
def test_a_score_is_read_off_the_entity_of_its_slot(observation):
    """An agent without attention: another object in a slot changes the score of that slot alone."""
    spec = agents()["relational", observation, "scoring"]
    agent = play.build(spec.model, RULES)
    agent.transformer = torch.nn.Identity()
    worlds = BoxWorlds(RULES, 1, np.random.default_rng(0), macro=True)
    before = agent(play.observe(worlds, observation)).logits
    for slot, (row, column) in enumerate(RULES.slots):
        if worlds.codes()[0, row, column] in (BLANK, GEM):
            continue
        other = BoxWorlds(RULES, 1, np.random.default_rng(0), macro=True)
        at = row * (RULES.columns + 1) + column
        held = other._worlds._picture[0, at]
        other._worlds._picture[0, at] = held + 1 if held < 23 else held - 1
        changed = (agent(play.observe(other, observation)).logits != before)[0]
        assert changed[slot] and changed.sum() == 1


def test_what_is_allowed_can_be_taken_and_one_choice_is_always_left():
    worlds = play.Worlds(RULES, 64, np.random.default_rng(3), "tiles")
    ended, won, draw = 0, 0, torch.Generator().manual_seed(0)
    for _ in range(40):
        seen = worlds.look()
        assert seen.allowed.any(dim=1).all()
        turn = worlds.step(seen.allowed.float().multinomial(1, generator=draw)[:, 0])
        assert (turn.reward != 0).all()
        assert (turn.reward[turn.won] == 10).all()
        assert (turn.reward[turn.ended & ~turn.won] == -1).all()
        ended, won = ended + int(turn.ended.sum()), won + int(turn.won.sum())
    assert 0.2 < won / ended < 0.8


def test_late_puzzles_are_half_won_by_who_never_asks_which_box_is_the_bridge():
    puzzles = play.late(RULES, 4000, np.random.default_rng(0))
    assert len(puzzles) == 4000 and (puzzles.kinds[:, 1] >= 2).all()
    assert set(puzzles.kinds[:, 0]) == {2, 3}

    class Script(torch.nn.Module):
        """A scripted player whose choice has the largest logit."""

        def __init__(self, name):
            super().__init__()
            self.policy = POLICIES[name]

        def forward(self, codes):
            chosen = self.policy(codes, RULES, random)
            logits = torch.nn.functional.one_hot(chosen.clamp(max=9), 10).float()
            logits[:, :9] += logits[:, 9:] * _gems(codes)  # the lower lock is the Gem as well
            return Answer(logits[:, :9], logits[:, 0])

    def _gems(codes):
        rows, columns = torch.tensor(RULES.slots).T
        return (codes[:, rows, columns] == GEM).float()

    random = np.random.default_rng(1)
    # who takes boxes last and at random, meets at the branch two locks of one colour
    assert play.win_rate(Script("no_bridge"), puzzles, "tiles") == 1.0
    assert abs(play.win_rate(Script("boxes_last"), puzzles, "tiles") - 0.5) < 0.1


@pytest.mark.parametrize(
    "spec",
    [pytest.param(spec, marks=pytest.mark.slow) if k > 1 else spec for k, spec in enumerate(SMOKE)],
    ids=lambda s: f"{s.model.name} {s.part} {s.model.readout}",
)
def test_runs_leave_what_is_measured(spec):
    record, left = compute.record(replace(spec, keep=("weights/0",)))
    if not spec.task.test and spec.task.macro:
        assert set(record["metrics"]) == {"last_win_rate", "mean_win_rate", "parameters"}
        assert "late" not in record["curve"]
        return
    if not spec.task.macro:
        assert set(record["metrics"]) == {"last_win_rate", "parameters"}
        assert record["curve"]["square_0.5"][-1] > 1  # mean squares begin at one, epsilon is 0.1
        return
    names = {"late_greedy", "late_sampled", "late_mean", "late_early", "parameters"}
    assert {"decisions_to_75", "decisions_to_90"} | names == set(record["metrics"])
    for name in ("late_greedy", "late_sampled", "late_mean"):
        assert 0 <= record["metrics"][name][0] <= 1
    assert record["curve"]["decisions"][-1] == 512
    assert set(record["curve"]) >= {"late", "win_rate", "entropy", "update"}
    assert len(left["weights/0"]) > 4 * record["metrics"]["parameters"][0]


def test_a_run_that_was_stopped_ends_as_one_that_was_not(tmp_path):
    spec = SMOKE[0]

    def learning():
        torch.manual_seed(spec.seed)
        return run.learner(spec, Context(scratch=tmp_path))

    whole = learning()
    while not whole.finished:
        whole.step()
    part = learning()
    part.step()
    state = part.state_dict()
    rest = learning()
    rest.load_state_dict(state)
    while not rest.finished:
        rest.step()
    assert rest.history == whole.history
    for name, value in whole.agent.state_dict().items():
        torch.testing.assert_close(rest.agent.state_dict()[name], value, rtol=0, atol=0)


def test_flat_worlds_are_what_agents_see_with_what_is_allowed():
    for observation, macro in (("tokens", True), ("tiles", True), ("picture", False)):
        options = {"num_envs": 5, "rules": RULES, "observation": observation, "macro": macro}
        flat = FlatWorlds(options)
        seen, _ = flat.reset(seed=3)
        assert flat.observation_space.contains(seen)
        worlds = BoxWorlds(RULES, 5, np.random.default_rng(0), macro=macro)
        puzzles = [draw(np.random.default_rng(3 + world), RULES) for world in range(5)]
        for world, puzzle in enumerate(puzzles):
            worlds.reset(torch.arange(5) == world, puzzles=puzzle)
        for _ in range(3):
            expected, mask = play.observe(worlds, observation), play.allowed(worlds)
            assert (seen == torch.cat([expected.flatten(1), mask.long()], dim=1).numpy()).all()
            actions = mask.int().argmax(dim=1)
            seen, *_ = flat.step(actions.numpy())
            worlds.step(actions)


def test_runs_of_both_engines_differ_in_the_engine_alone():
    small = [spec for spec in LAPTOP if spec.part == "engines"]
    ours, theirs = with_engine(small), with_engine(small, "rllib")
    assert len(ours) == len(theirs) == 3
    for one, other in zip(ours, theirs, strict=True):
        alone = replace(other.training, engine="actor_learner", actors=1)
        assert replace(other, training=alone) == one and one.id != other.id
    paper = with_engine(EXPERIMENT.grid("paper", "sound"), "rllib")
    assert sum(spec.part == "steps, RLlib" for spec in paper) == 8
    assert all(
        spec.training.updates == 5_500_000_000 // 1280 for spec in paper if spec.part[0] == "s"
    )


def test_a_run_of_another_engine_is_audited_by_its_first_answers():
    spec = with_engine(EXPERIMENT.grid("smoke", "sound"), "rllib")[0]
    assert EXPERIMENT.repeating(spec).same_class == "distribution"
    assert EXPERIMENT.repeating(SMOKE[0]).same_class == "bitwise"
    own = replace(spec, training=replace(spec.training, engine="actor_learner", actors=1))
    record, _ = compute.record(own)
    outcome = compute.outcome(spec, Context(first_numbers=True))
    record |= {"spec": spec.canonical(), "run": spec.id, "fingerprint": outcome.fingerprint}
    found = check(record, load=None)
    assert (found.agrees, found.how, found.unchecked) == (True, "first numbers", "all")
    wrong = {name: [2 * value for value in values] for name, values in outcome.fingerprint.items()}
    assert check(record | {"fingerprint": wrong}, load=None).agrees is False


def test_levels_are_reached_twice_in_a_row():
    found = run.reached([100_000 * k for k in range(2, 7)], [0.8, 0.7, 0.92, 0.91, 0.95])
    early = (0.8 + 0.7 + 0.92 + 0.91) / 4  # up to half a million
    assert found == {
        "late_mean": 0.856,
        "late_early": early,
        "decisions_to_75": 400_000,
        "decisions_to_90": 400_000,
    }


def frames():
    def row(name, variant, trial, mean):
        run = {"model": name, "variant": variant, "trial": trial}
        return {**run, "late_mean": mean, "late_greedy": mean, "size": 500_000}

    one = [row("simplicial", "tokens, scoring", k, 0.8 + k / 100) for k in range(5)]
    two = [row("relational", "tokens, scoring", k, 0.7 + k / 100) for k in range(5)]
    return {"sound": pd.DataFrame(one + two)}


def test_leads_and_levels():
    pair = ["simplicial: tokens, scoring", "relational: tokens, scoring"]
    (point,) = measures.lead(frames(), "sound", agents=pair).points
    assert point.interval.estimate == pytest.approx(0.1) and point.interval.low > 0
    (point,) = measures.lead(frames(), "sound", agents=pair[::-1]).points
    assert point.interval.estimate == pytest.approx(-0.1) and point.interval.high < 0
    (point,) = measures.level(frames(), "sound", agent=pair[0]).points
    assert point.interval.estimate == pytest.approx(0.82)
    (once,) = measures.lead(frames(), "sound", agents=pair, looks=1).points
    (twice,) = measures.lead(frames(), "sound", agents=pair).points
    assert once.interval.low > twice.interval.low
    with pytest.raises(NotRun, match="no run of wide: tokens, scoring"):
        measures.level(frames(), "sound", agent="wide: tokens, scoring")
