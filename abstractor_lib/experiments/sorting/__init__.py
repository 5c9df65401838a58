"""Object sorting, learning curves: v1 section 4.2 (Figure 2c), v3 section 4.2 (Figure 5a)."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="sorting",
    version=1,
    title="Object sorting, learning curves",
    notebooks=("02_object_sorting",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(tolerance=1e-5),  # of a first loss in single precision
    cost=cost,
    needs=lambda spec: Needs(memory_mib=1000),
)
