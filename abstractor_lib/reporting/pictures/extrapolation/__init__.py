"""Figures of extrapolated curves: what models read and predict, and their errors by class.

Each of the second kind takes a table of trials; an empty one leaves panels that say "not run".
"""

from .long_training import by_weights, swings
from .pictures import band, curve, gallery, gates, tokens
from .printed_beside import beside_printed
from .results import CLASSES, by_class, by_step, of, open_points, windows

__all__ = [
    "CLASSES",
    "band",
    "beside_printed",
    "by_class",
    "by_step",
    "by_weights",
    "curve",
    "gallery",
    "gates",
    "of",
    "open_points",
    "swings",
    "tokens",
    "windows",
]
