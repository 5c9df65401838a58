"""Box World as users of Gymnasium meet it: names, checkers, wrappers, other libraries."""

import random
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from abstractor_lib.tasks.box_world import BRIDGE, STANDARD, Rules
from abstractor_lib.tasks.box_world import environment as gym
from abstractor_lib.tasks.box_world.registration import IDS
from abstractor_lib.tasks.box_world.rendering import meanings
from abstractor_lib.tasks.box_world.vector import BoxWorldVectorEnv

HOME = "abstractor_lib.tasks.box_world"
RULES = {"bridge": BRIDGE, "standard": STANDARD}


def elsewhere(code):
    """The output of a Python process of its own."""
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


MADE = f"print([gymnasium.make('{HOME}:' + name).unwrapped.macro for name in names])"
LISTED = f"from {HOME}.registration import IDS as names\n"


@pytest.mark.parametrize(
    "imports",
    [
        f"import gymnasium\nnames = {list(IDS)}\n",  # by the module before the colon alone
        f"import {HOME}\nassert 'gymnasium' not in sys.modules\nimport gymnasium\n{LISTED}",
        f"import gymnasium\nimport {HOME}\n{LISTED}",
        f"import {HOME}\nimport importlib.util\nimportlib.util.find_spec('gymnasium')\n{LISTED}"
        f"from gymnasium import vector\nimport gymnasium\n",
    ],
    ids=["colon", "before", "after", "looked for"],
)
def test_names_are_known_whatever_is_imported_first(imports):
    assert elsewhere(f"import sys\n{imports}{MADE}") == "[False, True, False, True]"


def test_an_import_needs_neither_torch_nor_gymnasium():
    code = f"import sys, {HOME}\nprint([name in sys.modules for name in ('torch', 'gymnasium')])"
    assert elsewhere(code) == "[False, False]"
    absent = (
        "import sys\nsys.modules['gymnasium'] = None\n"
        f"import {HOME}.vector, {HOME}.environment as one\n"
        "for what in (one.BoxWorldEnv, one.need_gymnasium):\n"
        "    try: what(*['x'] * (what is one.need_gymnasium))\n"
        "    except ModuleNotFoundError as error: print(error)"
    )
    sentence = "needs gymnasium: pip install 'abstractor-companion[environments]'"
    assert elsewhere(absent) == f"BoxWorldEnv {sentence}\nx {sentence}"


def test_the_vector_environment_needs_no_torch():
    code = (
        "import sys, gymnasium\n"
        f"worlds = gymnasium.make_vec('{HOME}:abstractor/BoxWorldMacro-v0', num_envs=3)\n"
        "worlds.reset(seed=0), worlds.step([0, 0, 0])\n"
        "print(type(worlds).__name__, 'torch' in sys.modules)"
    )
    assert elsewhere(code) == "BoxWorldVectorEnv False"


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_checks_the_environment(name, recwarn):
    env = gymnasium.make(name, render_mode="rgb_array")
    check_env(env.unwrapped)
    assert not [str(one.message) for one in recwarn if "render" not in str(one.message)]
    rules, macro = RULES[IDS[name]["rules"]], "macro" in IDS[name]
    env.reset(seed=0)
    assert env.unwrapped.rules == rules and env.unwrapped.macro == macro
    assert env.action_space.n == (rules.choices if macro else 4)
    assert env.render().shape == (*np.multiply(rules.picture, gym.TILE), 3)
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert np.array_equal(again.reset(seed=0)[0], env.reset(seed=0)[0])


@pytest.mark.parametrize("name", IDS)
def test_make_vec_makes_the_batched_worlds(name):
    ours = gymnasium.make_vec(name, 4, max_episode_steps=9, autoreset_mode="SameStep")
    assert isinstance(ours, BoxWorldVectorEnv) and ours.spec.id == name
    theirs = gymnasium.make_vec(name, 4, vectorization_mode="sync", max_episode_steps=9)
    assert np.array_equal(ours.reset(seed=3)[0], theirs.reset(seed=3)[0])
    found = [ours.step(np.zeros(4, int)) for _ in range(9)]
    assert found[-1][3].all() and "final_obs" in found[-1][4]


def test_a_loop_and_processes_give_the_same():
    name = f"{HOME}:abstractor/BridgeBoxWorldMacro-v0"
    loop, processes = (
        kind([lambda: gymnasium.make(name, horizon=5)] * 2)
        for kind in (SyncVectorEnv, lambda made: AsyncVectorEnv(made, context="spawn"))
    )
    try:
        for env in (loop, processes):
            env.reset(seed=1)
        for action in range(10):
            found, known = (env.step([action, 9 - action]) for env in (loop, processes))
            for one, other in zip(found[:4], known[:4], strict=True):
                assert np.array_equal(one, other)
            assert np.array_equal(found[4]["action_mask"], known[4]["action_mask"])
    finally:
        processes.close()


WRAPPED = {
    "time limit": lambda env: wrappers.TimeLimit(env, 50),
    "statistics": wrappers.RecordEpisodeStatistics,
    "autoreset": wrappers.Autoreset,
    "rewards": lambda env: wrappers.TransformReward(env, float),
    "checker": wrappers.PassiveEnvChecker,
    "all": lambda env: wrappers.RecordEpisodeStatistics(
        wrappers.TimeLimit(wrappers.OrderEnforcing(wrappers.PassiveEnvChecker(env)), 50)
    ),
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_seeds_and_masks_pass_through_wrappers(wrap):
    plain, wrapped = gym.BoxWorldEnv(), wrap(gym.BoxWorldEnv())
    for seed in (4, None, 5, None):
        (known, _), (found, info) = (env.reset(seed=seed) for env in (plain, wrapped))
        assert np.array_equal(known, found)
        masks = wrapped.get_wrapper_attr("action_masks")()
        assert masks.dtype == bool and masks.tolist() == info["action_mask"].tolist()
        assert wrapped.action_space.contains(wrapped.action_space.sample(info["action_mask"]))
    assert wrapped.unwrapped.np_random_seed == 5


def test_seeds_pass_through_wrappers_of_vectors():
    plain = BoxWorldVectorEnv(3, horizon=4)
    wrapped = wrappers.vector.RecordEpisodeStatistics(BoxWorldVectorEnv(3, horizon=4))
    for seed in (4, None, [1, 2, 3], None):
        assert np.array_equal(plain.reset(seed=seed)[0], wrapped.reset(seed=seed)[0])
        for _ in range(6):
            known, found = (env.step(np.array([3, 2, 1])) for env in (plain, wrapped))
            assert np.array_equal(known[0], found[0])
    assert wrapped.unwrapped.np_random_seed == (1, 2, 3)


def test_global_generators_are_left_alone():
    def states():
        return repr(np.random.get_state()), repr(random.getstate())  # noqa: NPY002

    before = states()
    for env in (gym.BoxWorldEnv(horizon=3), BoxWorldVectorEnv(2, horizon=3)):
        for seed in (None, 1):
            env.reset(seed=seed)
            for _ in range(3):
                env.step(env.action_space.sample())
    assert states() == before


@pytest.mark.parametrize("rules", ["bridge", "standard"])
def test_text_shows_the_whole_picture(rules):
    """Every code of the picture can be read back from its sign."""
    env = gym.BoxWorldEnv(rules, macro=True, render_mode="ansi")
    assert env.render() is None
    _, info = env.reset(seed=2)
    for _ in range(3):
        lines = [line.ljust(env.rules.columns + 2) for line in env.render().split("\n")]
        codes = env.game.picture()
        assert len(lines) == len(codes)
        for line, row in zip(lines, codes, strict=True):
            signs = line[: env.rules.columns] + line[-1]
            assert line[env.rules.columns] == "|"
            for sign, code in zip(signs, row.tolist(), strict=True):
                assert ".*@ ".find(sign) == code or ord(sign.lower()) - ord("a") + 4 == code
        locks = sum(sign.isupper() for line in lines for sign in line)
        boxes = [env.game.tile(k) for k in range(env.rules.choices)]
        slots = set(env.rules.slots)
        gone = env.game.solved and rules == "bridge"  # the Gem's lower tile is then blank
        assert locks == len({tile for tile in boxes if tile and tile not in slots}) - gone
        if env.game.ended:
            break
        info = env.step(int(info["action_mask"].argmax()))[-1]


def test_actions_have_meanings():
    for rules in (BRIDGE, STANDARD, Rules(bridges=0.0)):
        for macro in (False, True):
            env = gym.BoxWorldEnv(rules, macro=macro)
            words = env.get_action_meanings()
            assert len(set(words)) == env.action_space.n and words == meanings(rules, macro)
            assert words == BoxWorldVectorEnv(2, rules, macro=macro).get_action_meanings()


@pytest.mark.parametrize("name", IDS)
def test_stable_baselines_checks_the_environment(name):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(name).unwrapped, warn=False)


def test_maskable_ppo_learns_with_worlds_in_processes():
    """A short run: it takes only actions that its masks allow, and its weights change."""
    pytest.importorskip("stable_baselines3")
    contrib = pytest.importorskip("sb3_contrib")
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    name = f"{HOME}:abstractor/BridgeBoxWorldMacro-v0"
    worlds = make_vec_env(
        name,
        2,
        seed=0,
        env_kwargs={"horizon": 30},
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": "spawn"},
    )
    try:
        model = contrib.MaskablePPO("MlpPolicy", worlds, n_steps=32, batch_size=32, seed=0)
        before = [weight.clone() for weight in model.policy.parameters()]
        model.learn(128)
        assert any((a != b).any() for a, b in zip(before, model.policy.parameters(), strict=True))
        observed = worlds.reset()
        for _ in range(10):
            masks = np.stack(worlds.env_method("action_masks"))
            actions, _ = model.predict(observed, action_masks=masks)
            assert masks[np.arange(2), actions].all()
            observed = worlds.step(actions)[0]
    finally:
        worlds.close()
