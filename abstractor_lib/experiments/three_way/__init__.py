"""Relations of three objects: layers of attention at equal depth, number of parameters and cost."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="three_way",
    version=1,
    title="Relations of three objects: attention layers of equal depth, size and cost",
    notebooks=("14_simplicial_attention",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    repeats=Repeats(tolerance=1e-5),  # of a first loss in single precision
)
