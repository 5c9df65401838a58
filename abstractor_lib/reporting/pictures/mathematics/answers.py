"""What models write while they learn."""

import math
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ....tasks.mathematics import alphabet, equal
from ....tasks.mathematics.alphabets import unframed

NAME = re.compile(r"\b[a-z]\b")  # a variable: one letter alone


def written(
    tokens: np.ndarray, updates: Sequence[int], questions: Sequence[str], name: str = "text"
) -> pd.DataFrame:
    """A row a look, a column a question: the answers as text. Those that do not end say so by a
    last sign.

    Args:
        tokens: characters as numbers, ``(looks, questions, n)``.
        updates: of each look.
        questions: as text.
        name: of the alphabet.

    Example:
        >>> from abstractor_lib.tasks.mathematics import alphabet
        >>> tokens = alphabet("text").encode(["7;", "77"], 2)[:, None]
        >>> written(tokens, [10, 20], ["What is 3 + 4?"])["What is 3 + 4?"].tolist()
        ['7', '77…']
    """
    answers = {}
    for number, question in enumerate(questions):
        texts = alphabet(name).decode(np.asarray(tokens)[:, number])
        answers[question] = [unframed(answer) + ("" if ";" in answer else "…") for answer in texts]
    return pd.DataFrame(answers, index=pd.Index(updates, name="updates"))


def known_names(answers: pd.DataFrame) -> pd.DataFrame:
    """Of the answers of `written`, whether each names variables of its question alone: 1 or 0, and
    NaN where it names none.

    Example:
        >>> question = "What is the derivative of 3*t*x wrt x?"
        >>> answers = pd.DataFrame({question: ["3*t", "3*q", "3"]}, index=[10, 20, 30])
        >>> known_names(answers)[question].tolist()
        [1.0, 0.0, nan]
    """

    def known(question: str, answer: str) -> float:
        names = set(NAME.findall(answer))
        return float(names <= set(NAME.findall(question))) if names else math.nan

    return answers.apply(lambda one: one.map(lambda answer: known(one.name, answer)))


MARKS = {"right": "✓", "equal": "=", "wrong": "✗"}


def verdict(answer: str, right: str) -> str:
    """Whether an answer of `written` is ``right`` to the last character, ``equal`` to the right one
    as an expression, or ``wrong``.

    Example:
        >>> verdict("2*x", "2*x"), verdict("x + x", "2*x"), verdict("2*x…", "2*x")
        ('right', 'equal', 'wrong')
    """
    if answer == right:
        return "right"
    return "equal" if not answer.endswith("…") and equal(answer, right) else "wrong"
