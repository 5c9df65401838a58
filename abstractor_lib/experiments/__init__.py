"""One package per section of a paper: its settings, its grid, the function that computes a run.

A package offers ``EXPERIMENT``, an `Experiment`, and a module ``run`` with ``compute(spec,
context)``. Importing the package does not import torch. A package that is in this folder is an
experiment: nothing else lists them.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from .experiment import Experiment


@cache
def names() -> list[str]:
    """The names of all experiments, none of which is imported."""
    return [module.name for module in iter_modules(__path__) if module.ispkg]


@cache
def by_name() -> dict[str, Experiment]:
    """All experiments by name, in the order of the notebooks that show them."""
    found = [get(name) for name in names()]
    return {one.name: one for one in sorted(found, key=lambda one: (one.notebooks, one.name))}


def get(name: str) -> Experiment:
    """The experiment of that name; no other one is imported.

    Raises:
        ValueError: for an unknown name.
    """
    if name not in names():
        raise ValueError(f"EXPERIMENT is {name!r}; allowed:\n{', '.join(by_name())}")
    return import_module(f"{__name__}.{name}").EXPERIMENT
