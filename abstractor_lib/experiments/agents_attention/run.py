"""Computing one run: what agents read at the forks of late puzzles.

Metrics of a trial, which has puzzles of its own:

- ``pairs_over_uniform``: attention to the pairs that matter, as a multiple of what uniform
  attention gives them; see `reading.that_matter`.
- ``pairs_over_boxes``: the same, as a multiple of that to the held key and any two boxes.
- ``objects_unlike``: how far an object's attention to pairs is from the mean of all objects, in
  total variation: 0 where all attend alike, at most 1.
- ``largest_pair``: the weight of the pair that an object attends to most, between 1/4 and 1.
- ``gem_and_key_unlike``: as ``objects_unlike``, of the Gem's locks and the held key, minus that of
  all others; see `reading.unlike`.
- ``late_greedy``, ``late_uniform``: the share of the puzzles that a trained agent wins, as it is,
  and if every pair weighs the same in both blocks.

Agents play in single precision, as they were trained. They are looked at in double precision, so
that what should be zero is.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace

import torch
from torch import Tensor

from ...nn.agents import ActorCritic
from ...records.spec import Spec
from ...tasks.box_world.puzzles import Puzzles
from ...tasks.randomness import generator
from ...training.outcome import FIRST_LOSSES, Outcome, by_name
from ..agents.play import build, late, win_rate, with_weights
from ..agents.settings import Model as Agent
from ..agents.settings import Task as World
from ..context import Context
from .forks import Forks, forks
from .grid import trained
from .reading import largest, of_any_boxes, that_matter, unlike

DIGITS = 9  # after the point; what is smaller is rounding


def compute(spec: Spec, context: Context) -> Outcome:
    """Look at the agents of a spec; torch's default generator is the caller's to seed."""
    rows, first = [], {}
    for number, (agent, uniform) in zip(spec.trials, agents(spec, context), strict=True):
        drawn = puzzles(agent_spec(spec).task, spec.task.puzzles, number)
        numbers, found = looked(agent, forks(drawn))
        first = first or numbers
        if context.first_numbers:
            return Outcome({}, [], fingerprint=first)
        if uniform is not None:
            found["late_greedy"] = win_rate(agent, drawn, "tokens")
            found["late_uniform"] = win_rate(uniform, drawn, "tokens")
        rows.append(found)
    return Outcome(by_name(rows), [], fingerprint=first)


def agent_spec(spec: Spec) -> Spec:
    """The run that trained the agent; of untrained agents one that would train such."""
    if spec.parents:
        return spec.parents["agent"].spec
    return trained("laptop", spec.protocol, 0).spec


def agents(spec: Spec, context: Context) -> Iterator[tuple[ActorCritic, ActorCritic | None]]:
    """For each trial its agent: the trained one, each time, with the same where pairs weigh the
    same; or another untrained one."""
    one = agent_spec(spec)
    if not spec.parents:
        yield from ((build(one.model, one.task.rules).eval(), None) for _ in spec.trials)
        return
    _, state = context.parent(spec, "agent")
    pair = with_weights(one.model, one.task, state), without_attention(one.model, one.task, state)
    yield from (pair for _ in spec.trials)


def without_attention(model: Agent, world: World, state: Mapping[str, Tensor]) -> ActorCritic:
    """The same, but every pair weighs the same for every entity, whatever the logits."""
    return with_weights(replace(model, logits="uniform"), world, state)


def puzzles(world: World, count: int, number: int) -> Puzzles:
    """The late puzzles of a trial, the same for all agents."""
    return late(world.rules, count, generator(number, "agents, looking inside"))


@torch.no_grad()
def looked(agent: ActorCritic, at: Forks) -> tuple[dict[str, list[float]], dict[str, float]]:
    """First numbers, and what is measured at forks: means over puzzles, and ratios of such."""
    _, weights = deepcopy(agent).double()(at.tokens, need_weights=True)
    matter, boxes = that_matter(weights, at), of_any_boxes(weights, at)
    named, others, every = (part.mean() for part in unlike(weights, at))
    first = {"pairs that matter": matter[:FIRST_LOSSES].tolist()}
    found = {
        "pairs_over_uniform": matter.mean(),
        "pairs_over_boxes": matter.mean() / boxes.mean(),
        "objects_unlike": every,
        "largest_pair": largest(weights, at).mean(),
        "gem_and_key_unlike": named - others,
    }
    return first, {name: round(value.item(), DIGITS) + 0.0 for name, value in found.items()}
