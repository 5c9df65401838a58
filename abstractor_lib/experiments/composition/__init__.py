"""Relations between relations: one Abstractor, or a chain of two as in v3 Figure 2 (e)?"""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="composition",
    version=1,
    title="Relations between relations: one Abstractor or a chain of two",
    notebooks=("18_which_abstractor",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    needs=lambda spec: Needs(cores=1, memory_mib=600),
    repeats=Repeats(tolerance=1e-5),  # of a first loss in single precision
)
