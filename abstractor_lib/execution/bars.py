"""Progress bars on standard error, as wide as the terminal, 79 columns at most."""

import contextlib
import os
import sys
import time

from tqdm import tqdm

WIDE, NARROW = 79, 60  # columns; below the second, words and rates give way to what is done
SHORT = "{desc:.14} {n_fmt}/{total_fmt}, {remaining} left"


def bar(**options) -> tqdm:
    """A bar of what ``options`` of tqdm say, in one line of the terminal.

    Example:
        >>> from unittest import mock
        >>> with mock.patch.dict(os.environ, COLUMNS="40"):
        ...     str(bar(total=29, desc="mathematics, which these start from", delay=1))
        'mathematics, w 0/29, ? left'
    """
    columns = width()
    short = {"bar_format": SHORT} if columns < NARROW else {}
    drawn = tqdm(file=sys.stderr, **{**options, **short, "ncols": columns})
    drawn._time = time.monotonic  # a day's clock that is set back would stop the bar
    drawn.start_t = drawn.last_print_t = drawn._time()
    return drawn


def width() -> int:
    """Columns of the terminal, or what ``COLUMNS`` says, at most `WIDE`."""
    with contextlib.suppress(ValueError, OSError):
        told = int(os.environ.get("COLUMNS", 0))
        return min(WIDE, told if told > 0 else os.get_terminal_size(sys.stderr.fileno()).columns)
    return WIDE
