"""Agents that copy an oracle: sizes of the paper, states worth copying, what a run measures."""

import numpy as np
import pandas as pd
import pytest
import torch

from abstractor_lib import experiments
from abstractor_lib.execution.compute import alone, outcome
from abstractor_lib.experiments.cloning import data, measures, results, run
from abstractor_lib.findings.measures import NotRun
from abstractor_lib.nn.agents import Answer
from abstractor_lib.tasks.box_world.batched import BoxWorlds
from abstractor_lib.tasks.box_world.play import play
from abstractor_lib.tasks.box_world.policies import POLICIES
from abstractor_lib.tasks.box_world.puzzles import draw
from abstractor_lib.tasks.box_world.rules import EMPTY, Rules

EXPERIMENT = experiments.get("cloning")
LAPTOP = EXPERIMENT.grid("laptop", "sound")
SMOKE = EXPERIMENT.grid("smoke", "sound")
RULES = Rules(bridges=1.0, shortest=2)


def built(name, readout):
    spec = next(s for s in LAPTOP if (s.model.name, s.model.readout) == (name, readout))
    return run.Chooser(spec.model, spec.task)


def parameters(module):
    return sum(one.numel() for one in module.parameters())


def test_agents_that_see_pictures_have_the_papers_sizes_but_for_the_number_of_actions():
    """239,241 and 365,513 with four single steps; here are nine slots to choose from."""
    seeing = {s.model.name: s for s in LAPTOP if s.part == "picture"}
    sizes = {name: parameters(run.Chooser(s.model, s.task)) for name, s in seeing.items()}
    more = (9 - 4) * (256 + 1)
    assert sizes == {"relational": 239_241 + more, "simplicial": 365_513 + more}


def test_controls_differ_in_norms_alone():
    """Gains and shifts of two iterations: of 48 features of a pair; of 192 projections, not 64."""
    plain = {name: parameters(built(name, "scoring")) for name in ("relational", "simplicial")}
    assert plain["simplicial"] - parameters(built("unnormalised", "scoring")) == 2 * 2 * 48
    more = parameters(built("projections", "scoring")) - plain["relational"]
    assert more == 2 * 2 * (192 - 64)


def test_initial_weights_are_those_of_glorot():
    torch.manual_seed(0)
    weight = built("simplicial", "maximum").agent.readout.policy.weight
    limit = (6 / (256 + 9)) ** 0.5
    assert 0.95 * limit < weight.abs().max() <= limit


def test_states_are_those_before_a_bridge_that_can_be_opened():
    """Played on from: the one choice that is not the oracle's ends the episode, no other does."""
    puzzles = draw(np.random.default_rng(0), RULES, 200)
    found = data.states(puzzles, np.random.default_rng(1), "picture")
    random, left = np.random.default_rng(1), torch.ones(200, dtype=torch.bool)
    worlds = BoxWorlds(RULES, 200, random, macro=True)  # as in `states`, so that play is the same
    worlds.reset(puzzles=puzzles)
    while left.any():
        same = left & (worlds.images() == found.seen).flatten(1).all(dim=1)
        if same.any():
            choices = found.choices[same]
            allowed = worlds.masks()[same][:, : choices.shape[1]]
            assert torch.equal(choices > 0, allowed)
            assert ((choices == data.ALLOWED).sum(dim=1) == 1).all()
            trial = BoxWorlds(RULES, 200, np.random.default_rng(3), macro=True)
            for wanted in (data.RIGHT, data.ALLOWED):
                trial.load_state_dict(worlds.state_dict())
                chosen = (found.choices == wanted).int().argmax(dim=1)
                steps = trial.step(torch.where(same, chosen, 0))
                lost = steps.ended[same] & ~trial.solved[same]
                assert lost.all() if wanted == data.ALLOWED else not lost.any()
            left &= ~same
        before = worlds.over
        random.random(200)
        worlds.step(data.ORACLE(worlds.codes(), RULES, random))
        assert not (left & before).any()


def test_every_state_of_a_play_is_as_likely():
    """A puzzle of length 2 whose bridge is open to the oracle in one, two or three states."""
    puzzles = draw(np.random.default_rng(5), Rules(bridges=1.0, shortest=2, longest=2), 1)
    many = puzzles[np.zeros(4000, dtype=int)]
    found = data.states(many, np.random.default_rng(0), "tiles").seen
    held = (found[:, :, -1] != EMPTY).sum(dim=1)  # what the inventory holds tells states apart
    met, drawn = np.zeros(3), np.bincount(held, minlength=3)[:3]
    worlds = BoxWorlds(many.rules, 4000, np.random.default_rng(1), macro=True)
    worlds.reset(puzzles=many)
    random = np.random.default_rng(1)
    plays = []
    while not worlds.over.all():
        codes = worlds.codes()
        view = data.look(codes, many.rules)
        open_ = (view.takeable & data.bridge(view)).any(dim=1) & ~worlds.over
        plays.append((open_, (codes[:, :, -1] != EMPTY).sum(dim=1)))
        worlds.step(data.ORACLE(codes, many.rules, random))
    counts = torch.stack([one for one, _ in plays]).sum(dim=0)
    for one, keys in plays:
        for number in range(3):
            met[number] += ((one & (keys == number)) / counts).sum().item()
    np.testing.assert_allclose(drawn / 4000, met / 4000, atol=0.04)


def test_puzzles_without_a_bridge_are_refused():
    puzzles = draw(np.random.default_rng(0), Rules(bridges=0.0), 3)
    with pytest.raises(ValueError, match="puzzles holds one without a bridge"):
        data.states(puzzles, np.random.default_rng(0), "tokens")


def test_scripts_win_what_they_win_elsewhere():
    puzzles = draw(np.random.default_rng(0), RULES, 4000)
    found = data.scripted(POLICIES["boxes_last"], puzzles, np.random.default_rng(1))
    wanted = play(POLICIES["boxes_last"], RULES, 4000, np.random.default_rng(2)).solved.mean()
    assert found == pytest.approx(wanted, abs=0.04)


def test_the_divergence_against_torchs():
    random = torch.Generator().manual_seed(0)
    choices = torch.randint(0, 3, (2, 30, 9), generator=random)
    choices[..., 0] = data.RIGHT
    logits = torch.randn(2, 30, 9, generator=random)
    for trial in range(2):
        each = []
        for row, right in zip(logits[trial], choices[trial] == data.RIGHT, strict=True):
            can = choices[trial][len(each)] > 0
            oracle = right[can].float() / right.sum()
            policy = torch.distributions.Categorical(logits=row[can])
            each.append(
                torch.distributions.kl_divergence(
                    torch.distributions.Categorical(probs=oracle), policy
                )
            )
        found = run.divergence(logits, choices)[trial]
        torch.testing.assert_close(found, torch.stack(each).mean(), rtol=1e-4, atol=1e-5)


def test_the_divergence_is_zero_of_the_oracles_own_policy():
    choices = torch.tensor([[[2, 1, 2, 0]]])
    logits = torch.tensor([[[0.0, -50.0, 0.0, 90.0]]])  # the last is not allowed
    assert run.divergence(logits, choices).item() == pytest.approx(0, abs=1e-6)
    assert run.agrees(logits, choices).tolist() == [[True]]
    assert run.agrees(-logits, choices).tolist() == [[False]]


def test_a_seed_sees_the_same_puzzles_whatever_the_agent_and_others_in_each_part():
    one, other = (s for s in SMOKE if s.part == "")
    for part in ("train", "validation", "test"):
        first, second = (run.examples(spec)(part) for spec in (one, other))
        assert torch.equal(first.inputs, second.inputs)
        assert torch.equal(first.targets, second.targets)
    boards = {part: run.puzzles(one, part).board for part in ("train", "validation", "test")}
    flat = {part: {row.tobytes() for row in board} for part, board in boards.items()}
    assert not flat["train"] & flat["validation"] and not flat["train"] & flat["test"]
    assert (run.puzzles(one, "test").kinds[:, 1] > 1).all()


@pytest.mark.parametrize("spec", SMOKE, ids=lambda s: f"{s.model.name} {s.part}")
def test_a_run_measures_the_agent_and_what_needs_none(spec):
    found = outcome(spec, alone()).metrics
    names = ("late_greedy", "constant_late", "script_late")
    names += ("accuracy", "constant_accuracy", "random_accuracy")
    for name in names:
        assert 0 <= found[name][0] <= 1
    choices = run.examples(spec)("test").targets[0]
    chance = ((choices == data.RIGHT).sum(dim=1) / (choices > 0).sum(dim=1)).mean()
    assert found["random_accuracy"][0] == pytest.approx(chance.item())
    assert found["parameters"][0] == parameters(run.Chooser(spec.model, spec.task))


def test_who_agrees_with_the_oracle_everywhere_wins_everything():
    """An agent that copies exactly: the accuracy on states tells what play gives."""
    spec = next(s for s in SMOKE if s.model.observation == "picture")
    puzzles = run.puzzles(spec, "test")

    class Oracle(torch.nn.Module):
        def forward(self, codes):
            view = data.look(codes, RULES)
            logits = -100.0 * data.bridge(view)[:, :9].float()
            return Answer(logits, logits[:, 0])

    assert run.win_rate(Oracle(), puzzles, "tiles") == 1.0


def frames():
    def row(name, size, trial, won):
        run = {"model": name, "variant": "tokens, scoring", "trial": trial, "size": size}
        return {**run, "late_greedy": won}

    one = [row("simplicial", n, k, 0.7 + n / 100 + k / 100) for k in range(5) for n in (10, 20)]
    two = [row("relational", n, k, 0.6 + n / 100 + k / 100) for k in range(5) for n in (10, 20)]
    return {"sound": pd.DataFrame(one + two)}


def test_leads_and_levels():
    pair = ["simplicial: tokens, scoring", "relational: tokens, scoring"]
    for size in (None, 10):
        (point,) = measures.lead(frames(), "sound", agents=pair, size=size).points
        assert point.interval.estimate == pytest.approx(0.1) and point.interval.low > 0
        assert "5 against 5 seeds" in point.label
    (point,) = measures.level(frames(), "sound", agent=pair[0], size=20).points
    assert point.interval.estimate == pytest.approx(0.92)
    with pytest.raises(NotRun, match="no run of relational: tokens, scoring trained on 40 puzzles"):
        measures.level(frames(), "sound", agent=pair[1], size=40)
    with pytest.raises(NotRun, match="no run of wide: tokens, scoring"):
        measures.lead(frames(), "sound", agents=[pair[0], "wide: tokens, scoring"])


def test_tables_are_of_runs():
    table = frames()["sound"].assign(parameters=7, accuracy=0.9, updates=100)
    named = {"script_late": 0.5, "constant_late": 0.4, "constant_accuracy": 0.6}
    table = table.assign(**named, random_accuracy=0.55)
    row = results.summary(table).loc["tokens, scoring", "simplicial", 20]
    assert (row["seeds"], row["least"], row["most"]) == (5, pytest.approx(0.9), pytest.approx(0.94))
    assert row["late puzzles won"] == pytest.approx(0.92)
    beside = results.baselines(table)
    assert beside.loc["a constant order of slots"].tolist() == pytest.approx([0.4, 0.6])
    assert beside["late puzzles won"].isna().sum() == 1
