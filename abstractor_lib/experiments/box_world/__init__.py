"""Box World and bridge Box World played by scripts: simplicial sections 3 and 5."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Play, Task

EXPERIMENT = Experiment(
    name="box_world",
    version=1,
    title="Box World and bridge Box World, played by scripts",
    notebooks=("15_box_world",),
    model=Model,
    task=Task,
    training=Play,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(tolerance=1e-7, close=1e-8),  # whole numbers, the same everywhere
    cost=cost,
)
