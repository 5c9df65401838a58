"""What the models of the mathematics experiment are trained and tested on.

Shapes: ``q`` questions, ``m`` characters of a question, ``n`` of an answer.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch

from ...records.spec import Spec
from ...tasks import mathematics
from ...training.examples import Examples
from ...training.sources import Bucketed, Resident
from .settings import Task

POOL = 50  # batches whose questions are sorted by length together


@dataclass(frozen=True)
class Tokens:
    """Questions and answers as numbers of an alphabet; padding, 0, comes last.

    Attributes:
        questions: ``(q, m)``, uint8.
        answers: with the characters that begin and end them, ``(q, n + 1)``, uint8.
        start, end: these two characters.
    """

    questions: np.ndarray
    answers: np.ndarray
    start: int
    end: int

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, chosen) -> "Tokens":
        return replace(self, questions=self.questions[chosen], answers=self.answers[chosen])

    @property
    def characters(self) -> int:
        """Characters of questions and answers, without padding."""
        return int((self.questions != 0).sum() + (self.answers != 0).sum())

    @property
    def lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Characters of each question, and labels of each answer, ``(q,)``."""
        return (self.questions != 0).sum(axis=1), (self.answers[:, 1:] != 0).sum(axis=1)

    def examples(self, device: str = "cpu") -> Examples:
        """Inputs (questions, what the decoder reads), targets (what it is to write next)."""
        question, answer = (
            torch.from_numpy(one).to(device)[None] for one in (self.questions, self.answers)
        )
        return Examples((question, answer[..., :-1]), answer[..., 1:])


def tokens(task: Task, split: str) -> Tokens:
    """The questions of a task: the first ``train`` or ``validation`` of a split.

    Raises:
        ValueError: naming the command that makes the data, if this machine does not have them.
    """
    count = getattr(task, split)
    found = mathematics.load(task.name, split, count, sample=task.data == "sample")
    known = mathematics.alphabet(task.alphabet)
    start, end = (int(known.table[ord(one)]) for one in (mathematics.START, mathematics.END))
    return Tokens(known.tokens(found.questions), known.tokens(found.answers), start, end)


def source(train: Tokens, spec: Spec, device: str) -> Resident:
    """Batches of questions; where padding is ignored, of similar length and cut to the longest."""
    examples, size = train.examples(device), spec.training.batch_size
    if spec.task.padding == "read":
        return Resident(examples, size)
    question, label = (torch.from_numpy(one)[None] for one in train.lengths)
    return Bucketed(examples, (question, label, label), size, POOL)


def parts(some: Tokens, task: Task, size: int, device: str = "cpu") -> list[Examples]:
    """Questions in parts of ``size``; where padding is ignored, sorted by length and cut to the
    longest of their part. The order makes no difference to a mean."""
    if task.padding == "ignored":
        some = some[np.lexsort(some.lengths[::-1])]
    found = []
    for start in range(0, len(some), size):
        part = some[start : start + size]
        if task.padding == "ignored":
            question, label = (int(one.max()) for one in part.lengths)
            part = replace(
                part, questions=part.questions[:, :question], answers=part.answers[:, : label + 1]
            )
        found.append(part.examples(device))
    return found
