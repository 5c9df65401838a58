"""Box World for Gymnasium: one episode at a time, seen as a picture; `vector` plays many.

Gymnasium is an optional dependency, ``pip install "abstractor-companion[environments]"``; without
it this module can be imported, and `BoxWorldEnv` says what is missing when it is called.
"""

from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from .game import Game
from .puzzles import Puzzles, check_fit, draw
from .rendering import MODES, TILE, check_mode, enlarged, meanings, text
from .rules import ACTIONS, BRIDGE, Rules, check_number, named, palette

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError:  # an extra
    gymnasium = None

__all__ = ["TILE", "BoxWorldEnv"]
_Base: Any = gymnasium.Env if gymnasium else object


class BoxWorldEnv(_Base):
    """Box World or bridge Box World as a Gymnasium environment.

    An observation is the picture as the paper's agents see it, ``(rows, columns + 1, 3)``, uint8:
    the last column is the inventory. Actions are left, up, right, down, or with ``macro`` those of
    `Game.choose`. ``info`` holds ``type`` (solution length, lock and key of the bridge),
    ``solved``, ``bridge``, ``steps``: primitive steps so far, and ``action_mask``: which actions do
    something, see `action_masks`; int8, as ``action_space.sample`` takes it.

    Args:
        rules: what an episode may hold, or ``bridge`` or ``standard``.
        macro: choose what to walk to, in place of single steps.
        horizon: actions after which an episode is truncated, and stays so until `reset`; None for
            no limit, as in the paper.
        render_mode: None, ``rgb_array`` or ``ansi``.

    Raises:
        ModuleNotFoundError: if Gymnasium is not installed.
        ValueError: for other rules, a horizon below 1, or another render mode.

    Example:
        >>> env = BoxWorldEnv(horizon=100, render_mode="ansi")
        >>> picture, info = env.reset(seed=0)
        >>> picture.shape, info["type"], info["action_mask"]
        ((7, 10, 3), (3, 0, 0), array([0, 0, 1, 1], dtype=int8))
        >>> env.step(3)[1:4]
        (0.0, False, False)
        >>> env.render().splitlines()[1]  # the player is below the corner, beside a box
        '@kC.bO.t.|'
    """

    metadata: ClassVar[dict] = {"render_modes": list(MODES), "render_fps": 8}

    def __init__(
        self,
        rules: Rules | str = BRIDGE,
        *,
        macro: bool = False,
        horizon: int | None = None,
        render_mode: str | None = None,
    ):
        need_gymnasium("BoxWorldEnv")
        if horizon is not None:
            check_number("horizon", horizon)
        check_mode(render_mode)
        self.rules, self.macro, self.horizon = named(rules), macro, horizon
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 255, (*self.rules.picture, 3), np.uint8)
        self.action_space = spaces.Discrete(self.rules.choices if macro else len(ACTIONS))
        self.game: Game | None = None
        self._colours = palette()
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
        puzzle = given_puzzle(self.rules, **(options or {}))
        super().reset(seed=seed)
        self.game = Game(draw(self.np_random, self.rules) if puzzle is None else puzzle)
        self._actions = self._steps = 0
        return self._picture(), self._info()

    def step(self, action):
        """Play an action; the picture, reward, whether the episode has ended, whether it was
        truncated, and ``info``.

        Raises:
            ValueError: for what is no whole number or no action, before `reset`, or if the episode
                has ended.
        """
        game = self._game("step")
        found = (game.choose if self.macro else game.step)(action)
        self._actions += 1
        self._steps += found.walked
        late = self.horizon is not None and self._actions >= self.horizon
        return self._picture(), found.reward, found.ended, late and not found.ended, self._info()

    def action_masks(self) -> np.ndarray:
        """Which actions do something, ``(k,)``, bool: the name that MaskablePPO looks for.

        See `Game.mask`. Some action does something until the episode ends; then all are allowed.
        """
        return self._game("action_masks").mask(self.macro)

    def get_action_meanings(self) -> list[str]:
        """What each action does, in words."""
        return meanings(self.rules, self.macro)

    def render(self) -> np.ndarray | str | None:
        """The picture, enlarged, ``(24 rows, 24 (columns + 1), 3)``, uint8; or as text, see
        `rendering.text`."""
        if self.render_mode is None or self.game is None:
            return None
        if self.render_mode == "ansi":
            return text(self.game.picture())
        return enlarged(self._picture())

    def _game(self, what: str) -> Game:
        if self.game is None:
            raise ValueError(f"reset has not been called; call it before {what}")
        return self.game

    def _picture(self) -> np.ndarray:
        return self._colours[self.game.picture()]

    def _info(self) -> dict:
        kind = self.game.kind
        return {
            "type": tuple(kind),
            "bridge": kind.lock > 0,
            "solved": self.game.solved,
            "steps": self._steps,
            "action_mask": self.action_masks().astype(np.int8),
        }


def given_puzzle(rules: Rules, puzzle: Puzzles | None = None, **others) -> Puzzles | None:
    """The puzzle among the options of ``reset``, if there is one.

    Raises:
        ValueError: for another option, or a puzzle of another size or number of locks.
    """
    if others:
        raise ValueError(f"options holds {next(iter(others))!r}; allowed: puzzle")
    if puzzle is None:
        return None
    if not isinstance(puzzle, Puzzles):
        raise ValueError(f"options['puzzle'] is {puzzle!r}; expected Puzzles, as draw gives them")
    check_fit("options['puzzle']", puzzle, rules)
    return puzzle


def need_gymnasium(what: str) -> ModuleType:
    """Gymnasium, or a ModuleNotFoundError that says how to install it, if it is absent."""
    if gymnasium is None:
        raise ModuleNotFoundError(
            f"{what} needs gymnasium: pip install 'abstractor-companion[environments]'"
        )
    return gymnasium
