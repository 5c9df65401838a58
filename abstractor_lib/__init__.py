"""A reproducible companion to the Abstractor papers: library, experiments and records."""

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"


def __getattr__(name: str) -> ModuleType:
    """`nn` with its first use, so that what needs no torch starts without it."""
    if name == "nn":
        return import_module(".nn", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class InOneSentence(Exception):
    """An error whose message says all: a notebook shows it in place of a traceback."""

    def _render_traceback_(self) -> list[str]:  # what Jupyter asks for
        return [str(self)]


class Failure(InOneSentence, RuntimeError):
    """A check failed, or work could not be finished: exit status 1, one sentence."""


class Unavailable(InOneSentence, ValueError):
    """What a run reads is not on this machine, or not as it was written."""


def brief(text: str, most: int = 500) -> str:
    """What a file says, for an error: in one line, and not more than people read.

    Example:
        >>> brief("one\\n two"), len(brief("long " * 1000))
        ('one two', 500)
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
