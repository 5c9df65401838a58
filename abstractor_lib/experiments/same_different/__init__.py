"""Relations of two cards, each learned by itself: v3 section 4.1 (Figure 4c), v1 4.5 (2b)."""

from ...records.fingerprint import Repeats
from ...training.settings import Training
from ..cards.grid import start
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, relations, runs
from .settings import PROTOCOLS, Model, Task

__all__ = ["EXPERIMENT", "relations"]

EXPERIMENT = Experiment(
    name="same_different",
    version=1,
    title="Same or different: relations of two cards, each learned by itself",
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
    starts_from=start,
)
