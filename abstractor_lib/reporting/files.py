"""Writing files that stay as they are when their content has not changed."""

import os
from pathlib import Path


def write(path: Path, content: str | bytes) -> bool:
    """Write ``content`` unless the file holds it already; whole or not at all.

    Returns:
        Whether anything was written.
    """
    raw = content.encode() if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == raw:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.part")
    draft.write_bytes(raw)
    os.replace(draft, path)
    return True
