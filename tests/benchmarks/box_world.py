"""Steps a second of bridge Box World: one game in plain Python, many worlds, Gymnasium's worlds.

    python tests/benchmarks/box_world.py > tests/benchmarks/box_world.txt
    python tests/benchmarks/box_world.py cuda

On a CPU: one thread, processor seconds, so that other work on the machine does not count; medians
of repeats. On a GPU: seconds. Actions are random and drawn beforehand; finished worlds get new
puzzles, whose drawing is part of the time. *step* is the dynamics alone; *codes*, *pictures* and
*masks* add what every step is seen as. *choices* are macro actions, without the length of their
walks. Gymnasium's worlds give pictures, masks and infos with every step, and draw the puzzles of
each world from a generator of its own; *loop* is its `SyncVectorEnv` over single environments.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import platform
import statistics
import sys
import time
from itertools import cycle, islice

import numpy as np
import pandas as pd
import torch
from gymnasium.vector import SyncVectorEnv

from abstractor_lib.tasks.box_world import BRIDGE, Game, draw
from abstractor_lib.tasks.box_world.batched import BoxWorlds
from abstractor_lib.tasks.box_world.environment import BoxWorldEnv
from abstractor_lib.tasks.box_world.vector import BoxWorldVectorEnv

REPEATS, SECONDS = 5, 0.3
SOME = 16  # steps at a time
COUNTS = {"cpu": (16, 64, 256, 1024, 4096, 16384), "cuda": (4096, 65536, 262144)}
WHAT = ("step", "codes", "pictures", "masks")


def rate(play, steps: int, clock) -> float:
    """Median steps a second of ``play()``, which takes ``steps`` steps."""
    play()
    found = []
    for _ in range(REPEATS):
        begun, done = clock(), 0
        while clock() - begun < SECONDS:
            play()
            done += steps
        found.append(done / (clock() - begun))
    return statistics.median(found)


def one_game(observe: bool):
    """A hundred steps of the plain game, with or without pictures."""
    random = np.random.default_rng(0)
    puzzles, actions = draw(random, BRIDGE, 1000), random.integers(0, 4, 100).tolist()
    state = {"game": Game(puzzles), "index": 0}

    def play():
        for action in actions:
            state["game"].step(action)
            if observe:
                state["game"].picture()
            if state["game"].ended:
                state["index"] = (state["index"] + 1) % 1000
                state["game"] = Game(puzzles, state["index"])

    return play


def environment():
    """A hundred steps of the Gymnasium environment."""
    env = BoxWorldEnv()
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 4, 100).tolist()

    def play():
        for action in actions:
            if env.step(action)[2]:
                env.reset()

    return play


def many(count: int, device: str, what: str, macro: bool):
    """`SOME` steps of many worlds."""
    worlds = BoxWorlds(BRIDGE, count, np.random.default_rng(0), device=device, macro=macro)
    random = np.random.default_rng(1)
    actions = random.integers(0, BRIDGE.choices if macro else 4, (4 * SOME, count))
    actions = cycle(torch.from_numpy(actions).to(device))
    seen = (lambda: None, worlds.codes, worlds.images, worlds.masks)
    observe = dict(zip(WHAT, seen, strict=True))[what]

    def play():
        for some in islice(actions, SOME):
            worlds.step(some)
            worlds.reset(worlds.over)
            observe()
        if device == "cuda":
            torch.cuda.synchronize()

    return play


def vector(worlds, macro: bool):
    """`SOME` steps of many worlds of Gymnasium."""
    worlds.reset(seed=0)
    random = np.random.default_rng(1)
    actions = random.integers(0, BRIDGE.choices if macro else 4, (4 * SOME, worlds.num_envs))
    actions = cycle(actions)

    def play():
        for some in islice(actions, SOME):
            worlds.step(some)

    return play


def main(device: str) -> None:
    torch.set_num_threads(1)
    clock = time.process_time if device == "cpu" else time.perf_counter
    where = platform.machine() if device == "cpu" else torch.cuda.get_device_name()
    print(f"torch {torch.__version__}, {where}, steps a second\n")
    rows = []
    if device == "cpu":
        rows.append(("one game, plain Python", 1, "step", rate(one_game(False), 100, clock)))
        rows.append(("one game, plain Python", 1, "codes", rate(one_game(True), 100, clock)))
        rows.append(("Gymnasium", 1, "pictures", rate(environment(), 100, clock)))
        loop = SyncVectorEnv([BoxWorldEnv] * 16)
        rows.append(("Gymnasium, loop", 16, "all", rate(vector(loop, False), 16 * SOME, clock)))
    for count in COUNTS[device]:
        for macro, name in ((False, "many worlds"), (True, "many worlds, choices")):
            for what in WHAT:
                play = many(count, device, what, macro)
                rows.append((name, count, what, rate(play, SOME * count, clock)))
            if device == "cpu":
                play = vector(BoxWorldVectorEnv(count, macro=macro), macro)
                name = name.replace("many worlds", "Gymnasium, worlds")
                rows.append((name, count, "all", rate(play, SOME * count, clock)))
    table = pd.DataFrame(rows, columns=["player", "worlds", "what", "steps a second"])
    table["steps a second"] = [f"{value:,.0f}" for value in table["steps a second"]]
    print(table.to_string(index=False))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
