"""SET from relations learned beforehand, and from given ones: v3 4.1 (Figure 4c), v1 4.5 (2b)."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from .grid import PROFILES, columns, runs, start
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="set_relations",
    version=1,
    title="SET from learned and from symbolic relations",
    notebooks=("11_set_modularity",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(
        tolerance=1e-5,  # of a first loss in single precision
        metrics={
            "seen_share": 1e-8,
            "test_accuracy": 0.15,
            "true_accuracy": 0.15,
            "validation_accuracy": 0.15,
        },
    ),
    starts_from=start,
)
