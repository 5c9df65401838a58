"""SIGTERM ends a command as Ctrl-C does: what is finished is kept, and one sentence is said."""

import contextlib
import signal
import threading
from collections.abc import Iterator


class Interrupted(KeyboardInterrupt):
    """The process was asked to end.

    Attributes:
        status: the exit status that says so, 128 and the signal's number.
    """

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


class _Step:
    """Of the main thread: whether it is in a step that is not to be cut, and a signal waits."""

    inside = False
    signalled = False


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """Here Ctrl-C and SIGTERM raise KeyboardInterrupt, once: further ones do not disturb the end.
    What leaves the block is an `Interrupted` with the same message.

    A signal that the process was told to ignore (by ``nohup``, or in a script's background) stays
    ignored. Outside the main thread nothing changes.
    """
    if not _in_main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    received = [signal.SIGINT]

    def end(number, frame):
        received.append(number)
        for each in heard:
            signal.signal(each, signal.SIG_IGN)
        if _Step.inside:
            _Step.signalled = True
        else:
            raise KeyboardInterrupt

    for number in heard:
        signal.signal(number, end)
    try:
        yield
    except KeyboardInterrupt as error:
        raise Interrupted(str(error) or "interrupted", 128 + received[-1]) from None
    finally:
        for number in heard:
            signal.signal(number, before[number])


@contextlib.contextmanager
def whole_step() -> Iterator[None]:
    """A short step that a signal within `orderly_end` does not cut: it is heard afterwards."""
    if not _in_main_thread():
        yield
        return
    _Step.inside = True
    try:
        yield
    finally:
        _Step.inside = False
        if _Step.signalled:
            _Step.signalled = False
            raise KeyboardInterrupt


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
