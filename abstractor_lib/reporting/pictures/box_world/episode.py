"""An episode as frames to look at: pictures, and in words what has happened."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd
import torch

from ....tasks.box_world import sequents
from ....tasks.box_world.game import Game
from ....tasks.box_world.puzzles import Puzzles
from ....tasks.box_world.rules import ACTIONS, FAILURE_REWARD, GEM_REWARD, Rules
from .colours import signs


class Player(Protocol):
    """Who plays: a script or an agent; see `tasks.box_world.policies.Policy`."""

    @property
    def macro(self) -> bool:
        """Whether its actions are macro actions."""

    def __call__(
        self, codes: torch.Tensor, rules: Rules, generator: np.random.Generator
    ) -> torch.Tensor:
        """Its actions, of pictures ``(b, r, c + 1)``."""


class Frame(NamedTuple):
    """A moment: the picture ``(rows, columns + 1)``, steps so far, the reward of the last step and
    the sum of all, and what happened in words."""

    picture: np.ndarray
    steps: int
    reward: float
    total: float
    words: str


def episode(
    puzzles: Puzzles, policy: Player, generator: np.random.Generator, index: int = 0
) -> list[Frame]:
    """Play a puzzle, step by step; the walks of macro actions are written out.

    Args:
        puzzles, index: which puzzle.
        policy: who plays.
        generator: breaks ties.

    Example:
        >>> from abstractor_lib.tasks.box_world import Rules, draw
        >>> from abstractor_lib.tasks.box_world.policies import POLICIES
        >>> random = np.random.default_rng(0)
        >>> found = episode(draw(random, Rules()), POLICIES["no_bridge"], random)
        >>> found[0].words, found[-1].words
        ('start', 'takes the Gem: +10')
    """
    game, sign = Game(puzzles, index), signs(puzzles, index)
    frames = [Frame(game.picture(), 0, 0.0, 0.0, "start")]
    while not game.ended:
        picture = torch.from_numpy(game.picture())[None]
        choice = int(policy(picture, game.rules, generator))
        walk = [choice]
        if policy.macro:
            tile = game.tile(choice)
            if tile is None:
                raise ValueError(f"policy chose {choice}, where nothing lies; expected a thing")
            walk = game.walk(tile)
        for action in walk:
            had = game.inventory.copy()
            reward = game.step(action).reward
            last = frames[-1]
            words = ACTIONS[action]
            if reward:
                words = _happened(reward, had, game.inventory, sign)
            frames.append(Frame(game.picture(), last.steps + 1, reward, last.total + reward, words))
    return frames


def _happened(reward: float, before: list[int], after: list[int], sign: dict[int, str]) -> str:
    """What earned a reward."""
    key = sign[after[-1]]
    if reward == GEM_REWARD:
        return "takes the Gem: +10"
    if len(after) > len(before):
        return f"takes loose key {key}: +1"
    used = sign[next(code for code in before if code not in after)]
    if reward == FAILURE_REWARD:
        return f"opens the bridge, {used} → {key}: −1"
    return f"opens a box, {used} → {key}: +1"


def moments(frames: Sequence[Frame]) -> list[Frame]:
    """The start and every moment with a reward."""
    return [frame for frame in frames if frame.reward or not frame.steps]


def derivation(puzzles: Puzzles, frames: Sequence[Frame], index: int = 0) -> pd.DataFrame:
    """An episode as a proof: for each moment the axiom of what was taken or opened, read off the
    inventory, and what is proved by cutting the axioms against one another.

    Returns:
        Columns ``what happened``, ``axiom`` and ``proved``.

    Raises:
        ValueError: if what happened is no axiom of the puzzle, or what is proved is not what the
            inventory holds.
    """
    number = {int(code): k for k, code in enumerate(puzzles.codes[index])}
    shown = moments(frames)
    held = [
        Counter(number[code] for code in frame.picture[:, -1].tolist() if code in number)
        for frame in shown
    ]
    used = [
        sequents.Sequent(tuple((a - b).elements()), tuple((b - a).elements()))
        for a, b in pairwise(held)
    ]
    proved = sequents.proof(sequents.axioms(puzzles.boxes(index)), used)
    if [Counter(one.right) for one in proved] != held[1:]:
        raise ValueError("frames show another inventory than what is proved")
    words = [frame.words for frame in shown[1:]]
    rows = {"what happened": words, "axiom": map(str, used), "proved": map(str, proved)}
    return pd.DataFrame(rows)


def parting(puzzles: Puzzles, winner: Player, loser: Player) -> int:
    """The first of some puzzles that one player wins and another one loses.

    Args:
        puzzles: which ones.
        winner, loser: the players; each breaks its ties by a generator of the seed 0.

    Returns:
        The puzzle's index.

    Raises:
        ValueError: if there is none.
    """
    for index in range(len(puzzles)):
        ends = [
            episode(puzzles, policy, np.random.default_rng(0), index)[-1].reward
            for policy in (winner, loser)
        ]
        if ends == [GEM_REWARD, FAILURE_REWARD]:
            return index
    raise ValueError(f"puzzles holds {len(puzzles)}, and in none of them the players part")
