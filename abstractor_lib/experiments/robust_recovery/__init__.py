"""Relations read back from corrupted states: v1 section 3.4."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from .grid import PROFILES, columns, loose, pins, runs
from .settings import PROTOCOLS, Model, Solver, Task

EXPERIMENT = Experiment(
    name="robust_recovery",
    version=2,
    title="Relations read back from corrupted states",
    notebooks=("07_robust_recovery",),
    model=Model,
    task=Task,
    training=Solver,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(close=2e-5, rounding=1e-6),
    loose=loose,
    starts_from=lambda: [parent.spec for some in pins().values() for parent in some.values()],
)
