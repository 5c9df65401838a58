"""Many episodes of Box World at once for Gymnasium: its `VectorEnv`, without a loop over worlds.

Gymnasium is an optional dependency, as for `environment`. torch is not needed.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .environment import given_puzzle, gymnasium, need_gymnasium
from .layout import Laid, lay
from .puzzles import draw_each
from .rendering import MODES, check_mode, enlarged, meanings, text
from .rules import ACTIONS, BRIDGE, Rules, check_number, named
from .worlds import Worlds

AHEAD, LAID = 16, 1024  # the most puzzles of a world, and about how many of all, laid out ahead
_Base: Any = gymnasium.vector.VectorEnv if gymnasium else object


class BoxWorldVectorEnv(_Base):
    """Worlds that are stepped together, as Gymnasium's vector environments are.

    It gives what `gymnasium.vector.SyncVectorEnv` gives with as many `BoxWorldEnv`, to the last
    ``info`` and its mask: world ``i`` has a generator of its own, with seed ``seed + i``. A test
    holds the two against each other. ``gymnasium.make_vec`` makes one of these by default.

    Args:
        num_envs: how many worlds, ``b``.
        rules, macro, horizon, render_mode: as for `BoxWorldEnv`.
        max_episode_steps: actions after which an episode is truncated even if it ends with the last
            of them, as by `gymnasium.wrappers.TimeLimit`.
        autoreset_mode: when a world gets another puzzle whose episode is over. ``NextStep``: by the
            next step, which ignores its action and has reward 0. ``SameStep``: at once; the last
            picture and ``info`` are ``final_obs`` and ``final_info``. ``Disabled``: not before
            ``reset`` with the option ``reset_mask``.

    Raises:
        ModuleNotFoundError: if Gymnasium is not installed.
        ValueError: for a number below 1, other rules, or another mode.

    Example:
        >>> worlds = BoxWorldVectorEnv(64, "bridge", macro=True)
        >>> pictures, infos = worlds.reset(seed=0)
        >>> pictures.shape, infos["action_mask"].shape, worlds.metadata["autoreset_mode"].value
        ((64, 7, 10, 3), (64, 10), 'NextStep')
        >>> found = worlds.step(worlds.action_masks().argmax(axis=1))  # the first thing to take
        >>> float(found[1].min())
        1.0
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = BRIDGE,
        *,
        macro: bool = False,
        horizon: int | None = None,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: Any = "NextStep",
    ):
        given = need_gymnasium("BoxWorldVectorEnv")
        check_number("num_envs", num_envs)
        for name, limit in (("horizon", horizon), ("max_episode_steps", max_episode_steps)):
            if limit is not None:
                check_number(name, limit)
        check_mode(render_mode)
        self._modes = given.vector.AutoresetMode
        if autoreset_mode not in (*self._modes, *(mode.value for mode in self._modes)):
            allowed = ", ".join(mode.value for mode in self._modes)
            raise ValueError(f"autoreset_mode is {autoreset_mode!r}; allowed: {allowed}")
        self.num_envs, self.render_mode = num_envs, render_mode
        self.rules, self.macro, self.horizon = named(rules), macro, horizon
        self.autoreset_mode = self._modes(autoreset_mode)
        self.metadata = {
            "render_modes": list(MODES),
            "render_fps": 8,
            "autoreset_mode": self.autoreset_mode,
        }
        spaces, batch = given.spaces, given.vector.utils.batch_space
        self.single_observation_space = spaces.Box(0, 255, (*self.rules.picture, 3), np.uint8)
        self.single_action_space = spaces.Discrete(self.rules.choices if macro else len(ACTIONS))
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)
        self._most = max_episode_steps
        limits = [limit for limit in (horizon, max_episode_steps) if limit is not None]
        more = {"horizon": min(limits, default=None), "macro": macro, "count_walks": True}
        self._worlds = Worlds(self.rules, num_envs, **more)
        self._supply = _Supply(self.rules, num_envs, given.utils.seeding.np_random)
        self._walked = np.zeros(num_envs, int)
        self._types = np.full(num_envs, None, object)
        self._begun = False

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:
        """The generator of each world. Puzzles may have been drawn ahead of their use."""
        return self._supply.generators

    @property
    def np_random_seed(self) -> tuple[int, ...]:
        """The seed of each generator."""
        return tuple(self._supply.seeds)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ):
        """Start an episode in each world.

        Args:
            seed: of the first world's generator, the others' being the numbers after it; or one for
                each world; None goes on with the generators.
            options: ``{"puzzle": Puzzles}`` plays a given puzzle in each world, the first of them.
                ``{"reset_mask": mask}`` resets some worlds, a bool array ``(b,)``.

        Returns:
            Pictures ``(b, r, c + 1, 3)`` and infos.

        Raises:
            ValueError: for another option, a puzzle that does not fit, a mask or seeds of another
                shape or type, or a mask before the first reset.
        """
        options = dict(options or {})
        which = self._reset_mask(options.pop("reset_mask", None))
        puzzle = given_puzzle(self.rules, **options)
        self._supply.seed(self._seeds(seed), which)
        given = None if puzzle is None else lay(puzzle[np.zeros(which.sum(), int)])
        self._start(which, given)
        self._begun = True
        return self._worlds.images(), self._infos(which)

    def step(self, actions):
        """Play one action in each world.

        Args:
            actions: ``(b,)``, whole numbers.

        Returns:
            Pictures ``(b, r, c + 1, 3)``, rewards, whether each episode has ended and whether it
            was truncated, ``(b,)``, and infos.

        Raises:
            ValueError: for actions of another shape, type or range; before `reset`; or, without
                autoreset, where an episode is over.
        """
        worlds, over = self._worlds, self._worlds.over.copy()
        if not self._begun:
            raise ValueError("reset has not been called; call it before step")
        if self.autoreset_mode is self._modes.DISABLED and over.any():
            raise ValueError(
                f"the episode of world {over.argmax()} is over; reset it with the option "
                "reset_mask before step"
            )
        found = worlds.step(self._actions(actions, over))
        self._walked += found.walked
        truncated = found.truncated
        if self._most is not None:
            truncated = truncated | (~over & (worlds.steps >= self._most))
        infos: dict[str, Any] = {}
        if self.autoreset_mode is self._modes.NEXT_STEP:
            self._start(over)
        elif self.autoreset_mode is self._modes.SAME_STEP:
            infos = self._finish(found.ended | truncated)
        infos |= self._infos(np.ones(self.num_envs, bool))
        return worlds.images(), found.reward.astype(float), found.ended, truncated, infos

    def action_masks(self) -> np.ndarray:
        """Which actions do something, ``(b, k)``, bool; see `Worlds.masks`."""
        return self._worlds.masks()

    def get_action_meanings(self) -> list[str]:
        """What each action does, in words."""
        return meanings(self.rules, self.macro)

    def render(self) -> tuple[np.ndarray | str, ...] | None:
        """What `BoxWorldEnv.render` gives for each world."""
        if self.render_mode is None or not self._begun:
            return None
        if self.render_mode == "ansi":
            return tuple(text(codes) for codes in self._worlds.codes())
        return tuple(enlarged(picture) for picture in self._worlds.images())

    def _start(self, which: np.ndarray, given: Laid | None = None) -> None:
        """Give some worlds, by a mask, new puzzles or the given ones."""
        some = np.flatnonzero(which)
        if not len(some):
            return
        laid = self._supply.take(some) if given is None else given
        self._worlds.place(some, laid)
        self._walked[some] = 0
        for world, kind in zip(some.tolist(), laid.kinds.tolist(), strict=True):
            self._types[world] = tuple(kind)

    def _finish(self, done: np.ndarray) -> dict[str, Any]:
        """Keep the last picture and info of worlds that are done, and give them new puzzles."""
        if not done.any():
            return {}
        final = np.full(self.num_envs, None, object)
        pictures = self._worlds.images()
        for world in np.flatnonzero(done):
            final[world] = pictures[world].copy()
        last = self._infos(done)
        self._start(done)
        return {
            "final_obs": final,
            "_final_obs": done.copy(),
            "final_info": last,
            "_final_info": done.copy(),
        }

    def _infos(self, which: np.ndarray) -> dict[str, Any]:
        """What `BoxWorldEnv` says of some worlds, by a mask, as `VectorEnv` puts infos together: an
        array for each key, zero or None elsewhere, and under ``_key`` for which it holds."""
        worlds = self._worlds
        known = {
            "type": self._types,
            "bridge": worlds.kinds[:, 1] > 0,
            "solved": worlds.solved,
            "steps": self._walked,
            "action_mask": worlds.masks().view(np.int8),
        }
        infos: dict[str, Any] = {}
        for name, values in known.items():
            infos[name] = values.copy()
            if not which.all():
                infos[name][~which] = None if values.dtype == object else 0
            infos[f"_{name}"] = which.copy()
        return infos

    def _actions(self, actions, ignored: np.ndarray) -> np.ndarray:
        """Actions as an array ``(b,)``; 0 where they are ignored."""
        found = np.asarray(actions)
        if found.shape != (self.num_envs,) or found.dtype.kind not in "iu":
            raise ValueError(
                f"actions has shape {found.shape} and type {found.dtype}; expected whole numbers "
                f"of shape {(self.num_envs,)}"
            )
        found, count = np.where(ignored, 0, found), self.single_action_space.n
        if found.min() < 0 or found.max() >= count:
            world = int(((found < 0) | (found >= count)).argmax())
            raise ValueError(
                f"actions has {found[world]} for world {world}; expected 0 to {count - 1}"
            )
        return found

    def _reset_mask(self, mask) -> np.ndarray:
        """The worlds to reset, ``(b,)``, bool."""
        if mask is None:
            return np.ones(self.num_envs, bool)
        right = isinstance(mask, np.ndarray) and mask.shape == (self.num_envs,)
        if not right or mask.dtype != bool or not mask.any():
            raise ValueError(
                f"options['reset_mask'] is {mask!r}; expected a numpy array of bool of shape "
                f"{(self.num_envs,)}, at least one of them True"
            )
        if not self._begun:
            raise ValueError("options has 'reset_mask'; expected a reset of all worlds before")
        return mask

    def _seeds(self, seed) -> list[int | None]:
        """A seed for each world."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + world for world in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(
                f"seed holds {len(seed)}; expected {self.num_envs}, one for each world"
            )
        return list(seed)


class _Supply:
    """Puzzles of worlds with a generator each.

    Some puzzles of each world are laid out ahead, with those of all that have none left: to lay
    many costs little more than to lay one. Each generator is asked in the order of its world's
    episodes.
    """

    def __init__(self, rules: Rules, count: int, seeded: Callable):
        self.rules, self.seeded = rules, seeded  # of a seed or None: a generator, and its seed
        self.each: dict[int, np.random.Generator] = {}  # by world, once there is a reset
        self.seeds: list[int] = [0] * count
        self.depth = min(AHEAD, 1 + LAID // count)  # puzzles of a world that are laid out together
        self.left = np.zeros(count, int)  # of these
        self.ahead: Laid | None = None  # (b * depth, ...)

    @property
    def generators(self) -> tuple[np.random.Generator, ...]:
        """One for each world; those without a seed get one from the operating system."""
        worlds = range(len(self.seeds))
        for world in worlds:
            if world not in self.each:
                self._seed(world, None)
        return tuple(self.each[world] for world in worlds)

    def seed(self, seeds: list[int | None], which: np.ndarray) -> None:
        """Give generators seeds, to some worlds by a mask; None leaves what there is."""
        for world in np.flatnonzero(which).tolist():
            if seeds[world] is not None or world not in self.each:
                self._seed(world, seeds[world])

    def _seed(self, world: int, seed: int | None) -> None:
        self.each[world], self.seeds[world] = self.seeded(seed)
        self.left[world] = 0

    def take(self, some: np.ndarray) -> Laid:
        """The next puzzle of some worlds, by number."""
        ahead = self.ahead
        if ahead is None or not self.left[some].all():
            empty = np.flatnonzero(self.left == 0)
            each = [self.each[world] for world in empty for _ in range(self.depth)]
            new = lay(draw_each(each, self.rules))
            if ahead is None:
                ahead = self.ahead = new
            else:
                at = (empty[:, None] * self.depth + np.arange(self.depth)).ravel()
                for kept, fresh in zip(ahead, new, strict=True):
                    kept[at] = fresh
            self.left[empty] = self.depth
        at = some * self.depth + self.depth - self.left[some]
        self.left[some] -= 1
        return Laid(*(part[at] for part in ahead))
