"""Sorting with pre-training: v1 section 4.3 (Figure 2d), v3 section 4.2 (Figure 5b)."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from ..needs import Needs
from ..sorting.settings import Model
from .grid import NAME, PROFILES, VERSION, columns, every_parent, runs
from .settings import PROTOCOLS, Task

EXPERIMENT = Experiment(
    name=NAME,
    version=VERSION,
    title="Sorting with pre-training",
    notebooks=("03_pretraining",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(tolerance=1e-5),  # of a first loss in single precision
    needs=lambda spec: Needs(memory_mib=1000),
    starts_from=every_parent,
    ships=False,  # forty models of a megabyte or two
)
