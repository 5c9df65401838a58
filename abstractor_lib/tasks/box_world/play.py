"""Scripted play: every puzzle to its end."""

from typing import NamedTuple

import numpy as np
import torch

from .batched import BoxWorlds
from .policies import Policy
from .rules import Rules

MOST = 40_000  # actions; random play has needed some 8,000
CHECKED = 16  # actions after which finished worlds are looked for


class Played(NamedTuple):
    """What became of puzzles, ``(n,)`` each but for ``kinds``.

    Attributes:
        kinds: solution length, lock and key of the bridge, ``(n, 3)``.
        solved: whether the Gem was taken.
        over: whether the episode came to an end, by itself or at the horizon.
        reward: sum of the rewards.
        steps: primitive steps.
    """

    kinds: np.ndarray
    solved: np.ndarray
    over: np.ndarray
    reward: np.ndarray
    steps: np.ndarray


def play(
    policy: Policy,
    rules: Rules,
    count: int,
    generator: np.random.Generator,
    *,
    ties: np.random.Generator | None = None,
    horizon: int | None = None,
    most: int = MOST,
    device: str = "cpu",
) -> Played:
    """Play ``count`` puzzles, each once and to its end: long episodes count as short ones do.

    Args:
        policy: who plays.
        rules: what an episode may hold.
        generator: draws the puzzles.
        ties: breaks the policy's ties; ``generator`` as well, if None.
        horizon: actions after which an episode is truncated.
        most: actions after which play stops, whether or not all is over.

    Example:
        >>> from .policies import POLICIES
        >>> found = play(POLICIES["no_bridge"], Rules(), 50, np.random.default_rng(0))
        >>> bool(found.solved.all()), sorted({float(r) for r in found.reward})  # 10 + 2 + 2 (L - 1)
        (True, [12.0, 14.0, 16.0])
    """
    more = {"horizon": horizon, "macro": policy.macro, "count_walks": True, "device": device}
    worlds = BoxWorlds(rules, count, generator, **more)
    kinds = worlds.kinds.cpu().numpy()
    reward = torch.zeros(count, device=worlds.device)
    steps = torch.zeros(count, dtype=torch.int64, device=worlds.device)
    solved, over = (torch.zeros(count, dtype=torch.bool, device=worlds.device) for _ in range(2))
    left = torch.arange(count, device=worlds.device)  # puzzles still played
    for action in range(most):
        if action % CHECKED == 0 and worlds.over.sum() * 2 >= worlds.count:
            solved[left], over[left] = worlds.solved, worlds.over
            left = left[~worlds.over]
            worlds.keep(~worlds.over)
            if worlds.count == 0:
                break
        found = worlds.step(policy(worlds.codes(), rules, ties or generator))
        reward[left] += found.reward
        steps[left] += found.walked
    solved[left], over[left] = worlds.solved, worlds.over
    parts = (part.cpu().numpy() for part in (solved, over, reward, steps))
    return Played(kinds, *parts)
