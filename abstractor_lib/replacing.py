"""Writing a file whole or not at all, and naming it where it cannot be written."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """An error of the system in the block that names no file names this one. A full disk is told by
    ``write``, which knows no names.

    Example:
        >>> with named(Path("records")):
        ...     raise OSError(28, "No space left on device")
        Traceback (most recent call last):
        OSError: [Errno 28] No space left on device: 'records'
    """
    try:
        yield
    except OSError as error:
        if error.strerror and error.filename is None:
            error.filename = str(path)
        raise


def replace_file(path: Path, *content: bytes, sync: bool = True) -> None:
    """Write ``content``, one piece after the other, in place of a file. A process that dies
    meanwhile leaves the old file, and beside it a draft, ``.NAME.PROCESS.part``.

    Args:
        path: the file; its folder is made.
        content: pieces of bytes.
        sync: wait until the disk has it, so that a machine that fails loses nothing either.

    Raises:
        OSError: naming the file, if it cannot be written; the old one stays, and no draft.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     replace_file(Path(folder) / "new" / "file", b"one ", b"two")
        ...     (Path(folder) / "new" / "file").read_text()
        'one two'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with named(path), draft.open("wb") as file:
            file.writelines(content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def in_words(error: OSError) -> str:
    """What the system says, and of which file.

    Example:
        >>> in_words(OSError(28, "No space left on device", "records")), in_words(OSError("gone"))
        ('records: No space left on device', 'gone')
    """
    said = error.strerror or str(error)
    return f"{error.filename}: {said}" if error.filename else said
