"""Relations read back from nonlinear measurements: an open question of v1 section 3.5."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from ..needs import Needs
from ..robust_recovery.grid import pins
from .grid import PROFILES, columns, cost, loose, runs
from .settings import PROTOCOLS, Model, Solver, Task

EXPERIMENT = Experiment(
    name="nonlinear_recovery",
    version=1,
    title="Relations from nonlinear measurements",
    notebooks=("17_open_questions",),
    model=Model,
    task=Task,
    training=Solver,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    loose=loose,
    repeats=Repeats(close=1e-4, rounding=1e-6),
    needs=lambda spec: Needs(memory_mib=700),
    starts_from=lambda: [some["sorting"].spec for some in pins().values()],
)
