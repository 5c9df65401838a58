"""What the notebook on mathematics problems draws: training curves, answers, attention."""

from .answers import guess, known_names, written
from .attention import attention
from .training import EPOCH, ahead, published_gap, training

__all__ = [
    "EPOCH",
    "ahead",
    "attention",
    "guess",
    "known_names",
    "published_gap",
    "training",
    "written",
]
