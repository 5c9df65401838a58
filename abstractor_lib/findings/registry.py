"""Measures by name: the functions that a claim may name, each with a sentence on what it measures.

A measure takes the tables of trials, the protocol that it is asked about and the claim's own
arguments; see `measures`. Nothing else of a module can be named in ``data/claims.toml``.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from types import FunctionType

_KNOWN: dict[tuple[str, str], FunctionType] = {}  # module and name


def measure(function: FunctionType) -> FunctionType:
    """Let claims name a function; the first sentence of its docstring says what it measures.

    Raises:
        ValueError: if there is no such sentence.

    Example:
        >>> @measure
        ... def trials(frames, protocol):
        ...     "How many trials there are. (Of a complete grid.)"
        >>> sentence(trials)
        'How many trials there are.'
    """
    sentence(function)
    _KNOWN[function.__module__, function.__name__] = function
    return function


def sentence(function: FunctionType) -> str:
    """What a measure measures, in a sentence.

    Raises:
        ValueError: if its docstring does not begin with one.
    """
    text = " ".join(cleandoc(function.__doc__ or "").split("\n\n")[0].split())
    first, end, _ = text.partition(". ")
    if not text.endswith(".") and not end:
        raise ValueError(f"{function.__name__} has no sentence on what it measures")
    return first.removesuffix(".") + "."


def named(name: str, modules: Iterable[str]) -> FunctionType:
    """The measure of that name, in the first of the modules that has it; modules that do not exist
    have none.

    Raises:
        ValueError: if none of them has it.
    """
    modules = [module for module in modules if find_spec(module)]
    for module in modules:
        import_module(module)
        if found := _KNOWN.get((module, name)):
            return found
    raise ValueError(f"measure is {name!r}; expected a measure of {' or '.join(modules)}")


def every() -> tuple[FunctionType, ...]:
    """All measures of the modules that are imported."""
    return tuple(_KNOWN.values())
