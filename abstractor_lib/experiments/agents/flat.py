"""Bridge Box World for RLlib: `play.Worlds` as a vector environment with flat observations."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from ...tasks.box_world.environment import gymnasium
from ...tasks.box_world.rules import ACTIONS
from ...tasks.box_world.vector import BoxWorldVectorEnv
from ...tasks.box_world.views import tokens


class FlatWorlds(BoxWorldVectorEnv):
    """Worlds that observe flat numbers: what `play.observe` gives, then which actions are allowed.

    Args:
        options: ``num_envs``, ``rules``, ``observation`` and ``macro``, in one mapping.

    Example:
        >>> from ...tasks.box_world.rules import Rules
        >>> some = {"rules": Rules(), "observation": "tokens", "macro": True}
        >>> worlds = FlatWorlds({"num_envs": 2, **some})
        >>> worlds.reset(seed=0)[0].shape  # twelve tokens of three numbers, nine slots
        (2, 45)
    """

    def __init__(self, options: Mapping[str, Any]):
        super().__init__(options["num_envs"], options["rules"], macro=options["macro"])
        self._sees = options["observation"]
        size = self._seen().shape[1]
        spaces = gymnasium.spaces
        self.single_observation_space = spaces.Box(0, 255, (size,), np.uint8)
        self.observation_space = gymnasium.vector.utils.batch_space(
            self.single_observation_space, self.num_envs
        )
        count = len(self.rules.slots) if self.macro else len(ACTIONS)
        self.single_action_space = spaces.Discrete(count)
        self.action_space = gymnasium.vector.utils.batch_space(
            self.single_action_space, self.num_envs
        )

    def reset(self, **options):
        """As `BoxWorldVectorEnv.reset`, but for the observations."""
        _, infos = super().reset(**options)
        return self._seen(), infos

    def step(self, actions):
        """As `BoxWorldVectorEnv.step`, but for the observations."""
        _, *rest = super().step(actions)
        return self._seen(), *rest

    def _seen(self) -> np.ndarray:
        """``(b, o + a)``, uint8."""
        if self._sees == "picture":
            seen = self._worlds.images()
        else:
            seen = self._worlds.codes()
            if self._sees == "tokens":
                seen = tokens(torch.from_numpy(seen), self.rules).numpy()
        count = len(self.rules.slots)
        masks = self._worlds.masks()[:, :count] if self.macro else np.ones((self.num_envs, 4), bool)
        return np.concatenate([seen.reshape(self.num_envs, -1), masks], axis=1).astype(np.uint8)
