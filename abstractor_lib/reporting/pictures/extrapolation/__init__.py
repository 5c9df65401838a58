"""Figures and tables of extrapolated curves: what models read and predict, errors by class.

Each of the second kind takes a table of trials; an empty one leaves panels that say "not run".
"""

from . import tabulated
from .long_training import by_weights, swings
from .pictures import band, curve, examples, gallery, gates, tokens, window_shapes
from .posterior import posterior
from .printed_beside import beside_printed
from .results import (
    BASELINES,
    CLASSES,
    FLOORS,
    MODELS,
    RELATIONAL,
    SINGLE,
    by_class,
    by_step,
    open_points,
    windows,
)

__all__ = [
    "BASELINES",
    "CLASSES",
    "FLOORS",
    "MODELS",
    "RELATIONAL",
    "SINGLE",
    "band",
    "beside_printed",
    "by_class",
    "by_step",
    "by_weights",
    "curve",
    "examples",
    "gallery",
    "gates",
    "open_points",
    "posterior",
    "swings",
    "tabulated",
    "tokens",
    "window_shapes",
    "windows",
]
