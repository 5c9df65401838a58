"""What an agent decides in one puzzle, and how it scores what it could take.

Shapes: ``b`` states, ``k`` slots, ``r`` rows and ``c`` columns of the board.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...nn.agents import Answer
from ...tasks.box_world.batched import BoxWorlds
from ...tasks.box_world.policies import bridge
from ...tasks.box_world.puzzles import Puzzles
from ...tasks.box_world.rules import GEM, Rules
from ...tasks.box_world.views import look, tokens
from ...training.actor_learner import log_policy


@dataclass(frozen=True)
class Greedy:
    """An agent with tokens as a player, which takes the likeliest choice.

    Attributes:
        agent: tokens to an answer.
    """

    agent: Callable[[Tensor], Answer]
    macro = True  # its actions are choices of what to walk to

    @torch.no_grad()
    def log_policy(self, codes: Tensor, rules: Rules) -> Tensor:
        """Logarithms of probabilities of the slots, ``(b, k)``; what cannot be taken has none."""
        can = look(codes, rules).takeable[:, : len(rules.slots)]
        return log_policy(self.agent(tokens(codes, rules)).logits, can)

    def __call__(self, codes: Tensor, rules: Rules, generator: np.random.Generator) -> Tensor:
        """Its actions, as those of `tasks.box_world.policies.Policy`; no tie is broken at random.

        Args:
            codes: pictures, ``(b, r, c + 1)``.
            rules: of the world.
            generator: not used.
        """
        return self.log_policy(codes, rules).argmax(dim=1)


class Decision(NamedTuple):
    """One decision.

    Attributes:
        picture: codes as the player sees them, ``(r, c + 1)``.
        objects: what can be taken: the slots.
        probability: of each of these, by the name of an agent.
        bridge: which of these is the bridge, which the parity oracle leaves; None if none is.
        chosen: which slot is taken.
    """

    picture: np.ndarray
    objects: list[int]
    probability: dict[str, list[float]]
    bridge: int | None
    chosen: int


def decisions(players: dict[str, Greedy], puzzle: Puzzles) -> list[Decision]:
    """One puzzle, as the first of some agents plays it; the others score the same states.

    Args:
        players: agents by name.
        puzzle: the first of these is played.

    Returns:
        A decision for each of the first agent's, until the episode ends. Probabilities have three
        digits.
    """
    rules, first = puzzle.rules, next(iter(players.values()))
    worlds = BoxWorlds(rules, 1, np.random.default_rng(0), macro=True)
    worlds.reset(puzzles=puzzle[:1])
    found = []
    while not worlds.over.all():
        codes = worlds.codes()
        view = look(codes, rules)
        objects = torch.nonzero(view.takeable[0, : len(rules.slots)])[:, 0].tolist()
        scores = {name: one.log_policy(codes, rules)[0].exp() for name, one in players.items()}
        shares = {name: [round(one[k].item(), 3) for k in objects] for name, one in scores.items()}
        odd = [k for k in objects if bridge(view)[0, k]]
        chosen = first(codes, rules, np.random.default_rng(0))
        picture = codes[0].numpy().copy()
        decided = Decision(picture, objects, shares, odd[0] if odd else None, int(chosen))
        found.append(decided)
        worlds.step(chosen)
    return found


def named(decision: Decision, rules: Rules, signs: dict[int, str]) -> list[str]:
    """What can be taken, in signs of colours: ``2 → 1`` is a box with the lock 2 and the key 1."""
    view = look(torch.from_numpy(decision.picture)[None], rules)
    words = []
    for slot in decision.objects:
        key, lock = int(view.key[0, slot]), int(view.lock[0, slot])
        if key == GEM:
            words.append("Gem")
        else:
            words.append(f"{signs[lock]} → {signs[key]}" if lock else f"key {signs[key]}")
    return words
