"""The Abstractor beside its relatives: rules learned from some objects, tested on others."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="relatives",
    version=5,
    title="The Abstractor beside its relatives: abstract rules on withheld objects",
    notebooks=("19_relatives",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    needs=lambda spec: Needs(cores=1, memory_mib=1500),
    repeats=Repeats(tolerance=1e-4),  # of a first loss in single precision
)
