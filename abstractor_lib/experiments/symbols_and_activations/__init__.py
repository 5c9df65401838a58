"""Which choices of the Abstractor matter: kind of symbols, relation activation, depth?"""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..cards.grid import start
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="symbols_and_activations",
    version=1,
    title="Symbols, relation activation and depth of the Abstractor",
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
    repeats=Repeats(tolerance=1e-4),  # of a first loss in single precision
    starts_from=start,
)
