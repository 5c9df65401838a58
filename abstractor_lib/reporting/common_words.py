"""What several sentences have in common, said once: long beginnings and endings get a letter."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from string import ascii_uppercase

AFTER = re.compile(r"(?<=[,;:.)]) ")  # where a beginning may end
BEFORE = re.compile(r"(?<=;) |(?<=\.) (?=[A-Z])")  # where an ending may begin: not inside a claim
LEAST, SEVERAL = 80, 3  # characters, sentences


def shortened(texts: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Sentences with a letter in place of what at least three of them begin or end with.

    Args:
        texts: sentences.

    Returns:
        Letter -> what it stands for; and the sentences, in their order, with ``A …`` for a
        beginning and ``… B`` for an ending.

    Example:
        >>> given = "Trained for two hundred thousand updates of batches of sixty-four examples, "
        >>> given += "all drawn anew, "
        >>> words, short = shortened([f"{given}{name} wins." for name in ("x", "y", "z")])
        >>> words["A"] == f"{given[:-1]} …", short
        (True, ['A … x wins.', 'A … y wins.', 'A … z wins.'])
    """
    first = _common(texts, lambda t: [t[: at.end()] for at in AFTER.finditer(t)], str.startswith)
    begun = [next((one for one in first if text.startswith(one)), "") for text in texts]
    rest = [text.removeprefix(one) for text, one in zip(texts, begun, strict=True)]
    last = _common(rest, lambda t: [t[at.end() :] for at in BEFORE.finditer(t)], str.endswith)
    ended = [next((one for one in last if text.endswith(one)), "") for text in rest]
    letters = dict(zip([*first, *last], ascii_uppercase, strict=False))
    short = [
        (f"{letters[begin]} … " if begin else "")
        + text.removesuffix(end).rstrip()
        + (f" … {letters[end]}" if end else "")
        for text, begin, end in zip(rest, begun, ended, strict=True)
    ]
    words = {letters[one]: f"{one.rstrip()} …" for one in first}
    return words | {letters[one]: f"… {one}" for one in last}, short


def _common(
    texts: Sequence[str], parts: Callable[[str], list[str]], has: Callable[[str, str], bool]
) -> list[str]:
    """The parts that save most, each counted in those sentences that have none of those before."""
    found: list[str] = []
    while len(found) < len(ascii_uppercase) // 2:
        rest = [text for text in texts if not any(has(text, one) for one in found)]
        counts = Counter(one for text in rest for one in parts(text))
        saved = {
            one: (count - 1) * len(one)
            for one, count in counts.items()
            if count >= SEVERAL and len(one) >= LEAST and one.count("(") == one.count(")")
        }
        if not saved:
            break
        found.append(max(saved, key=lambda one: (saved[one], one)))
    return found
