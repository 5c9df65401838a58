"""A reproducible companion to the Abstractor papers: library, experiments and records."""

__version__ = "0.1.0"


class Failure(RuntimeError):
    """A check failed, or work could not be finished: exit status 1, one sentence."""


class Unavailable(ValueError):
    """What a run reads is not on this machine, or not as it was written."""
