"""What message-passing and chains of Abstractors compute: v1 sections 3.2 and 3.3."""

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
