"""Computing one run: an agent learns by reward, and is tested on late puzzles.

Metrics: ``late_greedy`` and ``late_sampled``, win rates on late puzzles (chance is about 1/2);
``late_mean``, the greedy one's mean over the looks on the way, and ``late_early``, over those of
the first half million decisions (`EARLY`), so that budgets do not matter; ``decisions_to_75`` and
``decisions_to_90``, those at the first of two looks in a row at that win rate or above, None if
there are none; ``parameters``.
"""

from collections.abc import Sequence

import torch
from torch import nn

from ...records.spec import Spec
from ...tasks.randomness import generator
from ...training.actor_learner import ActorLearner
from ...training.drive import drive
from ...training.outcome import FIRST_LOSSES, Outcome, by_name, curve
from ..context import Context
from .play import Worlds, build, late, win_rate

LEVELS = {"75": 0.75, "90": 0.90}
EARLY = 500_000


def learner(spec: Spec, context: Context) -> ActorLearner:
    """The agent of a spec's first trial, with its worlds; torch's generator is the caller's to
    seed."""
    rules, sees = spec.task.rules, spec.model.observation
    trial = spec.trials.first
    agent = build(spec.model, rules).to(context.device)
    looked = late(rules, spec.task.validation, generator(trial, "agents, validation"))
    train = generator(trial, "agents, train")
    worlds = Worlds(rules, spec.training.worlds, train, sees, context.device)

    def look(agent: nn.Module) -> dict[str, float]:
        return {"late": win_rate(agent, looked, sees, device=context.device)}

    limit = 1 if context.first_numbers else None
    return ActorLearner(agent, worlds, spec.training, look=look, limit=limit)


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the agent of a spec, which has one trial."""
    learning = learner(spec, context)
    with torch.no_grad():
        answer = learning.agent(learning.game.look().observation)
    first = {"logits": answer.logits.flatten(), "values": answer.value}
    fingerprint = {name: part[:FIRST_LOSSES].tolist() for name, part in first.items()}
    drive(learning, context.checkpoint(spec), context.progress)
    if context.first_numbers:
        return Outcome({}, learning.first_losses, fingerprint=fingerprint)
    history = learning.history
    puzzles = late(spec.task.rules, spec.task.test, generator(spec.trials.first, "agents, test"))
    metrics = reached([entry["decisions"] for entry in history], [one["late"] for one in history])
    for name, greedy in (("late_greedy", True), ("late_sampled", False)):
        ways = {"greedy": greedy, "device": context.device}
        metrics[name] = win_rate(learning.agent, puzzles, spec.model.observation, **ways)
    metrics["parameters"] = sum(one.numel() for one in learning.agent.parameters())
    seen = [{name: torch.tensor([float(x)]) for name, x in entry.items()} for entry in history]
    points = curve(
        [{**one, "update": old["update"]} for one, old in zip(seen, history, strict=True)]
    )
    state = {name: value.detach()[None] for name, value in learning.agent.state_dict().items()}
    return Outcome(by_name([metrics]), learning.first_losses, points, state, fingerprint)


def reached(decisions: Sequence[int], rates: Sequence[float]) -> dict[str, float | None]:
    """How soon a level is reached, and the mean on the way.

    Example:
        >>> reached([10, 20, 30, 40], [0.5, 0.8, 0.8, 1.0])
        {'late_mean': 0.775, 'late_early': 0.775, 'decisions_to_75': 20, 'decisions_to_90': None}
    """
    early = [rate for at, rate in zip(decisions, rates, strict=True) if at <= EARLY] or rates[:1]
    found: dict[str, float | None] = {
        "late_mean": round(sum(rates) / len(rates), 9),
        "late_early": round(sum(early) / len(early), 9),
    }
    for name, level in LEVELS.items():
        pairs = zip(decisions, rates, rates[1:], strict=False)
        soon = (at for at, now, after in pairs if min(now, after) >= level)
        found[f"decisions_to_{name}"] = next(soon, None)
    return found
