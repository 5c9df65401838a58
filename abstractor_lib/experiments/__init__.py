"""One package per section of a paper: its settings, its grid, the function that computes a run.

An experiment's package offers ``NAME``, ``VERSION``, ``PROFILES``, ``PROTOCOLS``, ``grid(profile,
protocol)``, ``spec(plain)``, ``columns(plain)`` and ``derived(metrics)`` for tables and, in its
module ``run``, ``compute(spec, limit=None)`` (with ``parents``, role -> `Parent`, where its specs
have any). Importing the package does not import torch.
"""

from importlib import import_module
from types import ModuleType

from ..records.spec import Spec
from .protocol import PROTOCOLS

EXPERIMENTS = (
    "order",
    "sorting",
    "kernels",
    "function_classes",
    "robust_recovery",
    "sparse_recovery",
    "memory",
)


def get(name: str) -> ModuleType:
    """The package of an experiment.

    Raises:
        ValueError: for an unknown name.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"EXPERIMENT is {name!r}; allowed: {', '.join(EXPERIMENTS)}")
    return import_module(f"{__name__}.{name}")


def find(run: str) -> Spec:
    """The spec with that run id, looked for in every grid.

    Raises:
        ValueError: if no grid has it.
    """
    for name in EXPERIMENTS:
        module = get(name)
        for profile in module.PROFILES:
            for protocol in PROTOCOLS:
                for spec in module.grid(profile, protocol):
                    if spec.id == run:
                        return spec
    raise ValueError(f"run is {run[:12]!r}; expected the id of a run in some grid")
