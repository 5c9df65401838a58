"""Box World for Gymnasium: one episode at a time, seen as a picture.

Gymnasium is an optional dependency, ``pip install "abstractor-companion[environments]"``; without
it this module can be imported, and `BoxWorldEnv` and `register` say what is missing when they are
called.
"""

from typing import Any, ClassVar

import numpy as np

from .game import Game
from .puzzles import Puzzles, draw
from .rules import ACTIONS, BRIDGE, STANDARD, Rules, palette

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError:  # an extra
    gymnasium = None

NAMES = {"abstractor/BridgeBoxWorld-v0": BRIDGE, "abstractor/BoxWorld-v0": STANDARD}
TILE = 24  # pixels of a tile in `render`
_Base: Any = gymnasium.Env if gymnasium else object


class BoxWorldEnv(_Base):
    """Box World or bridge Box World as a Gymnasium environment.

    An observation is the picture as the paper's agents see it, ``(rows, columns + 1, 3)``, uint8:
    the last column is the inventory. Actions are left, up, right, down, or with ``macro`` those of
    `Game.choose`. ``info`` holds ``type`` (solution length, lock and key of the bridge),
    ``solved``, ``bridge``, and ``steps``: primitive steps so far.

    Args:
        rules: what an episode may hold.
        macro: choose what to walk to, in place of single steps.
        horizon: actions after which an episode is truncated; None for no limit, as in the paper.
        render_mode: None or ``rgb_array``.

    Raises:
        ModuleNotFoundError: if Gymnasium is not installed.
        ValueError: for a horizon below 1, or another render mode.

    Example:
        >>> env = BoxWorldEnv(horizon=100)
        >>> picture, info = env.reset(seed=0)
        >>> picture.shape, info["type"]
        ((7, 10, 3), (3, 0, 0))
        >>> env.step(3)[1:]
        (0.0, False, False, {'type': (3, 0, 0), 'bridge': False, 'solved': False, 'steps': 1})
    """

    metadata: ClassVar[dict] = {"render_modes": ["rgb_array"], "render_fps": 8}

    def __init__(
        self,
        rules: Rules = BRIDGE,
        *,
        macro: bool = False,
        horizon: int | None = None,
        render_mode: str | None = None,
    ):
        _need_gymnasium("BoxWorldEnv")
        if horizon is not None and horizon < 1:
            raise ValueError(f"horizon is {horizon}; expected at least 1, or None")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is {render_mode!r}; allowed: None, rgb_array")
        self.rules, self.macro, self.horizon = rules, macro, horizon
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 255, (*rules.picture, 3), np.uint8)
        self.action_space = spaces.Discrete(rules.choices if macro else len(ACTIONS))
        self.game: Game | None = None
        self._actions = self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        """Start an episode.

        Args:
            seed: of the generator that draws puzzles from now on; None goes on with it.
            options: ``{"puzzle": Puzzles}`` plays a given puzzle, the first of them.

        Returns:
            The picture and ``info``.

        Raises:
            ValueError: for another option, or a puzzle of another size or number of locks.
        """
        puzzle = self._given(**(options or {}))
        super().reset(seed=seed)
        self.game = Game(draw(self.np_random, self.rules) if puzzle is None else puzzle)
        self._actions = self._steps = 0
        return self._picture(), self._info()

    def step(self, action):
        """Play an action; the picture, reward, whether the episode has ended, whether it was
        truncated, and ``info``."""
        if self.game is None:
            raise ValueError("reset has not been called; call it before step")
        found = (self.game.choose if self.macro else self.game.step)(int(action))
        self._actions += 1
        self._steps += found.walked
        truncated = self._actions == self.horizon and not found.ended
        return self._picture(), found.reward, found.ended, truncated, self._info()

    def render(self) -> np.ndarray | None:
        """The picture, enlarged, ``(24 rows, 24 (columns + 1), 3)``, uint8."""
        if self.render_mode is None or self.game is None:
            return None
        return self._picture().repeat(TILE, axis=0).repeat(TILE, axis=1)

    def _given(self, puzzle: Puzzles | None = None, **others) -> Puzzles | None:
        """The puzzle among the options of `reset`, if there is one."""
        if others:
            raise ValueError(f"options holds {next(iter(others))!r}; allowed: puzzle")
        if puzzle is None:
            return None
        if not isinstance(puzzle, Puzzles):
            raise ValueError(
                f"options['puzzle'] is {puzzle!r}; expected Puzzles, as draw gives them"
            )
        found, wanted = ((one.rows, one.columns, one.locks) for one in (puzzle.rules, self.rules))
        if found != wanted:
            raise ValueError(
                f"options['puzzle'] has the rows, columns and locks {found}; expected {wanted}, "
                "as the rules have"
            )
        return puzzle

    def _picture(self) -> np.ndarray:
        return palette()[self.game.picture()]

    def _info(self) -> dict:
        kind = self.game.kind
        return {
            "type": tuple(kind),
            "bridge": kind.lock > 0,
            "solved": self.game.solved,
            "steps": self._steps,
        }


def _need_gymnasium(what: str) -> None:
    if gymnasium is None:
        raise ModuleNotFoundError(
            f"{what} needs gymnasium: pip install 'abstractor-companion[environments]'"
        )


def register() -> None:
    """Make the environments known to ``gymnasium.make`` by their `NAMES`.

    Raises:
        ModuleNotFoundError: if Gymnasium is not installed.

    Example:
        >>> register()
        >>> gymnasium.make("abstractor/BoxWorld-v0").observation_space.shape
        (9, 10, 3)
    """
    _need_gymnasium("register")
    for name, rules in NAMES.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, f"{__name__}:BoxWorldEnv", kwargs={"rules": rules})
