"""What the notebook on mathematics problems draws: training curves, answers, attention."""

from .answers import MARKS, known_names, verdict, written
from .attention import attention, strongest
from .differences import all_ahead, differences, one_sided, pairs, seeds
from .training import EPOCH, FLOOR, ahead, published_gap, training

__all__ = [
    "EPOCH",
    "FLOOR",
    "MARKS",
    "ahead",
    "all_ahead",
    "attention",
    "differences",
    "known_names",
    "one_sided",
    "pairs",
    "published_gap",
    "seeds",
    "strongest",
    "training",
    "verdict",
    "written",
]
