"""Inner product relations and Mercer kernels: v1 section 3.1, v3 section 2.1."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from .grid import MERCER, OTHERS, PROFILES, columns, derived, loose, runs
from .settings import PROTOCOLS, Fit, Model, Task

__all__ = ["EXPERIMENT", "MERCER", "OTHERS"]

EXPERIMENT = Experiment(
    name="kernels",
    version=2,
    title="Inner product relations and Mercer kernels",
    notebooks=("05_mercer_kernels",),
    model=Model,
    task=Task,
    training=Fit,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(close=1e-6, rounding=1e-7),
    loose=loose,
    derived=derived,
)
