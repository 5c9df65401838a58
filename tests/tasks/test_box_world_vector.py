"""Box World as Gymnasium's vector environment, against a loop over single environments."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

from abstractor_lib.tasks.box_world import BRIDGE, STANDARD, Rules, draw
from abstractor_lib.tasks.box_world.environment import BoxWorldEnv
from abstractor_lib.tasks.box_world.vector import BoxWorldVectorEnv

LONG = Rules(rows=9, locks=1, longest=3, bridges=0.0, branches=3, branch_longest=2)
NEXT, SAME, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED


def pair(count, mode=NEXT, most=None, **more):
    """Our worlds, and a loop over as many single ones."""

    def single():
        env = BoxWorldEnv(**more)
        return env if most is None else TimeLimit(env, most)

    ours = BoxWorldVectorEnv(count, autoreset_mode=mode, max_episode_steps=most, **more)
    return ours, SyncVectorEnv([single] * count, autoreset_mode=mode)


def assert_same(ours, theirs, where=""):
    """Equal in type, keys, shape and value, through dictionaries and arrays of objects."""
    assert type(ours) is type(theirs), where
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), where
        for key in ours:
            assert_same(ours[key], theirs[key], f"{where} {key}")
    elif isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
        if ours.dtype == object:
            for one, other in zip(ours, theirs, strict=True):
                assert_same(one, other, where)
        else:
            assert np.array_equal(ours, theirs), where
    elif isinstance(ours, tuple):
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other, where)
    else:
        assert ours == theirs, where


def play(ours, theirs, steps, seed=0):
    """The same random play, half of it masked; how many episodes ended and were truncated."""
    random = np.random.default_rng(seed)
    ends = np.zeros(2, int)
    for _ in range(steps):
        actions = random.integers(0, ours.single_action_space.n, ours.num_envs)
        useful = (ours.action_masks() * random.random(ours.action_masks().shape)).argmax(axis=1)
        actions = np.where(random.random(ours.num_envs) < 0.5, useful, actions)
        found, known = ours.step(actions), theirs.step(actions)
        for one, other, name in zip(found, known, STEP, strict=True):
            assert_same(one, other, name)
        ends += found[2].sum(), found[3].sum()
    return ends


STEP = ("pictures", "rewards", "terminations", "truncations", "infos")
GRID = [  # 100,000 steps of worlds in each of the two modes that reset by themselves
    (BRIDGE, False, None, None, 250),
    (BRIDGE, True, None, None, 1250),
    (BRIDGE, True, 6, None, 250),
    (STANDARD, True, None, None, 500),
    (STANDARD, False, 40, 30, 250),
    (LONG, True, None, 7, 250),
    (Rules(longest=1, bridges=1.0), False, 60, 60, 400),
]


@pytest.mark.parametrize("share", [0.15, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "mode", [pytest.param(NEXT, id="next step"), pytest.param(SAME, id="same step")]
)
def test_against_a_loop_over_single_environments(mode, share):
    """Over 100,000 steps in each mode; `make test` plays a share of them."""
    total = steps = 0
    for rules, macro, horizon, most, whole in GRID:
        many = round(share * whole)
        ours, theirs = pair(32, mode, most, rules=rules, macro=macro, horizon=horizon)
        assert_same(ours.reset(seed=5), theirs.reset(seed=5))
        total = total + play(ours, theirs, many)
        steps += 32 * many
    assert steps >= share * 100_000 and (total > share * 300).all()


def test_spaces_and_metadata_are_those_of_the_loop():
    for mode in (NEXT, SAME, DISABLED):
        ours, theirs = pair(3, mode, rules="standard", macro=True)
        for name in ("observation_space", "action_space", "single_observation_space"):
            assert getattr(ours, name) == getattr(theirs, name)
        assert ours.single_action_space == theirs.single_action_space
        assert ours.metadata == theirs.metadata and ours.metadata["autoreset_mode"] is mode
        assert ours.num_envs == 3 and isinstance(ours, gymnasium.vector.VectorEnv)


def test_seeds_of_each_world_and_resets_in_the_middle():
    """Seeds as numbers and lists with gaps, resets of all and of some, given puzzles."""
    ours, theirs = pair(5, SAME, rules="bridge", macro=True, horizon=9)
    mask = np.array([True, False, True, False, False])
    puzzle = draw(np.random.default_rng(3), BRIDGE)
    calls = [
        {"seed": 7},
        {},
        {"seed": [1, None, 2, None, 3]},
        {"options": {"puzzle": puzzle}},
        {"options": {"reset_mask": mask}},
        {"seed": [4, 4, 4, 4, 4], "options": {"reset_mask": mask}},
        {"options": {"reset_mask": ~mask, "puzzle": puzzle}},
        {"seed": 7},
    ]
    for call in calls:  # theirs takes the mask out of the options
        assert_same(ours.reset(**call), theirs.reset(**call))
        assert ours.np_random_seed == tuple(theirs.np_random_seed)
        play(ours, theirs, 40)


def test_without_autoreset_a_world_waits():
    ours, theirs = pair(4, DISABLED, rules="bridge", horizon=3)
    for env in (ours, theirs):
        env.reset(seed=0)
    play(ours, theirs, 3)
    with pytest.raises(ValueError, match="episode of world 0 is over; reset it with the option"):
        ours.step(np.zeros(4, int))
    for chosen in ([True, False, True, True], [False, True, False, False]):
        assert_same(
            *(env.reset(options={"reset_mask": np.array(chosen)}) for env in (ours, theirs))
        )
    play(ours, theirs, 3)


def test_the_resetting_step_ignores_its_action():
    env = BoxWorldVectorEnv(2, horizon=1)
    env.reset(seed=0)
    assert env.step([3, 3])[3].all()
    pictures, rewards, ended, truncated, infos = env.step([99, -1])
    assert not (rewards.any() or ended.any() or truncated.any() or infos["steps"].any())
    assert (pictures[:, 0, 0] == 127).all()  # the players are in their corners


def test_the_last_picture_is_kept_in_the_same_step():
    env = BoxWorldVectorEnv(3, horizon=2, autoreset_mode="SameStep")
    env.reset(seed=1)
    assert "final_obs" not in env.step([2, 2, 2])[-1]
    pictures, *_, infos = env.step([2, 2, 0])
    assert infos["_final_obs"].all() and infos["final_info"]["steps"].tolist() == [2, 2, 2]
    for picture, last, column in zip(pictures, infos["final_obs"], (2, 2, 0), strict=True):
        assert (picture[0, 0] == 127).all() and (last[0, column] == 127).all()
    kept = infos["final_obs"][0].copy()
    env.step([2, 2, 2])
    assert (infos["final_obs"][0] == kept).all()


def test_what_is_returned_is_the_callers():
    """Whoever writes to it changes no world."""
    scribbled, other = BoxWorldVectorEnv(3), BoxWorldVectorEnv(3)
    for _ in range(2):
        for found in (scribbled.reset(seed=0), scribbled.step([3, 3, 3])):
            assert found[0].flags["C_CONTIGUOUS"]
            for part in (*found[:-1], *found[-1].values()):
                part[:] = part[::-1].copy()
        scribbled.action_masks()[:] = False
    other.reset(seed=0)
    other.step([3, 3, 3])
    assert_same(scribbled.step([2, 2, 2]), other.step([2, 2, 2]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda env: env.step([0, 1]),
            r"shape \(2,\) and type int64; expected whole numbers of sh",
        ),
        (lambda env: env.step(np.full(3, 2.9)), r"shape \(3,\) and type float64; expected whole"),
        (lambda env: env.step([0, 4, 0]), "actions has 4 for world 1; expected 0 to 3"),
        (lambda env: env.step([0, 0, -1]), "actions has -1 for world 2; expected 0 to 3"),
        (lambda env: env.reset(seed=[1, 2]), "seed holds 2; expected 3, one for each world"),
        (lambda env: env.reset(options={"puzle": 1}), "options holds 'puzle'; allowed: puzzle"),
        (lambda env: env.reset(options={"reset_mask": [True] * 3}), "expected a numpy array of bo"),
        (lambda env: env.reset(options={"reset_mask": np.zeros(3, bool)}), "at least one of them"),
        (lambda env: BoxWorldVectorEnv(0), "num_envs is 0; expected an integer of at least 1"),
        (
            lambda env: BoxWorldVectorEnv(1, horizon=0),
            "horizon is 0; expected an integer of at least 1",
        ),
        (lambda env: BoxWorldVectorEnv(1, "maze"), "rules is 'maze'; allowed: Rules, 'bridge', 's"),
        (lambda env: BoxWorldVectorEnv(1, render_mode="human"), "render_mode is 'human'; allowed"),
        (lambda env: BoxWorldVectorEnv(1, autoreset_mode="Later"), "allowed: NextStep, SameStep, "),
        (lambda env: BoxWorldVectorEnv(1).step([0]), "reset has not been called; call it before s"),
        (
            lambda env: BoxWorldVectorEnv(1).reset(options={"reset_mask": np.ones(1, bool)}),
            "expected a reset of all worlds before",
        ),
    ],
)
def test_what_worlds_refuse(call, message):
    env = BoxWorldVectorEnv(3)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        call(env)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_goes_on_as_the_original(copied):
    worlds, _ = pair(3)
    worlds.reset(seed=0)
    other = copied(worlds)
    for _ in range(5):
        seen, expected = (one.step(np.array([0, 1, 2])) for one in (other, worlds))
        assert_same(seen[:4], expected[:4])


def test_pictures_for_people():
    for mode in ("rgb_array", "ansi"):
        ours, theirs = pair(3, rules="standard", render_mode=mode)
        assert ours.render() is None
        ours.reset(seed=0), theirs.reset(seed=0)
        assert_same(ours.render(), theirs.render())
    assert ours.get_action_meanings() == theirs.get_attr("get_action_meanings")[0]
    assert np.array_equal(ours.action_masks(), theirs.call("action_masks"))
