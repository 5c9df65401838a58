"""The strict relational bottleneck: Abstractors without relations of an object to itself."""

from ...records.fingerprint import Repeats
from ...records.spec import Spec
from ...training.settings import Training
from ..cards.grid import start
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task


def needs(spec: Spec) -> Needs:
    """One core, and memory for the embedded triples of all trials."""
    return Needs(cores=1, memory_mib=1500)


EXPERIMENT = Experiment(
    name="strict_bottleneck",
    version=1,
    title="The strict bottleneck: no relations of an object to itself",
    notebooks=("18_which_abstractor",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    needs=needs,
    repeats=Repeats(tolerance=1e-5),  # of a first loss in single precision
    starts_from=start,
)
