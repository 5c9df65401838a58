"""Agents that copy an oracle of bridge Box World: can they represent what it does?"""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="cloning",
    version=1,
    title="Agents that copy an oracle of bridge Box World",
    notebooks=("16_simplicial_agents",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    needs=lambda spec: Needs(cores=1, memory_mib=1000),
    repeats=Repeats(tolerance=1e-4),  # of first losses in single precision
)
