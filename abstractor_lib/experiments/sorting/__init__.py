"""Object sorting, learning curves: v1 section 4.2 (Figure 2c), v3 section 4.2 (Figure 5a)."""

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
