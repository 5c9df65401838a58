"""Characters as numbers (v3 section 4.3): the alphabet of the text and that of the public code.

Shapes: ``N`` texts, ``L`` characters of a text, padding included.
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

PADDING = 0  # of every alphabet
START, END = "@", ";"  # of an answer
QUESTION, ANSWER = 160, 30  # most characters of a question, and of an answer (v3 section 4.3)
FRAMED = len(START) + ANSWER + len(END)  # 32: an answer with its marks

PRINTABLE = "".join(map(chr, range(32, 127)))
GENERATED = " !'()*+,-./:<=>?{}" + string.digits + string.ascii_letters  # by all its modules


@dataclass(frozen=True)
class Alphabet:
    """Numbers of characters; 0 is padding.

    Attributes:
        name: ``text`` or ``code``.
        characters: in the order of their numbers.
        unknown: whether number 1 stands for every other character. Without it, other characters
            are an error.
    """

    name: str
    characters: str
    unknown: bool = False

    def __len__(self) -> int:
        """How many numbers there are, padding included: the size of an embedding."""
        return self._first + len(self.characters)

    @property
    def _first(self) -> int:
        return 1 + self.unknown

    @cached_property
    def table(self) -> np.ndarray:
        """The number of each byte of ASCII; ``(256,)``, uint8. Byte 0 is padding."""
        table = np.full(256, int(self.unknown), dtype=np.uint8)  # 1 is [UNK], 0 never allowed
        table[PADDING] = PADDING
        for number, character in enumerate(self.characters, start=self._first):
            table[ord(character)] = number
        return table

    def tokens(self, characters: np.ndarray) -> np.ndarray:
        """Bytes of ASCII, padded with 0, as numbers of this alphabet; any shape, uint8.

        Raises:
            ValueError: for a character that the alphabet does not have.
        """
        found = self.table[characters]
        if not self.unknown and (lost := (found == PADDING) & (characters != PADDING)).any():
            raise ValueError(
                f"the character {chr(characters[lost][0])!r} is not in the alphabet "
                f"{self.name!r}; allowed: {self.characters}"
            )
        return found

    def encode(self, texts: Sequence[str], length: int) -> np.ndarray:
        """Texts as numbers, padded or cut to ``length``; ``(N, L)``, uint8.

        Raises:
            ValueError: for a character that the alphabet does not have.

        Example:
            >>> TEXT.encode(["ab", "a"], 3).tolist()
            [[66, 67, 0], [66, 0, 0]]
            >>> CODE.encode(["a~"], 3).tolist()  # the public code's alphabet has no tilde
            [[58, 1, 0]]
        """
        return self.tokens(as_bytes(texts, length))

    def decode(self, numbers: np.ndarray) -> list[str]:
        """Rows of numbers, ``(N, L)``, as texts without padding; unknown characters as ``?``.

        Raises:
            ValueError: for a number that the alphabet does not have.

        Example:
            >>> TEXT.decode(TEXT.encode(["Solve 2*x = 4."], 20))
            ['Solve 2*x = 4.']
        """
        numbers = np.asarray(numbers)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(self):
            raise ValueError(
                f"numbers lie between {numbers.min()} and {numbers.max()}; allowed: 0 to "
                f"{len(self) - 1}, the alphabet {self.name!r}"
            )
        signs = ["", "?"][: self._first] + list(self.characters)
        return ["".join(signs[number] for number in row) for row in numbers.tolist()]


TEXT = Alphabet("text", PRINTABLE)
CODE = Alphabet("code", "".join(sorted(GENERATED + START + END + "[]")), unknown=True)
ALPHABETS = {one.name: one for one in (TEXT, CODE)}


def alphabet(name: str) -> Alphabet:
    """The alphabet of that name.

    ``text`` has the 95 printable characters of ASCII (v3 section 4.3) and padding: 96 numbers.
    ``code`` has the 86 numbers of the public code: padding, ``[UNK]`` and 84 characters. Their
    number is known, and not which they are. Ours are letters, digits, the space, the other
    characters that any module of the generator was seen to write, ``!'()*+,-./:<=>?{}``, the
    marks ``@`` and ``;``, and two more, ``[`` and ``]``, in the order of ASCII.

    Raises:
        ValueError: for another name.

    Example:
        >>> len(alphabet("text")), len(alphabet("code"))
        (96, 86)
    """
    if name not in ALPHABETS:
        raise ValueError(f"alphabet is {name!r}; allowed: {', '.join(ALPHABETS)}")
    return ALPHABETS[name]


def as_bytes(texts: Sequence[str], length: int) -> np.ndarray:
    """Texts of ASCII as bytes, padded with 0 or cut to ``length``; ``(N, length)``, uint8.

    Raises:
        ValueError: for a character outside ASCII.

    Example:
        >>> as_bytes(["ab", "cde"], 2).tolist()
        [[97, 98], [99, 100]]
    """
    try:
        rows = [text.encode("ascii") for text in texts]
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object!r} has characters outside ASCII") from None
    if any(b"\0" in row for row in rows):
        raise ValueError("a text holds the null character, which is padding")
    joined = b"".join(row[:length].ljust(length, b"\0") for row in rows)
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(rows), length).copy()


def framed(answers: Sequence[str]) -> list[str]:
    """Answers between their marks, as a decoder reads and writes them.

    Raises:
        ValueError: for answers of more than 30 characters.

    Example:
        >>> framed(["-7"])
        ['@-7;']
    """
    for answer in answers:
        if len(answer) > ANSWER:
            raise ValueError(
                f"the answer {answer!r} has {len(answer)} characters; allowed: at most {ANSWER}"
            )
    return [f"{START}{answer}{END}" for answer in answers]


def unframed(text: str) -> str:
    """An answer without its marks: what lies between ``@`` and the first ``;``.

    Example:
        >>> unframed("@-7;"), unframed("-7;7"), unframed("-7")
        ('-7', '-7', '-7')
    """
    return text.removeprefix(START).partition(END)[0]
