"""Serial control of heads: how much accuracy is kept with how few relations evaluated?"""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="serial_control",
    version=1,
    title="Serial control of heads: which relation next, and when to stop",
    notebooks=("17_open_questions",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    repeats=Repeats(tolerance=1e-4),  # of a first loss in single precision
)
