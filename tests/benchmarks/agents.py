"""Steps a second of agents that learn bridge Box World: playing, and playing and learning.

    python tests/benchmarks/agents.py > tests/benchmarks/agents.txt

One thread, processor seconds, so that other work on the machine does not count; medians of repeats.
*steps* are the player's single steps, seen as pictures, with the paper's sizes and 1,280 of them an
update; *choices* are decisions what to walk to, of the reduced task, each learned from four times.
*play* is the policy and the world alone.

Where Stable-Baselines3 is installed, one more row has its A2C with the relational agent of the
first row as feature extractor: as many worlds, one process, the same batches, one pass, and a loop
over single environments.

Where RLlib is installed, two more rows have the small world on both engines: wall time, with two
actors on two cores of a Ray that is started here. Other work on the machine counts there.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import itertools
import math
import platform
import statistics
import time

import pandas as pd
import torch
from torch import nn

from abstractor_lib import Unavailable, experiments
from abstractor_lib.execution.backends import executor
from abstractor_lib.experiments.agents.run import learner, new_agent
from abstractor_lib.experiments.context import HERE

REPEATS = 5
PACE = 2450, 1475  # relational, 2-simplicial, one core; named before this was written
HOME = "abstractor_lib.tasks.box_world"
UPDATES = 60  # of each engine, by the clock
SHOWN = {  # task, as the table names it -> part of the grid, what is seen
    "steps, pictures": ("steps", "picture"),
    "choices, tokens": ("", "tokens"),
    "choices, one-hot tiles": ("tiles", "tiles"),
    "choices, pictures": ("picture", "picture"),
}


def rate(function, steps: int) -> float:
    """Median steps a second of a function that takes so many."""
    function()
    found = []
    for _ in range(REPEATS):
        begun = time.process_time()
        function()
        found.append(steps / (time.process_time() - begun))
    return statistics.median(found)


def rows_of_engines(grid) -> list[dict]:
    """Steps a second of the small world on each engine, by the clock; none without RLlib."""
    try:
        workers = executor(engine="rllib", jobs=2)
    except Unavailable:
        return []
    rows = []
    with workers:
        for engine in ("actor_learner", "rllib"):
            spec = next(
                one for one in grid if one.part == "engines" and one.training.engine == engine
            )
            torch.manual_seed(0)
            learning = learner(spec, HERE)
            learning.step()  # actors start
            begun, before = time.perf_counter(), learning.decisions
            while learning.update < UPDATES:
                learning.step()
            pace = (learning.decisions - before) / (time.perf_counter() - begun)
            if engine == "rllib":
                learning.close()
            row = {"task": f"small world, {engine}, by the clock", "agent": "relational"}
            rows.append({**row, "play": math.nan, "play and learn": pace})
    return rows


def rows_of_sb3(grid) -> list[dict]:
    """Steps a second of A2C of Stable-Baselines3; none without it."""
    try:
        from stable_baselines3 import A2C
        from stable_baselines3.common.callbacks import BaseCallback
        from stable_baselines3.common.env_util import make_vec_env
        from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    except ImportError:
        return []
    spec = next(one for one in grid if (one.part, one.model.name) == ("steps", "relational"))
    rules = spec.training

    class Features(BaseFeaturesExtractor):
        """The agent but for the last layers of its policy and value."""

        def __init__(self, space):
            agent = new_agent(spec, HERE)
            super().__init__(space, agent.readout.policy.in_features)
            self.before = nn.Sequential(agent.entities, agent.transformer)
            self.dense = agent.readout.network

        def forward(self, pictures):  # (b, 3, r, c), as Stable-Baselines3 turns them
            return self.dense(self.before(pictures.permute(0, 2, 3, 1)).amax(dim=-2))

    class Clock(BaseCallback):
        """Processor seconds at the end of each play."""

        def __init__(self):
            super().__init__()
            self.seconds = []

        def _on_step(self):
            return True

        def _on_rollout_end(self):
            self.seconds.append(time.process_time())

    worlds = make_vec_env(f"{HOME}:abstractor/BridgeBoxWorld-v0", rules.worlds, seed=0)
    options = {"features_extractor_class": Features, "normalize_images": False}
    policy = {**options, "net_arch": []}
    model = A2C("CnnPolicy", worlds, n_steps=rules.unroll, policy_kwargs=policy, device="cpu")
    clock, steps = Clock(), rules.worlds * rules.unroll
    model.learn((REPEATS + 2) * steps, callback=clock)
    apart = [after - before for before, after in itertools.pairwise(clock.seconds)]
    pace = statistics.median(steps / one for one in apart)
    row = {"task": "steps, pictures, Stable-Baselines3", "agent": "relational"}
    return [{**row, "play": math.nan, "play and learn": pace}]


def main() -> None:
    torch.set_num_threads(1)
    grid, rows = experiments.get("agents").grid("laptop", "sound"), []
    for task, (part, sees) in SHOWN.items():
        for name in ("relational", "simplicial"):
            spec = next(
                one
                for one in grid
                if (one.part, one.model.name, one.model.observation) == (part, name, sees)
            )
            torch.manual_seed(0)
            learning = learner(spec, HERE)
            learning.look = None
            steps = spec.training.worlds * spec.training.unroll
            row = {"task": task, "agent": name, "play": rate(learning.play, steps)}
            rows.append({**row, "play and learn": rate(learning.step, steps)})
    rows += [*rows_of_sb3(grid), *rows_of_engines(grid)]
    table = pd.DataFrame(rows).set_index(["task", "agent"])
    print(f"torch {torch.__version__}, {platform.machine()}, one thread\n")
    print(table.map("{:,.0f}".format).to_string())
    print(
        f"\nHeld against: {PACE[0]:,} and {PACE[1]:,} steps/s of an A2C elsewhere, with pictures."
    )


if __name__ == "__main__":
    main()
