"""Agents that learn bridge Box World by reward, a reduction of Figure 6 of the simplicial paper."""

from ...records.fingerprint import Repeats
from ...training.reinforcement import Reinforcement
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, needs, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="agents",
    version=1,
    title="Agents that learn bridge Box World by reward",
    notebooks=("16_simplicial_agents",),
    model=Model,
    task=Task,
    training=Reinforcement,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    needs=needs,
    repeats=Repeats(tolerance=1e-4),  # of an untrained agent's first answers in single precision
)
