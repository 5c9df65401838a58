"""Sparse relations over many symbols: v1 section 3.5."""

from .grid import NAME, PROFILES, VERSION, columns, derived, grid, spec
from .settings import COMMON, PROTOCOLS

__all__ = [
    "COMMON",
    "NAME",
    "PROFILES",
    "PROTOCOLS",
    "VERSION",
    "columns",
    "derived",
    "grid",
    "spec",
]
