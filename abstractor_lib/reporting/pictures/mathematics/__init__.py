"""What the notebook on mathematics problems draws: training curves, answers, attention."""

from .answers import MARKS, known_names, verdict, written
from .attention import attention, strongest
from .differences import differences
from .training import EPOCH, FLOOR, ahead, published_gap, training

__all__ = [
    "EPOCH",
    "FLOOR",
    "MARKS",
    "ahead",
    "attention",
    "differences",
    "known_names",
    "published_gap",
    "strongest",
    "training",
    "verdict",
    "written",
]
