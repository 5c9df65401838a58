"""The files of generated problems: parts in the order of their numbers, and what they hold.

``build/mathematics/TASK`` holds ``train-00000.npz``, ``train-00001.npz``, ... and, beside each, a
line on its origin and checksum, ``train-00000.json``. A part holds bytes of ASCII, padded with 0:
``questions`` ``(n, 160)`` and ``answers`` ``(n, 32)``, the marks included. Both files of a part are
written whole or not at all, the line last. So whatever lies there can be read at any time.
"""

import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ... import Unavailable, paths
from ...replacing import replace_file

SPLITS = ("train", "validation")


class Damaged(Unavailable):
    """A part that is not what its checksum says."""


@dataclass(frozen=True)
class Part:
    """What one part holds and where it comes from.

    Attributes:
        task, split, number: which part.
        recipe: what determines the part: versions, seed and size, as a text.
        drawn: problems that were generated.
        kept: problems that no earlier part and no validation question holds.
        sha256: of the questions' and answers' bytes.
    """

    task: str
    split: str
    number: int
    recipe: str
    drawn: int
    kept: int
    sha256: str


def folder() -> Path:
    """Where generated problems lie, an ignored cache."""
    return paths.root() / "build" / "mathematics"


def path(where: Path, task: str, split: str, number: int) -> Path:
    """The file of one part.

    Example:
        >>> path(Path("m"), "algebra__linear_1d", "train", 3).as_posix()
        'm/algebra__linear_1d/train-00003.npz'
    """
    return where / task / f"{split}-{number:05}.npz"


def checksum(questions: np.ndarray, answers: np.ndarray) -> str:
    """SHA-256 of the bytes of both arrays, one after the other."""
    found = hashlib.sha256(np.ascontiguousarray(questions).data)
    found.update(np.ascontiguousarray(answers).data)
    return found.hexdigest()


def write(where: Path, part: Part, questions: np.ndarray, answers: np.ndarray) -> None:
    """Write one part."""
    target = path(where, part.task, part.split, part.number)
    content = io.BytesIO()
    np.savez_compressed(content, questions=questions, answers=answers)
    replace_file(target, content.getvalue(), sync=False)
    replace_file(target.with_suffix(".json"), json.dumps(asdict(part)).encode() + b"\n", sync=False)


def parts(where: Path, task: str, split: str) -> Iterator[Part]:
    """The parts that are there, from number 0 up to the first that is not.

    Raises:
        Damaged: if a line is not that of its part.
    """
    number = 0
    while True:
        file = path(where, task, split, number).with_suffix(".json")
        try:
            part = Part(**json.loads(file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return
        except (ValueError, TypeError) as error:
            raise Damaged(f"{file} cannot be read ({error}); delete it and make it anew") from None
        if (part.task, part.split, part.number) != (task, split, number):
            raise Damaged(f"{file} is another part's line; delete it and make it anew")
        yield part
        number += 1


def read(where: Path, part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Questions and answers of one part, bytes of ASCII.

    Raises:
        Damaged: if they are not what the checksum says.
    """
    file = path(where, part.task, part.split, part.number)
    try:
        with np.load(file, allow_pickle=False) as found:
            questions, answers = found["questions"], found["answers"]
    except (OSError, EOFError, KeyError, ValueError, BadZipFile) as error:
        raise Damaged(f"{file} cannot be read ({error}); delete it and make it anew") from None
    if len(questions) != part.kept or checksum(questions, answers) != part.sha256:
        raise Damaged(f"{file} does not have its checksum; delete it and make it anew")
    return questions, answers
