"""Do three cards form a SET? From pixels, without embeddings that were learned before."""

from ...records.fingerprint import Repeats
from ...records.spec import Spec
from ...training.settings import Training
from ..experiment import Experiment
from ..needs import Needs
from ..set.grid import derived
from .grid import PROFILES, columns, runs
from .settings import PROTOCOLS, Model, Task


def needs(spec: Spec) -> Needs:
    """One core, and memory for the convolutions of 81 images."""
    return Needs(cores=1, memory_mib=1500)


EXPERIMENT = Experiment(
    name="set_pixels",
    version=1,
    title="Do three cards form a SET? From pixels",
    notebooks=("10_set_classification",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(tolerance=1e-4),  # of a first loss in single precision
    derived=derived,
    needs=needs,
)
