"""The mathematics of 2-simplicial attention: the simplicial paper, section 2, appendices A to C."""

from ...records.fingerprint import Repeats
from ..experiment import Experiment
from .grid import PROFILES, columns, cost, runs
from .settings import PROTOCOLS, Model, Nothing, Task

__all__ = ["EXPERIMENT"]

EXPERIMENT = Experiment(
    name="simplicial_attention",
    version=1,
    title="2-simplicial attention and the unsigned scalar triple product",
    notebooks=("14_simplicial_attention",),
    model=Model,
    task=Task,
    training=Nothing,
    protocols=PROTOCOLS,
    profiles=PROFILES,
    runs=runs,
    columns=columns,
    repeats=Repeats(close=1e-7, rounding=1e-6),  # what is measured of formulas is rounding
    cost=cost,
)
