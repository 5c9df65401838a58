"""What the notebook on mathematics problems shows: training curves, answers, attention, tables."""

from . import tables
from .answers import MARKS, known_names, verdict, written
from .attention import attention, strongest
from .differences import differences
from .lengths import lengths
from .runs import WHOLE, Runs
from .training import EPOCH, FLOOR, ahead, beside_paper, training

__all__ = [
    "EPOCH",
    "FLOOR",
    "MARKS",
    "WHOLE",
    "Runs",
    "ahead",
    "attention",
    "beside_paper",
    "differences",
    "known_names",
    "lengths",
    "strongest",
    "tables",
    "training",
    "verdict",
    "written",
]
