"""Robustness of trained sorters to corrupted objects: v1 section 4.4 (Figures 2e, 2f), v3 section
C.1 (Figures 8a, 8b)."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, runs, starts_from
from .settings import PROTOCOLS, Evaluation, Model, Task

EXPERIMENT = Experiment(
    name="robustness",
    version=1,
    title="Robustness of sorters to corrupted objects",
    notebooks=("04_robustness",),
    model=Model,
    task=Task,
    training=Evaluation,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(tolerance=1e-3),  # of the clean loss of a parent whose weights are the same
    cost=cost,
    starts_from=starts_from,
)
