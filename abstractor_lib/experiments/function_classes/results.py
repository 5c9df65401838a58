"""Which questions of a test the training set holds, too."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...tasks import relations as functions
from .grid import Profile
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


def seen_by_question(amount: Profile) -> pd.DataFrame:
    """Of each trial, the share of the test's questions that occur in the training set, by what an
    answer depends on. Functions of the same kind of relations and as many objects have the same
    data.

    Returns:
        A row a trial; also how many ``different rows`` of binary relations the training set holds.
    """

    def rows(tensors: np.ndarray) -> np.ndarray:
        return tensors.reshape(-1, amount.objects)

    few = Task("equal_degree", amount.few)
    questions = {
        "binary rows": (Task("parity", amount.objects), rows),
        "graded rows": (Task("strongest", amount.objects), rows),
        "tensors": (few, lambda tensors: tensors),
        "degrees": (few, functions.degree),
        "degrees in any order": (few, lambda tensors: np.sort(functions.degree(tensors))),
    }
    found = {
        name: seen(task, range(amount.trials), amount.examples, question)
        for name, (task, question) in questions.items()
    }
    shares = {name: one.shares for name, one in found.items()}
    different = {"different rows": found["binary rows"].different}
    return pd.DataFrame(shares | different).rename_axis("trial")
