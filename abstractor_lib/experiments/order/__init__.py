"""Learning an order relation from pairs: v1 section 4.1 (Figure 2a), v3 section 4.1 (Figure 4a)."""

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
