"""Inner product relations and Mercer kernels: v1 section 3.1, v3 section 2.1."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from .grid import MERCER, OTHERS, PROFILES, columns, derived, runs
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
    repeats=Repeats(
        metrics={"floor": 1e-6, "l2_error": 0.05, "sup_error": 0.2}
    ),  # line searches part ways, and the fits with them
    derived=derived,
)
