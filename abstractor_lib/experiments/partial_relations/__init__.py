"""Sort, then report a colour that no relation tells: which architecture of v3 Figure 2 can?"""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="partial_relations",
    version=2,
    title="Architectures (a) to (d) on a partially relational task",
    notebooks=("18_which_abstractor",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    needs=lambda spec: Needs(cores=1, memory_mib=1000),
    repeats=Repeats(tolerance=1e-6),  # of a first loss; (c) and (d) may be 1.7e-6 apart
)
