"""One package per section of a paper: its settings, its grid, the function that computes a run.

An experiment's package offers ``NAME``, ``VERSION``, ``PROFILES``, ``PROTOCOLS``, ``grid(profile,
protocol)``, ``spec(plain)``, ``columns(plain)`` and ``derived(metrics)`` for tables and, in its
module ``run``, ``compute(spec, limit=None)``. Importing the package does not import torch.
"""

from importlib import import_module
from types import ModuleType

EXPERIMENTS = ("order", "sorting", "kernels", "function_classes", "memory")


def get(name: str) -> ModuleType:
    """The package of an experiment.

    Raises:
        ValueError: for an unknown name.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"EXPERIMENT is {name!r}; allowed: {', '.join(EXPERIMENTS)}")
    return import_module(f"{__name__}.{name}")
