"""Computing one run: an agent copies the oracle, and plays late puzzles.

Metrics: ``late_greedy``, its win rate on late puzzles with the likeliest choice; ``accuracy``, how
often that choice is one of the oracle's, in a state of each of these puzzles in which the bridge
can be opened; ``constant_late`` and ``constant_accuracy``, likewise of who ranks the slots by how
often the oracle chooses them in training, whatever is seen; ``script_late``, the win rate of a
script that takes boxes last and never asks which; ``random_accuracy``, of who takes any allowed
choice; ``parameters``.

Shapes: ``t`` trials, ``p`` puzzles, ``k`` slots.
"""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor, nn

from ...nn.agents import Answer
from ...nn.initialise import initialise
from ...records.spec import Spec
from ...tasks.box_world.policies import POLICIES
from ...tasks.box_world.puzzles import Puzzles, draw
from ...tasks.randomness import generator
from ...training.actor_learner import IMPOSSIBLE, log_policy
from ...training.examples import Examples
from ...training.objectives import Objective
from ...training.outcome import Outcome
from ...training.trainer import Fitted
from ..agents.play import build, late, win_rate
from ..context import HERE, Context
from ..supervised import supervised
from .data import RIGHT, scripted, states
from .settings import Model, Task

CHUNK = 1000  # states at a time


class Chooser(nn.Module):
    """An agent whose value nobody asks for: what it sees to a logit of each slot."""

    def __init__(self, model: Model, task: Task):
        super().__init__()
        pairs = {} if model.logits is None else {"pair_norm": model.pair_norm}
        self.agent = initialise(build(model, task.rules, norm=model.norm, **pairs), "keras")

    def forward(self, seen: Tensor) -> Tensor:
        return self.agent(seen).logits


def divergence(logits: Tensor, choices: Tensor) -> Tensor:
    """How far a policy is from the oracle's, which takes each of its choices alike: the mean
    Kullback-Leibler divergence, the cross-entropy less what no policy can avoid, ``(t,)``.

    Args:
        logits: ``(t, p, k)``.
        choices: of `States`, ``(t, p, k)``.

    Example:
        >>> choices = torch.tensor([[[2, 1, 2, 0]]])  # three are allowed, two are the oracle's
        >>> divergence(torch.zeros(1, 1, 4), choices)  # log 3 - log 2
        tensor([0.4055])
    """
    right = choices.eq(RIGHT)
    oracle = right / right.sum(dim=-1, keepdim=True)
    policy = log_policy(logits, choices > 0)
    # sum_a q(a) log(q(a) / p(a)), where 0 log 0 is 0
    return (torch.xlogy(oracle, oracle) - oracle * policy).sum(dim=-1).mean(dim=-1)


def agrees(logits: Tensor, choices: Tensor) -> Tensor:
    """Whether the likeliest allowed choice is one of the oracle's, ``(t, p)``."""
    chosen = torch.where(choices > 0, logits, IMPOSSIBLE).argmax(dim=-1, keepdim=True)
    return choices.gather(-1, chosen).squeeze(-1) == RIGHT


OBJECTIVE = Objective(divergence, agrees)


def puzzles(spec: Spec, part: str) -> Puzzles:
    """The puzzles of the first trial: ``train`` and ``validation``, or late ones of ``test``."""
    random = generator(spec.trials.first, f"cloning, {part}")
    count = getattr(spec.task, part)
    if part == "test":
        return late(spec.task.rules, count, random)
    return draw(random, spec.task.rules, count)


def examples(spec: Spec, context: Context = HERE) -> Callable[[str], Examples]:
    """What the one trial of a spec sees and copies, by part."""

    @cache
    def part(name: str) -> Examples:
        ties = generator(spec.trials.first, f"cloning, {name}, ties")
        found = states(puzzles(spec, name), ties, spec.model.observation)
        seen, choices = (one[None].to(context.device) for one in found)
        return Examples(seen, choices)

    return part


def choices(part: Examples) -> Tensor:
    """What is asked of each choice of an example."""
    assert isinstance(part.targets, Tensor)
    return part.targets


def compute(spec: Spec, context: Context) -> Outcome:
    """Train and test the agent of a spec, which has one trial."""
    read = examples(spec, context)

    def scores(fitted: Fitted) -> dict[str, list]:
        test, tested = read("test"), puzzles(spec, "test")
        copied, right = choices(read("train")), choices(test)  # (1, p, k)
        outputs = fitted.predict(test.inputs, CHUNK)  # (1, p, k)
        often = copied.eq(RIGHT).float().mean(dim=1, keepdim=True)  # (1, 1, k)
        script = POLICIES["boxes_last"]

        def plays(choose: Callable[[Tensor], Tensor]) -> float:
            def agent(seen: Tensor) -> Answer:
                logits = choose(seen)
                return Answer(logits, logits[:, 0])

            return win_rate(agent, tested, spec.model.observation, device=context.device)

        allowed = right.gt(0).sum(dim=-1)
        return {
            "late_greedy": [plays(lambda seen: fitted.predict(seen[None], CHUNK)[0])],
            "accuracy": _mean(agrees(outputs, right)),
            "constant_late": [plays(lambda seen: often[0].expand(len(seen), -1))],
            "constant_accuracy": _mean(agrees(often.expand_as(outputs), right)),
            "script_late": [
                scripted(script, tested, generator(spec.trials.first, "cloning, script"))
            ],
            "random_accuracy": _mean(right.eq(RIGHT).sum(dim=-1) / allowed),
            "parameters": [sum(one[0].numel() for one in fitted.parameters.values())],
        }

    return supervised(
        spec, context, read, lambda: Chooser(spec.model, spec.task), scores, objective=OBJECTIVE
    )


def _mean(values: Tensor) -> list[float]:
    return values.double().mean(dim=1).tolist()
