"""Writing a file whole or not at all."""

import os
from pathlib import Path


def replace_file(path: Path, *content: bytes, sync: bool = True) -> None:
    """Write ``content``, one piece after the other, in place of a file. A process that dies
    meanwhile leaves the old file, and beside it a draft, ``.NAME.PROCESS.part``.

    Args:
        path: the file; its folder is made.
        content: pieces of bytes.
        sync: wait until the disk has it, so that a machine that fails loses nothing either.

    Raises:
        OSError: if it cannot be written; the old file stays, and no draft.

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
        with draft.open("wb") as file:
            file.writelines(content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
