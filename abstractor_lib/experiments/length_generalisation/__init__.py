"""Sorting sequences longer than those of the training: which symbols, which positions?"""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="length_generalisation",
    version=1,
    title="Sorting sequences longer than those of the training",
    notebooks=("17_open_questions",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    repeats=Repeats(tolerance=1e-4),  # of first losses in single precision
)
