"""Output that nobody reads: ``abstractor status | head -1`` ends without a word, as others do."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator

import click

STATUS = 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else 141


@contextlib.contextmanager
def unread() -> Iterator[None]:
    """What the block writes after the reader has gone ends the command, with the exit status of a
    program that SIGPIPE ends."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):  # Python writes what is left when it ends
            with contextlib.suppress(OSError, ValueError):
                os.dup2(nowhere, stream.fileno())
        raise click.exceptions.Exit(STATUS) from None
