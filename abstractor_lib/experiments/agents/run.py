"""Computing one run: an agent learns by reward, and is tested on late puzzles.

Metrics: ``late_greedy`` and ``late_sampled``, win rates on late puzzles (chance is about 1/2);
``late_mean``, the greedy one's mean over the looks on the way, and ``late_early``, over those of
the first half million decisions (`EARLY`), so that budgets do not matter; ``decisions_to_75`` and
``decisions_to_90``, those at the first of two looks in a row at that win rate or above, None if
there are none; ``parameters``. Of single steps, in place of win rates on late puzzles, that of all
episodes which ended between the last looks, a tenth of all, ``last_win_rate``. Of the small world,
which has no late puzzles, that and ``mean_win_rate``, the mean over all looks.
"""

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import nn

from ...nn.agents import ActorCritic
from ...nn.initialise import initialise
from ...records.spec import Spec
from ...tasks.randomness import generator
from ...training.actor_learner import ActorLearner
from ...training.drive import drive
from ...training.outcome import FIRST_LOSSES, Outcome, by_name, curve
from ..context import Context
from .play import Worlds, build, late, win_rate
from .settings import QUANTILES

if TYPE_CHECKING:  # it imports RLlib, which takes seconds
    from ...training.rllib import Impala

LEVELS = {"75": 0.75, "90": 0.90}
EARLY = 500_000


def learner(spec: Spec, context: Context) -> "ActorLearner | Impala":
    """The agent of a spec's first trial, with its worlds; torch's generator is the caller's to
    seed."""
    agent = new_agent(spec, context)
    if spec.training.engine == "rllib":
        return on_rllib(spec, agent, context)
    if not spec.task.macro:
        return stepper(spec, agent, context)
    rules, sees, trial = spec.task.rules, spec.model.observation, spec.trials.first
    worlds = new_worlds(spec, context)
    limit = 1 if context.first_numbers else None
    if not spec.task.test:
        return ActorLearner(agent, worlds, spec.training, limit=limit)
    looked = late(rules, spec.task.validation, generator(trial, "agents, validation"))

    def look(agent: nn.Module) -> dict[str, float]:
        return {"late": win_rate(agent, looked, sees, device=context.device)}

    return ActorLearner(agent, worlds, spec.training, look=look, limit=limit)


def new_agent(spec: Spec, context: Context) -> ActorCritic:
    """The agent of a spec before it learns."""
    agent = build(spec.model, spec.task.rules, spec.task.macro).to(context.device)
    return agent if spec.task.macro else initialise(agent, "keras")


def new_worlds(spec: Spec, context: Context) -> Worlds:
    """What it plays."""
    train = generator(spec.trials.first, "agents, train")
    sees = spec.model.observation, context.device
    return Worlds(spec.task.rules, spec.training.worlds, train, *sees, macro=spec.task.macro)


def on_rllib(spec: Spec, agent: ActorCritic, context: Context) -> "Impala":
    """An agent whose worlds are played by RLlib's actors.

    Raises:
        Unavailable: if RLlib is not installed.
        ValueError: for another device than the CPU.
    """
    from ...training.rllib import Impala, World
    from .flat import FlatWorlds

    if context.device != "cpu":
        raise ValueError(f"device is {context.device!r}; RLlib's learner is only run on the cpu")
    task, sees = spec.task, spec.model.observation
    seen = new_worlds(spec, context).look()
    options = {"rules": task.rules, "observation": sees, "macro": task.macro}
    world = World(FlatWorlds, options, seen.observation.shape[1:], seen.allowed.shape[1])
    return Impala(agent, world, spec.training, context.seed % 2**31)


def stepper(spec: Spec, agent: nn.Module, context: Context) -> ActorLearner:
    """An agent with worlds in which it takes single steps. Looks tell how large mean squares of its
    gradients are, as shares of epsilon: where they are above one, RMSProp cuts steps."""
    limit = 1 if context.first_numbers else None

    def look(_: nn.Module) -> dict[str, float]:
        states = learning.optimiser.state.values()
        squares = torch.cat([state["square"].flatten() for state in states])
        shares = torch.quantile(squares.cpu(), torch.tensor(QUANTILES)) / spec.training.epsilon
        names = (f"square_{quantile}" for quantile in QUANTILES)
        return dict(zip(names, shares.tolist(), strict=True))

    learning = ActorLearner(agent, new_worlds(spec, context), spec.training, look=look, limit=limit)
    return learning


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the agent of a spec, which has one trial."""
    if context.first_numbers and spec.training.engine == "rllib":  # which may not be here
        return Outcome({}, [], fingerprint=first_answers(new_agent(spec, context), spec, context))
    learning = learner(spec, context)
    fingerprint = first_answers(learning.agent, spec, context)
    drive(learning, context.checkpoint(spec), context.progress)
    if context.first_numbers:
        return Outcome({}, learning.first_losses, fingerprint=fingerprint)
    history = learning.history
    if spec.task.macro and spec.task.test:
        metrics = late_rates(spec, learning, context)
    else:
        metrics = last(history, spec.training.look_every)
    if spec.task.macro and not spec.task.test:
        metrics["mean_win_rate"] = statistics.fmean(look["win_rate"] for look in history)
    metrics["parameters"] = sum(one.numel() for one in learning.agent.parameters())
    seen = [{name: torch.tensor([float(x)]) for name, x in entry.items()} for entry in history]
    points = curve(
        [{**one, "update": old["update"]} for one, old in zip(seen, history, strict=True)]
    )
    state = {name: value.detach()[None] for name, value in learning.agent.state_dict().items()}
    return Outcome(by_name([metrics]), learning.first_losses, points, state, fingerprint)


@torch.no_grad()
def first_answers(agent: nn.Module, spec: Spec, context: Context) -> dict[str, list[float]]:
    """What an agent says of the worlds as they begin: some numbers of it."""
    answer = agent(new_worlds(spec, context).look().observation)
    first = {"logits": answer.logits.flatten(), "values": answer.value}
    return {name: part[:FIRST_LOSSES].tolist() for name, part in first.items()}


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
