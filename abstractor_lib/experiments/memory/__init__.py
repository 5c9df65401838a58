"""An external memory read by relations: v1 section 5."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from .grid import PROFILES, columns, runs
from .settings import PROTOCOLS, Fit, Model, Task

EXPERIMENT = Experiment(
    name="memory",
    version=1,
    title="An external memory read by relations",
    notebooks=("09_memory",),
    model=Model,
    task=Task,
    training=Fit,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(metrics={"score": 0.005}),
)
