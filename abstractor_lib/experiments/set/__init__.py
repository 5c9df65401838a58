"""Do three cards form a SET? v3 section 4.1 (Figure 4b)."""

from ...records.fingerprint import Repeats
from ...records.spec import Spec
from ...training.settings import Training
from ..cards.grid import start
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, cost, derived, runs
from .settings import PROTOCOLS, Model, Task


def needs(spec: Spec) -> Needs:
    """One core, and memory for the embedded rows of all trials."""
    return Needs(cores=1, memory_mib=1500)


EXPERIMENT = Experiment(
    name="set",
    version=1,
    title="Do three cards form a SET?",
    notebooks=("10_set_classification",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(tolerance=1e-5),  # of a first loss in single precision
    derived=derived,
    cost=cost,
    needs=needs,
    starts_from=start,
)
