"""Which questions of a test the training set holds, too."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .run import draw
from .settings import Task


class Seen(NamedTuple):
    """Of each trial.

    Attributes:
        shares: of the test's questions that occur in the training set.
        different: how many different questions the training set holds.
    """

    shares: list[float]
    different: list[int]


def seen(
    task: Task, trials: Sequence[int], examples: int, question: Callable[[np.ndarray], np.ndarray]
) -> Seen:
    """Draw the data of trials as their runs do, and look for the test's questions.

    Args:
        task: its target and objects are looked at.
        examples: relation tensors of the training set, and of the test.
        question: what an answer depends on, ``(examples, m, m) -> (questions, ...)``.

    Example:
        >>> seen(Task("parity", 3), [0], 500, lambda tensors: tensors.reshape(-1, 3))
        Seen(shares=[1.0], different=[12])
    """
    shares, different = [], []
    for trial in trials:
        train, test = (
            [one.tobytes() for one in question(draw(task, trial, part, examples)[0])]
            for part in ("train", "test")
        )
        known = set(train)
        shares.append(float(np.mean([one in known for one in test])))
        different.append(len(known))
    return Seen(shares, different)
