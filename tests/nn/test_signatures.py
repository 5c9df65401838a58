"""The public modules say of every argument and every result which type it has."""

import inspect
from typing import get_type_hints

import pytest

from abstractor_lib import nn

PUBLIC = {name: one for name in nn.__all__ if callable(one := getattr(nn, name))}


def functions(one):
    """The function itself, or the public methods that a class has of its own."""
    if not inspect.isclass(one):
        return [one]
    own = vars(one).items()
    return [
        f for name, f in own if inspect.isfunction(f) and (name[0] != "_" or name == "__init__")
    ]


@pytest.mark.parametrize("name", PUBLIC)
def test_signatures_are_complete(name):
    for function in functions(PUBLIC[name]):
        hints = get_type_hints(function)  # names in quotes are of something that is there
        wanted = [one for one in inspect.signature(function).parameters if one != "self"]
        if function.__name__ != "__init__":
            wanted.append("return")
        assert set(wanted) <= hints.keys(), function.__qualname__
