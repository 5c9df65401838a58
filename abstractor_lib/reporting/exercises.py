"""Exercises at the end of a notebook: whether what a reader has written is an answer."""

from collections.abc import Mapping

from IPython.display import Markdown


class Checked(Markdown):
    """What a check says; `solved` if every part is true."""

    def __init__(self, parts: Mapping[str, bool]):
        lines = [f"- {'✓' if good else '✗'} {part}" for part, good in parts.items()]
        self.solved = all(parts.values())
        super().__init__("\n".join(["**Solved.**" if self.solved else "**Not yet.**", "", *lines]))


def check(parts: Mapping[str, bool]) -> Checked:
    """Tell what of an exercise is done.

    Args:
        parts: what an answer has to do, in words, and whether it does.

    Raises:
        ValueError: if there is nothing to do.

    Example:
        >>> check({"the relation is symmetric": True, "its rank is 2": False}).solved
        False
    """
    if not parts:
        raise ValueError("parts is {}; expected what an answer has to do")
    return Checked(parts)
