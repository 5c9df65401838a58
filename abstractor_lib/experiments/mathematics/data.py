"""What the models of the mathematics experiment are trained and tested on.

Shapes: ``q`` questions, ``m`` characters of a question, ``n`` of an answer.
"""

from dataclasses import replace

import numpy as np
import torch

from ...records.spec import Spec
from ...tasks import mathematics
from ...tasks.mathematics import Problems
from ...tasks.mathematics.alphabets import END, PADDING, START
from ...training.examples import Examples
from ...training.sources import Bucketed, Resident
from .settings import Task

POOL = 50  # batches whose questions are sorted by length together


def problems(task: Task, split: str, count: int | None = None) -> Problems:
    """The first problems of a split, as many as the task says or ``count``.

    Raises:
        NotGenerated: naming the command that makes them, if this machine does not have them.
    """
    count = getattr(task, split) if count is None else count
    found = mathematics.load(task.name, split, count, task.alphabet)
    return blank(found) if task.blank else found


def blank(problems: Problems) -> Problems:
    """The same answers to a question of one character, the same for all."""
    questions = np.zeros_like(problems.questions)
    questions[:, 0] = mathematics.alphabet(problems.alphabet).table[ord("?")]
    return replace(problems, questions=questions)


def marks(name: str) -> tuple[int, int]:
    """The numbers of the characters that begin and end an answer, in an alphabet."""
    table = mathematics.alphabet(name).table
    return int(table[ord(START)]), int(table[ord(END)])


def lengths(problems: Problems) -> tuple[np.ndarray, np.ndarray]:
    """Characters of each question, and labels of each answer, ``(q,)``."""
    return (problems.questions != PADDING).sum(axis=1), (problems.labels != PADDING).sum(axis=1)


def characters(problems: Problems) -> int:
    """Characters of questions and answers, without padding."""
    return int((problems.questions != PADDING).sum() + (problems.answers != PADDING).sum())


def examples(
    problems: Problems, device: str = "cpu", cut: tuple[int | None, int | None] = (None, None)
) -> Examples:
    """Inputs (questions, what the decoder reads) and targets (what it is to write next).

    Args:
        cut: as many characters of questions, and labels, as are kept; None for all.
    """
    question, label = cut
    arrays = (
        problems.questions[:, :question],
        problems.decoder_inputs[:, :label],
        problems.labels[:, :label],
    )
    source, read, write = (torch.tensor(one, device=device)[None] for one in arrays)
    return Examples((source, read), write)


def source(train: Problems, spec: Spec, device: str) -> Resident:
    """Batches of questions; where padding is ignored, of similar length and cut to the longest."""
    found, size = examples(train, device), spec.training.batch_size
    if spec.task.padding == "read":
        return Resident(found, size)
    question, label = (torch.from_numpy(one)[None] for one in lengths(train))
    return Bucketed(found, (question, label, label), size, POOL)


def parts(problems: Problems, task: Task, size: int, device: str = "cpu") -> list[Examples]:
    """Questions in parts of ``size``; where padding is ignored, sorted by length and cut to the
    longest of their part. The order makes no difference to a mean."""
    ignored = task.padding == "ignored"
    if ignored:
        problems = problems[np.lexsort(lengths(problems)[::-1])]
    found = []
    for start in range(0, len(problems), size):
        part = problems[start : start + size]
        question, label = (int(one.max()) if ignored else None for one in lengths(part))
        found.append(examples(part, device, (question, label)))
    return found
