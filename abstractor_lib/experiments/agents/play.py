"""Bridge Box World as agents play it here: a choice of what to walk to, as tokens or as pictures.

Shapes: ``w`` worlds, ``r`` rows, ``c`` columns of the board, ``k`` slots.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...nn.agents import (
    ActorCritic,
    Answer,
    MaximumReadout,
    PictureEntities,
    ScoringReadout,
    TokenEntities,
    relational_transformer,
    simplicial_transformer,
)
from ...tasks.box_world.batched import BoxWorlds
from ...tasks.box_world.puzzles import Puzzles, draw
from ...tasks.box_world.rules import ACTIONS, CODES, Rules
from ...tasks.box_world.views import tokens
from ...training.actor_learner import Seen, Turn, log_policy, sampled
from .settings import Model, Observation, Task


def observe(worlds: BoxWorlds, observation: Observation) -> Tensor:
    """What a player sees: tokens ``(w, k + 3, 3)``, codes ``(w, r, c + 1)`` or a picture in
    colours ``(w, r, c + 1, 3)``."""
    if observation == "picture":
        return worlds.images()
    codes = worlds.codes()
    return codes if observation == "tiles" else tokens(codes, worlds.rules)


def allowed(worlds: BoxWorlds) -> Tensor:
    """Which slots hold something that can be taken, ``(w, k)``, or all four steps. The Gem's lower
    lock, a choice of its own in `BoxWorlds`, opens with the upper one."""
    if not worlds.macro:
        return torch.ones(worlds.count, len(ACTIONS), dtype=torch.bool, device=worlds.device)
    return worlds.masks()[:, : len(worlds.rules.slots)]


class Worlds:
    """Worlds as a `training.actor_learner.Game`.

    Args:
        rules: of the worlds.
        count: how many.
        generator: where puzzles come from.
        observation: what the player sees.
        device: where they are played.
        macro: actions are choices of what to walk to; if not, single steps.

    Example:
        >>> worlds = Worlds(Rules(), 8, np.random.default_rng(0), "tokens")
        >>> seen = worlds.look()
        >>> seen.observation.shape, seen.allowed.shape
        (torch.Size([8, 12, 3]), torch.Size([8, 9]))
        >>> worlds.step(seen.allowed.int().argmax(dim=1)).reward.tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        rules: Rules,
        count: int,
        generator: np.random.Generator,
        observation: Observation,
        device: str = "cpu",
        macro: bool = True,
    ):
        self.worlds = BoxWorlds(rules, count, generator, device=device, macro=macro)
        self.observation, self.device = observation, torch.device(device)

    def look(self) -> Seen:
        """What the player sees in each world."""
        return Seen(observe(self.worlds, self.observation), allowed(self.worlds))

    def step(self, actions: Tensor) -> Turn:
        """Walk to what was chosen; a world that has ended gets a new puzzle."""
        found = self.worlds.step(actions)
        ended, won = found.ended.clone(), self.worlds.solved
        turn = Turn(found.reward.float(), ended, won & ended)
        self.worlds.reset(ended)
        return turn

    def state_dict(self) -> dict[str, Any]:
        """That of the `BoxWorlds`."""
        return self.worlds.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where a state was taken."""
        self.worlds.load_state_dict(state)


def late(rules: Rules, count: int, generator: np.random.Generator) -> Puzzles:
    """Puzzles whose bridge is late: its lock has a colour beyond the first. Who never asks which
    box is the bridge wins about half of them.

    Example:
        >>> found = late(Rules(bridges=1.0), 5, np.random.default_rng(0))
        >>> len(found), bool((found.kinds[:, 1] > 1).all())
        (5, True)
    """
    drawn = draw(generator, rules, 8 * count + 64)
    return drawn[np.flatnonzero(drawn.kinds[:, 1] > 1)[:count]]


@torch.no_grad()
def win_rate(
    agent: Callable[[Tensor], Answer],
    puzzles: Puzzles,
    observation: Observation,
    *,
    greedy: bool = True,
    device: str = "cpu",
) -> float:
    """The share of puzzles that an agent solves.

    Args:
        agent: who plays; what it sees to an answer.
        puzzles: each is played once.
        observation: what the agent sees.
        greedy: it takes the likeliest action; if not, it draws one, from torch's default generator.
        device: where the worlds are.
    """
    nobody = np.random.default_rng(0)  # of puzzles that are replaced at once
    worlds = BoxWorlds(puzzles.rules, len(puzzles), nobody, device=device, macro=True)
    worlds.reset(puzzles=puzzles)
    while not worlds.over.all():
        logits = agent(observe(worlds, observation)).logits
        log_all = log_policy(logits, allowed(worlds))
        worlds.step(log_all.argmax(dim=1) if greedy else sampled(log_all))
    return worlds.solved.float().mean().item()


def build(model: Model, rules: Rules, macro: bool = True, **options: Any) -> ActorCritic:
    """An agent, freshly initialised; without ``macro`` its actions are the four steps. ``options``
    are further ones of its `SimplicialBlock`."""
    rows, columns = rules.picture
    slots = rules.slots
    entities: Callable[[], nn.Module] = {
        "tokens": lambda: TokenEntities((CODES, CODES, len(slots) + 3), model.dim),
        "tiles": lambda: PictureEntities(rows, columns, model.dim, codes=CODES),
        "picture": lambda: PictureEntities(rows, columns, model.dim),
    }[model.observation]
    seen = entities()
    sizes = {"heads": model.heads, "key_dim": model.dim // model.heads, "hidden": model.hidden}
    sizes |= {"iterations": model.iterations, **options}
    if model.logits is None:
        blocks = relational_transformer(model.dim, virtual=model.virtual, **sizes)
    else:
        pairs = {"simplicial_dim": model.simplicial_dim, "logits": model.logits}
        blocks = simplicial_transformer(model.dim, virtual=model.virtual, **pairs, **sizes)
    if model.readout == "maximum":
        actions = len(slots) if macro else len(ACTIONS)
        return ActorCritic(seen, blocks, MaximumReadout(model.dim, actions))
    # simplicial section 4: entities are the 3 x 3 tiles around each inner tile, row by row
    middles = [(row - 1) * (columns - 2) + column - 1 for row, column in slots]
    places = range(len(slots)) if model.observation == "tokens" else middles
    return ActorCritic(seen, blocks, ScoringReadout(model.dim, places))


def with_weights(model: Model, task: Task, state: Mapping[str, Tensor]) -> ActorCritic:
    """An agent with the weights that its run left."""
    agent = build(model, task.rules, task.macro).eval()
    agent.load_state_dict(dict(state))
    return agent
