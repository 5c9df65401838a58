"""Computing one run: an agent learns by reward, and is tested on late puzzles.

Metrics: ``late_greedy`` and ``late_sampled``, win rates on late puzzles (chance is about 1/2);
``late_mean``, the greedy one's mean over the looks on the way, and ``late_early``, over those of
the first half million decisions (`EARLY`), so that budgets do not matter; ``decisions_to_75`` and
``decisions_to_90``, those at the first of two looks in a row at that win rate or above, None if
there are none; ``parameters``. Of single steps, in place of win rates on late puzzles, that of all
episodes which ended between the last looks, a tenth of all, ``last_win_rate``.
"""

from collections.abc import Sequence

import torch
from torch import nn

from ...nn.initialise import initialise
from ...records.spec import Spec
from ...tasks.randomness import generator
from ...training.actor_learner import ActorLearner
from ...training.drive import drive
from ...training.outcome import FIRST_LOSSES, Outcome, by_name, curve
from ..context import Context
from .play import Worlds, build, late, win_rate

LEVELS = {"75": 0.75, "90": 0.90}
EARLY = 500_000
QUANTILES = (0.5, 0.9, 0.99, 0.999)


def learner(spec: Spec, context: Context) -> ActorLearner:
    """The agent of a spec's first trial, with its worlds; torch's generator is the caller's to
    seed."""
    rules, sees = spec.task.rules, spec.model.observation
    trial = spec.trials.first
    agent = build(spec.model, rules, spec.task.macro).to(context.device)
    if not spec.task.macro:
        return stepper(spec, initialise(agent, "keras"), context)
    looked = late(rules, spec.task.validation, generator(trial, "agents, validation"))
    train = generator(trial, "agents, train")
    worlds = Worlds(rules, spec.training.worlds, train, sees, context.device)

    def look(agent: nn.Module) -> dict[str, float]:
        return {"late": win_rate(agent, looked, sees, device=context.device)}

    limit = 1 if context.first_numbers else None
    return ActorLearner(agent, worlds, spec.training, look=look, limit=limit)


def stepper(spec: Spec, agent: nn.Module, context: Context) -> ActorLearner:
    """An agent with worlds in which it takes single steps. Looks tell how large mean squares of its
    gradients are, as shares of epsilon: where they are above one, RMSProp cuts steps."""
    train = generator(spec.trials.first, "agents, train")
    sees = spec.model.observation, context.device
    worlds = Worlds(spec.task.rules, spec.training.worlds, train, *sees, macro=False)
    limit = 1 if context.first_numbers else None

    def look(_: nn.Module) -> dict[str, float]:
        states = learning.optimiser.state.values()
        squares = torch.cat([state["square"].flatten() for state in states])
        shares = torch.quantile(squares.cpu(), torch.tensor(QUANTILES)) / spec.training.epsilon
        names = (f"square_{quantile}" for quantile in QUANTILES)
        return dict(zip(names, shares.tolist(), strict=True))

    learning = ActorLearner(agent, worlds, spec.training, look=look, limit=limit)
    return learning


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
    metrics = (
        late_rates(spec, learning, context)
        if spec.task.macro
        else last(history, spec.training.look_every)
    )
    metrics["parameters"] = sum(one.numel() for one in learning.agent.parameters())
    seen = [{name: torch.tensor([float(x)]) for name, x in entry.items()} for entry in history]
    points = curve(
        [{**one, "update": old["update"]} for one, old in zip(seen, history, strict=True)]
    )
    state = {name: value.detach()[None] for name, value in learning.agent.state_dict().items()}
    return Outcome(by_name([metrics]), learning.first_losses, points, state, fingerprint)


def late_rates(spec: Spec, learning: ActorLearner, context: Context) -> dict[str, float | None]:
    """Metrics of an agent that chooses what to walk to."""
    looks = learning.history
    metrics = reached([look["decisions"] for look in looks], [look["late"] for look in looks])
    puzzles = late(spec.task.rules, spec.task.test, generator(spec.trials.first, "agents, test"))
    for name, greedy in (("late_greedy", True), ("late_sampled", False)):
        ways = {"greedy": greedy, "device": context.device}
        metrics[name] = win_rate(learning.agent, puzzles, spec.model.observation, **ways)
    return metrics


def last(history: Sequence[dict[str, float]], every: int) -> dict[str, float | None]:
    """Metrics of an agent that takes single steps. A look at the end that is not ``every`` updates
    after the one before is left out, so that all weigh the same.

    Example:
        >>> last([{"update": 4, "win_rate": 0.5}, {"update": 5, "win_rate": 1.0}], every=4)
        {'last_win_rate': 0.5}
    """
    whole = [look["win_rate"] for look in history if look["update"] % every == 0]
    rates = whole[-max(len(whole) // 10, 1) :]
    return {"last_win_rate": sum(rates) / len(rates) if rates else None}


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
