"""What agents copy: states of an oracle's play, each with the choices that the oracle may take.

Shapes: ``p`` puzzles, ``o`` an observation's shape, ``k`` slots.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...tasks.box_world.batched import BoxWorlds
from ...tasks.box_world.policies import POLICIES, Policy, bridge
from ...tasks.box_world.puzzles import Puzzles
from ...tasks.box_world.views import look
from ..agents.play import allowed, observe
from ..agents.settings import Observation

ORACLE = POLICIES["no_bridge"]
ALLOWED, RIGHT = 1, 2  # 0 is a slot that holds nothing to take


class States(NamedTuple):
    """A state of each puzzle: what is seen of it, ``(p, *o)``; and of each slot whether it is not
    allowed (0), `ALLOWED`, or `RIGHT`, which the oracle may choose, ``(p, k)``."""

    seen: Tensor
    choices: Tensor


def states(puzzles: Puzzles, random: np.random.Generator, observation: Observation) -> States:
    """One state of each puzzle, drawn from those of the oracle's play in which the bridge can be
    opened.

    In all other states every allowed choice is one that the oracle may take, so there is nothing to
    copy. The oracle takes each of its choices with the same probability. So every state that play
    reaches before the bridge is opened is one that the oracle reaches too.

    Args:
        puzzles: with a bridge each.
        random: breaks the oracle's ties, and draws the states.
        observation: what is seen of a state.

    Raises:
        ValueError: for a puzzle without a bridge.

    Example:
        >>> from ...tasks.box_world.puzzles import draw
        >>> from ...tasks.box_world.rules import Rules
        >>> some = draw(np.random.default_rng(0), Rules(bridges=1.0), 5)
        >>> found = states(some, np.random.default_rng(1), "picture")
        >>> found.seen.shape, found.choices.shape
        (torch.Size([5, 7, 10, 3]), torch.Size([5, 9]))
        >>> (found.choices == ALLOWED).sum(dim=1).tolist()  # the bridge
        [1, 1, 1, 1, 1]
    """
    if not (puzzles.kinds[:, 1] > 0).all():
        raise ValueError("puzzles holds one without a bridge; expected a bridge in each")
    worlds = BoxWorlds(puzzles.rules, len(puzzles), random, macro=True)
    worlds.reset(puzzles=puzzles)
    seen = torch.zeros_like(observe(worlds, observation))
    choices = torch.zeros_like(allowed(worlds), dtype=torch.int64)
    met = torch.zeros(len(puzzles))  # states so far in which the bridge could be opened
    while not worlds.over.all():
        codes, can = worlds.codes(), allowed(worlds)
        wrong = bridge(look(codes, puzzles.rules))[:, : can.shape[1]]
        decisive = (can & wrong).any(dim=1) & ~worlds.over
        met += decisive
        # the n-th takes the place of an earlier one with probability 1 / n: all are equally likely
        drawn = torch.from_numpy(random.random(len(puzzles)))
        some = decisive & (drawn * met < 1)
        seen[some] = observe(worlds, observation)[some]
        choices[some] = (can * ALLOWED + (can & ~wrong) * (RIGHT - ALLOWED))[some]
        worlds.step(ORACLE(codes, puzzles.rules, random))
    return States(seen, choices)


def scripted(policy: Policy, puzzles: Puzzles, random: np.random.Generator) -> float:
    """The share of puzzles that a scripted player of macro actions solves.

    Example:
        >>> from ...tasks.box_world.puzzles import draw
        >>> from ...tasks.box_world.rules import Rules
        >>> random = np.random.default_rng(0)
        >>> scripted(ORACLE, draw(random, Rules(bridges=1.0), 50), random)
        1.0
    """
    worlds = BoxWorlds(puzzles.rules, len(puzzles), random, macro=True)
    worlds.reset(puzzles=puzzles)
    while not worlds.over.all():
        worlds.step(policy(worlds.codes(), puzzles.rules, random))
    return worlds.solved.float().mean().item()
