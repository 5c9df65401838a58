"""The two files that hold one list of records: packed lines first, then those appended since.

Whoever names one of them, ``order.jsonl`` or ``order.jsonl.gz``, means both. Either may be absent.
"""

import gzip
import zlib
from pathlib import Path

PACKED = ".gz"


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
        BadRecord: if it is not a gzip file, or not a whole one.
    """
    content = _read(path)
    if content is None:
        return b""
    try:
        if not content:
            raise EOFError("it is empty")
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise BadRecord(f"{path} is not a whole gzip file ({error})") from None


def size(path: Path) -> int:
    """Bytes on disk of both files together."""
    return sum(file.stat().st_size for file in (packed(path), plain(path)) if file.is_file())


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
