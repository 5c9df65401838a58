"""Function learning: extrapolation of curves (curves, Tables 1 and 2)."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, needs, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="curves",
    version=1,
    title="Function learning: extrapolation of curves",
    notebooks=("13_function_learning",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(tolerance=1e-5),  # of a first loss in single precision
    cost=cost,
    needs=needs,
)
