"""What message-passing and chains of Abstractors compute: v1 sections 3.2 and 3.3."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from ..needs import Needs
from .grid import PROFILES, columns, derived, runs
from .settings import PROTOCOLS, Model, Task

EXPERIMENT = Experiment(
    name="function_classes",
    version=1,
    title="What message-passing and chains of Abstractors compute",
    notebooks=("06_message_passing",),
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
            "amplification": 1e-6,
            "rank": 1e-9,
            "error": 1e-9,
            "accuracy": 0.2,
            "validation_accuracy": 0.2,
        },
    ),
    needs=lambda spec: Needs(memory_mib=700),
    derived=derived,
)
