"""Embeddings of the cards of SET by a convolutional network: v3 section 4.1 and B.1.2, v1 4.5."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, embedder, runs
from .settings import PROTOCOLS, Model, Task

__all__ = ["EXPERIMENT", "embedder"]

EXPERIMENT = Experiment(
    name="cards",
    version=1,
    title="Embeddings of the cards of SET",
    notebooks=("11_set_modularity",),
    model=Model,
    task=Task,
    training=Training,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    cost=cost,
    repeats=Repeats(tolerance=1e-5),  # of a first loss in single precision
)
