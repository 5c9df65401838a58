"""Data of the sparse recovery experiment: light enough for whoever only reads records.

Shapes: symbols S ``(d, m)``; ``R`` states ``(R, d)`` and their relations ``(R, m)``.
"""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ...tasks.randomness import generator
from ...theory.corruption import corrupt
from .settings import Task


class Data(NamedTuple):
    """Symbols ``(d, m)``, relations ``(R, m)``, states ``(R, d)`` as they were and corrupted."""

    symbols: np.ndarray
    relations: np.ndarray
    states: np.ndarray
    corrupted: np.ndarray


def draw(task: Task, trial: int) -> Data:
    """The data of a trial. Two tasks that differ in errors or noise alone share the rest.

    Raises:
        ValueError: for more nonzero entries than there are.
    """
    symbols, relations, states = _clean(task, trial)
    random = generator(trial, "errors")
    corrupted = corrupt(task.corruption, symbols, relations, task.errors, random)
    size = np.sqrt((states**2).mean())
    noise = task.noise * size * generator(trial, "noise").standard_normal(states.shape)
    return Data(symbols, relations, states, corrupted + noise)


def _clean(task: Task, trial: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Symbols, relations, and states without errors or noise."""
    if not 1 <= task.nonzeros <= task.columns:
        raise ValueError(f"nonzeros is {task.nonzeros}; expected 1 to {task.columns}")
    symbols = generator(trial, "symbols").standard_normal((task.rows, task.columns))
    random = generator(trial, "relations")
    where = random.random((task.relations, task.columns)).argsort(axis=1)[:, : task.nonzeros]
    relations = np.zeros((task.relations, task.columns))
    weights = random.dirichlet(np.ones(task.nonzeros), task.relations)
    np.put_along_axis(relations, where, weights, axis=1)
    return symbols, relations, relations @ symbols.T


def noise_deviation(task: Task, trial: int) -> float:
    """Standard deviation of the dense noise in the states of a trial: ``task.noise`` times the root
    mean square of its states.

    Weights that are uniform on the simplex of k entries have a mean square norm of 2 / (k + 1).
    States are smaller for more nonzero entries, and so is this noise.

    Example:
        >>> few, many = (Task(60, 200, k, "gaussian", 0.0, noise=0.05) for k in (1, 8))
        >>> round(noise_deviation(few, 0), 3), round(noise_deviation(many, 0), 3)
        (0.051, 0.026)
    """
    return task.noise * _root_mean_square(replace(task, errors=0.0, noise=0.0), trial)


@cache
def _root_mean_square(task: Task, trial: int) -> float:
    """Of the states; drawing them again is exact."""
    *_, states = _clean(task, trial)
    return float(np.sqrt((states**2).mean()))
