"""The two files that hold one list of records: packed lines first, then those appended since.

Whoever names one of them, ``order.jsonl`` or ``order.jsonl.gz``, means both. Either may be absent.
"""

import gzip
import io
import zlib
from pathlib import Path

PACKED = ".gz"
MOST = 256 << 20  # bytes of one file, unpacked; all records that ship have a tenth of that


class BadRecord(ValueError):
    """A malformed line in a record file, or a packed file that cannot be read."""


def plain(path: Path) -> Path:
    """The file that lines are appended to.

    Example:
        >>> plain(Path("order.jsonl.gz")).name, plain(Path("order.jsonl")).name
        ('order.jsonl', 'order.jsonl')
    """
    return path.with_suffix("") if path.suffix == PACKED else path


def packed(path: Path) -> Path:
    """The file of the lines that are packed.

    Example:
        >>> packed(Path("order.jsonl.gz")).name, packed(Path("order.jsonl")).name
        ('order.jsonl.gz', 'order.jsonl.gz')
    """
    return path if path.suffix == PACKED else path.with_name(path.name + PACKED)


def listed(folder: Path) -> set[Path]:
    """The plain names of all record files of a folder, whether plain, packed or both."""
    return {plain(path) for name in ("*.jsonl", f"*.jsonl{PACKED}") for path in folder.glob(name)}


def contents(path: Path) -> dict[Path, bytes]:
    """The lines of the packed file, then those of the plain one, as bytes.

    Raises:
        BadRecord: if the packed file is not a whole gzip file.
    """
    # Packing writes the packed file before it deletes the plain one. Read in the other order,
    # lines that are on their way are found twice, never not at all.
    appended = _read(plain(path)) or b""
    return {packed(path): unpacked(packed(path)), plain(path): appended}


def unpacked(path: Path) -> bytes:
    """What a gzip file holds; an absent one holds nothing.

    Raises:
        BadRecord: if it is not a gzip file, not a whole one, or holds more than `MOST` bytes.
    """
    content = _read(path)
    if content is None:
        return b""
    try:
        if not content:
            raise EOFError("it is empty")
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            lines = file.read(MOST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadRecord(f"{path} is not a whole gzip file ({error})") from None
    return _bounded(lines, path)


def size(path: Path) -> int:
    """Bytes on disk of both files together."""
    return sum(file.stat().st_size for file in (packed(path), plain(path)) if file.is_file())


def _bounded(content: bytes, path: Path) -> bytes:
    """The content, unless it is too large to be records."""
    if len(content) > MOST:
        raise BadRecord(f"{path} holds more than {MOST >> 20} MiB; expected a few KiB a record")
    return content


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return _bounded(file.read(MOST + 1), path)
    except FileNotFoundError:
        return None
