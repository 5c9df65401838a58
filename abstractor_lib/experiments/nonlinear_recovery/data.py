"""Data of nonlinear recovery. Shapes: A ``(d, m)``, u ``(m,)``, y ``(d,)``."""

from typing import NamedTuple

import numpy as np

from ...tasks.randomness import generator
from ...theory.activations import measure
from ...theory.corruption import GROSS
from .settings import Task


class Problem(NamedTuple):
    """A, u, phi(gain A u) and y; fewer measurements are the first rows of more."""

    a: np.ndarray
    u: np.ndarray
    clean: np.ndarray
    y: np.ndarray


def draw(task: Task, trial: int) -> Problem:
    """The problem of a trial with its largest number of measurements. Tasks that differ in phi or
    noise alone share A, u, and which entries are wrong.

    Raises:
        ValueError: for more nonzero entries than there are.
    """
    if not 1 <= task.nonzeros <= task.columns:
        raise ValueError(f"nonzeros is {task.nonzeros}; expected 1 to {task.columns}")
    rows = max(task.rows)
    a = generator(trial, "symbols").standard_normal((rows, task.columns))
    random = generator(trial, "relations")
    where = random.permutation(task.columns)[: task.nonzeros]
    u = np.zeros(task.columns)
    u[where] = random.dirichlet(np.ones(task.nonzeros))
    u /= np.linalg.norm(u)
    clean = measure(task.activation, a, u, task.gain)
    return Problem(a, u, clean, corrupted(task, clean, trial))


def corrupted(task: Task, clean: np.ndarray, trial: int) -> np.ndarray:
    """Measurements with the noise of a task, of any shape ``(..., d)``."""
    random = generator(trial, "errors")
    wrong = random.random(clean.shape) < task.errors
    gross = -2 * clean if task.activation == "sign" else None
    size = clean.std()
    if gross is None:
        gross = GROSS * size * random.standard_normal(clean.shape)
    noise = task.dense * size * generator(trial, "noise").standard_normal(clean.shape)
    return clean + noise + np.where(wrong, gross, 0.0)
