"""Mathematics problems, a partially relational task: v3 section 4.3 (Figures 6 and 7)."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, needs, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="mathematics",
    version=1,
    title="Mathematics problems",
    notebooks=("12_mathematics",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(tolerance=1e-5),  # of the loss of an untrained model on questions that ship
    cost=cost,
    needs=needs,
)
