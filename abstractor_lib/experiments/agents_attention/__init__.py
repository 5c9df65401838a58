"""What trained agents of bridge Box World read, a reduction of Figure 7 of the simplicial paper."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, runs, starts_from
from .settings import PROTOCOLS, Model, Reading, Task

EXPERIMENT = Experiment(
    name="agents_attention",
    version=1,
    title="What agents of bridge Box World read",
    notebooks=("16_simplicial_agents",),
    model=Model,
    task=Task,
    training=Reading,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    starts_from=starts_from,
    # win rates count puzzles, and the choice between two nearly equal scores may differ
    repeats=Repeats(
        tolerance=1e-6,
        close=1e-5,
        rounding=1e-8,
        metrics={"late_greedy": 0.005, "late_uniform": 0.005},
    ),
)
