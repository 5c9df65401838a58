"""Inner product relations and Mercer kernels: v1 section 3.1, v3 section 2.1."""

from .grid import MERCER, NAME, OTHERS, PROFILES, VERSION, columns, derived, grid, spec
from .settings import COMMON, PROTOCOLS

__all__ = [
    "COMMON",
    "MERCER",
    "NAME",
    "OTHERS",
    "PROFILES",
    "PROTOCOLS",
    "VERSION",
    "columns",
    "derived",
    "grid",
    "spec",
]
