"""Figures of extrapolated curves: what models read and predict, and their errors by class.

Each of the second kind takes a table of trials; an empty one leaves panels that say "not run".
"""

from .pictures import band, curve, gates, tokens
from .results import CLASSES, by_class, by_step, open_points, windows

__all__ = [
    "CLASSES",
    "band",
    "by_class",
    "by_step",
    "curve",
    "gates",
    "open_points",
    "tokens",
    "windows",
]
