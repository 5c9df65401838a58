"""Steps a second of agents that learn bridge Box World: playing, and playing and learning.

    python tests/benchmarks/agents.py > tests/benchmarks/agents.txt

One thread, processor seconds, so that other work on the machine does not count; medians of repeats.
*steps* are the player's single steps, seen as pictures, with the paper's sizes and 1,280 of them an
update; *choices* are decisions what to walk to, of the reduced task, each learned from four times.
*play* is the policy and the world alone.

Where RLlib is installed, two more rows have the small world on both engines: wall time, with two
actors on two cores of a Ray that is started here. Other work on the machine counts there.
"""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import math
import platform
import statistics
import time

import pandas as pd
import torch

from abstractor_lib import Unavailable, experiments
from abstractor_lib.execution.backends import executor
from abstractor_lib.experiments.agents.run import learner
from abstractor_lib.experiments.context import HERE

REPEATS = 5
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
    rows += rows_of_engines(grid)
    table = pd.DataFrame(rows).set_index(["task", "agent"])
    print(f"torch {torch.__version__}, {platform.machine()}, one thread\n")
    print(table.map("{:,.0f}".format).to_string())


if __name__ == "__main__":
    main()
