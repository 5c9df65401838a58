"""Sparse relations over many symbols: v1 section 3.5."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, runs
from .settings import PROTOCOLS, Model, Solver, Task

EXPERIMENT = Experiment(
    name="sparse_recovery",
    version=2,
    title="Sparse relations over many symbols",
    notebooks=("08_sparse_recovery",),
    model=Model,
    task=Task,
    training=Solver,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(close=1e-6, rounding=1e-9),
    needs=lambda spec: Needs(memory_mib=1500),
)
