"""The actor-learner: its losses against loops, what it learns, and how it goes on after a stop."""

import re
from collections import namedtuple
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from abstractor_lib.training import drive as driving
from abstractor_lib.training.actor_learner import (
    ActorLearner,
    Play,
    Seen,
    Turn,
    log_policy,
    losses,
    sampled,
)
from abstractor_lib.training.checkpoint import Checkpoint
from abstractor_lib.training.drive import drive
from abstractor_lib.training.reinforcement import Reinforcement
from abstractor_lib.training.vtrace import vtrace

RULES = Reinforcement(
    decisions=4096,
    worlds=16,
    unroll=4,
    passes=1,
    parts=1,
    discount=0.9,
    entropy=0.01,
    value=0.5,
    clip_ratio=None,
    reduction="mean",
    optimiser="adam",
    learning_rate=0.02,
    epsilon=1e-8,
    largest_norm=1.0,
    look_every=16,
)
Answer = namedtuple("Answer", "logits value")


class Corridor:
    """Two steps to the right win; one to the left of the start loses. Going up is not allowed."""

    device = torch.device("cpu")

    def __init__(self, worlds=16, seed=0):
        self.generator = np.random.default_rng(seed)
        self.place = torch.from_numpy(self.generator.integers(0, 2, worlds))

    def look(self):
        allowed = torch.tensor([True, True, False]).expand(len(self.place), -1)
        return Seen(nn.functional.one_hot(self.place, 2).float(), allowed)

    def step(self, actions):
        assert (actions < 2).all()
        moved = self.place + 2 * actions - 1
        won, lost = moved == 2, moved < 0
        fresh = torch.from_numpy(self.generator.integers(0, 2, len(moved)))
        self.place = torch.where(won | lost, fresh, moved)
        return Turn(won.float(), won | lost, won)

    def state_dict(self):
        return {"place": self.place, "generator": self.generator.bit_generator.state}

    def load_state_dict(self, state):
        self.place = state["place"]
        self.generator.bit_generator.state = state["generator"]


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy, self.value = nn.Linear(2, 3), nn.Linear(2, 1)

    def forward(self, seen):
        return Answer(self.policy(seen), self.value(seen).squeeze(-1))


def learner(rules=RULES, **more):
    torch.manual_seed(1)
    return ActorLearner(Agent(), Corridor(rules.worlds), rules, **more)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"passes": 2, "parts": 2, "clip_ratio": 0.2},
        {"optimiser": "rmsprop", "epsilon": 0.1, "reduction": "sum", "decisions": 16384},
    ],
)
def test_it_learns_to_go_right(change):
    learning = learner(replace(RULES, **change))
    before = learning.play()
    drive(learning)
    logits = learning.agent(torch.eye(2)).logits
    policy = log_policy(logits, torch.tensor([True, True, False])).exp()
    assert (policy[:, 1] > 0.9).all() and policy[0, 2] == 0
    wins = [entry["win_rate"] for entry in learning.history]
    assert wins[-1] > 0.9 and (before.rewards.mean() < 0.5)
    # two steps from the start on: 0.9 and 1 are what is left to win
    expected = learning.agent(torch.eye(2)).value
    torch.testing.assert_close(expected, torch.tensor([0.9, 1.0]), rtol=0, atol=0.15)


def test_against_a_loop_over_steps_and_worlds():
    learning = learner(replace(RULES, worlds=3))
    play = learning.play()
    with torch.no_grad():  # another policy than that which played
        for one in learning.agent.parameters():
            one.add_(torch.randn_like(one) / 4)
    rules = replace(RULES, reduction="sum", entropy=0.3)
    found = losses(learning.agent, play, rules)
    policy = value = entropy = 0.0
    answers = [learning.agent(seen) for seen in play.observations]
    values = torch.stack([answer.value for answer in answers]).detach()
    ratios = torch.zeros(4, 3)
    logs = {}
    for step in range(4):
        for world in range(3):
            log = answers[step].logits[world, :2].log_softmax(0)  # the third is not allowed
            action = play.actions[step, world]
            logs[step, world] = log
            ratios[step, world] = (log[action] - play.log_played[step, world]).exp().detach()
    targets = vtrace(ratios, play.discounts, play.rewards, values)
    for (step, world), log in logs.items():
        action = play.actions[step, world]
        policy = policy - log[action] * targets.advantages[step, world]
        value = value + (targets.values[step, world] - answers[step].value[world]) ** 2 / 2
        entropy = entropy - (log.exp() * log).sum()
    parts = (policy + 0.5 * value - 0.3 * entropy, policy, value, entropy)
    for one, expected in zip(found, parts, strict=True):
        torch.testing.assert_close(one, expected, rtol=1e-5, atol=1e-6)


def test_the_last_step_as_bootstrap_is_a_play_that_stopped_a_step_earlier():
    learning = learner(replace(RULES, worlds=3))
    play = learning.play()
    rules = replace(RULES, reduction="sum", bootstrap="last")
    found = losses(learning.agent, play, rules)
    answers = [learning.agent(seen) for seen in play.observations[:4]]
    values = torch.stack([answer.value for answer in answers])
    targets = vtrace(torch.ones(3, 3), play.discounts[:3], play.rewards[:3], values.detach())
    expected = (targets.values - values[:3]).square().sum() / 2
    torch.testing.assert_close(found.value, expected)


def test_clipped_losses_have_no_gradient_where_the_ratio_went_too_far():
    class Fixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.logits = nn.Parameter(torch.tensor([[2.0, 0.0], [0.0, 0.0]]))

        def forward(self, seen):
            return Answer(self.logits.expand(len(seen) // 2, -1, -1).flatten(0, 1), seen[:, 0])

    agent = Fixed()
    play = Play(
        torch.zeros(2, 2, 1),
        torch.ones(2, 2, 2, dtype=torch.bool),
        torch.zeros(1, 2, dtype=torch.int64),
        torch.full((1, 2), np.log(0.5)),
        torch.tensor([[1.0, -1.0]]),  # the first was good, and is chosen much more often already
        torch.zeros(1, 2),
    )
    losses(agent, play, replace(RULES, clip_ratio=0.2, entropy=0.0)).total.backward()
    assert agent.logits.grad[0].abs().max() == 0 and agent.logits.grad[1].abs().min() > 0


def test_clipped_losses_are_numbers_where_the_ratio_is_too_small_for_one():
    learning = learner()
    play = learning.play()
    play = play._replace(log_played=play.log_played.clone())
    play.log_played[0, 0] = 400.0
    assert losses(learning.agent, play, replace(RULES, clip_ratio=0.2)).total.isfinite()


def test_actions_are_drawn_from_the_policy():
    torch.manual_seed(0)
    log_all = log_policy(
        torch.tensor([1.0, 0.0, 5.0, -1.0]), torch.tensor([True, True, False, True])
    )
    drawn = sampled(log_all.expand(40_000, -1)).bincount(minlength=4) / 40_000
    torch.testing.assert_close(drawn, log_all.exp(), rtol=0, atol=0.01)
    assert drawn[2] == 0


def test_it_goes_on_exactly_where_it_was_stopped(tmp_path, monkeypatch):
    rules = replace(RULES, decisions=1280, passes=2, parts=2, look_every=5)
    whole = learner(rules, look=lambda agent: {"seen": 1.0})
    drive(whole)
    some = learner(rules, look=lambda agent: {"seen": 1.0})
    checkpoint = Checkpoint(tmp_path, "one")
    for _ in range(7):
        some.step()
    checkpoint.save(some.state_dict())
    torch.manual_seed(99)
    rest = learner(rules, look=lambda agent: {"seen": 1.0})
    told = []
    monkeypatch.setattr(driving, "PROGRESS_SECONDS", 0.0)
    drive(rest, Checkpoint(tmp_path, "one"), lambda *words: told.append(words))
    for name, value in whole.agent.state_dict().items():
        torch.testing.assert_close(rest.agent.state_dict()[name], value, rtol=0, atol=0)
    assert rest.history == whole.history and rest.first_losses == whole.first_losses
    assert told[0][:2] == (8, 20) and told[-1][:2] == (20, 20)
    assert re.fullmatch(r"1,280 decisions, [\d,]+/s, won \d+%", told[-1][2])


def test_a_state_of_another_budget_and_worlds_that_cannot_be_shared_are_errors():
    state = learner().state_dict()
    with pytest.raises(ValueError, match="the state's budget is 64; expected 32"):
        learner(replace(RULES, decisions=2048)).load_state_dict(state)
    with pytest.raises(ValueError, match="worlds is 16 and parts 3; expected a multiple of it"):
        learner(replace(RULES, parts=3))
    with pytest.raises(ValueError, match="unroll is 1 with bootstrap 'last'"):
        learner(replace(RULES, unroll=1, bootstrap="last"))
    ended = learner(limit=0)
    with pytest.raises(RuntimeError, match="learning ended at update 0"):
        ended.step()
