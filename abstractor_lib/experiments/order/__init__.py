"""Learning an order relation from pairs: v1 section 4.1 (Figure 2a), v3 section 4.1 (Figure 4a)."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from .grid import PROFILES, columns, derived, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="order",
    version=1,
    title="Learning an order relation from pairs",
    notebooks=("01_order_relations",),
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
            "closure_oracle_accuracy": 1e-8,
            "reversed_share": 1e-8,
            "transitive_share": 1e-8,
            "test_accuracy": 0.3,
            "transitive_accuracy": 0.3,
            "validation_accuracy": 0.3,
            "reversed_accuracy": 0.4,
        },
    ),  # shares of the data are no matter of training
    derived=derived,
)
