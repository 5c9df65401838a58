"""Packing: the lines of a record file move into the gzip file beside it.

What holds records by the thousand takes a quarter of the space. Any tool that knows gzip reads the
packed file: ``zcat``, or pandas with ``read_json(..., lines=True)``.
"""

import gzip
import io
from pathlib import Path

from ..replacing import replace_file
from .files import packed, plain, unpacked
from .store import load, writer

LEVEL = 9  # the most that gzip has


def pack(path: Path) -> None:
    """Move all lines of the plain file behind those of the packed one.

    The packed file is written whole or not at all, and only then the plain one is deleted. Killed
    in between, both hold the lines, which reads as before; packing again adds none of them twice.

    Raises:
        BadRecord: if a line is malformed or the packed file broken; both stay as they are.
        Busy: if another process writes to the file.
    """
    load(path)
    old, new = packed(path), plain(path)
    with writer(new):
        kept, appended = _lines(unpacked(old)), _lines(new.read_bytes() if new.exists() else b"")
        appended = appended[overlap(kept, appended) :]
        if appended:
            replace_file(old, compressed(kept + appended))
        new.unlink(missing_ok=True)


def overlap(first: list[bytes], second: list[bytes]) -> int:
    """How many lines, at most, end the first list and begin the second.

    Example:
        >>> overlap([b"a", b"b", b"c"], [b"b", b"c", b"d"])
        2
    """
    counts = range(min(len(first), len(second)), 0, -1)
    begun = (k for k in counts if first[-k] == second[0])
    return next((k for k in begun if first[-k:] == second[:k]), 0)


def compressed(lines: list[bytes]) -> bytes:
    """A gzip file of lines, without the time and a name: the same bytes from the same zlib."""
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", LEVEL, buffer, mtime=0) as file:
        file.writelines(line + b"\n" for line in lines)
    return buffer.getvalue()


def _lines(content: bytes) -> list[bytes]:
    return [line for line in content.split(b"\n") if line.strip()]
