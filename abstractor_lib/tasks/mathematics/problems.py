"""Problems of school mathematics, character by character (v3 section 4.3; Saxton et al., 2019).

The first problems of each task ship as a sample. `abstractor data mathematics` makes the rest. The
sample is their beginning, so that the first N problems are the same wherever they come from.

Shapes: ``N`` problems, 160 characters of a question, 32 of an answer with its marks.
"""

import csv
import functools
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path

import numpy as np

from ... import Unavailable, paths
from . import files
from .alphabets import FRAMED, QUESTION, alphabet, as_bytes, framed, unframed

TASKS = (
    "calculus__differentiate",
    "algebra__sequence_next_term",
    "algebra__linear_1d",
    "polynomials__expand",
    "polynomials__add",
)
SAMPLE = {"train": 128, "validation": 64}  # problems of each task that ship


class NotGenerated(Unavailable):
    """More problems were asked for than this machine has."""


@dataclass(frozen=True)
class Problems:
    """Questions and answers as numbers of an alphabet; 0 is padding.

    Attributes:
        questions: ``(N, 160)``, uint8.
        answers: ``(N, 32)``, uint8: ``@``, the answer, ``;``, padding.
        alphabet: name of the alphabet.
    """

    questions: np.ndarray
    answers: np.ndarray
    alphabet: str = "text"

    def __post_init__(self):
        shapes = {"questions": (len(self.questions), QUESTION), "answers": (len(self), FRAMED)}
        for name, shape in shapes.items():
            found = getattr(self, name)
            if found.shape != shape or found.dtype != np.uint8:
                raise ValueError(
                    f"{name} has shape {found.shape} and type {found.dtype}; "
                    f"expected {shape} and uint8"
                )

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, rows) -> "Problems":
        """Some of the problems: a slice, or an array of numbers or of booleans.

        Raises:
            TypeError: for one number: a problem by itself is ``problems[3:4]``.
        """
        if isinstance(rows, Integral):
            raise TypeError(
                f"rows is {rows}; expected a slice or an array, such as {rows}:{rows + 1}"
            )
        return Problems(self.questions[rows], self.answers[rows], self.alphabet)

    @property
    def decoder_inputs(self) -> np.ndarray:
        """What a decoder reads, ``(N, 31)``: all but the last character of the answers."""
        return self.answers[:, :-1]

    @property
    def labels(self) -> np.ndarray:
        """What a decoder is to write, ``(N, 31)``: the next characters, ``;`` included."""
        return self.answers[:, 1:]

    def checksum(self) -> str:
        """SHA-256 of the characters' numbers, of questions and answers."""
        return files.checksum(self.questions, self.answers)

    def question_texts(self) -> list[str]:
        """Questions as texts."""
        return alphabet(self.alphabet).decode(self.questions)

    def answer_texts(self) -> list[str]:
        """Answers as texts, without marks."""
        return [unframed(text) for text in alphabet(self.alphabet).decode(self.answers)]


def load(
    task: str,
    split: str = "train",
    count: int | None = None,
    alphabet_name: str = "text",
    folder: Path | None = None,
) -> Problems:
    """The first problems of a task; those of the sample need nothing generated.

    No two questions are alike, within a split or between the two. Under ``train``, one third
    is easy, one third medium and one third hard, before doubled questions are taken out.

    Args:
        task: one of `TASKS`.
        split: ``train`` or ``validation``.
        count: how many; by default all that this machine has.
        alphabet_name: ``text`` or ``code``.
        folder: where generated problems lie, by default ``build/mathematics``.

    Raises:
        ValueError: for an unknown task, split or alphabet, or a count below one.
        NotGenerated: if this machine has fewer; the sentence names the command that makes them.
        Damaged: if a file is not what its checksum says.

    Example:
        >>> found = load("algebra__linear_1d", "train", 100)
        >>> found.questions.shape, found.answers.shape
        ((100, 160), (100, 32))
    """
    _check(task, split, count)
    sample = _sample(task, split)
    if count is not None and count <= len(sample[0]):
        return _in_alphabet(sample[0][:count], sample[1][:count], alphabet_name)
    where = files.folder() if folder is None else folder
    found, have = [], 0
    for part in files.parts(where, task, split):
        if count is not None and have >= count:
            break
        found.append(_in_alphabet(*files.read(where, part), alphabet_name))
        have += part.kept
    if count is not None and have < count:
        raise NotGenerated(
            f"{count:,} {split} questions of {task} are wanted; this machine has "
            f"{max(have, len(sample[0])):,}; "
            f"abstractor data mathematics --task {task}"
            + (f" --questions {count}" if split == "train" else "")
            + " makes them"
        )
    found = found or [_in_alphabet(*sample, alphabet_name)]
    questions = np.concatenate([part.questions for part in found])
    answers = np.concatenate([part.answers for part in found])
    return Problems(questions[:count], answers[:count], alphabet_name)


def _check(task: str, split: str, count: int | None) -> None:
    for name, value, allowed in (("task", task, TASKS), ("split", split, files.SPLITS)):
        if value not in allowed:
            raise ValueError(f"{name} is {value!r}; allowed: {', '.join(allowed)}")
    if count is not None and count < 1:
        raise ValueError(f"count is {count}; expected a number of at least 1, or None for all")


def _in_alphabet(questions: np.ndarray, answers: np.ndarray, name: str) -> Problems:
    """Problems from bytes of ASCII."""
    found = alphabet(name)
    return Problems(found.tokens(questions), found.tokens(answers), name)


@functools.cache
def _sample(task: str, split: str) -> tuple[np.ndarray, np.ndarray]:
    """The problems that ship, as bytes of ASCII; ``(n, 160)`` and ``(n, 32)``."""
    with sample_file().open(newline="", encoding="utf-8") as lines:
        rows = [
            row for row in csv.DictReader(lines) if (row["task"], row["split"]) == (task, split)
        ]
    questions = as_bytes([row["question"] for row in rows], QUESTION)
    return questions, as_bytes(framed([row["answer"] for row in rows]), FRAMED)


def sample_file() -> Path:
    """The table of problems that ship."""
    return paths.data() / "mathematics" / "sample.csv"
