"""The few operations that numpy and torch spell differently.

The rest is common to both: indexing, ``take``, ``where``, arithmetic. So what is written with these
functions runs with numpy on a CPU and with torch on a GPU. torch is imported by whoever brings its
tensors, not here.
"""

import sys
from types import ModuleType
from typing import Any

import numpy as np

Array = Any  # numpy.ndarray or torch.Tensor


def library(array: Array) -> ModuleType:
    """numpy or torch, whose array it is."""
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]


def full(like: Array, shape: tuple[int, ...], value: int, dtype: str) -> Array:
    """An array full of one value, on the device of another.

    Example:
        >>> full(np.zeros(1), (2,), 3, "uint8")
        array([3, 3], dtype=uint8)
    """
    if isinstance(like, np.ndarray):
        return np.full(shape, value, dtype)
    torch = library(like)
    return torch.full(shape, value, dtype=getattr(torch, dtype), device=like.device)


def copy(array: Array) -> Array:
    """Another array with the same values."""
    return array.copy() if isinstance(array, np.ndarray) else array.clone()


def rows(table: Array, index: Array) -> Array:
    """The rows of a table that an array of bytes names, ``(*index.shape, *table.shape[1:])``."""
    return table.take(index, axis=0) if isinstance(table, np.ndarray) else table[index.long()]


def put(array: np.ndarray, like: Array) -> Array:
    """The array as one of the library, and on the device, of another."""
    xp = library(like)
    return array if xp is np else xp.as_tensor(np.array(array)).to(like.device)
